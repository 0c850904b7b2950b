use leptos::prelude::*;
use plexus_domain::Timestamp;

use super::{models::verdict, with_side};
use crate::{
    components::{
        button::{ActionForm, Button, ButtonLink, Kind},
        definition_list::{fact, facts, mono},
        dialog::Dialog,
        field::{Field, RadioOption, Radios},
        form_errors::form_errors,
        notice::Note,
        section::Section,
        table::Table,
        time::Ago,
    },
    locales::{grouped, translated, translated_text},
    pages::{Page, PageMeta},
    rich, text,
    view_models::{
        Form, Tone,
        agent_query::percent_encode,
        model_providers::{ModelItem, NewProviderPage, ProviderItem, ProviderPage, ProviderTestItem},
    },
};

impl Page for NewProviderPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("provider-connect"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let offers_skip = self.offers_skip();
        let title = self
            .preset
            .map_or_else(|| text!("provider-connect"), |title| text!("provider-connect-named", name = title));
        let content = view! {
            <p><a href="/admin/models">{text!("admin-models")}</a></p>
            <h1>{title}</h1>
            {form_errors(&self.form, None)}
            <form class="stack narrow" method="post" action="/admin/models">
                {Field::text("name", text!("name")).mono().max(39).hint(text!("provider-name-hint")).of(&self.form)}
                {fields(&self.form, if self.needs_key { KeyField::Needed } else { KeyField::Optional })}
                <p class="actions">
                    <Button label=text!("provider-connect-do") kind=Kind::Primary />
                    {offers_skip.then(|| view! { <Button label=text!("provider-connect-untested") name="test" value="skip" /> })}
                </p>
            </form>
        };
        with_side("/admin/models", content.into_any())
    }
}

impl Page for ProviderPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(title(&self.provider))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let name = title(&self.provider);
        let status = if self.provider.is_configured {
            view! { <Note><p>{text!("provider-configured-lead")}</p></Note> }.into_any()
        } else {
            status(&self.provider)
        };
        let manage = (!self.provider.is_configured).then(|| manage(&self));
        let content = view! {
            <p><a href="/admin/models">{text!("admin-models")}</a></p>
            <h1>{name}</h1>
            {status}
            {about(&self.provider, self.served.len())}
            {model_table(&self.provider.id, &self.models)}
            {manage}
        };
        with_side("/admin/models", content.into_any())
    }
}

fn title(provider: &ProviderItem) -> String {
    provider.name.clone().unwrap_or_else(|| text!("provider-default"))
}

/// Renders the forms of a provider that an administrator connected.
fn manage(page: &ProviderPage) -> AnyView {
    let offers_skip = page.offers_skip();
    let name = title(&page.provider);
    let action = format!("/admin/models/{name}");
    let key = if page.provider.has_key { KeyField::Stored } else { KeyField::Optional };
    let models = (!page.served.is_empty() || !page.provider.models.is_empty())
        .then(|| use_it(&page.provider, &page.served, &action));
    let availability =
        view! { <div class="actions">{pause(&page.provider, &action)} {remove(&name, &action)}</div> };
    let (errors, fields) = (form_errors(&page.form, None), fields(&page.form, key));
    view! {
        {models}
        <Section title=text!("provider-settings")>
            {errors}
            <form class="stack narrow" method="post" action=action>
                <input type="hidden" name="action" value="save" />
                {fields}
                <p class="actions">
                    <Button label=text!("provider-save") />
                    {offers_skip.then(|| view! { <Button label=text!("provider-save-untested") name="test" value="skip" /> })}
                </p>
            </form>
        </Section>
        <Section title=text!("provider-availability")>{availability}</Section>
    }
    .into_any()
}

fn model_table(provider: &str, models: &[ModelItem]) -> AnyView {
    if models.is_empty() {
        return ().into_any();
    }
    let rows = models.iter().map(|model| model_row(provider, model)).collect();
    let heads = vec![
        text!("field-model"),
        text!("model-context"),
        text!("model-price"),
        text!("model-abilities"),
        text!("model-use"),
        String::new(),
    ];
    view! {
        <Section title=text!("admin-models") lead=text!("models-of-provider-lead")>
            <Table caption=text!("models-of-provider") heads rows />
        </Section>
    }
    .into_any()
}

