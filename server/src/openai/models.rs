//! Model endpoints: agents as models, named by their address.

use std::convert::Infallible;

use axum::{
    Json,
    extract::{FromRequestParts, Path, State, rejection::PathRejection},
    http::request::Parts,
    response::{IntoResponse as _, Response},
};
use plexus_domain::{Address, Timestamp};
use plexus_hub::{
    Caller, agents,
    calls::{self, CatalogAgent},
};
use serde_json::{Value, json};

use super::error::OpenAiError;
use crate::{
    anthropic::error::{AnthropicError, is_anthropic},
    app_state::AppState,
    web::bearer::{ApiKey, Bearer},
};

/// Handles `GET /v1/models`: lists the caller's own agents, starred agents, recently called agents, and the
/// most used agents of the hub.
pub async fn list(State(site): State<AppState>, client: ModelsClient) -> Response {
    let listed = async {
        let offered = calls::list_callable_agents(&site.hub, &client.caller?).await?;
        Ok(client.format.list(&offered))
    };
    client.format.respond(listed.await)
}

/// Handles `GET /v1/models/{id}`: returns any agent that is visible to the caller.
pub async fn show(
    State(site): State<AppState>,
    id: Result<Path<String>, PathRejection>,
    client: ModelsClient,
) -> Response {
    let found = async {
        let caller = client.caller?;
        let Path(id) = id.map_err(|_| unknown("\u{fffd}"))?;
        let found = agents::get(&site.hub, &caller, &address(&id)?).await?.ok_or_else(|| unknown(&id))?;
        Ok(client.format.model(&found.address, found.agent.created_at))
    };
    client.format.respond(found.await)
}

/// A client of OpenAI's or Anthropic's API, and who calls. A client of Anthropic's may send the token as `x-api-key`.
pub struct ModelsClient {
    format: Format,
    caller: Result<Caller, OpenAiError>,
}

/// The API of the client. Both list models at the same path.
#[derive(Clone, Copy)]
enum Format {
    OpenAi,
    Anthropic,
}

impl FromRequestParts<AppState> for ModelsClient {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, site: &AppState) -> Result<Self, Infallible> {
        let is_anthropic = is_anthropic(&parts.headers);
        let caller = match is_anthropic {
            true => ApiKey::from_request_parts(parts, site).await.map(|ApiKey(caller)| caller),
            false => Bearer::from_request_parts(parts, site).await.map(|Bearer(caller)| caller),
        };
        let format = if is_anthropic { Format::Anthropic } else { Format::OpenAi };
        Ok(Self { format, caller: caller.map_err(OpenAiError::from) })
    }
}

impl Format {
    fn respond(self, outcome: Result<Value, OpenAiError>) -> Response {
        match (self, outcome) {
            (_, Ok(value)) => Json(value).into_response(),
            (Self::OpenAi, Err(error)) => error.into_response(),
            (Self::Anthropic, Err(error)) => AnthropicError::from(error).into_response(),
        }
    }

    fn list(self, offered: &[CatalogAgent]) -> Value {
        let models: Vec<_> =
            offered.iter().map(|offered| self.model(&offered.address, offered.created)).collect();
        match self {
            Self::OpenAi => json!({ "object": "list", "data": models }),
            Self::Anthropic => {
                let id = |model: Option<&Value>| model.map_or(Value::Null, |model| model["id"].clone());
                json!({ "first_id": id(models.first()), "last_id": id(models.last()), "has_more": false,
                        "data": models })
            }
        }
    }

    fn model(self, address: &Address, created: Timestamp) -> Value {
        let id = id(address);
        match self {
            Self::OpenAi => {
                json!({ "id": id, "object": "model", "created": created.millis() / 1_000, "owned_by": address.owner })
            }
            Self::Anthropic => {
                json!({ "type": "model", "id": id, "display_name": id, "created_at": created.to_rfc3339() })
            }
        }
    }
}

/// Parses the address in a model name.
pub fn address(model: &str) -> Result<Address, OpenAiError> {
    model.parse().map_err(|_| unknown(model))
}

fn unknown(model: &str) -> OpenAiError {
    let model =
        plexus_domain::sanitized_text::ellipsize(&plexus_domain::sanitized_text::one_line(model), 100);
    OpenAiError::no_model(format!("Agent \"{model}\" not found. Name a model as owner/name."))
}

/// Returns the model name of an agent.
pub fn id(address: &Address) -> String {
    format!("{}/{}", address.owner, address.name)
}
