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
    view_models::{Form, settings::AccountPage},
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
            {password(&self.password)}
            {tools(self.asks_before_tools)}
            <Section title="Usage" lead="Your usage and quotas on this hub. Deleting data frees its quota immediately.">{usage(&self.usage)}</Section>
            <Section title="Delete account" lead>{delete(&self.delete, &self.name)}</Section>
        };
        with_side("Account", content.into_any())
    }
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
