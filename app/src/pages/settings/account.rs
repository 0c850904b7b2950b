use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        field::Field,
        form_errors::form_errors,
        format::count,
        section::Section,
        time::Date,
        usage::usage,
    },
    pages::{Page, PageMeta},
    view_models::{
        Form,
        settings::{AccountPage, EmailSettings},
    },
};

impl Page for AccountPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Account")
    }

    fn body(self) -> AnyView {
        let lead = format!(
            "Your agents are hidden and your sessions end immediately. Sign in within 30 days to restore the account. \
             After that {} and {} are deleted permanently. Your messages to other users stay without your name, \
             and your name cannot be used again.",
            count(self.agents, "agent", "agents"),
            count(self.chats, "chat", "chats")
        );
        let content = view! {
            <h1>"Account"</h1>
            <p>"You are " <strong>"@"{self.name.clone()}</strong> ", here since " <Date at=self.since /> "."</p>
            {email(&self.email)}
            {password(&self.password)}
            {tools(self.asks_before_tools)}
            <Section title="Usage" lead="Your usage and quotas on this hub. Deleting data frees its quota immediately.">{usage(&self.usage)}</Section>
            <Section title="Delete account" lead>{delete(&self.delete, &self.name)}</Section>
        };
        with_side("/settings/account", content.into_any())
    }
}

/// Renders nothing on a hub that sends no e-mail, unless the account has an address from before.
fn email(settings: &EmailSettings) -> AnyView {
    if !settings.sends_mail && settings.address.is_none() {
        return ().into_any();
    }
    let lead =
        "With it you can sign in and set a new password, and you are told about changes of your password.";
    let present = match &settings.address {
        Some(address) => {
            view! { <p>"Confirmed: " <strong dir="auto">{address.clone()}</strong></p> }.into_any()
        }
        None => view! { <p>"No e-mail address."</p> }.into_any(),
    };
    let verb = if settings.address.is_some() { "New e-mail address" } else { "E-mail address" };
    let current = |scope: &'static str, form: &Form| {
        Field::password("current", "Password")
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
                    .hint("You get a link that confirms the address, for 24 hours.").of(&settings.change)}
                {current("email", &settings.change)}
                <p class="actions"><Button label="Send confirmation link" kind=Kind::Primary /></p>
            </form>
        }
    });
    let remove = settings.address.is_some().then(|| {
        view! {
            {form_errors(&settings.remove, Some("email-remove"))}
            <form class="stack narrow" method="post" action="/settings/account/email/remove">
                {current("email-remove", &settings.remove)}
                <p class="actions"><Button label="Remove e-mail address" kind=Kind::Danger /></p>
            </form>
        }
    });
    view! { <Section title="E-mail address" lead>{present} {change} {remove}</Section> }.into_any()
}

fn password(form: &Form) -> AnyView {
    let current = Field::password("current", "Current password").autocomplete("current-password");
    let new = Field::password("password", "New password")
        .autocomplete("new-password")
        .hint("At least 15 characters; four or five words are easy to remember.");
    let errors = form_errors(form, Some("password"));
    let fields = [current, new].map(|field| field.within("password").max(256).of(form));
    view! {
        <Section title="Password" lead="A new password signs out every other session.">
            {errors}
            <form class="stack narrow" method="post" action="/settings/account/password">
                {fields.collect_view()}
                <p class="actions"><Button label="Change password" kind=Kind::Primary /></p>
            </form>
        </Section>
    }
    .into_any()
}

fn tools(asks: bool) -> AnyView {
    let (lead, label, ask) = match asks {
        true => (
            "Agents ask for your approval in the chat before each tool call.",
            "Ask only if the owner requires it",
            "no",
        ),
        false => (
            "Each tool call is shown in the chat. Agents ask for approval only if their owner requires it.",
            "Always ask for approval",
            "yes",
        ),
    };
    let fields = vec![("ask", ask.to_owned())];
    view! {
        <Section title="Tool approvals" lead>
            <ActionForm action="/settings/account/tools" label fields />
        </Section>
    }
    .into_any()
}

fn delete(form: &Form, name: &str) -> AnyView {
    view! {
        {form_errors(form, Some("delete"))}
        <form class="stack narrow" method="post" action="/settings/account/delete">
            {Field::text("name", format!("Type {name} to confirm")).within("delete").autocomplete("off").mono().of(form)}
            {Field::password("current", "Password").within("delete").autocomplete("current-password").max(256).of(form)}
            <p class="actions"><Button label="Delete account" kind=Kind::Danger /></p>
        </form>
    }
    .into_any()
}
