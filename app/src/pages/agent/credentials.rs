use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, Kind},
        field::Field,
        form_errors::form_errors,
        notice::Note,
        text::{agent_href, scheme_name},
    },
    model::agent::{AgentHead, Credentials, Scheme},
};

pub fn view(model: Credentials, head: &AgentHead) -> AnyView {
    let form = model.form;
    let action = format!("{}/credentials", agent_href(&head.address));
    let label = match model.scheme {
        Scheme::Bearer => "Token",
        Scheme::ApiKey(_) => "API key",
        Scheme::Basic => "Password",
    };
    let user = (model.scheme == Scheme::Basic)
        .then(|| Field::text("user", "User name").autocomplete("off").mono().of(&form));
    let kept = model.kept;
    view! {
        <h2>"Your credentials"</h2>
        <p>{head.name.clone()}" asks for "{scheme_name(&model.scheme)}". It is sealed, sent to "<code>{model.origin}</code>" and nowhere else, and never shown again."</p>
        {kept.then(|| view! { <Note>"Something is kept already. What you enter here takes its place."</Note> })}
        {form_errors(&form, None)}
        <form class="stack narrow" method="post" action=action>
            {user}
            {Field::password("secret", label).autocomplete("off").of(&form)}
            <p class="actions">
                <Button label="Keep" kind=Kind::Primary name="action" value="save" />
                {kept.then(|| view! { <button class=Kind::Plain.class() name="action" value="forget" formnovalidate=true>"Forget"</button> })}
            </p>
        </form>
    }
    .into_any()
}