fn model_row(provider: &str, model: &ModelItem) -> AnyView {
    let href = model_href(provider, &model.name);
    let shown = model.display_name.clone().unwrap_or_else(|| model.name.clone());
    let name =
        model.display_name.is_some().then(|| view! { <br/><code class="quiet">{model.name.clone()}</code> });
    let price = if model.price.is_empty() { text!("model-price-none") } else { model.price.clone() };
    let abilities = if model.abilities.is_empty() {
        text!("model-unknown")
    } else {
        model.abilities.join(&text!("list-separator"))
    };
    let state = match (model.is_offered, model.is_hidden) {
        (false, _) => vec![text!("model-not-listed")],
        (true, true) => vec![text!("model-hidden")],
        (true, false) => Vec::new(),
    };
    let direct = model.direct_address.clone().map(|address| {
        let href = format!("/{address}");
        view! { <br/><a href=href>{address}</a> }
    });
    let usage = [state, vec![model.access.clone()], model.limits.clone()].concat().join(". ");
    view! {
        <tr>
            <th scope="row"><a href=href.clone()>{shown.clone()}</a>{name}</th>
            <td class="number">{grouped(model.context_tokens)}</td>
            <td>{price}</td>
            <td class="text">{abilities}</td>
            <td class="text">{usage}{direct}</td>
            <td class="end"><ButtonLink label=text!("manage-edit") href kind=Kind::Quiet about=shown /></td>
        </tr>
    }
    .into_any()
}

/// Returns the address of the settings of a model.
pub(super) fn model_href(provider: &str, model: &str) -> String {
    let mut href = format!("/admin/models/{provider}/model?name=");
    percent_encode(model, &mut href);
    href
}

#[derive(Clone, Copy)]
enum KeyField {
    Needed,
    Optional,
    /// A key is stored; an empty field keeps it.
    Stored,
}

fn fields(form: &Form, key: KeyField) -> AnyView {
    let api_key = Field::password("api_key", text!("credential-api-key")).autocomplete("off").mono();
    let api_key = match key {
        KeyField::Needed => api_key.hint(text!("provider-key-hint")),
        KeyField::Optional => api_key.optional().hint(text!("provider-key-local")),
        KeyField::Stored => api_key.optional().hint(text!("provider-key-stored")),
    };
    view! {
        {Field::url("base_url", text!("step-address")).placeholder("http://127.0.0.1:11434/v1").max(2_000)
            .hint(text!("provider-url-hint")).of(form)}
        {api_key.of(form)}
        {Field::lines("models", text!("admin-models"), 3).mono().optional()
            .hint(text!("provider-models-hint")).of(form)}
        {Field::number("context_tokens", text!("model-context-tokens")).optional().default("32768")
            .hint(text!("provider-context-hint")).of(form)}
        {Field::text("price", text!("model-price-million")).optional().placeholder("0.15/0.60")
            .hint(text!("provider-price-hint")).of(form)}
        {own_keys().of(form)}
    }
    .into_any()
}

fn own_keys() -> Radios<String> {
    Radios {
        name: "own_keys",
        legend: text!("own-keys"),
        default: "refused".to_owned(),
        options: vec![
            RadioOption::new("refused", text!("own-keys-refused")),
            RadioOption::new("allowed", text!("own-keys-allowed")).meaning(text!("own-keys-allowed-meaning")),
            RadioOption::new("required", text!("own-keys-required"))
                .meaning(text!("own-keys-required-meaning")),
        ],
    }
}

