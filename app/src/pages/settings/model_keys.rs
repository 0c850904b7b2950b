use leptos::prelude::*;
use plexus_domain::Timestamp;

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
    rich, text,
    view_models::{
        Form,
        model_providers::{ModelKeyItem, ModelKeyPolicy, ModelKeysPage},
    },
};

const PATH: &str = "/settings/model-keys";

impl Page for ModelKeysPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("model-keys"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let Self { providers, form } = self;
        let shown = if providers.is_empty() {
            view! { <Empty title=text!("model-keys-none")><p>{text!("model-keys-none-why")}</p></Empty> }
                .into_any()
        } else {
            keys(providers, &form)
        };
        let content = view! {
            <p><a href="/settings/usage">{text!("settings-usage")}</a></p>
            <h1>{text!("model-keys")}</h1>
            <p class="quiet">
                {text!("model-keys-lead")}
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
    let heads = vec![
        text!("provider"),
        text!("server"),
        text!("model-keys-yours"),
        text!("model-keys-without"),
        String::new(),
    ];
    let rows = providers.into_iter().map(row).collect();
    view! {
        <Table caption=text!("model-keys-caption") heads rows />
        {new}
    }
    .into_any()
}

fn row(item: ModelKeyItem) -> AnyView {
    let added = |at: Timestamp| rich!("model-keys-added"; time = move |_| view! { <Ago at=at /> });
    let added = item.added_at.map_or_else(|| text!("model-keys-missing").into_any(), added);
    let without = match item.policy {
        ModelKeyPolicy::Refused => text!("model-keys-refused"),
        ModelKeyPolicy::Allowed => text!("model-keys-hub-pays"),
        ModelKeyPolicy::Required => text!("model-keys-no-answers"),
    };
    let remove = item.added_at.map(|_| remove(&item.provider));
    view! {
        <tr>
            <th scope="row" dir="auto">{item.provider}</th>
            <td class="text">{item.host}</td>
            <td>{added}</td>
            <td class="text">{without}</td>
            <td class="end">{remove}</td>
        </tr>
    }
    .into_any()
}

fn remove(provider: &str) -> AnyView {
    let (dialog, title) =
        (format!("remove-{provider}"), text!("model-keys-remove-title", provider = provider));
    let fields = vec![("action", "remove".to_owned()), ("provider", provider.to_owned())];
    view! {
        <Dialog id=dialog open=text!("remove") title about=provider.to_owned()>
            <p>{text!("model-keys-remove-meaning")}</p>
            <ActionForm action=PATH label=text!("model-keys-remove") kind=Kind::Danger fields />
        </Dialog>
    }
    .into_any()
}

fn new_key(providers: Vec<(String, String)>, form: &Form) -> AnyView {
    let provider = Field::choice("provider", text!("provider"), providers).of(form);
    let hint = text!("model-keys-hint");
    let api_key = Field::password("api_key", text!("credential-api-key"))
        .autocomplete("off")
        .mono()
        .hint(hint)
        .of(form);
    let errors = form_errors(form, None);
    view! {
        <Section title=text!("model-keys-add") lead=text!("model-keys-add-lead")>
            {errors}
            <form class="stack narrow" method="post" action=PATH>
                <input type="hidden" name="action" value="save" />
                {provider}
                {api_key}
                <p class="actions"><Button label=text!("model-keys-save") kind=Kind::Primary /></p>
            </form>
        </Section>
    }
    .into_any()
}
