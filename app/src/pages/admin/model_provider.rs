use leptos::prelude::*;

use super::{models::verdict, with_side};
use crate::{
    components::{
        button::{ActionForm, Button, ButtonLink, Kind},
        definition_list::{fact, facts, mono},
        dialog::Dialog,
        field::{Field, RadioOption, Radios},
        form_errors::form_errors,
        format::{count, grouped},
        notice::Note,
        section::Section,
        table::Table,
        time::Ago,
    },
    pages::{Page, PageMeta},
    view_models::{
        Form, Tone,
        agent_query::percent_encode,
        model_providers::{ModelItem, NewProviderPage, ProviderItem, ProviderPage, ProviderTestItem},
    },
};

impl Page for NewProviderPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Connect a model provider")
    }

    fn body(self) -> AnyView {
        let offers_skip = self.offers_skip();
        let title = self
            .preset
            .map_or_else(|| "Connect a model provider".to_owned(), |title| format!("Connect {title}"));
        let content = view! {
            <p><a href="/admin/models">"Models"</a></p>
            <h1>{title}</h1>
            {form_errors(&self.form, None)}
            <form class="stack narrow" method="post" action="/admin/models">
                {Field::text("name", "Name").mono().max(39).hint("Prefix of its models, as in ollama/llama3.2. It cannot be changed later.").of(&self.form)}
                {fields(&self.form, if self.needs_key { KeyField::Needed } else { KeyField::Optional })}
                <p class="actions">
                    <Button label="Connect" kind=Kind::Primary />
                    {offers_skip.then(|| view! { <Button label="Connect without a test" name="test" value="skip" /> })}
                </p>
            </form>
        };
        with_side("Models", content.into_any())
    }
}

impl Page for ProviderPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(title(&self.provider))
    }

    fn body(self) -> AnyView {
        let name = title(&self.provider);
        let status = if self.provider.is_configured {
            view! { <Note><p>"From the configuration. Change its address, key and models there."</p></Note> }
                .into_any()
        } else {
            status(&self.provider)
        };
        let manage = (!self.provider.is_configured).then(|| manage(&self));
        let content = view! {
            <p><a href="/admin/models">"Models"</a></p>
            <h1>{name}</h1>
            {status}
            {about(&self.provider, self.served.len())}
            {model_table(&self.provider.id, &self.models)}
            {manage}
        };
        with_side("Models", content.into_any())
    }
}

fn title(provider: &ProviderItem) -> String {
    provider.name.clone().unwrap_or_else(|| "Default".to_owned())
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
        <Section title="Settings">
            {errors}
            <form class="stack narrow" method="post" action=action>
                <input type="hidden" name="action" value="save" />
                {fields}
                <p class="actions">
                    <Button label="Save and test" />
                    {offers_skip.then(|| view! { <Button label="Save without a test" name="test" value="skip" /> })}
                </p>
            </form>
        </Section>
        <Section title="Availability">{availability}</Section>
    }
    .into_any()
}

fn model_table(provider: &str, models: &[ModelItem]) -> AnyView {
    if models.is_empty() {
        return ().into_any();
    }
    let rows = models.iter().map(|model| model_row(provider, model)).collect();
    let heads = vec!["Model", "Context window", "Price", "Abilities", "Use", ""];
    view! {
        <Section title="Models" lead="Settings of a model stand above those of its provider.">
            <Table caption="Models of this provider" heads rows />
        </Section>
    }
    .into_any()
}

