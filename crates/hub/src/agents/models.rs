//! Models that agents of this hub can use.

use std::{collections::HashSet, ptr};

use futures::future::join_all;
use plexus_domain::{Error as Refusal, run::Failure};
use plexus_runtime::{
    Secret,
    outbound::{Dns, Fetched, HttpClients, OutboundClient},
};
use serde::Deserialize;

use crate::{
    Hub, HubConfig, Result,
    config::{Models, Provider},
};

const MAX_LIST_BYTES: usize = 1 << 20;
/// Maximum number of models of one provider.
const MAX_ITEMS: usize = 200;
const MAX_NAME: usize = 200;

/// Response of `GET /models` (OpenAI API reference, "List models").
#[derive(Deserialize)]
struct Listed {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

/// Returns the names of the available models, the configured ones first; empty without a model provider.
/// Models of a named provider are prefixed with its name.
///
/// If a provider does not list its models, only the configured ones are returned.
pub async fn models(hub: &Hub) -> Vec<String> {
    let Some(models) = &hub.config().models else { return Vec::new() };
    let offered = models.all().map(|(name, provider)| offered(hub, models, name, provider));
    let mut names = join_all(offered).await.concat();
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Returns the models of one provider. A named provider with configured models offers only those.
async fn offered(hub: &Hub, models: &Models, name: Option<&str>, provider: &Provider) -> Vec<String> {
    let mut own = provider.models.clone();
    let Some(name) = name else {
        let others = served(hub, provider).await;
        // A model whose prefix is the name of another provider would be routed to that provider.
        own.extend(others.into_iter().filter(|model| ptr::eq(models.find(model).0, provider)));
        return own;
    };
    if own.is_empty() {
        own = served(hub, provider).await;
    }
    own.into_iter().map(|model| format!("{name}/{model}")).collect()
}

async fn served(hub: &Hub, provider: &Provider) -> Vec<String> {
    let host = provider.base_url.host_str();
    let found = match hub.outbound().provider(provider) {
        Ok(client) => list(&client, provider).await,
        Err(failure) => Err(failure),
    };
    match found {
        Ok(found) if found.status.is_success() => names(&found),
        Ok(found) => {
            tracing::debug!(host, status = %found.status, "model server: no model list");
            Vec::new()
        }
        Err(failure) => {
            tracing::warn!(host, error = failure.class.as_str(), "model server: model list request failed");
            Vec::new()
        }
    }
}

/// Checks whether a provider answers, and returns the result as text. For CLI commands, which have no hub.
pub async fn try_provider(config: &HubConfig, provider: &Provider) -> Result<String, String> {
    let words = |failure: Failure| failure.message;
    let network = HttpClients::with_lookup(Dns::new(config.dns_server).lookup()).map_err(words)?;
    let client = network.for_operator(&provider.base_url).map_err(words)?;
    let found = list(&client, provider).await.map_err(words)?;
    match found.status.as_u16() {
        200..300 => Ok(format!("answers, and lists {} models", names(&found).len())),
        401 | 403 => Err(format!("does not accept the key ({})", found.status)),
        429 | 500..600 => Err(format!("does not answer ({})", found.status)),
        _ => Ok(format!("answers, but does not list its models ({})", found.status)),
    }
}

async fn list(client: &OutboundClient, provider: &Provider) -> Result<Fetched, Failure> {
    let mut url = provider.base_url.clone();
    url.set_path(&format!("{}/models", provider.base_url.path().trim_end_matches('/')));
    let key = provider.api_key.as_ref().map(|key| Secret::new(key.reveal()));
    client.fetch_as(&url, key.as_ref(), MAX_LIST_BYTES).await
}

fn names(found: &Fetched) -> Vec<String> {
    let listed: Option<Listed> = serde_json::from_slice(&found.body).ok();
    let names = listed.into_iter().flat_map(|listed| listed.data).map(|model| model.id);
    names.filter(|name| is_name(name)).take(MAX_ITEMS).collect()
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && !name.chars().any(plexus_domain::sanitized_text::is_invisible)
}

/// Fails if the model is not available.
pub(super) async fn check(hub: &Hub, name: &str) -> Result<()> {
    let known = models(hub).await;
    if known.is_empty() {
        let words = "This hub has no model. Its administrator can set one with PLEXUS_LLM_BASE_URL and \
            PLEXUS_LLM_MODEL.";
        return Err(Refusal::unavailable(words).into());
    }
    if known.iter().any(|known| known == name) {
        return Ok(());
    }
    Err(Refusal::invalid("model", "Choose one of the models in the list.").into())
}
