//! Page `/admin/models/{provider}/model?name=NAME`: settings of one model.

use std::str::FromStr;

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use plexus_app::{
    text,
    view_models::{
        Form, Locale,
        model_providers::{ModelItem, ModelSettingsPage},
    },
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error,
    audit::Administrator,
    model_providers::{self, ModelAbilities, ModelAccess, ModelDetails, ModelForm, ProviderModels},
    model_usage::provider_title,
};
use serde::Deserialize;

use super::models::administrator;
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

#[derive(Deserialize)]
pub struct ModelNameQuery {
    #[serde(default)]
    name: String,
}

/// Converts a model to a row of its provider's page.
pub fn item(locale: Locale, model: &ModelDetails) -> ModelItem {
    let settings = &model.settings;
    let limits = [
        settings
            .account_tokens
            .map(|tokens| text!(locale => "model-limit-account", tokens = tokens.to_string())),
        settings.hub_tokens.map(|tokens| text!(locale => "model-limit-hub", tokens = tokens.to_string())),
    ];
    ModelItem {
        abilities: ability_texts(locale, ModelAbilities::from(settings)),
        access: access_words(locale, settings.access, model.users.len()),
        limits: limits.into_iter().flatten().collect(),
        name: settings.model.clone(),
        display_name: settings.display_name.clone(),
        is_offered: model.is_offered,
        is_hidden: settings.is_hidden,
        context_tokens: model.context_tokens,
        price: model.prices.to_string(),
        direct_address: model.direct_address().map(|address| address.to_string()),
    }
}

fn access_words(locale: Locale, access: ModelAccess, users: usize) -> String {
    match access {
        ModelAccess::Everyone => text!(locale => "model-who-all"),
        ModelAccess::Moderators => text!(locale => "model-who-moderators"),
        ModelAccess::Administrators => text!(locale => "model-who-administrators"),
        ModelAccess::Named => text!(locale => "model-who-count", count = users),
    }
}

/// Returns the known abilities in the language of a page.
pub fn ability_texts(locale: Locale, abilities: ModelAbilities) -> Vec<String> {
    let ModelAbilities { calls_tools, reads_images, can_reason, writes_json } = abilities;
    let words = [
        calls_tools.map(|can| match can {
            true => text!(locale => "ability-tools"),
            false => text!(locale => "ability-no-tools"),
        }),
        reads_images.map(|can| match can {
            true => text!(locale => "ability-images"),
            false => text!(locale => "ability-no-images"),
        }),
        can_reason.map(|can| match can {
            true => text!(locale => "ability-reasoning"),
            false => text!(locale => "ability-no-reasoning"),
        }),
        writes_json.map(|can| match can {
            true => text!(locale => "ability-json"),
            false => text!(locale => "ability-no-json"),
        }),
    ];
    words.into_iter().flatten().collect()
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Path(provider): Path<String>,
    Query(query): Query<ModelNameQuery>,
) -> Response {
    let by = administrator(&visit);
    let page = page(&site, by, &provider, &query.name).await;
    visit.show_or_refuse(page)
}

async fn page(
    site: &AppState,
    by: Administrator<'_>,
    provider: &str,
    name: &str,
) -> Result<ModelSettingsPage, Error> {
    let ProviderModels { provider: row, models, .. } =
        model_providers::provider_models(&site.hub, by, provider).await?;
    let missing =
        || Refusal::not_found("Model not found at this provider. Go back to the list of its models.");
    let model = models.into_iter().find(|model| model.settings.model == name).ok_or_else(missing)?;
    Ok(ModelSettingsPage {
        provider: provider.to_owned(),
        provider_title: provider_title(provider),
        name: name.to_owned(),
        provider_context_tokens: row.context_tokens as u64,
        provider_price: row.prices.to_string(),
        direct_address: model.direct_address().map(|address| address.to_string()),
        form: stored_form(&model),
    })
}

fn stored_form(model: &ModelDetails) -> Form {
    let stored = model.form();
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let ability = |known: Option<bool>| known.map_or("", |can| if can { "yes" } else { "no" }).to_owned();
    Form::filled([
        ("display_name", stored.display_name),
        ("context_tokens", number(stored.context_tokens)),
        ("price", stored.price),
        ("calls_tools", ability(stored.abilities.calls_tools)),
        ("reads_images", ability(stored.abilities.reads_images)),
        ("can_reason", ability(stored.abilities.can_reason)),
        ("writes_json", ability(stored.abilities.writes_json)),
        ("direct", if stored.is_direct { "yes" } else { "no" }.to_owned()),
        ("visibility", if stored.is_hidden { "hidden" } else { "shown" }.to_owned()),
        ("access", stored.access.as_str().to_owned()),
        ("users", stored.users.join("\n")),
        ("account_tokens", number(stored.account_tokens)),
        ("hub_tokens", number(stored.hub_tokens)),
    ])
}

pub async fn act(
    State(site): State<AppState>,
    visit: PageContext,
    Path(provider): Path<String>,
    Query(query): Query<ModelNameQuery>,
    fields: Fields,
) -> Response {
    let by = administrator(&visit);
    let saved = async {
        match fields.get("action") {
            "save" => {
                let form = form(&fields)?;
                model_providers::set_model(&site.hub, by, &provider, &query.name, &form).await
            }
            "reset" => model_providers::reset_model(&site.hub, by, &provider, &query.name).await,
            _ => Err(Refusal::invalid("action", "Choose one of the actions on the page.").into()),
        }
    };
    match saved.await {
        Ok(()) => redirect_with_notice(&format!("/admin/models/{provider}"), "saved"),
        Err(error) => match page(&site, by, &provider, &query.name).await {
            Ok(page) => refused(visit, error, fields, |form| ModelSettingsPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

fn form(fields: &Fields) -> Result<ModelForm, Refusal> {
    let access = ModelAccess::parse(fields.get("access"));
    Ok(ModelForm {
        display_name: fields.get("display_name").to_owned(),
        context_tokens: number(fields, "context_tokens")?,
        price: fields.get("price").to_owned(),
        abilities: ModelAbilities {
            calls_tools: ability(fields.get("calls_tools")),
            reads_images: ability(fields.get("reads_images")),
            can_reason: ability(fields.get("can_reason")),
            writes_json: ability(fields.get("writes_json")),
        },
        is_hidden: fields.get("visibility") == "hidden",
        access: access.ok_or_else(|| Refusal::invalid("access", "Choose who may use the model."))?,
        users: fields.get("users").lines().map(str::to_owned).collect(),
        account_tokens: number(fields, "account_tokens")?,
        hub_tokens: number(fields, "hub_tokens")?,
        is_direct: fields.get("direct") == "yes",
    })
}

fn ability(text: &str) -> Option<bool> {
    match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

fn number<T: FromStr>(fields: &Fields, name: &str) -> Result<Option<T>, Refusal> {
    let wrong = |_| Refusal::invalid(name, "Enter a whole number.");
    let text = Some(fields.get(name).trim()).filter(|text| !text.is_empty());
    text.map(|text| text.parse().map_err(wrong)).transpose()
}
