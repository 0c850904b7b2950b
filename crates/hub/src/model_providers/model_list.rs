//! Models of the providers, as their servers list them.

use std::{collections::HashSet, ptr, time::Duration};

use futures::future::join_all;
use http::StatusCode;
use plexus_domain::run::Failure;
use plexus_runtime::outbound::{Dns, HttpClients, OutboundClient};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::timeout;

use super::{catalog::catalog, context_windows::listed_window};
use crate::{
    Hub, HubConfig, Result,
    config::{Models, Provider},
};

/// Time in which a server must list its models for pages and forms, which wait for it.
const TIMEOUT: Duration = Duration::from_secs(3);
const MAX_LIST_BYTES: usize = 1 << 20;
/// Maximum number of models of one provider.
const MAX_ITEMS: usize = 200;
const MAX_NAME: usize = 200;

/// Response of `GET /models` (OpenAI API reference, "List models").
#[derive(Deserialize)]
struct Listed {
    data: Vec<Value>,
}

/// A model as its server lists it.
pub(crate) struct ServedModel {
    pub name: String,
    pub context_tokens: Option<usize>,
}

/// Why a server lists no models.
#[derive(Debug, thiserror::Error)]
pub(super) enum ModelListError {
    #[error("The server does not accept the API key ({0}). Check the key.")]
    KeyRefused(StatusCode),
    #[error("The server does not list its models ({0}).")]
    NotOffered(StatusCode),
    #[error("The server answers with an error ({0}). Try again later.")]
    Failing(StatusCode),
    #[error("The server's list of models is not a list as in the OpenAI API. Check the address.")]
    Unreadable,
    #[error("{}", .0.message)]
    Unreachable(Failure),
}

/// A model that a provider offers.
#[derive(Clone, Debug)]
pub(super) struct ListedModel {
    /// Name as agents use it, with the prefix of the provider.
    pub full_name: String,
    /// Stored name of the provider.
    pub provider: String,
    /// Name of the model on its server.
    pub model: String,
}

/// Returns the names of the available models, those of the first server first; empty without a model provider.
/// Models of a named provider are prefixed with its name.
///
/// If a provider does not list its models, only the configured ones are returned.
pub async fn models(hub: &Hub) -> Result<Vec<String>> {
    let models = catalog(hub).await?;
    Ok(list_models(hub, &models).await.into_iter().map(|model| model.full_name).collect())
}

/// Returns the available models, those of the first server first.
pub(super) async fn list_models(hub: &Hub, models: &Models) -> Vec<ListedModel> {
    let offered = models.all().map(|(name, provider)| offered(hub, models, name, provider));
    let mut listed = join_all(offered).await.concat();
    let mut seen = HashSet::new();
    listed.retain(|model| seen.insert(model.full_name.clone()));
    listed
}

/// Returns the models of one provider. A named provider with configured models offers only those.
async fn offered(hub: &Hub, models: &Models, name: Option<&str>, provider: &Provider) -> Vec<ListedModel> {
    let mut own = provider.models.clone();
    match name {
        None => {
            let others = served(hub, provider).await;
            // A model whose prefix is the name of another provider would be routed to that provider.
            let is_own =
                |model: &String| models.find(model).is_some_and(|(found, _)| ptr::eq(found, provider));
            own.extend(others.into_iter().filter(is_own));
        }
        Some(_) if own.is_empty() => own = served(hub, provider).await,
        Some(_) => {}
    }
    let listed = |model: String| ListedModel {
        full_name: name.map_or_else(|| model.clone(), |name| format!("{name}/{model}")),
        provider: models.stored_name(provider).to_owned(),
        model,
    };
    own.into_iter().map(listed).collect()
}

/// Returns the models that a server lists, or listed before if it does not answer in time; empty if it lists none, which
/// is logged.
pub(super) async fn served(hub: &Hub, provider: &Provider) -> Vec<String> {
    let (lists, server) = (hub.model_lists(), &provider.base_url);
    if lists.is_silent(server) {
        return lists.names(server);
    }
    let host = server.host_str();
    match timeout(TIMEOUT, request_list(hub, provider)).await {
        Ok(Ok(names)) => names,
        Ok(Err(error)) => {
            tracing::debug!(host, error = error.to_string(), "model server: no model list");
            Vec::new()
        }
        Err(_) => {
            tracing::warn!(host, timeout = ?TIMEOUT, "model server: no model list in time");
            lists.set_silent(server);
            lists.names(server)
        }
    }
}

