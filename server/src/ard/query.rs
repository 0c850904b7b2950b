//! The query object that search and explore share (specification section 5.3.1).

use axum::{body::Bytes, extract::rejection::BytesRejection};
use plexus_a2a::bounded_json::{self, JsonLimits};
use plexus_domain::Error as Refusal;
use plexus_hub::{Caller, listings};
use serde_json::{Map, Value};

use super::{
    context::{Context, Path},
    entry::{ArdEntry, entry},
    error::ArdError,
    filter::Filter,
};
use crate::{app_state::AppState, web::json_body::body_error};

const LIMITS: JsonLimits = JsonLimits { bytes: 256 << 10, depth: 16, values: 10_000 };
const MAX_CHARS: usize = 2_000;

#[derive(Default)]
pub struct Query {
    pub text: String,
    pub filter: Filter,
    context: Context,
}

/// Parses the members of a request body.
pub fn read(body: Result<Bytes, BytesRejection>) -> Result<Map<String, Value>, ArdError> {
    let too_large = Refusal::invalid("body", "The body is too large.");
    let body = body.map_err(|rejection| body_error(&rejection, too_large))?;
    let parsed = bounded_json::parse(&body, LIMITS);
    match parsed.map_err(|error| ArdError::invalid(format!("The body cannot be read. {error}")))? {
        Value::Object(members) => Ok(members),
        _ => Err(ArdError::invalid("The body is a JSON object.")),
    }
}

/// Rejects members that are not in `known` (appendix D.3).
pub fn only(members: &Map<String, Value>, known: &[&str]) -> Result<(), ArdError> {
    if members.keys().all(|name| known.contains(&name.as_str())) {
        return Ok(());
    }
    Err(ArdError::invalid(format!("Allowed members: {}.", known.join(", "))))
}

impl Query {
    pub fn read(value: Option<&Value>) -> Result<Self, ArdError> {
        let members = match value {
            None => return Ok(Self::default()),
            Some(Value::Object(members)) => members,
            Some(_) => return Err(ArdError::invalid("The query is an object.")),
        };
        only(members, &["@context", "text", "filter"])?;
        let text = match members.get("text") {
            None => String::new(),
            Some(Value::String(text)) if text.chars().count() <= MAX_CHARS => text.trim().to_owned(),
            Some(_) => return Err(ArdError::invalid("The text of a query has at most 2000 characters.")),
        };
        let context = Context::read(members.get("@context"))?;
        Ok(Self { filter: Filter::read(members.get("filter"), &context)?, text, context })
    }

    pub fn path(&self, field: &str) -> Result<Path, ArdError> {
        self.context.resolve(field)
    }

    /// Returns the agents that match the text, best first, each with a score of 0 to 100.
    pub async fn matched(
        &self,
        site: &AppState,
        caller: &Caller,
    ) -> Result<Vec<listings::CatalogMatch>, ArdError> {
        let query = listings::Query::text(&self.text);
        Ok(listings::matched(&site.hub, caller, query).await?)
    }

    /// Converts matches to entries and applies the filter.
    pub async fn entries(
        &self,
        site: &AppState,
        found: &[listings::CatalogMatch],
    ) -> Result<Vec<(ArdEntry, u8)>, ArdError> {
        let publisher = listings::publisher(&site.hub).await?;
        let described = listings::described(&site.hub, found).await?;
        let home = &site.hub.config().public_url;
        let entries = described.iter().map(|agent| (entry(home, &publisher, agent), agent.score));
        Ok(entries.filter(|(entry, _)| self.filter.matches(entry)).collect())
    }
}
