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
    rich, text,
    view_models::{
        Form, Tone,
        agent::{AgentHead, Credentials, HubAsClient, Scheme},
    },
};

pub fn view(model: Credentials, head: &AgentHead) -> AnyView {
    let action = format!("{}/credentials", agent_href(&head.address));
    match model.scheme.clone() {
        Scheme::Connect(server) => connect(model, head, action, server),
        Scheme::Bearer => enter(model, head, action, text!("credential-token")),
        Scheme::ApiKey(_) => enter(model, head, action, text!("credential-api-key")),
        Scheme::Basic => enter(model, head, action, text!("password")),
        Scheme::Client(_) => enter(model, head, action, text!("credential-client-secret")),
    }
}

fn code(text: String) -> impl IntoView + use<> {
    view! { <code>{text}</code> }
}

/// Renders the form for credentials that the viewer enters here.
fn enter(model: Credentials, head: &AgentHead, action: String, label: String) -> AnyView {
    let form = model.form;
    let user = match model.scheme {
        Scheme::Basic => Some(text!("credential-user")),
        Scheme::Client(_) => Some(text!("credential-client-id")),
        _ => None,
    };
    let user = user.map(|label| Field::text("user", label).autocomplete("off").mono().of(&form));
    let sent = match model.scheme.clone() {
        Scheme::Client(server) => rich!("credentials-sent-client", server = server, origin = model.origin;
            code = code, origin = code),
        _ => rich!("credentials-sent", origin = model.origin; code = code),
    };
    let stored = model.stored;
    view! {
        <h2>{text!("credentials-yours")}</h2>
        <p>{text!("credentials-required", agent = head.name.clone(), scheme = scheme_name(&model.scheme))}" "{sent}</p>
        {stored.then(|| view! { <Note>{text!("credentials-stored")}</Note> })}
        {form_errors(&form, None)}
        <form class="stack narrow" method="post" action=action>
            {user}
            {Field::password("secret", label).autocomplete("off").of(&form)}
            <p class="actions">
                <Button label=text!("credentials-save") kind=Kind::Primary name="action" value="save" />
                {stored.then(|| view! { <button class=Kind::Plain.class() name="action" value="delete" formnovalidate=true>{text!("credentials-delete")}</button> })}
            </p>
        </form>
    }
    .into_any()
}

/// Renders the form for OAuth access that the user grants at the authorization server.
fn connect(model: Credentials, head: &AgentHead, action: String, server: String) -> AnyView {
    let stored = model.stored;
    let label = if stored { text!("credentials-reconnect") } else { text!("credentials-connect") };
    view! {
        <h2>{text!("credentials-connection")}</h2>
        <p>
            {rich!("credentials-connect-lead", agent = head.name.clone(), server = server, origin = model.origin;
                code = code, origin = code)}
        </p>
        {stored.then(|| view! { <Note tone=Tone::Good>{text!("credentials-connected")}</Note> })}
        {form_errors(&model.form, None)}
        <form method="post" action=action.clone()>
            <p class="actions">
                <Button label=label kind=if stored { Kind::Plain } else { Kind::Primary } name="action" value="connect" />
                {stored.then(|| view! { <button class=Kind::Plain.class() name="action" value="delete">{text!("credentials-disconnect")}</button> })}
            </p>
        </form>
        {model.client.map(|client| hub_as_client(client, &model.form, action))}
    }
    .into_any()
}

/// Renders the form with which the owner registers this hub as an OAuth client.
fn hub_as_client(client: HubAsClient, form: &Form, action: String) -> AnyView {
    let lead = text!("credentials-client-lead");
    let user =
        Field::text("user", text!("credential-client-id")).autocomplete("off").mono().optional().of(form);
    let secret = Field::password("secret", text!("credential-client-secret")).autocomplete("off").optional();
    let secret = secret.hint(text!("credentials-client-hint")).of(form);
    view! {
        <Section title=text!("credentials-client") lead=lead>
            {facts(vec![(text!("credentials-redirect"), mono(client.redirect)), (text!("credentials-document"), mono(client.document))])}
            <form class="stack narrow" method="post" action=action>
                {user}
                {secret}
                <p class="actions"><Button label=text!("credentials-save") name="action" value="save" /></p>
            </form>
        </Section>
    }
    .into_any()
}
