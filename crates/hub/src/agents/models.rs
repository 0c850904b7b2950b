//! The models that agents of this hub can run on.

use plexus_domain::Error as Refusal;
use plexus_runtime::Secret;
use serde::Deserialize;

use crate::{Hub, Result};

const MAX_LIST_BYTES: usize = 1 << 20;
const MOST: usize = 200;
const MAX_NAME: usize = 200;

/// The answer of `GET /models` (OpenAI API reference, "List models").
#[derive(Deserialize)]
struct Listed {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

/// The names of the operator's models, the configured one first; none when the hub has no model server.
///
/// A server that does not list its models leaves the configured one.
pub async fn models(hub: &Hub) -> Vec<String> {
    let Some(operator) = &hub.config().model else { return Vec::new() };
    let mut names: Vec<String> = operator.model.iter().cloned().collect();
    names.extend(served(hub).await);
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names.truncate(MOST);
    names
}

async fn served(hub: &Hub) -> Vec<String> {
    let Some((operator, client)) = hub.config().model.as_ref().zip(hub.outbound().models()) else {
        return Vec::new();
    };
    let mut url = operator.base_url.clone();
    url.set_path(&format!("{}/models", operator.base_url.path().trim_end_matches('/')));
    let key = operator.api_key.as_ref().map(|key| Secret::new(key.reveal()));
    let found = match client.fetch_as(&url, key.as_ref(), MAX_LIST_BYTES).await {
        Ok(found) if found.status.is_success() => found,
        Ok(found) => {
            tracing::debug!(status = %found.status, "the model server does not list its models");
            return Vec::new();
        }
        Err(failure) => {
            tracing::warn!(class = failure.class.as_str(), "the model server does not answer");
            return Vec::new();
        }
    };
    let listed: Option<Listed> = serde_json::from_slice(&found.body).ok();
    let names = listed.into_iter().flat_map(|listed| listed.data).map(|model| model.id);
    names.filter(|name| is_name(name)).collect()
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && !name.chars().any(plexus_domain::text::is_invisible)
}

/// Refuses a model that the hub does not have.
pub(super) async fn check(hub: &Hub, name: &str) -> Result<()> {
    let known = models(hub).await;
    if known.is_empty() {
        let words = "This hub has no model. Its administrator names one with PLEXUS_LLM_BASE_URL and PLEXUS_LLM_MODEL.";
        return Err(Refusal::unavailable(words).into());
    }
    if known.iter().any(|known| known == name) {
        return Ok(());
    }
    Err(Refusal::invalid("model", "Choose one of the models in the list.").into())
}
