//! What credentials an agent asks for, reduced to what the hub can send.

use std::collections::BTreeMap;

use super::{node::Node, problem::Severity};

const MAX_SCHEMES: usize = 16;
const MAX_WORD: usize = 100;

/// What a caller has to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Security {
    /// Nothing.
    Open,
    /// All credentials of any one way.
    OneOf(Vec<Way>),
    /// Only what the hub cannot send yet; the words name it ("OAuth 2").
    Unserved(Vec<String>),
}

/// Credentials that are needed together, by the card's name for each.
pub type Way = BTreeMap<String, Credential>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// `Authorization: Bearer …`
    Bearer,
    /// `Authorization: Basic …`
    Basic,
    ApiKey {
        place: KeyPlace,
        name: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    Header,
    Query,
}

/// A scheme as the hub sees it.
type Scheme = Result<Credential, String>;

/// Headers that an API key may not be put in: they would change what the request is.
const FORBIDDEN_HEADERS: [&str; 14] = [
    "a2a-extensions",
    "a2a-version",
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "te",
    "transfer-encoding",
    "upgrade",
];

pub fn read(card: &Node<'_>) -> Security {
    let schemes = card.get("securitySchemes").map(|node| node.members(MAX_SCHEMES)).unwrap_or_default();
    let schemes: BTreeMap<_, _> =
        schemes.into_iter().filter_map(|(name, node)| Some((name, read_scheme(&node)?))).collect();
    let list = card.get("securityRequirements").or_else(|| card.get("security"));
    let Some(list) = list else { return Security::Open };
    let ways: Vec<_> = list.items(MAX_SCHEMES).iter().map(|way| read_way(way, &schemes)).collect();
    reduce(&list, ways)
}

fn reduce(list: &Node<'_>, ways: Vec<Result<Way, Vec<String>>>) -> Security {
    let (mut served, mut unserved) = (Vec::new(), Vec::new());
    for way in ways {
        match way {
            Ok(way) if way.is_empty() => return Security::Open,
            Ok(way) => served.push(way),
            Err(kinds) => unserved.extend(kinds),
        }
    }
    if !served.is_empty() {
        return Security::OneOf(served);
    }
    if unserved.is_empty() {
        return Security::Open;
    }
    unserved.sort();
    unserved.dedup();
    list.warn(format!(
        "The hub can send bearer tokens, API keys and basic credentials; this agent asks for {}. Calls will be refused.",
        unserved.join(", ")
    ));
    Security::Unserved(unserved)
}

/// One requirement: 1.0 wraps its names in `schemes`, 0.3 does not.
fn read_way(way: &Node<'_>, schemes: &BTreeMap<&str, Scheme>) -> Result<Way, Vec<String>> {
    let names = way.get("schemes").filter(|_| !schemes.contains_key("schemes"));
    let (mut way_out, mut unserved) = (Way::new(), Vec::new());
    for (name, node) in names.as_ref().unwrap_or(way).members(MAX_SCHEMES) {
        match schemes.get(name) {
            Some(Ok(credential)) => _ = way_out.insert(name.to_owned(), credential.clone()),
            Some(Err(kind)) => unserved.push(kind.clone()),
            None => {
                node.warn("No security scheme has this name.");
                unserved.push("a scheme that the card does not declare".to_owned());
            }
        }
    }
    if unserved.is_empty() { Ok(way_out) } else { Err(unserved) }
}

/// None when it is unreadable, which is noted. 1.0 names the kind by the member that is there, 0.3 by `type`.
fn read_scheme(scheme: &Node<'_>) -> Option<Scheme> {
    if !scheme.is_object() {
        return None;
    }
    let wrapped = |member: &str| scheme.get(member).filter(Node::is_object);
    let unserved = |kind: &str| Some(Err(kind.to_owned()));
    if let Some(http) = wrapped("httpAuthSecurityScheme") {
        return read_http(&http);
    }
    if let Some(key) = wrapped("apiKeySecurityScheme") {
        return read_api_key(&key, "location");
    }
    for (member, kind) in [
        ("oauth2SecurityScheme", "OAuth 2"),
        ("openIdConnectSecurityScheme", "OpenID Connect"),
        ("mtlsSecurityScheme", "mutual TLS"),
    ] {
        if wrapped(member).is_some() {
            return unserved(kind);
        }
    }
    let kind = scheme.expect("type", Severity::Warning, "the kind of scheme")?.line(MAX_WORD)?;
    match kind.as_str() {
        "http" => read_http(scheme),
        "apiKey" => read_api_key(scheme, "in"),
        "oauth2" => unserved("OAuth 2"),
        "openIdConnect" => unserved("OpenID Connect"),
        "mutualTLS" => unserved("mutual TLS"),
        other => unserved(other),
    }
}

fn read_http(scheme: &Node<'_>) -> Option<Scheme> {
    let word = scheme.expect("scheme", Severity::Error, "such as \"bearer\"")?.line(MAX_WORD)?;
    Some(match word.to_ascii_lowercase().as_str() {
        "bearer" => Ok(Credential::Bearer),
        "basic" => Ok(Credential::Basic),
        _ => Err(format!("HTTP {word}")),
    })
}

fn read_api_key(scheme: &Node<'_>, place_member: &str) -> Option<Scheme> {
    let place = scheme.expect(place_member, Severity::Error, "\"header\" or \"query\"")?.line(MAX_WORD)?;
    let name_node = scheme.expect("name", Severity::Error, "the name of the header or parameter")?;
    let name = name_node.line(MAX_WORD)?;
    let place = match place.as_str() {
        "header" => KeyPlace::Header,
        "query" => KeyPlace::Query,
        other => return Some(Err(format!("an API key in a {other}"))),
    };
    let is_token =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte));
    let forbidden = FORBIDDEN_HEADERS.contains(&name.to_ascii_lowercase().as_str());
    if !is_token || (place == KeyPlace::Header && forbidden) {
        name_node.error("An API key cannot be sent under this name.");
        return None;
    }
    Some(Ok(Credential::ApiKey { place, name }))
}