pub(super) async fn request_list(hub: &Hub, provider: &Provider) -> Result<Vec<String>, ModelListError> {
    let client = hub.outbound().provider(provider).map_err(ModelListError::Unreachable)?;
    let models = list(&client, provider).await?;
    let names = models.iter().map(|model| model.name.clone()).collect();
    hub.model_lists().set(&provider.base_url, models);
    Ok(names)
}

/// Checks whether a configured provider answers, and returns the result as text. For CLI commands, which have no hub.
pub async fn check_configured(config: &HubConfig, provider: &Provider) -> Result<String, String> {
    let words = |failure: Failure| failure.message;
    let network = HttpClients::with_lookup(&Dns::new(config.dns_server).lookup()).map_err(words)?;
    let client = network.for_operator(&provider.base_url).map_err(words)?;
    match list(&client, provider).await {
        Ok(names) => Ok(format!("answers, and lists {} models", names.len())),
        Err(ModelListError::NotOffered(status)) => {
            Ok(format!("answers, but does not list its models ({status})"))
        }
        Err(ModelListError::Unreadable) => Ok("answers, but does not list its models".to_owned()),
        Err(ModelListError::KeyRefused(status)) => Err(format!("does not accept the key ({status})")),
        Err(ModelListError::Failing(status)) => Err(format!("does not answer ({status})")),
        Err(ModelListError::Unreachable(failure)) => Err(failure.message),
    }
}

async fn list(client: &OutboundClient, provider: &Provider) -> Result<Vec<ServedModel>, ModelListError> {
    let mut url = provider.base_url.clone();
    url.set_path(&format!("{}/models", provider.base_url.path().trim_end_matches('/')));
    let key = provider.api_key.clone();
    let fetched = client.fetch_as(&url, key.as_ref(), MAX_LIST_BYTES).await;
    let fetched = fetched.map_err(ModelListError::Unreachable)?;
    match fetched.status.as_u16() {
        200..300 => {}
        401 | 403 => return Err(ModelListError::KeyRefused(fetched.status)),
        429 | 500..600 => return Err(ModelListError::Failing(fetched.status)),
        _ => return Err(ModelListError::NotOffered(fetched.status)),
    }
    let listed: Listed = serde_json::from_slice(&fetched.body).map_err(|_| ModelListError::Unreadable)?;
    let models = listed.data.iter().filter_map(|model| {
        let name = model["id"].as_str().filter(|name| is_name(name))?.to_owned();
        Some(ServedModel { name, context_tokens: listed_window(model) })
    });
    Ok(models.take(MAX_ITEMS).collect())
}

/// Returns the name with the most words in common with `wanted`, the first of several; none without a common word. A
/// word counts twice as much as a number.
/// Words are runs of letters or digits: `llama3.2:3b` has `llama`, `3`, `2`, `3` and `b`.
pub fn nearest_name<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let wanted = words(wanted);
    let weight = |word: &String| if word.chars().all(char::is_alphabetic) { 2 } else { 1 };
    let shared = |name: &str| words(name).intersection(&wanted).map(weight).sum::<usize>();
    let mut nearest: Option<(usize, &str)> = None;
    for name in names {
        let shared = shared(name);
        if shared > nearest.map_or(0, |(most, _)| most) {
            nearest = Some((shared, name));
        }
    }
    nearest.map(|(_, name)| name.to_owned())
}

fn words(name: &str) -> HashSet<String> {
    let kind = |c: char| (c.is_alphabetic(), c.is_numeric());
    let chars: Vec<char> = name.to_lowercase().chars().collect();
    let runs = chars.chunk_by(|one, other| kind(*one) == kind(*other));
    runs.filter(|run| run[0].is_alphanumeric()).map(|run| run.iter().collect()).collect()
}

/// Returns whether a text can be the name of a model.
pub(super) fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && !name.chars().any(plexus_domain::sanitized_text::is_invisible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_shares_the_most_words() {
        let names = ["gpt-5-mini", "ollama/llama3.2:3b", "ollama/qwen3:8b"];
        let nearest = |wanted: &str| nearest_name(wanted, names.into_iter());
        assert_eq!(nearest("ollama/qwen2.5:7b").as_deref(), Some("ollama/qwen3:8b"));
        assert_eq!(nearest("gpt-4o").as_deref(), Some("gpt-5-mini"));
        assert_eq!(nearest("llama3.2").as_deref(), Some("ollama/llama3.2:3b"));
        assert_eq!(nearest("mistral"), None);
    }
}
