//! Page `/settings/model-keys`: the user's API keys for model providers.

use axum::{extract::State, response::Response};
use plexus_app::view_models::{
    Form,
    model_providers::{ModelKeyItem, ModelKeyPolicy, ModelKeysPage},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error, Hub,
    caller::Caller,
    config::OwnKeyPolicy,
    model_providers::{self, AccountKeyRow},
};

use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

const PATH: &str = "/settings/model-keys";

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site.hub, &visit.caller).await;
    visit.show_or_refuse(page)
}

async fn page(hub: &Hub, caller: &Caller) -> Result<ModelKeysPage, Error> {
    let providers = model_providers::account_keys(hub, caller).await?.into_iter().map(item).collect();
    Ok(ModelKeysPage { providers, form: Form::default() })
}

fn item(row: AccountKeyRow) -> ModelKeyItem {
    ModelKeyItem {
        provider: row.provider,
        host: row.host,
        policy: match row.policy {
            OwnKeyPolicy::Refused => ModelKeyPolicy::Refused,
            OwnKeyPolicy::Allowed => ModelKeyPolicy::Allowed,
            OwnKeyPolicy::Required => ModelKeyPolicy::Required,
        },
        added_at: row.added_at,
    }
}

pub async fn act(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let (hub, caller) = (&site.hub, &visit.caller);
    let provider = fields.get("provider");
    let done = match fields.get("action") {
        "save" => model_providers::set_account_key(hub, caller, provider, fields.get("api_key")).await,
        "remove" => model_providers::remove_account_key(hub, caller, provider).await,
        _ => Err(Refusal::invalid("action", "Choose one of the actions on the page.").into()),
    };
    match done {
        Ok(()) => redirect_with_notice(PATH, "saved"),
        Err(error) => match page(hub, caller).await {
            Ok(page) => refused(visit, error, fields, |form| ModelKeysPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}
