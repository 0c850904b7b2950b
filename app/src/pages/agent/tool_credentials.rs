use leptos::prelude::*;

use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        field::Field,
        form_errors::form_errors,
        format::{agent_href, scheme_name},
    },
    text,
    view_models::{
        Form,
        agent::{AgentHead, ToolCredentials, ToolServer},
    },
};

pub fn view(model: ToolCredentials, head: &AgentHead) -> AnyView {
    let action = format!("{}/credentials", agent_href(&head.address));
    let ToolCredentials { servers, form } = model;
    let options = servers.iter().map(|server| (server.url.clone(), server.url.clone())).collect();
    let rows = servers.into_iter().map(|server| row(server, &action)).collect_view();
    view! {
        <h2>{text!("tool-credentials")}</h2>
        <p>{text!("tool-credentials-lead", agent = head.name.clone())}</p>
        <ul class="stack" role="list">{rows}</ul>
        {form_errors(&form, None)}
        <form class="stack narrow" method="post" action=action>
            {Field::choice("url", text!("tool-server"), options).mono().of(&form)}
            {fields(&form, true)}
            <p class="actions"><Button label=text!("credentials-save") kind=Kind::Primary name="action" value="save" /></p>
        </form>
    }
    .into_any()
}

/// Renders the fields for a tool server's credentials: header and secret.
pub fn fields(form: &Form, required: bool) -> AnyView {
    let header = Field::text("header", text!("tool-header"))
        .mono()
        .max(100)
        .autocomplete("off")
        .placeholder("X-API-Key");
    let header = header.hint(text!("tool-header-hint"));
    let secret = Field::password("secret", text!("tool-secret")).autocomplete("off");
    let secret = if required { secret } else { secret.optional() };
    let (header, secret) = (header.optional().of(form), secret.of(form));
    view! { {header}{secret} }.into_any()
}

fn row(server: ToolServer, action: &str) -> AnyView {
    let ToolServer { url, scheme } = server;
    let Some(scheme) = scheme else {
        return view! { <li><code>{url}</code>": "{text!("tool-none")}</li> }.into_any();
    };
    let fields = vec![("action", "delete".to_owned()), ("url", url.clone())];
    view! {
        <li>
            <code>{url.clone()}</code>": "{scheme_name(&scheme)}" "
            <ActionForm action=action.to_owned() label=text!("delete") fields about=url />
        </li>
    }
    .into_any()
}
