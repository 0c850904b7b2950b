//! Card parser for both versions. Collects problems instead of stopping at the first one.

use super::{
    Capabilities, Card, CardReport, Extension, MAX_CARD_BYTES, Provider, Signature, interface,
    json_node::JsonNode,
    problem::{
        Problems,
        Severity::{self, Error, Warning},
    },
    security, skill,
};
use crate::{
    bounded_json::{self, JsonLimits},
    team_extension,
};

pub const LIMITS: JsonLimits = JsonLimits { bytes: MAX_CARD_BYTES, depth: 32, values: 20_000 };
const MAX_NAME: usize = 100;
const MAX_DESCRIPTION: usize = 4_000;
const MAX_VERSION: usize = 64;
const MAX_ORGANIZATION: usize = 200;
const MAX_EXTENSIONS: usize = 32;
const MAX_EXTENSION_DESCRIPTION: usize = 200;
const MAX_URI: usize = 2_048;
const MAX_SIGNATURES: usize = 8;

pub fn read(bytes: &[u8]) -> CardReport {
    let problems = Problems::default();
    let card = match bounded_json::parse_noting_duplicates(bytes, LIMITS) {
        Ok((value, duplicates)) => {
            for pointer in duplicates {
                problems.note(Warning, &pointer, "This member is repeated; the last value is used.");
            }
            read_value(bytes, &JsonNode::root(&value, &problems))
        }
        Err(error) => {
            problems.note(Error, "", format!("This is not an agent card. {error}"));
            None
        }
    };
    CardReport { card: card.filter(|_| !problems.has_error()), problems: problems.into_list() }
}

fn read_value(bytes: &[u8], card: &JsonNode<'_>) -> Option<Card> {
    if !card.is_object() {
        return None;
    }
    let modes = |member: &str| {
        let list = card.expect(member, Warning, "the media types, such as \"text/plain\"");
        list.map(|list| skill::read_modes(&list)).unwrap_or_default()
    };
    Some(Card {
        source: bytes.to_vec(),
        name: filled_line(card, "name", Error, MAX_NAME, "what people call the agent"),
        description: read_description(card),
        version: filled_line(card, "version", Warning, MAX_VERSION, "the agent's own version"),
        provider: card.get("provider").and_then(|provider| read_provider(&provider)),
        interfaces: interface::read(card),
        capabilities: read_capabilities(card),
        skills: skill::read(card),
        input_modes: modes("defaultInputModes"),
        output_modes: modes("defaultOutputModes"),
        security: security::read(card),
        documentation_url: card.get("documentationUrl").and_then(|url| url.url(Warning)),
        icon_url: card.get("iconUrl").and_then(|url| url.url(Warning)),
        signatures: card.get("signatures").map(|list| read_signatures(&list)).unwrap_or_default(),
    })
}

fn filled_line(card: &JsonNode<'_>, member: &str, severity: Severity, max: usize, purpose: &str) -> String {
    let node = card.expect(member, severity, purpose);
    let Some(line) = node.and_then(|text| text.line(max)) else { return String::new() };
    if line.is_empty() {
        card.note_at(member, severity, format!("This is empty: {purpose}."));
    }
    line
}

fn read_description(card: &JsonNode<'_>) -> String {
    let purpose = "what the agent is for; people and the search read it";
    let node = card.expect("description", Warning, purpose);
    let Some(block) = node.and_then(|text| text.block(MAX_DESCRIPTION)) else { return String::new() };
    if block.is_empty() {
        card.note_at("description", Warning, format!("This is empty: {purpose}."));
    }
    block
}

fn read_provider(provider: &JsonNode<'_>) -> Option<Provider> {
    if !provider.is_object() {
        return None;
    }
    let organization = provider.get("organization").and_then(|name| name.line(MAX_ORGANIZATION));
    let url = provider.get("url").and_then(|url| url.url(Warning));
    Some(Provider { organization: organization.filter(|name| !name.is_empty())?, url })
}

/// Parses the capabilities. In 0.3 the extended-card flag is at the top level of the card.
fn read_capabilities(card: &JsonNode<'_>) -> Capabilities {
    let flag =
        |node: &JsonNode<'_>, member: &str| node.get(member).and_then(|flag| flag.flag()).unwrap_or_default();
    let extended = flag(card, "supportsAuthenticatedExtendedCard");
    let purpose = "what the agent can do beyond plain answers; an empty object if nothing";
    let Some(node) = card.expect("capabilities", Warning, purpose).filter(JsonNode::is_object) else {
        return Capabilities { extended_card: extended, ..Capabilities::default() };
    };
    Capabilities {
        streaming: flag(&node, "streaming"),
        push_notifications: flag(&node, "pushNotifications"),
        extended_card: extended || flag(&node, "extendedAgentCard"),
        extensions: node.get("extensions").map(|list| read_extensions(&list)).unwrap_or_default(),
    }
}

fn read_extensions(list: &JsonNode<'_>) -> Vec<Extension> {
    let read = |node: &JsonNode<'_>| {
        let uri = node.get("uri")?.line(MAX_URI)?;
        let required = node.get("required").and_then(|flag| flag.flag()).unwrap_or_default();
        if required {
            let which = if uri == team_extension::TEAM {
                "the team extension"
            } else {
                "one that callers have to use themselves"
            };
            node.warn(format!("The agent requires an extension: {which}. It may refuse calls."));
        }
        let text = node.get("description").and_then(|text| text.line(MAX_EXTENSION_DESCRIPTION));
        let params = node.get("params").and_then(|params| params.value().as_object().cloned());
        Some(Extension { uri, description: text.unwrap_or_default(), required, params })
    };
    list.items(MAX_EXTENSIONS).iter().filter(|node| node.is_object()).filter_map(read).collect()
}

fn read_signatures(list: &JsonNode<'_>) -> Vec<Signature> {
    let read = |node: &JsonNode<'_>| {
        let text = |member: &str| {
            node.expect(member, Warning, "a signature needs it")?.raw_text().map(str::to_owned)
        };
        Some(Signature { protected: text("protected")?, signature: text("signature")? })
    };
    list.items(MAX_SIGNATURES).iter().filter(|node| node.is_object()).filter_map(read).collect()
}
