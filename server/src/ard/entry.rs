//! Converts agents and hubs to ARD entries (specification section 4).

use plexus_domain::Timestamp;
use plexus_hub::listings::{CatalogAgentInfo, UrnPublisher};
use serde_json::{Value, json};
use url::Url;

use super::BASE;
use crate::app_state::AppState;

pub const AGENT_CARD: &str = "application/a2a-agent-card+json";
pub const REGISTRY: &str = "application/ai-registry+json";
pub const CATALOG: &str = "application/ai-catalog+json";

/// Recommended number of sample queries of an entry (section 4.2).
const FEWEST_QUERIES: usize = 2;
const MAX_QUERIES: usize = 5;

pub struct ArdEntry {
    /// The terms in wire format.
    pub terms: Value,
    /// Publisher part of the identifier.
    pub publisher: String,
    pub created: Timestamp,
    pub updated: Timestamp,
}

/// Returns the entry of an agent, as published by the hub at `home`.
pub fn entry(home: &Url, publisher: &UrnPublisher, agent: &CatalogAgentInfo) -> ArdEntry {
    let (address, summary) = (&agent.address, &agent.summary);
    let (owner, name) = (&address.owner, &address.name);
    let shown = if summary.title.is_empty() { name.to_string() } else { summary.title.clone() };
    let mut terms = json!({
        "identifier": publisher.identifier(address),
        "displayName": shown,
        "type": AGENT_CARD,
        "url": format!("{home}a2a/{owner}/{name}/.well-known/agent-card.json"),
        "representativeQueries": queries(&shown, agent),
        "updatedAt": agent.updated.to_rfc3339(),
        "metadata": { "owner": owner, "kind": summary.kind, "protocol": summary.protocol,
                      "verified": summary.verified },
    });
    let optional = [
        ("description", json!(summary.description), summary.description.is_empty()),
        ("tags", json!(summary.tags), summary.tags.is_empty()),
        ("capabilities", json!(summary.capabilities), summary.capabilities.is_empty()),
        ("version", json!(summary.version), summary.version.is_empty()),
    ];
    for (term, value, _) in optional.into_iter().filter(|(_, _, is_empty)| !is_empty) {
        terms[term] = value;
    }
    ArdEntry { terms, publisher: publisher.to_string(), created: agent.created, updated: agent.updated }
}

/// Returns sample queries: the examples of the agent's card, supplemented from its own description if they
/// are too few.
fn queries(shown: &str, agent: &CatalogAgentInfo) -> Vec<String> {
    let mut queries: Vec<String> = agent.summary.examples.iter().take(MAX_QUERIES).cloned().collect();
    let more = [agent.summary.summary.clone(), format!("ask {shown}"), format!("talk to {shown}")];
    for query in more.into_iter().filter(|query| !query.is_empty()) {
        if queries.len() < FEWEST_QUERIES && !queries.contains(&query) {
            queries.push(query);
        }
    }
    queries
}

/// Returns this hub's own entry, by which other registries find it.
pub fn of_this(site: &AppState, publisher: &UrnPublisher) -> Value {
    of_registry(&site.hub.config().hub_name, &site.hub.config().public_url, publisher)
}

/// Returns the entry of the hub `name` at `home`.
pub fn of_registry(name: &str, home: &Url, publisher: &UrnPublisher) -> Value {
    json!({
        "identifier": publisher.of_hub("registry:ard"),
        "displayName": format!("{name}: agents"),
        "type": REGISTRY,
        "url": base(home),
        "description": "Searches the agents of one hub.",
        "representativeQueries": ["find an agent for a task", "which agents are there"],
    })
}

/// Returns the base URL of the registry of the hub at `home`. It is also the `source` of that hub's results.
pub fn base(home: &Url) -> String {
    format!("{home}{BASE}")
}
