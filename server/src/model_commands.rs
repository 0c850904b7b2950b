//! Commands of `plexus model`, which the admin socket and the command line execute alike.

use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error, Hub,
    audit::Administrator,
    config::{OwnKeyPolicy, ProviderSource},
    model_providers::{
        self, ConnectionCheck, ModelAccess, ModelDetails, ModelForm, ProviderForm, ProviderRow, ProviderTest,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum ModelCommand {
    List,
    Connect {
        name: String,
        base_url: String,
        api_key: String,
        models: Vec<String>,
        context_tokens: u64,
        price: String,
        own_keys: String,
        skip_test: bool,
    },
    Test {
        name: String,
        model: Option<String>,
    },
    SetPaused {
        name: String,
        is_paused: bool,
    },
    Remove {
        name: String,
    },
    /// Lists the models of a provider with their settings.
    ListModels {
        name: String,
    },
    SetModel {
        name: String,
        model: String,
        change: Box<ModelChange>,
    },
    ResetModel {
        name: String,
        model: String,
    },
}

/// Change of the settings of a model. `None` keeps a setting, an empty text or list resets it.
#[derive(Default, Serialize, Deserialize)]
pub struct ModelChange {
    pub display_name: Option<String>,
    pub context_tokens: Option<u64>,
    pub price: Option<String>,
    pub tools: Option<bool>,
    pub images: Option<bool>,
    pub reasoning: Option<bool>,
    pub json: Option<bool>,
    pub is_hidden: Option<bool>,
    pub access: Option<String>,
    pub users: Option<Vec<String>>,
    /// 0 removes the limit.
    pub account_tokens: Option<u64>,
    /// 0 removes the limit.
    pub hub_tokens: Option<u64>,
    pub is_direct: Option<bool>,
}

impl ModelChange {
    fn apply(self, form: &mut ModelForm) -> Result<(), Refusal> {
        set(&mut form.display_name, self.display_name);
        set(&mut form.price, self.price);
        set(&mut form.is_hidden, self.is_hidden);
        set(&mut form.is_direct, self.is_direct);
        set(&mut form.users, self.users);
        let abilities = &mut form.abilities;
        abilities.calls_tools = self.tools.or(abilities.calls_tools);
        abilities.reads_images = self.images.or(abilities.reads_images);
        abilities.can_reason = self.reasoning.or(abilities.can_reason);
        abilities.writes_json = self.json.or(abilities.writes_json);
        form.context_tokens = self.context_tokens.or(form.context_tokens);
        let limit = |given: Option<u64>, stored| given.map_or(stored, |given| (given > 0).then_some(given));
        form.account_tokens = limit(self.account_tokens, form.account_tokens);
        form.hub_tokens = limit(self.hub_tokens, form.hub_tokens);
        if let Some(access) = self.access {
            let wrong =
                || Refusal::invalid("access", "Choose everyone, moderators, administrators or named.");
            form.access = ModelAccess::parse(&access).ok_or_else(wrong)?;
        }
        Ok(())
    }
}

fn set<T>(value: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *value = given;
    }
}

/// Executes a command as the operator. Returns the result as JSON.
pub async fn execute(hub: &Hub, command: ModelCommand) -> Result<Value, Error> {
    let by = Administrator::CommandLine;
    match command {
        ModelCommand::List => {
            let rows = model_providers::list(hub, by).await?;
            Ok(json!({ "items": rows.iter().map(provider_json).collect::<Vec<_>>() }))
        }
        ModelCommand::Connect {
            name,
            base_url,
            api_key,
            models,
            context_tokens,
            price,
            own_keys,
            skip_test,
        } => {
            let wrong = || Refusal::invalid("own_keys", "Choose refused, allowed or required.");
            let own_keys = OwnKeyPolicy::parse(&own_keys).ok_or_else(wrong)?;
            let form = ProviderForm { base_url, api_key, models, context_tokens, price, own_keys };
            let check = if skip_test { ConnectionCheck::Skipped } else { ConnectionCheck::Required };
            Ok(test_json(&model_providers::connect(hub, by, &name, &form, check).await?))
        }
        ModelCommand::Test { name, model } => {
            Ok(test_json(&model_providers::test(hub, by, &name, model.as_deref()).await?))
        }
        ModelCommand::SetPaused { name, is_paused } => {
            model_providers::set_paused(hub, by, &name, is_paused).await?;
            Ok(json!({}))
        }
        ModelCommand::Remove { name } => {
            model_providers::remove(hub, by, &name).await?;
            Ok(json!({}))
        }
        ModelCommand::ListModels { name } => {
            let found = model_providers::provider_models(hub, by, &name).await?;
            Ok(json!({ "items": found.models.iter().map(model_json).collect::<Vec<_>>() }))
        }
        ModelCommand::SetModel { name, model, change } => {
            let mut form = model_providers::model_details(hub, by, &name, &model).await?.form();
            change.apply(&mut form)?;
            model_providers::set_model(hub, by, &name, &model, &form).await?;
            Ok(model_json(&model_providers::model_details(hub, by, &name, &model).await?))
        }
        ModelCommand::ResetModel { name, model } => {
            model_providers::reset_model(hub, by, &name, &model).await?;
            Ok(json!({}))
        }
    }
}

fn provider_json(row: &ProviderRow) -> Value {
    let source = match row.source {
        ProviderSource::Configuration => "configuration",
        ProviderSource::Administrator => "administrator",
    };
    json!({
        "name": row.name, "base_url": row.base_url.as_str(), "source": source, "has_key": row.has_key, "models": row.models,
        "context_tokens": row.context_tokens, "price": row.prices.to_string(), "paused": row.is_paused,
        "own_keys": row.own_keys.as_str(),
        "last_test": row.last_test.as_ref().map(test_json),
    })
}

fn model_json(model: &ModelDetails) -> Value {
    let settings = &model.settings;
    json!({
        "model": settings.model, "display_name": settings.display_name, "context_tokens": model.context_tokens,
        "price": model.prices.to_string(), "hidden": settings.is_hidden, "access": settings.access.as_str(),
        "users": model.users, "address": model.direct_address().map(|address| address.to_string()),
        "account_tokens": settings.account_tokens, "hub_tokens": settings.hub_tokens,
        "abilities": {
            "tools": settings.calls_tools, "images": settings.reads_images,
            "reasoning": settings.can_reason, "json": settings.writes_json,
        },
    })
}

/// Returns the result of a test as JSON. Times in milliseconds, `tested_at` since 1970.
fn test_json(test: &ProviderTest) -> Value {
    json!({
        "tested_at": test.tested_at, "listed": test.listed, "model": test.model,
        "first_token_ms": test.first_token_ms, "calls_tools": test.calls_tools,
        "reads_images": test.reads_images, "problem": test.problem,
    })
}
