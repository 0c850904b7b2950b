use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        dialog::Dialog,
        empty::Empty,
        field::Field,
        form_errors::form_errors,
        section::Section,
        table::Table,
        time::Ago,
    },
    pages::{Page, PageMeta},
    view_models::{
        Form,
        model_providers::{ModelKeyItem, ModelKeyPolicy, ModelKeysPage},
    },
};

const PATH: &str = "/settings/model-keys";

impl Page for ModelKeysPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Model keys")
    }

    fn body(self) -> AnyView {
        let Self { providers, form } = self;
        let shown = if providers.is_empty() {
            view! { <Empty title="No providers"><p>"This hub pays for its models with its own keys."</p></Empty> }
                .into_any()
        } else {
            keys(providers, &form)
        };
        let content = view! {
            <p><a href="/settings/usage">"Usage"</a></p>
            <h1>"Model keys"</h1>
            <p class="quiet">
                "With a key of your own, the provider charges you for your messages to agents that run on its models. Limits of \
                 this hub do not count them. Keys are stored encrypted and never shown again."
            </p>
            {shown}
        };
        with_side("/settings/usage", content.into_any())
    }
}

fn keys(providers: Vec<ModelKeyItem>, form: &Form) -> AnyView {
    let offered: Vec<(String, String)> = providers
        .iter()
        .filter(|item| item.policy != ModelKeyPolicy::Refused)
        .map(|item| (item.provider.clone(), format!("{} ({})", item.provider, item.host)))
        .collect();
    let new = (!offered.is_empty()).then(|| new_key(offered, form));
    let heads = vec!["Provider", "Server", "Your key", "Without your key", ""];
    let rows = providers.into_iter().map(row).collect();
    view! {
        <Table caption="Model providers that take keys of users" heads rows />
        {new}
    }
    .into_any()
}

fn row(item: ModelKeyItem) -> AnyView {
    let added =
        item.added_at.map_or_else(|| "None".into_any(), |at| view! { "Added "<Ago at=at /> }.into_any());
    let without = match item.policy {
        ModelKeyPolicy::Refused => "Keys of users are no longer used",
        ModelKeyPolicy::Allowed => "The hub pays",
        ModelKeyPolicy::Required => "No answers",
    };
    let remove = item.added_at.map(|_| remove(&item.provider));
    view! {
        <tr>
            <th scope="row">{item.provider}</th>
            <td class="text">{item.host}</td>
            <td>{added}</td>
            <td class="text">{without}</td>
            <td class="end">{remove}</td>
        </tr>
    }
    .into_any()
}

fn remove(provider: &str) -> AnyView {
    let (dialog, title) = (format!("remove-{provider}"), format!("Remove your key for {provider}?"));
    let fields = vec![("action", "remove".to_owned()), ("provider", provider.to_owned())];
    view! {
        <Dialog id=dialog open="Remove" title about=provider.to_owned()>
            <p>"The hub deletes the key. You can enter it again."</p>
            <ActionForm action=PATH label="Remove key" kind=Kind::Danger fields />
        </Dialog>
    }
    .into_any()
}

fn new_key(providers: Vec<(String, String)>, form: &Form) -> AnyView {
    let provider = Field::choice("provider", "Provider", providers).of(form);
    let hint = "Sent only to the server of the provider.";
    let api_key = Field::password("api_key", "API key").autocomplete("off").mono().hint(hint).of(form);
    let errors = form_errors(form, None);
    view! {
        <Section title="Add a key" lead="It replaces the key that you entered before.">
            {errors}
            <form class="stack narrow" method="post" action=PATH>
                <input type="hidden" name="action" value="save" />
                {provider}
                {api_key}
                <p class="actions"><Button label="Save key" kind=Kind::Primary /></p>
            </form>
        </Section>
    }
    .into_any()
}
