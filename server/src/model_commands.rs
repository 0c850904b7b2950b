//! Commands of `plexus model`, which the admin socket and the command line execute alike.

use plexus_hub::{
    Error, Hub,
    admin::Administrator,
    config::ProviderSource,
    model_providers::{self, ConnectionCheck, ProviderForm, ProviderRow, ProviderTest},
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
}

/// Executes a command as the operator. Returns the result as JSON.
pub async fn execute(hub: &Hub, command: ModelCommand) -> Result<Value, Error> {
    let by = Administrator::CommandLine;
    match command {
        ModelCommand::List => {
            let rows = model_providers::list(hub, by).await?;
            Ok(json!({ "items": rows.iter().map(provider_json).collect::<Vec<_>>() }))
        }
        ModelCommand::Connect { name, base_url, api_key, models, context_tokens, price, skip_test } => {
            let form = ProviderForm { base_url, api_key, models, context_tokens, price };
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
        "last_test": row.last_test.as_ref().map(test_json),
    })
}

/// Returns the result of a test as JSON. Times in milliseconds, `tested_at` since 1970.
fn test_json(test: &ProviderTest) -> Value {
    json!({
        "tested_at": test.tested_at, "listed": test.listed, "model": test.model,
        "first_token_ms": test.first_token_ms, "calls_tools": test.calls_tools, "problem": test.problem,
    })
}
