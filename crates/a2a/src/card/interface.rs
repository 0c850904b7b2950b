//! Interfaces of a card: URL, binding and protocol version.

use std::fmt;

use plexus_domain::agent::A2aProtocol;
use url::Url;

use super::{json_node::JsonNode, problem::Severity};

const MAX_INTERFACES: usize = 16;
const MAX_WORD: usize = 100;
/// Transport of a 0.3 card that names none.
const DEFAULT_BINDING: &str = "JSONRPC";

/// An endpoint at which the agent can be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    pub url: Url,
    pub binding: Binding,
    /// As in the card: "1.0", "0.3.0", …
    pub version: String,
    /// Must be repeated in each request.
    pub tenant: Option<String>,
}

/// Protocol binding (transport) of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    JsonRpc,
    HttpJson,
    Grpc,
    Other(String),
}

impl Interface {
    /// Returns the protocol version, or `None` if the hub does not support it.
    pub fn protocol(&self) -> Option<A2aProtocol> {
        let mut numbers = self.version.split('.');
        match (numbers.next()?, numbers.next().unwrap_or("0")) {
            ("1", "0") => Some(A2aProtocol::V1),
            // For everything the hub sends, 0.2 has the same methods and types.
            ("0", "2" | "3") => Some(A2aProtocol::V03),
            _ => None,
        }
    }

    /// Returns true if the hub supports its binding and version. HTTP+JSON of 0.3 differs from that of 1.0.
    pub fn is_usable(&self) -> bool {
        match self.binding {
            Binding::JsonRpc => self.protocol().is_some(),
            Binding::HttpJson => self.protocol() == Some(A2aProtocol::V1),
            Binding::Grpc | Binding::Other(_) => false,
        }
    }

    /// Returns the sort key; lower is better.
    pub fn preference(&self) -> u8 {
        u8::from(self.protocol() != Some(A2aProtocol::V1))
    }

    fn is_same(&self, other: &Self) -> bool {
        self.url == other.url && self.binding == other.binding && self.protocol() == other.protocol()
    }
}

impl Binding {
    fn parse(word: &str) -> Self {
        match word.to_ascii_uppercase().as_str() {
            "JSONRPC" => Self::JsonRpc,
            "HTTP+JSON" => Self::HttpJson,
            "GRPC" => Self::Grpc,
            _ => Self::Other(word.to_owned()),
        }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::JsonRpc => "JSONRPC",
            Self::HttpJson => "HTTP+JSON",
            Self::Grpc => "GRPC",
            Self::Other(word) => word,
        })
    }
}

/// Parses the distinct interfaces of both versions. Reports an error if none is usable.
pub fn read(card: &JsonNode<'_>) -> Vec<Interface> {
    let mut found = Vec::new();
    let mut add = |interface: Interface| {
        if !found.iter().any(|known: &Interface| known.is_same(&interface)) {
            found.push(interface);
        }
    };
    let declared = card.get("supportedInterfaces");
    if let Some(list) = &declared {
        let version = |item: &JsonNode<'_>| {
            item.expect("protocolVersion", Severity::Error, "such as \"1.0\"")?.line(MAX_WORD)
        };
        let read = |item: JsonNode<'_>| read_one(&item, "protocolBinding", version(&item)?);
        list.items(MAX_INTERFACES).into_iter().filter_map(read).for_each(&mut add);
    }
    if declared.is_none() || card.get("url").is_some() {
        read_v03(card).into_iter().for_each(&mut add);
    }
    check_usable(card, &found);
    found
}

/// Parses a 0.3 card: one main interface at the top level, additional ones beside it, one version for all.
fn read_v03(card: &JsonNode<'_>) -> Vec<Interface> {
    if card.get("url").is_none() {
        let purpose = "the card has to say where the agent is reached (\"url\" in a card of 0.3)";
        card.expect("supportedInterfaces", Severity::Error, purpose);
        return Vec::new();
    }
    let version = card.get("protocolVersion").and_then(|version| version.line(MAX_WORD));
    let version = version.unwrap_or_else(|| {
        card.note_at("protocolVersion", Severity::Warning, "This is missing: 0.3 is assumed.");
        "0.3".to_owned()
    });
    let more = card.get("additionalInterfaces").map(|list| list.items(MAX_INTERFACES)).unwrap_or_default();
    let main = read_one(card, "preferredTransport", version.clone());
    main.into_iter()
        .chain(more.iter().filter_map(|item| read_one(item, "transport", version.clone())))
        .collect()
}

fn read_one(node: &JsonNode<'_>, binding_member: &str, version: String) -> Option<Interface> {
    if !node.is_object() {
        return None;
    }
    let word = node
        .get(binding_member)
        .map_or_else(|| Some(DEFAULT_BINDING.to_owned()), |word| word.line(MAX_WORD))?;
    let binding = Binding::parse(&word);
    // Only a warning for others, as gRPC addresses are often not URLs. One of them has to be usable.
    let severity = if binding == Binding::JsonRpc { Severity::Error } else { Severity::Warning };
    let url = node.expect("url", severity, "where the agent is reached")?.url(severity)?;
    let tenant =
        node.get("tenant").and_then(|tenant| tenant.line(MAX_WORD)).filter(|tenant| !tenant.is_empty());
    Some(Interface { url, binding, version, tenant })
}

/// Reports a card without usable interface. A card without any URL was reported already.
fn check_usable(card: &JsonNode<'_>, found: &[Interface]) {
    const SPOKEN: &str = "The hub speaks A2A 1.0 and 0.3 over JSONRPC, and 1.0 over HTTP+JSON";
    let Some(member) = ["supportedInterfaces", "url"].into_iter().find(|member| card.get(member).is_some())
    else {
        return;
    };
    if found.iter().any(Interface::is_usable) {
        return;
    }
    let offered: Vec<_> = found.iter().map(|one| format!("{} {}", one.binding, one.version)).collect();
    let offered =
        if offered.is_empty() { "no address that can be called".to_owned() } else { offered.join(", ") };
    let message = format!("{SPOKEN}; this agent offers {offered}. Add one of these interfaces.");
    card.note_at(member, Severity::Error, message);
}
