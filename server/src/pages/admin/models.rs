//! Pages below `/admin/models`: model providers.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use plexus_app::view_models::{
    Form, Locale,
    model_providers::{
        LocalServerItem, ModelsPage, NewProviderPage, PresetItem, ProviderItem, ProviderPage,
        ProviderTestItem,
    },
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error, Hub,
    audit::Administrator,
    config::{DEFAULT_CONTEXT_TOKENS, FIRST_PROVIDER, OwnKeyPolicy, ProviderSource},
    model_providers::{
        self, ConnectionCheck, LocalServer, PRESETS, ProviderForm, ProviderModels, ProviderPreset,
        ProviderRow, ProviderTest,
    },
};
use serde::Deserialize;

use super::model_settings;
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

/// Value of the hidden field `preset` of a server that was found on this machine.
const FOUND: &str = "found";

#[derive(Deserialize)]
pub struct NewQuery {
    #[serde(default)]
    preset: String,
}

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site.hub, &visit).await;
    visit.show_or_refuse(page)
}

pub(super) fn administrator(visit: &PageContext) -> Administrator<'_> {
    Administrator::Account { caller: &visit.caller, request: visit.request_id() }
}

async fn page(hub: &Hub, visit: &PageContext) -> Result<ModelsPage, Error> {
    let providers = model_providers::list(hub, administrator(visit)).await?.into_iter().map(item).collect();
    let local = model_providers::discover(hub, &visit.caller).await?.iter().map(local_item).collect();
    let presets = PRESETS.iter().map(preset_item).collect();
    Ok(ModelsPage { providers, local, presets })
}

fn local_item(server: &LocalServer) -> LocalServerItem {
    LocalServerItem {
        id: server.preset.id.to_owned(),
        title: server.preset.title.to_owned(),
        base_url: server.preset.base_url.to_owned(),
        models: server.models.len(),
    }
}

fn preset_item(preset: &ProviderPreset) -> PresetItem {
    PresetItem {
        id: preset.id.to_owned(),
        title: preset.title.to_owned(),
        is_local: preset.local_port.is_some(),
    }
}

fn item(row: ProviderRow) -> ProviderItem {
    ProviderItem {
        id: row.name.clone().unwrap_or_else(|| FIRST_PROVIDER.to_owned()),
        name: row.name,
        base_url: row.base_url.into(),
        is_configured: row.source == ProviderSource::Configuration,
        has_key: row.has_key,
        models: row.models,
        context_tokens: row.context_tokens,
        price: row.prices.to_string(),
        is_paused: row.is_paused,
        last_test: row.last_test.map(test_item),
        own_keys: match row.own_keys {
            OwnKeyPolicy::Refused => None,
            OwnKeyPolicy::Allowed => Some("Used when the user has one"),
            OwnKeyPolicy::Required => Some("Required"),
        },
    }
}

fn test_item(test: ProviderTest) -> ProviderTestItem {
    ProviderTestItem {
        tested_at: test.tested_at,
        listed: test.listed,
        model: test.model,
        first_token_ms: test.first_token_ms,
        calls_tools: test.calls_tools,
        reads_images: test.reads_images,
        problem: test.problem,
    }
}

pub async fn show_new(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<NewQuery>,
) -> Response {
    let page = model_providers::list(&site.hub, administrator(&visit)).await.map(|_| {
        let preset = ProviderPreset::find(&query.preset);
        let values = preset.map(|preset| [("name", preset.id), ("base_url", preset.base_url)]);
        new_page(preset, Form::filled(values.into_iter().flatten()))
    });
    visit.show_or_refuse(page)
}

fn new_page(preset: Option<&ProviderPreset>, form: Form) -> NewProviderPage {
    NewProviderPage {
        preset: preset.map(|preset| preset.title.to_owned()),
        needs_key: preset.is_some_and(|preset| preset.needs_key),
        form,
    }
}

