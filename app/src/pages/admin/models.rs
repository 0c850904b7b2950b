use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{
        button::{ActionForm, ButtonLink, Kind},
        empty::Empty,
        section::Section,
        table::Table,
    },
    locales::translated_text,
    pages::{Page, PageMeta},
    rich, text,
    view_models::model_providers::{LocalServerItem, ModelsPage, PresetItem, ProviderItem, ProviderTestItem},
};

impl Page for ModelsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("admin-models"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let list = if self.providers.is_empty() {
            view! { <Empty title=text!("models-none")><p>{text!("models-none-next")}</p></Empty> }.into_any()
        } else {
            let rows = self.providers.iter().map(row).collect();
            let heads = vec![
                text!("provider"),
                text!("admin-models"),
                text!("admin-state"),
                text!("model-price"),
                String::new(),
            ];
            view! { <Table caption=text!("models-caption") heads rows /> }.into_any()
        };
        let (local, services): (Vec<_>, Vec<_>) =
            self.presets.into_iter().partition(|preset| preset.is_local);
        let content = view! {
            <h1>{text!("admin-models")}</h1>
            <p class="quiet">{text!("models-lead")}</p>
            {(!self.local.is_empty()).then(|| found(self.local))}
            {list}
            <Section title=text!("models-connect") lead=text!("models-connect-lead")>
                <h3>{text!("models-local")}</h3>
                {links(local, None)}
                <h3>{text!("models-services")}</h3>
                {links(services, Some((text!("models-other"), "/admin/models/new")))}
            </Section>
        };
        with_side("/admin/models", content.into_any())
    }
}

fn links(presets: Vec<PresetItem>, more: Option<(String, &'static str)>) -> AnyView {
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
            let models = text!("count-models", count = server.models);
            let found = rich!("models-found-at", title = server.title.clone(), url = server.base_url, models = models;
                strong = |inner| view! { <strong>{inner}</strong> },
                code = |inner| view! { <code>{inner}</code> });
            view! {
                <li class="actions">
                    <span>{found}</span>
                    <ActionForm action="/admin/models" label=text!("provider-connect-do") kind=Kind::Primary about=server.title fields />
                </li>
            }
        })
        .collect_view();
    view! { <Section title=text!("models-found")><ul class="plain-list" role="list">{rows}</ul></Section> }
        .into_any()
}

fn row(provider: &ProviderItem) -> AnyView {
    let models = match provider.models.len() {
        0 => text!("models-all-listed"),
        number => text!("count-models", count = number),
    };
    let href = format!("/admin/models/{}", provider.id);
    let name = provider.name.clone().unwrap_or_else(|| text!("provider-default"));
    let manage = view! { <ButtonLink label=text!("models-manage") href=href.clone() kind=Kind::Quiet about=name.clone() /> };
    let price = if provider.price.is_empty() { text!("model-price-none") } else { provider.price.clone() };
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
        return text!("models-configured");
    }
    if provider.is_paused {
        return text!("badge-paused");
    }
    match &provider.last_test {
        None => text!("models-untested"),
        Some(ProviderTestItem { problem: Some(problem), .. }) => translated_text(problem.clone()),
        Some(test) => verdict(test),
    }
}

/// Returns the result of a test without a problem in one line.
pub(super) fn verdict(test: &ProviderTestItem) -> String {
    let time = test
        .first_token_ms
        .map_or_else(|| text!("verdict-answers"), |time| text!("verdict-answers-after", time = time));
    let tools =
        test.calls_tools.map(|can| if can { text!("verdict-tools") } else { text!("verdict-no-tools") });
    let images =
        test.reads_images.map(|can| if can { text!("verdict-images") } else { text!("verdict-no-images") });
    let words: Vec<String> = [Some(time), tools, images].into_iter().flatten().collect();
    words.join(&text!("list-separator"))
}
