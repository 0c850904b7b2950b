//! The card under which a hub serves an agent, wherever the agent itself lives: what the agent says of itself, at the
//! hub's addresses and on the hub's terms.

use std::collections::BTreeMap;

use plexus_domain::agent::A2aProtocol;
use serde_json::{Value, json};
use url::Url;

use super::{Card, Skill, own::with_base};
use crate::{
    client, extension,
    wire::v1::{
        AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentProvider, AgentSkill, ScopeList,
        SecurityRequirement, SecurityScheme,
    },
};

/// How the hub serves an agent.
#[derive(Clone, Debug)]
pub struct Serving {
    /// What the agent is called where it says nothing of itself.
    pub address: String,
    pub version: String,
    /// The agent's base URL at this hub.
    pub base: Url,
    /// Who answers for it, and the page about it.
    pub provider: (String, Url),
    pub page: Url,
    /// Whether callers need no account.
    pub open: bool,
    pub push: bool,
}

/// The path of the HTTP+JSON binding below the agent's base.
const REST: &str = "rest";
/// What the hub's bearer scheme is called in its cards.
const BEARER: &str = "bearer";
/// What a token has to be good for.
const SCOPE: &str = "chat";

pub fn serve(card: &Card, serving: Serving) -> AgentCard {
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

/// The card with what callers of 0.3 look for beside it. They are no members of 1.0, so no signature holds for them.
pub fn with_former(card: &AgentCard) -> Value {
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

/// Those that the hub passes on to the agent.
fn extensions(card: &Card) -> Vec<AgentExtension> {
    let team = AgentExtension {
        uri: extension::TEAM.to_owned(),
        description: "Takes the floor in teams.".to_owned(),
        required: false,
        params: None,
    };
    card.capabilities.declares(extension::TEAM).then_some(team).into_iter().collect()
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

/// It names the scope: an empty list is not signed alike everywhere, and a card with one could not be signed.
fn bearer() -> SecurityRequirement {
    let scopes = ScopeList { list: vec![SCOPE.to_owned()] };
    SecurityRequirement { schemes: BTreeMap::from([(BEARER.to_owned(), scopes)]) }
}

fn modes(named: &[String]) -> Vec<String> {
    if named.is_empty() { vec!["text/plain".to_owned()] } else { named.to_vec() }
}

/// Empty values are not signed alike everywhere, so what a skill leaves out is filled with what is known.
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
