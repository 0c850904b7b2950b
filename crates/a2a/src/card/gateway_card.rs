//! Gateway card: the agent's own description with the hub's URLs, authentication and capabilities.

use std::collections::BTreeMap;

use plexus_domain::agent::A2aProtocol;
use serde_json::{Value, json};
use url::Url;

use super::{Card, Extension, Skill, local_card::with_base};
use crate::{
    client, team_extension,
    wire::v1::{
        AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentProvider, AgentSkill, ScopeList,
        SecurityRequirement, SecurityScheme,
    },
};

/// How the hub serves an agent.
#[derive(Clone, Debug)]
pub struct GatewayTerms {
    /// The agent's address, used where its card has no name or description.
    pub address: String,
    pub version: String,
    /// The agent's base URL on this hub.
    pub base: Url,
    /// The responsible provider and its URL.
    pub provider: (String, Url),
    pub page: Url,
    /// True if callers need no account.
    pub open: bool,
    pub push: bool,
}

/// Maximum size of the extensions in a card, in bytes: hubs replicate cards of limited size.
const MAX_EXTENSIONS_BYTES: usize = 4 << 10;
/// Path of the HTTP+JSON binding, relative to the agent's base URL.
const REST: &str = "rest";
/// Name of the hub's bearer scheme in its cards.
const BEARER: &str = "bearer";
/// Scope that a caller's token needs.
const SCOPE: &str = "chat";

/// Returns the agent's card rewritten to the hub's URLs and security.
pub fn gateway_card(card: &Card, serving: GatewayTerms) -> AgentCard {
    let described = |text: &str| if text.is_empty() { serving.address.clone() } else { text.to_owned() };
    let (organization, url) = serving.provider;
    AgentCard {
        name: described(&card.name),
        description: described(&card.description),
        supported_interfaces: interfaces(with_base(serving.base)),
        provider: Some(AgentProvider { url: url.into(), organization }),
        version: serving.version,
        documentation_url: Some(serving.page.into()),
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(serving.push),
            extensions: extensions(card),
            extended_agent_card: Some(true),
        },
        security_schemes: BTreeMap::from([(
            BEARER.to_owned(),
            SecurityScheme::Http { scheme: "Bearer".to_owned() },
        )]),
        security_requirements: if serving.open { Vec::new() } else { vec![bearer()] },
        default_input_modes: modes(&card.input_modes),
        default_output_modes: modes(&card.output_modes),
        skills: skills(card, &serving.address),
        signatures: Vec::new(),
        icon_url: None,
    }
}

/// Adds the fields of 0.3 to a card. Version 1.0 does not have them, so no signature covers them.
pub fn with_v03_fields(card: &AgentCard) -> Value {
    let mut document = json!(card);
    let former =
        |interface: &&AgentInterface| interface.protocol_version == client::version(A2aProtocol::V03);
    if let Some(interface) = card.supported_interfaces.iter().find(former) {
        document["url"] = json!(interface.url);
        document["preferredTransport"] = json!(interface.protocol_binding);
        document["protocolVersion"] = json!("0.3.0");
        document["supportsAuthenticatedExtendedCard"] = json!(card.capabilities.extended_agent_card);
    }
    for (name, scheme) in &card.security_schemes {
        if let SecurityScheme::Http { scheme } = scheme {
            document["securitySchemes"][name]["type"] = json!("http");
            document["securitySchemes"][name]["scheme"] = json!(scheme);
        }
    }
    if !card.security_requirements.is_empty() {
        let names = |requirement: &SecurityRequirement| -> Value {
            requirement.schemes.iter().map(|(name, scopes)| (name.clone(), json!(scopes.list))).collect()
        };
        document["security"] = card.security_requirements.iter().map(names).collect();
    }
    document
}

/// Returns the extensions of the agent: the hub passes on the metadata, parts and headers that they use. Omits those
/// whose parameters implementations sign differently, and those beyond the size limit.
fn extensions(card: &Card) -> Vec<AgentExtension> {
    let mut bytes_left = MAX_EXTENSIONS_BYTES;
    let kept = card.capabilities.extensions.iter().filter(|extension| {
        let params = extension.params.iter().flat_map(|params| params.values());
        let bytes = serde_json::to_string(&extension.params).map_or(usize::MAX, |json| json.len());
        let bytes = bytes.saturating_add(extension.uri.len() + extension.description.len());
        let fits = params.into_iter().all(is_signed_alike) && bytes <= bytes_left;
        bytes_left -= if fits { bytes } else { 0 };
        fits
    });
    let wire = |extension: &Extension| match extension.uri == team_extension::TEAM {
        true => AgentExtension {
            uri: team_extension::TEAM.to_owned(),
            description: "Takes the floor in teams.".to_owned(),
            required: false,
            params: None,
        },
        false => AgentExtension {
            uri: extension.uri.clone(),
            description: extension.description.clone(),
            required: extension.required,
            params: extension.params.clone().and_then(client::non_empty),
        },
    };
    kept.map(wire).collect()
}

/// Returns true if implementations serialize a value in the same way: no numbers, and nothing empty.
fn is_signed_alike(value: &Value) -> bool {
    match value {
        Value::Null | Value::Number(_) => false,
        Value::Bool(_) => true,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty() && items.iter().all(is_signed_alike),
        Value::Object(members) => !members.is_empty() && members.values().all(is_signed_alike),
    }
}

fn interfaces(base: Url) -> Vec<AgentInterface> {
    let interface = |url: String, binding: &str, protocol| AgentInterface {
        url,
        protocol_binding: binding.to_owned(),
        tenant: None,
        protocol_version: client::version(protocol).to_owned(),
    };
    let rest = format!("{base}{REST}");
    vec![
        interface(base.to_string(), "JSONRPC", A2aProtocol::V1),
        interface(rest, "HTTP+JSON", A2aProtocol::V1),
        interface(base.into(), "JSONRPC", A2aProtocol::V03),
    ]
}

/// Returns the security requirement. It names a scope, because implementations sign empty lists differently.
///
/// A card with an empty list could therefore not be signed.
fn bearer() -> SecurityRequirement {
    let scopes = ScopeList { list: vec![SCOPE.to_owned()] };
    SecurityRequirement { schemes: BTreeMap::from([(BEARER.to_owned(), scopes)]) }
}

fn modes(named: &[String]) -> Vec<String> {
    if named.is_empty() { vec!["text/plain".to_owned()] } else { named.to_vec() }
}

/// Returns the skills with empty fields filled in, because implementations sign empty values differently.
fn skills(card: &Card, address: &str) -> Vec<AgentSkill> {
    let filled = |text: &str, otherwise: &str| {
        if text.is_empty() { otherwise.to_owned() } else { text.to_owned() }
    };
    let skill = |skill: &Skill| AgentSkill {
        id: filled(&skill.id, "skill"),
        name: filled(&skill.name, address),
        description: filled(&skill.description, &skill.name),
        tags: if skill.tags.is_empty() { vec!["chat".to_owned()] } else { skill.tags.clone() },
        examples: skill.examples.clone(),
        input_modes: skill.input_modes.clone(),
        output_modes: skill.output_modes.clone(),
    };
    if card.skills.is_empty() {
        return vec![AgentSkill {
            id: "chat".to_owned(),
            name: "Chat".to_owned(),
            description: filled(&card.description, address),
            tags: vec!["chat".to_owned()],
            ..AgentSkill::default()
        }];
    }
    card.skills.iter().map(skill).collect()
}
