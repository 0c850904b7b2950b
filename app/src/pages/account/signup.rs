use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        empty::Empty,
        field::Field,
        form_errors::form_errors,
        notice::Note,
    },
    pages::{Layout, Page, PageMeta},
    view_models::{
        Form,
        account::{SignupMode, SignupPage, entrance_href},
    },
};

impl Page for SignupPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("Sign up") }
    }

    fn body(self) -> AnyView {
        match self.mode {
            SignupMode::Closed => refused(
                "Registration is closed",
                "The administrators of this hub have closed registration.",
                &self.next,
            ),
            SignupMode::NeedsInvite => refused(
                "By invitation only",
                "Ask an administrator for an invitation link, and open it to sign up.",
                &self.next,
            ),
            SignupMode::DeadLink => refused(
                "This link no longer works",
                "It creates the first administrator, once and within 24 hours. If you used it, sign in. \
                 The operator can make other users administrators with “plexus user set-role NAME admin”.",
                &self.next,
            ),
            SignupMode::Waiting { name } => waiting(&name, &self.next),
            mode => open(&mode, &self.next, self.asks_email, &self.form),
        }
    }
}

fn open(mode: &SignupMode, next: &str, asks_email: bool, form: &Form) -> AnyView {
    let (title, lead, hidden) = match mode {
        SignupMode::FirstAdmin { token } => (
            "Set up this hub",
            Some("This one-time link creates the first administrator account."),
            Some(("admin", token.clone())),
        ),
        SignupMode::Invited { token } => {
            ("Sign up", Some("You have been invited to this hub."), Some(("invite", token.clone())))
        }
        _ => ("Sign up", None, None),
    };
    let approval = *mode == SignupMode::Approval;
    let (sign_in, next) = (entrance_href("/login", next), next.to_owned());
    let verb = if approval { "Request account" } else { "Sign up" };
    view! {
        <h1>{title}</h1>
        {lead.map(|lead| view! { <Note>{lead}</Note> })}
        {form_errors(form, None)}
        <form class="stack" method="post" action="/signup">
            <input type="hidden" name="next" value=next />
            {hidden.map(|(name, value)| view! { <input type="hidden" name=name value=value /> })}
            {Field::text("name", "Name").autocomplete("username").mono().max(39)
                .hint("Letters a to z, digits, hyphens and underscores. Your agents will be at @name/agent.").of(form)}
            {Field::password("password", "Password").autocomplete("new-password").max(256)
                .hint("At least 15 characters; four or five words are easy to remember.").of(form)}
            {asks_email.then(|| Field::email("email", "E-mail address").optional()
                .hint("To set a new password if you forget yours. You get a link that confirms the address.").of(form))}
            {approval.then(|| Field::lines("reason", "About you", 3).max(500)
                .hint("Shown to the administrator who reviews your request.").of(form))}
            <p class="actions"><Button label=verb kind=Kind::Primary /></p>
        </form>
        <p class="quiet">"Already have an account? "<a href=sign_in>"Sign in"</a>"."</p>
    }
    .into_any()
}

fn refused(title: &'static str, why: &'static str, next: &str) -> AnyView {
    let sign_in = entrance_href("/login", next);
    view! {
        <h1>"Sign up"</h1>
        <Empty title=title>
            <p>{why}</p>
            <p class="actions"><ButtonLink label="Browse agents" href="/agents" /> <ButtonLink label="Sign in" href=sign_in /></p>
        </Empty>
    }
    .into_any()
}

fn waiting(name: &str, next: &str) -> AnyView {
    let sign_in = entrance_href("/login", next);
    let text = format!(
        "An administrator will review your request, {name}. You can sign in as soon as it is approved."
    );
    view! {
        <h1>"Registration pending"</h1>
        <Empty title="Waiting for an administrator">
            <p>{text}</p>
            <p class="actions"><ButtonLink label="Browse agents" href="/agents" /> <ButtonLink label="Sign in" href=sign_in /></p>
        </Empty>
    }
    .into_any()
}