fn status(provider: &ProviderItem) -> AnyView {
    if provider.is_paused {
        return view! { <Note tone=Tone::Caution><p>{text!("provider-paused")}</p></Note> }.into_any();
    }
    match &provider.last_test {
        None => view! { <Note><p>{text!("provider-untested")}</p></Note> }.into_any(),
        Some(ProviderTestItem { problem: Some(problem), tested_at, model, .. }) => {
            let (at, problem) = (*tested_at, problem.clone());
            let model = model.clone().map(|model| rich!("provider-test-model", model = model; code = code));
            let model = model.map(|model| view! { " "{model} });
            view! { <Note tone=Tone::Bad><p>{translated(problem)}{model}" "<span class="quiet">{tested(at)}</span></p></Note> }
                .into_any()
        }
        Some(test) => {
            let (at, words, model) = (test.tested_at, verdict(test), test.model.clone().unwrap_or_default());
            let result = rich!("provider-test-result", model = model, verdict = words; code = code);
            view! { <Note tone=Tone::Good><p>{result}" "<span class="quiet">{tested(at)}</span></p></Note> }
                .into_any()
        }
    }
}

fn code(text: String) -> impl IntoView + use<> {
    view! { <code>{text}</code> }
}

fn tested(at: Timestamp) -> AnyView {
    rich!("provider-tested"; time = move |_| view! { <Ago at=at /> })
}

fn about(provider: &ProviderItem, served: usize) -> AnyView {
    let offered = match provider.models.len() {
        0 if served == 0 => text!("provider-none-listed"),
        0 => text!("provider-all-listed", count = served),
        number => text!("count-models", count = number),
    };
    let key = if provider.has_key { text!("provider-key-encrypted") } else { text!("model-price-none") };
    facts(vec![
        (text!("step-address"), mono(provider.base_url.clone())),
        (text!("credential-api-key"), fact(key)),
        (text!("admin-models"), fact(offered)),
        (text!("model-context"), fact(text!("model-context-of", count = provider.context_tokens))),
        (text!("provider-user-keys"), fact(own_keys_words(provider.own_keys))),
    ])
}

fn own_keys_words(words: Option<&'static str>) -> String {
    words.map_or_else(|| text!("own-keys-refused"), |words| translated_text(words.to_owned()))
}

/// Renders the forms that test a model and create an agent with it.
fn use_it(provider: &ProviderItem, served: &[String], action: &str) -> AnyView {
    let action = action.to_owned();
    let models = if provider.models.is_empty() { served } else { &provider.models };
    let tested = provider.last_test.as_ref().and_then(|test| test.model.clone()).unwrap_or_default();
    let options = models.iter().map(|model| (model.clone(), model.clone())).collect();
    let choice = Field::choice("model", text!("field-model"), options)
        .default(tested.clone())
        .within("test")
        .of(&Form::default());
    let create = provider.name.as_ref().filter(|_| !provider.is_paused).map(|name| {
        let model =
            if models.contains(&tested) { tested } else { models.first().cloned().unwrap_or_default() };
        let mut href = "/register/instructions?model=".to_owned();
        percent_encode(&format!("{name}/{model}"), &mut href);
        view! { <p class="actions"><ButtonLink label=text!("provider-create-agent") href kind=Kind::Primary /></p> }
    });
    let offer = (!provider.is_paused)
        .then(|| view! { <Button label=text!("provider-offer") name="action" value="offer" /> });
    view! {
        <Section title=text!("model-use") lead=text!("provider-use-lead")>
            {create}
            <form class="stack narrow" method="post" action=action>
                {choice}
                <p class="actions"><Button label=text!("provider-test") name="action" value="test" />{offer}</p>
            </form>
        </Section>
    }
    .into_any()
}

fn pause(provider: &ProviderItem, action: &str) -> AnyView {
    let (label, verb) = if provider.is_paused {
        (text!("manage-resume"), "resume")
    } else {
        (text!("manage-pause"), "pause")
    };
    view! { <ActionForm action=action.to_owned() label fields=vec![("action", verb.to_owned())] /> }
        .into_any()
}

fn remove(name: &str, action: &str) -> AnyView {
    let action = action.to_owned();
    let fields = vec![("action", "remove".to_owned())];
    view! {
        <Dialog id="remove-provider" open=text!("remove") title=text!("provider-remove-title", name = name) kind=Kind::Danger>
            <p>{text!("provider-remove-meaning")}</p>
            <ActionForm action=action label=text!("provider-remove") kind=Kind::Danger fields />
        </Dialog>
    }
    .into_any()
}