/// Connects a provider. The preset is recognized by the address, so that a refused form has the same title.
pub async fn connect(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let by = administrator(&visit);
    let name = fields.get("name").trim().to_ascii_lowercase();
    let connected =
        async { model_providers::connect(&site.hub, by, &name, &form(&fields)?, check(&fields)).await };
    match connected.await {
        Ok(_) => redirect_with_notice(&format!("/admin/models/{name}"), "provider-connected"),
        Err(error) => {
            let preset = PRESETS.iter().find(|preset| preset.base_url == fields.get("base_url"));
            refused(visit, error, fields, |form| new_page(preset, form))
        }
    }
}

pub async fn show_provider(
    State(site): State<AppState>,
    visit: PageContext,
    Path(name): Path<String>,
) -> Response {
    let page = model_providers::provider_models(&site.hub, administrator(&visit), &name).await.map(|found| {
        let form = stored_form(&found.provider);
        provider_page(visit.frame().locale, found, form)
    });
    visit.show_or_refuse(page)
}

fn provider_page(locale: Locale, found: ProviderModels, form: Form) -> ProviderPage {
    let models = found.models.iter().map(|model| model_settings::item(locale, model)).collect();
    ProviderPage { provider: item(found.provider), served: found.served, models, form }
}

fn stored_form(row: &ProviderRow) -> Form {
    Form::filled([
        ("base_url", row.base_url.to_string()),
        ("models", row.models.join("\n")),
        ("context_tokens", row.context_tokens.to_string()),
        ("price", row.prices.to_string()),
        ("own_keys", row.own_keys.as_str().to_owned()),
    ])
}

pub async fn act(
    State(site): State<AppState>,
    visit: PageContext,
    Path(name): Path<String>,
    fields: Fields,
) -> Response {
    let hub = &site.hub;
    let by = administrator(&visit);
    let here = format!("/admin/models/{name}");
    let done = match fields.get("action") {
        "save" => match form(&fields) {
            Ok(changed) => {
                let saved = model_providers::update(hub, by, &name, &changed, check(&fields)).await;
                saved.map(|_| redirect_with_notice(&here, "saved"))
            }
            Err(error) => Err(error.into()),
        },
        "test" => {
            let tested = model_providers::test(hub, by, &name, fields.given("model")).await;
            tested.map(|_| redirect_with_notice(&here, "provider-tested"))
        }
        "offer" => {
            let offered = model_providers::offer_in_chats(hub, by, &name, fields.get("model")).await;
            offered.map(|address| redirect_with_notice(&format!("/{address}"), "saved"))
        }
        "pause" => model_providers::set_paused(hub, by, &name, true)
            .await
            .map(|()| redirect_with_notice(&here, "provider-paused")),
        "resume" => model_providers::set_paused(hub, by, &name, false)
            .await
            .map(|()| redirect_with_notice(&here, "provider-resumed")),
        "remove" => model_providers::remove(hub, by, &name)
            .await
            .map(|()| redirect_with_notice("/admin/models", "provider-removed")),
        _ => Err(Refusal::invalid("action", "Choose one of the actions on the page.").into()),
    };
    match done {
        Ok(response) => response,
        Err(error) => match model_providers::provider_models(hub, by, &name).await {
            Ok(found) => {
                let locale = visit.frame().locale;
                refused(visit, error, fields, |form| provider_page(locale, found, form))
            }
            Err(error) => visit.refuse(error),
        },
    }
}

/// Reads the values of a provider. Models are one per line.
fn form(fields: &Fields) -> Result<ProviderForm, Refusal> {
    let context_tokens = match fields.get("context_tokens").trim() {
        "" => DEFAULT_CONTEXT_TOKENS,
        text => text.parse().map_err(|_| Refusal::invalid("context_tokens", "Enter a whole number."))?,
    };
    Ok(ProviderForm {
        base_url: fields.get("base_url").to_owned(),
        api_key: fields.get("api_key").to_owned(),
        models: fields.get("models").lines().map(str::to_owned).collect(),
        context_tokens,
        price: fields.get("price").to_owned(),
        own_keys: OwnKeyPolicy::parse(fields.get("own_keys")).unwrap_or(OwnKeyPolicy::Refused),
    })
}

/// A server that was found on this machine has just answered.
fn check(fields: &Fields) -> ConnectionCheck {
    if fields.get("test") == "skip" || fields.get("preset") == FOUND {
        ConnectionCheck::Skipped
    } else {
        ConnectionCheck::Required
    }
}
