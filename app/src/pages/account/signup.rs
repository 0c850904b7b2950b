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
        account::{SignupMode, SignupPage},
    },
};

impl Page for SignupPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("Sign up") }
    }

    fn body(self) -> AnyView {
        match self.mode {
            SignupMode::Closed => {
                refused("This hub takes no new people", "Its administrators have closed it for now.")
            }
            SignupMode::NeedsInvite => refused(
                "By invitation only",
                "Somebody who is here already can send you a link. Open it, and this page will let you in.",
            ),
            SignupMode::DeadLink => refused(
                "This link no longer works",
                "It makes the first administrator, once and within 24 hours. If you used it, sign in. Whoever runs the hub can make \
                 others administrators with “plexus user make-admin”.",
            ),
            SignupMode::Waiting { name } => waiting(&name),
            mode => open(&mode, &self.form),
        }
    }
}

fn open(mode: &SignupMode, form: &Form) -> AnyView {
    let (title, lead, hidden) = match mode {
        SignupMode::FirstAdmin { token } => (
            "Set up this hub",
            Some(
                "You hold the one-time link, so this account will be the first administrator. The link is dead once it is used.",
            ),
            Some(("admin", token.clone())),
        ),
        SignupMode::Invited { token } => {
            ("Sign up", Some("You were invited. Welcome."), Some(("invite", token.clone())))
        }
        _ => ("Sign up", None, None),
    };
    let approval = *mode == SignupMode::Approval;
    let verb = if approval { "Ask to join" } else { "Sign up" };
    view! {
        <h1>{title}</h1>
        {lead.map(|lead| view! { <Note>{lead}</Note> })}
        {form_errors(form, None)}
        <form class="stack" method="post" action="/signup">
            {hidden.map(|(name, value)| view! { <input type="hidden" name=name value=value /> })}
            {Field::text("name", "Name").autocomplete("username").mono().max(39)
                .hint("Letters a to z, digits, hyphens. Your agents will be at @name/agent.").of(form)}
            {Field::password("password", "Password").autocomplete("new-password").max(256)
                .hint("At least 15 characters; four or five words are easy to keep in mind.").of(form)}
            {approval.then(|| Field::lines("reason", "Who you are", 3).max(500)
                .hint("An administrator reads this and decides.").of(form))}
            <p class="actions"><Button label=verb kind=Kind::Primary /></p>
        </form>
        <p class="quiet">"Already here? "<a href="/login">"Sign in"</a>"."</p>
    }
    .into_any()
}

fn refused(title: &'static str, why: &'static str) -> AnyView {
    view! {
        <h1>"Sign up"</h1>
        <Empty title=title>
            <p>{why}</p>
            <p class="actions"><ButtonLink label="Browse agents" href="/agents" /> <ButtonLink label="Sign in" href="/login" /></p>
        </Empty>
    }
    .into_any()
}

fn waiting(name: &str) -> AnyView {
    let text = format!(
        "An administrator will look at your request, {name}. You can sign in as soon as it is accepted."
    );
    view! {
        <h1>"Asked to join"</h1>
        <Empty title="Waiting for an administrator">
            <p>{text}</p>
            <p><ButtonLink label="Browse agents" href="/agents" /></p>
        </Empty>
    }
    .into_any()
}