fn model_row(provider: &str, model: &ModelItem) -> AnyView {
    let href = model_href(provider, &model.name);
    let shown = model.display_name.clone().unwrap_or_else(|| model.name.clone());
    let name =
        model.display_name.is_some().then(|| view! { <br/><code class="quiet">{model.name.clone()}</code> });
    let price = if model.price.is_empty() { "None".to_owned() } else { model.price.clone() };
    let abilities =
        if model.abilities.is_empty() { "Not known".to_owned() } else { model.abilities.join(", ") };
    let state = match (model.is_offered, model.is_hidden) {
        (false, _) => vec!["Not listed by the server".to_owned()],
        (true, true) => vec!["Hidden".to_owned()],
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
            <td class="end"><ButtonLink label="Edit" href kind=Kind::Quiet about=shown /></td>
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
    let api_key = Field::password("api_key", "API key").autocomplete("off").mono();
    let api_key = match key {
        KeyField::Needed => api_key.hint("Stored encrypted and never shown again."),
        KeyField::Optional => api_key.optional().hint("Servers on your own machine usually need none."),
        KeyField::Stored => api_key.optional().hint("A key is stored. Leave empty to keep it."),
    };
    view! {
        {Field::url("base_url", "Address").placeholder("http://127.0.0.1:11434/v1").max(2_000)
            .hint("Base URL of its OpenAI-compatible API. It usually ends with /v1.").of(form)}
        {api_key.of(form)}
        {Field::lines("models", "Models", 3).mono().optional()
            .hint("One per line, by the names that the server uses. Empty offers all that it lists.").of(form)}
        {Field::number("context_tokens", "Context window in tokens").optional().default("32768")
            .hint("Longer conversations are shortened to it. For Ollama, enter the value of num_ctx.").of(form)}
        {Field::text("price", "Price of a million tokens").optional().placeholder("0.15/0.60")
            .hint("Input and output, in your currency. Answers then show their cost.").of(form)}
        {own_keys().of(form)}
    }
    .into_any()
}

fn own_keys() -> Radios {
    Radios {
        name: "own_keys",
        legend: "API keys of users",
        default: "refused".to_owned(),
        options: vec![
            RadioOption::new("refused", "Not used"),
            RadioOption::new("allowed", "Used when the user has one")
                .meaning("Users enter their keys under Settings, Usage. Limits and the budget do not count their messages."),
            RadioOption::new("required", "Required").meaning("The key of the provider lists and tests its models only."),
        ],
    }
}

fn status(provider: &ProviderItem) -> AnyView {
    if provider.is_paused {
        return view! { <Note tone=Tone::Caution><p>"Paused. Agents that use its models do not answer until you resume it."</p></Note> }.into_any();
    }
    match &provider.last_test {
        None => view! { <Note><p>"Not tested yet."</p></Note> }.into_any(),
        Some(ProviderTestItem { problem: Some(problem), tested_at, model, .. }) => {
            let (at, problem) = (*tested_at, problem.clone());
            let model = model.clone().map(|model| view! { " Model: "<code>{model}</code>"." });
            view! { <Note tone=Tone::Bad><p>{problem}{model}" "<span class="quiet">"Tested "<Ago at=at /></span></p></Note> }
                .into_any()
        }
        Some(test) => {
            let (at, words, model) = (test.tested_at, verdict(test), test.model.clone().unwrap_or_default());
            view! { <Note tone=Tone::Good><p><code>{model}</code>": "{words}". "<span class="quiet">"Tested "<Ago at=at /></span></p></Note> }
                .into_any()
        }
    }
}

fn about(provider: &ProviderItem, served: usize) -> AnyView {
    let offered = match provider.models.len() {
        0 if served == 0 => "None listed now".to_owned(),
        0 => format!("All {} that it lists", grouped(served as u64)),
        number => count(number as u64, "model", "models"),
    };
    let key = if provider.has_key { "Stored, encrypted" } else { "None" };
    facts(vec![
        ("Address", mono(provider.base_url.clone())),
        ("API key", fact(key)),
        ("Models", fact(offered)),
        ("Context window", fact(format!("{} tokens", grouped(provider.context_tokens as u64)))),
        ("Keys of users", fact(provider.own_keys.unwrap_or("Not used"))),
    ])
}

/// Renders the forms that test a model and create an agent with it.
fn use_it(provider: &ProviderItem, served: &[String], action: &str) -> AnyView {
    let action = action.to_owned();
    let models = if provider.models.is_empty() { served } else { &provider.models };
    let tested = provider.last_test.as_ref().and_then(|test| test.model.clone()).unwrap_or_default();
    let options = models.iter().map(|model| (model.clone(), model.clone())).collect();
    let choice =
        Field::choice("model", "Model", options).default(tested.clone()).within("test").of(&Form::default());
    let create = provider.name.as_ref().filter(|_| !provider.is_paused).map(|name| {
        let model =
            if models.contains(&tested) { tested } else { models.first().cloned().unwrap_or_default() };
        let mut href = "/register/instructions?model=".to_owned();
        percent_encode(&format!("{name}/{model}"), &mut href);
        view! { <p class="actions"><ButtonLink label="Create agent" href kind=Kind::Primary /></p> }
    });
    let offer = (!provider.is_paused)
        .then(|| view! { <Button label="Offer in chats" name="action" value="offer" /> });
    view! {
        <Section title="Use" lead="Agents are instructions for a model. A model that is offered in chats answers without instructions, as an agent of its own.">
            {create}
            <form class="stack narrow" method="post" action=action>
                {choice}
                <p class="actions"><Button label="Test model" name="action" value="test" />{offer}</p>
            </form>
        </Section>
    }
    .into_any()
}

fn pause(provider: &ProviderItem, action: &str) -> AnyView {
    let (label, verb) = if provider.is_paused { ("Resume", "resume") } else { ("Pause", "pause") };
    view! { <ActionForm action=action.to_owned() label fields=vec![("action", verb.to_owned())] /> }
        .into_any()
}

fn remove(name: &str, action: &str) -> AnyView {
    let action = action.to_owned();
    let fields = vec![("action", "remove".to_owned())];
    view! {
        <Dialog id="remove-provider" open="Remove" title=format!("Remove {name}?") kind=Kind::Danger>
            <p>"Agents that use its models stop answering until their owners choose another model. The stored API key is deleted."</p>
            <ActionForm action=action label="Remove provider" kind=Kind::Danger fields />
        </Dialog>
    }
    .into_any()
}
