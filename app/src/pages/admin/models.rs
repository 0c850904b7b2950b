use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{
        button::{ActionForm, ButtonLink, Kind},
        empty::Empty,
        format::{count, grouped},
        section::Section,
        table::Table,
    },
    pages::{Page, PageMeta},
    view_models::model_providers::{LocalServerItem, ModelsPage, PresetItem, ProviderItem, ProviderTestItem},
};

impl Page for ModelsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Models")
    }

    fn body(self) -> AnyView {
        let list = if self.providers.is_empty() {
            view! { <Empty title="No model yet"><p>"Connect a model server, so that agents can be made of instructions."</p></Empty> }.into_any()
        } else {
            let rows = self.providers.iter().map(row).collect();
            let heads = vec!["Provider", "Models", "State", "Price", ""];
            view! { <Table caption="Model providers" heads rows /> }.into_any()
        };
        let (local, services): (Vec<_>, Vec<_>) =
            self.presets.into_iter().partition(|preset| preset.is_local);
        let content = view! {
            <h1>"Models"</h1>
            <p class="quiet">"Servers with language models. Agents that consist of instructions run on them."</p>
            {(!self.local.is_empty()).then(|| found(self.local))}
            {list}
            <Section title="Connect a provider" lead="Any server with an OpenAI-compatible API. The hub tests it before it is saved.">
                <h3>"On this machine or network"</h3>
                {links(local, None)}
                <h3>"Services"</h3>
                {links(services, Some(("Other server", "/admin/models/new")))}
            </Section>
        };
        with_side("Models", content.into_any())
    }
}

fn links(presets: Vec<PresetItem>, more: Option<(&'static str, &'static str)>) -> AnyView {
    let link = |preset: PresetItem| {
        let href = format!("/admin/models/new?preset={}", preset.id);
        view! { <ButtonLink label=preset.title href /> }
    };
    let links = presets.into_iter().map(link).collect_view();
    let more = more.map(|(label, href)| view! { <ButtonLink label href /> });
    view! { <p class="actions wrap">{links}{more}</p> }.into_any()
}

fn found(servers: Vec<LocalServerItem>) -> AnyView {
    let rows = servers
        .into_iter()
        .map(|server| {
            let fields = vec![
                ("name", server.id),
                ("base_url", server.base_url.clone()),
                ("preset", "found".to_owned()),
            ];
            let models = count(server.models as u64, "model", "models");
            view! {
                <li class="actions">
                    <span><strong>{server.title.clone()}</strong>" at "<code>{server.base_url}</code>", "{models}</span>
                    <ActionForm action="/admin/models" label="Connect" kind=Kind::Primary about=server.title fields />
                </li>
            }
        })
        .collect_view();
    view! { <Section title="Found on this machine"><ul class="plain-list" role="list">{rows}</ul></Section> }
        .into_any()
}

fn row(provider: &ProviderItem) -> AnyView {
    let models = match provider.models.len() {
        0 => "All that it lists".to_owned(),
        number => count(number as u64, "model", "models"),
    };
    let href = format!("/admin/models/{}", provider.id);
    let name = provider.name.clone().unwrap_or_else(|| "Default".to_owned());
    let manage =
        view! { <ButtonLink label="Manage" href=href.clone() kind=Kind::Quiet about=name.clone() /> };
    let price = if provider.price.is_empty() { "None".to_owned() } else { provider.price.clone() };
    view! {
        <tr>
            <th scope="row"><a href=href>{name}</a><br/><code class="quiet">{provider.base_url.clone()}</code></th>
            <td>{models}</td>
            <td class="text">{state(provider)}</td>
            <td>{price}</td>
            <td class="end">{manage}</td>
        </tr>
    }
    .into_any()
}

fn state(provider: &ProviderItem) -> String {
    if provider.is_configured {
        return "From the configuration".to_owned();
    }
    if provider.is_paused {
        return "Paused".to_owned();
    }
    match &provider.last_test {
        None => "Not tested".to_owned(),
        Some(ProviderTestItem { problem: Some(problem), .. }) => problem.clone(),
        Some(test) => verdict(test),
    }
}

/// Returns the result of a test without a problem in one line.
pub(super) fn verdict(test: &ProviderTestItem) -> String {
    let time = test
        .first_token_ms
        .map_or_else(|| "Answers".to_owned(), |time| format!("Answers after {} ms", grouped(time)));
    let tools = match test.calls_tools {
        Some(true) => ", calls tools",
        Some(false) => ", did not call a tool",
        None => "",
    };
    let images = match test.reads_images {
        Some(true) => ", reads images",
        Some(false) => ", does not read images",
        None => "",
    };
    format!("{time}{tools}{images}")
}
