use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, Kind},
        definition_list::{facts, mono},
        field::Field,
        form_errors::form_errors,
        format::{agent_href, scheme_name},
        notice::Note,
        section::Section,
    },
    view_models::{
        Form, Tone,
        agent::{AgentHead, Credentials, HubAsClient, Scheme},
    },
};

pub fn view(model: Credentials, head: &AgentHead) -> AnyView {
    let action = format!("{}/credentials", agent_href(&head.address));
    match model.scheme.clone() {
        Scheme::Connect(server) => connect(model, head, action, server),
        Scheme::Bearer => enter(model, head, action, "Token"),
        Scheme::ApiKey(_) => enter(model, head, action, "API key"),
        Scheme::Basic => enter(model, head, action, "Password"),
        Scheme::Client(_) => enter(model, head, action, "Client secret"),
    }
}

/// Renders the form for credentials that the viewer enters here.
fn enter(model: Credentials, head: &AgentHead, action: String, label: &'static str) -> AnyView {
    let form = model.form;
    let user = match model.scheme {
        Scheme::Basic => Some("User name"),
        Scheme::Client(_) => Some("Client id"),
        _ => None,
    };
    let user = user.map(|label| Field::text("user", label).autocomplete("off").mono().of(&form));
    let sent = match model.scheme.clone() {
        Scheme::Client(server) => view! {
            "Your entry is stored encrypted, sent only to "<code>{server}</code>", and never shown again. Tokens are sent only to "
            <code>{model.origin}</code>"."
        }
        .into_any(),
        _ => view! { "Your entry is stored encrypted, sent only to "<code>{model.origin}</code>", and never shown again." }
            .into_any(),
    };
    let stored = model.stored;
    view! {
        <h2>"Your credentials"</h2>
        <p>{head.name.clone()}" requires "{scheme_name(&model.scheme)}". "{sent}</p>
        {stored.then(|| view! { <Note>"Credentials are already stored. Saving replaces them."</Note> })}
        {form_errors(&form, None)}
        <form class="stack narrow" method="post" action=action>
            {user}
            {Field::password("secret", label).autocomplete("off").of(&form)}
            <p class="actions">
                <Button label="Save credentials" kind=Kind::Primary name="action" value="save" />
                {stored.then(|| view! { <button class=Kind::Plain.class() name="action" value="delete" formnovalidate=true>"Delete credentials"</button> })}
            </p>
        </form>
    }
    .into_any()
}

/// Renders the form for OAuth access that the user grants at the authorization server.
fn connect(model: Credentials, head: &AgentHead, action: String, server: String) -> AnyView {
    let stored = model.stored;
    let label = if stored { "Reconnect" } else { "Connect" };
    view! {
        <h2>"Your connection"</h2>
        <p>
            {head.name.clone()}" needs your authorization at "<code>{server}</code>
            ". The hub stores the tokens encrypted, sends them only to "<code>{model.origin}</code>
            ", and deletes them when you disconnect."
        </p>
        {stored.then(|| view! { <Note tone=Tone::Good>"You are connected."</Note> })}
        {form_errors(&model.form, None)}
        <form method="post" action=action.clone()>
            <p class="actions">
                <Button label=label kind=if stored { Kind::Plain } else { Kind::Primary } name="action" value="connect" />
                {stored.then(|| view! { <button class=Kind::Plain.class() name="action" value="delete">"Disconnect"</button> })}
            </p>
        </form>
        {model.client.map(|client| hub_as_client(client, &model.form, action))}
    }
    .into_any()
}

/// Renders the form with which the owner registers this hub as an OAuth client.
fn hub_as_client(client: HubAsClient, form: &Form, action: String) -> AnyView {
    let lead = "Register this hub as an OAuth client there. Leave both fields empty if the server supports \
                Client ID Metadata Documents.";
    let user = Field::text("user", "Client id").autocomplete("off").mono().optional().of(form);
    let secret = Field::password("secret", "Client secret").autocomplete("off").optional();
    let secret = secret.hint("Stored encrypted, never shown again. Public clients have none.").of(form);
    view! {
        <Section title="OAuth client of this hub" lead=lead>
            {facts(vec![("Redirect URI", mono(client.redirect)), ("Metadata document", mono(client.document))])}
            <form class="stack narrow" method="post" action=action>
                {user}
                {secret}
                <p class="actions"><Button label="Save credentials" name="action" value="save" /></p>
            </form>
        </Section>
    }
    .into_any()
}
