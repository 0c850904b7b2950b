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
    rich, text,
    view_models::{
        Form,
        account::{SignupMode, SignupPage, entrance_href},
    },
};

impl Page for SignupPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(text!("sign-up")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        match self.mode {
            SignupMode::Closed => refused(text!("signup-closed"), text!("signup-closed-why"), &self.next),
            SignupMode::NeedsInvite => {
                refused(text!("signup-invite"), text!("signup-invite-next"), &self.next)
            }
            SignupMode::DeadLink => refused(text!("link-dead"), text!("signup-dead-next"), &self.next),
            SignupMode::Waiting { name } => waiting(&name, &self.next),
            mode => open(&mode, &self.next, self.asks_email, &self.form),
        }
    }
}

fn open(mode: &SignupMode, next: &str, asks_email: bool, form: &Form) -> AnyView {
    let (title, lead, hidden) = match mode {
        SignupMode::FirstAdmin { token } => {
            (text!("signup-first"), Some(text!("signup-first-lead")), Some(("admin", token.clone())))
        }
        SignupMode::Invited { token } => {
            (text!("sign-up"), Some(text!("signup-invited")), Some(("invite", token.clone())))
        }
        _ => (text!("sign-up"), None, None),
    };
    let approval = *mode == SignupMode::Approval;
    let (sign_in, next) = (entrance_href("/login", next), next.to_owned());
    let verb = if approval { text!("request-account") } else { text!("sign-up") };
    view! {
        <h1>{title}</h1>
        {lead.map(|lead| view! { <Note>{lead}</Note> })}
        {form_errors(form, None)}
        <form class="stack" method="post" action="/signup">
            <input type="hidden" name="next" value=next />
            {hidden.map(|(name, value)| view! { <input type="hidden" name=name value=value /> })}
            {Field::text("name", text!("name")).autocomplete("username").mono().max(39)
                .hint(text!("signup-name-hint")).of(form)}
            {Field::password("password", text!("password")).autocomplete("new-password").max(256)
                .hint(text!("password-hint")).of(form)}
            {asks_email.then(|| Field::email("email", text!("email")).optional()
                .hint(text!("signup-email-hint")).of(form))}
            {approval.then(|| Field::lines("reason", text!("signup-reason"), 3).max(500)
                .hint(text!("signup-reason-hint")).of(form))}
            <p class="actions"><Button label=verb kind=Kind::Primary /></p>
        </form>
        <p class="quiet">{rich!("signup-have-account"; link = |inner| view! { <a href=sign_in>{inner}</a> })}</p>
    }
    .into_any()
}

fn refused(title: String, why: String, next: &str) -> AnyView {
    let sign_in = entrance_href("/login", next);
    view! {
        <h1>{text!("sign-up")}</h1>
        <Empty title=title>
            <p>{why}</p>
            <p class="actions"><ButtonLink label=text!("browse-agents") href="/agents" /> <ButtonLink label=text!("sign-in") href=sign_in /></p>
        </Empty>
    }
    .into_any()
}

fn waiting(name: &str, next: &str) -> AnyView {
    let sign_in = entrance_href("/login", next);
    let text = text!("signup-waiting-next", name = name.to_owned());
    view! {
        <h1>{text!("signup-waiting")}</h1>
        <Empty title=text!("signup-waiting-what")>
            <p>{text}</p>
            <p class="actions"><ButtonLink label=text!("browse-agents") href="/agents" /> <ButtonLink label=text!("sign-in") href=sign_in /></p>
        </Empty>
    }
    .into_any()
}
