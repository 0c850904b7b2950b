use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        field::Field,
        form_errors::form_errors,
        section::Section,
        time::Date,
        usage::usage,
    },
    pages::{Page, PageMeta},
    rich, text,
    view_models::{
        Form,
        settings::{AccountPage, EmailSettings},
    },
};

impl Page for AccountPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("settings-account"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let agents = text!("count-agents", count = self.agents);
        let chats = text!("count-chats", count = self.chats);
        let lead = text!("account-delete-lead", agents = agents, chats = chats);
        let you = rich!("account-you", name = self.name.clone();
            name = |name| view! { <strong>{name}</strong> },
            date = move |_| view! { <Date at=self.since /> });
        let content = view! {
            <h1>{text!("settings-account")}</h1>
            <p>{you}</p>
            {email(&self.email)}
            {password(&self.password)}
            {tools(self.asks_before_tools)}
            <Section title=text!("settings-usage") lead=text!("account-usage-lead")>{usage(&self.usage)}</Section>
            <Section title=text!("account-delete") lead>{delete(&self.delete, &self.name)}</Section>
        };
        with_side("/settings/account", content.into_any())
    }
}

/// Renders nothing on a hub that sends no e-mail, unless the account has an address from before.
fn email(settings: &EmailSettings) -> AnyView {
    if !settings.sends_mail && settings.address.is_none() {
        return ().into_any();
    }
    let lead = text!("email-lead");
    let present = match &settings.address {
        Some(address) => {
            let confirmed = rich!("email-confirmed", email = address.clone();
                email = |email| view! { <strong dir="auto">{email}</strong> });
            view! { <p>{confirmed}</p> }.into_any()
        }
        None => view! { <p>{text!("email-none")}</p> }.into_any(),
    };
    let verb = if settings.address.is_some() { text!("email-new") } else { text!("email") };
    let current = |scope: &'static str, form: &Form| {
        Field::password("current", text!("password"))
            .within(scope)
            .autocomplete("current-password")
            .max(256)
            .of(form)
    };
    let change = settings.sends_mail.then(|| {
        view! {
            {form_errors(&settings.change, Some("email"))}
            <form class="stack narrow" method="post" action="/settings/account/email">
                {Field::email("email", verb).within("email")
                    .hint(text!("email-hint")).of(&settings.change)}
                {current("email", &settings.change)}
                <p class="actions"><Button label=text!("email-send") kind=Kind::Primary /></p>
            </form>
        }
    });
    let remove = settings.address.is_some().then(|| {
        view! {
            {form_errors(&settings.remove, Some("email-remove"))}
            <form class="stack narrow" method="post" action="/settings/account/email/remove">
                {current("email-remove", &settings.remove)}
                <p class="actions"><Button label=text!("email-remove") kind=Kind::Danger /></p>
            </form>
        }
    });
    view! { <Section title=text!("email") lead>{present} {change} {remove}</Section> }.into_any()
}

fn password(form: &Form) -> AnyView {
    let current = Field::password("current", text!("password-current")).autocomplete("current-password");
    let new = Field::password("password", text!("new-password"))
        .autocomplete("new-password")
        .hint(text!("password-hint"));
    let errors = form_errors(form, Some("password"));
    let fields = [current, new].map(|field| field.within("password").max(256).of(form));
    view! {
        <Section title=text!("password") lead=text!("password-lead")>
            {errors}
            <form class="stack narrow" method="post" action="/settings/account/password">
                {fields.collect_view()}
                <p class="actions"><Button label=text!("password-change") kind=Kind::Primary /></p>
            </form>
        </Section>
    }
    .into_any()
}

fn tools(asks: bool) -> AnyView {
    let (lead, label, ask) = match asks {
        true => (text!("approvals-always"), text!("approvals-set-sometimes"), "no"),
        false => (text!("approvals-sometimes"), text!("approvals-set-always"), "yes"),
    };
    let fields = vec![("ask", ask.to_owned())];
    view! {
        <Section title=text!("approvals") lead>
            <ActionForm action="/settings/account/tools" label fields />
        </Section>
    }
    .into_any()
}

fn delete(form: &Form, name: &str) -> AnyView {
    view! {
        {form_errors(form, Some("delete"))}
        <form class="stack narrow" method="post" action="/settings/account/delete">
            {Field::text("name", text!("account-type-name", name = name)).within("delete").autocomplete("off").mono().of(form)}
            {Field::password("current", text!("password")).within("delete").autocomplete("current-password").max(256).of(form)}
            <p class="actions"><Button label=text!("account-delete") kind=Kind::Danger /></p>
        </form>
    }
    .into_any()
}
