//! Security requirements of a card, reduced to the credentials that the hub supports.

use std::collections::BTreeMap;

use plexus_domain::{
    agent::{
        OauthRequirement,
        oauth::{MAX_SCOPES, is_scope},
    },
    sanitized_text::{ellipsize, one_line},
};

use super::{json_node::JsonNode, problem::Severity};

const MAX_SCHEMES: usize = 16;
const MAX_WORD: usize = 100;

/// Credentials that a caller must present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecurityRequirements {
    /// No credentials are required.
    Open,
    /// All credentials of any one alternative.
    OneOf(Vec<SecurityAlternative>),
    /// Only credentials that the hub does not support; holds their names ("OAuth 2").
    Unserved(Vec<String>),
}

/// An alternative: credentials that are required together, by scheme name of the card.
pub type SecurityAlternative = BTreeMap<String, Credential>;

/// A kind of credential that the hub can send.
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
    /// `Authorization: Bearer …` with an access token from an authorization server.
    Oauth(OauthRequirement),
}

/// Where an API key is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    Header,
    Query,
}

/// A parsed scheme: the credential, or the name of an unsupported kind.
type ParsedScheme = Result<Credential, String>;

/// Headers that an API key may not use: they would change the meaning of the request.
const FORBIDDEN_HEADERS: [&str; 15] = [
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
    "x-a2a-extensions",
];

/// Parses the security schemes and requirements of a card.
pub fn read(card: &JsonNode<'_>) -> SecurityRequirements {
    let schemes = card.get("securitySchemes").map(|node| node.members(MAX_SCHEMES)).unwrap_or_default();
    let schemes: BTreeMap<_, _> =
        schemes.into_iter().filter_map(|(name, node)| Some((name, read_scheme(&node)?))).collect();
    let list = card.get("securityRequirements").or_else(|| card.get("security"));
    let Some(list) = list else { return SecurityRequirements::Open };
    let ways: Vec<_> = list.items(MAX_SCHEMES).iter().map(|way| read_way(way, &schemes)).collect();
    reduce(&list, ways)
}

fn reduce(list: &JsonNode<'_>, ways: Vec<Result<SecurityAlternative, Vec<String>>>) -> SecurityRequirements {
    let (mut served, mut unserved) = (Vec::new(), Vec::new());
    for way in ways {
        match way {
            Ok(way) if way.is_empty() => return SecurityRequirements::Open,
            Ok(way) => served.push(way),
            Err(kinds) => unserved.extend(kinds),
        }
    }
    if !served.is_empty() {
        return SecurityRequirements::OneOf(served);
    }
    if unserved.is_empty() {
        return SecurityRequirements::Open;
    }
    unserved.sort();
    unserved.dedup();
    list.warn(format!(
        "The hub supports bearer tokens, API keys, basic credentials, OAuth 2 and OpenID Connect; this agent \
         requires {}. Calls will be refused.",
        unserved.join(", ")
    ));
    SecurityRequirements::Unserved(unserved)
}

/// Parses one requirement. Version 1.0 wraps the names in `schemes`, 0.3 does not.
fn read_way(
    way: &JsonNode<'_>,
    schemes: &BTreeMap<&str, ParsedScheme>,
) -> Result<SecurityAlternative, Vec<String>> {
    let names = way.get("schemes").filter(|_| !schemes.contains_key("schemes"));
    let (mut way_out, mut unserved) = (SecurityAlternative::new(), Vec::new());
    for (name, node) in names.as_ref().unwrap_or(way).members(MAX_SCHEMES) {
        match schemes.get(name) {
            Some(Ok(credential)) => _ = way_out.insert(name.to_owned(), with_scopes(credential, &node)),
            Some(Err(kind)) => unserved.push(kind.clone()),
            None => {
                node.warn("Unknown security scheme.");
                unserved.push("a scheme that the card does not declare".to_owned());
            }
        }
    }
    if unserved.is_empty() { Ok(way_out) } else { Err(unserved) }
}

/// Parses a scheme. Returns `None` if it is invalid, which is reported as a problem.
///
/// Version 1.0 names the kind by the member that is present, 0.3 by `type`.
fn read_scheme(scheme: &JsonNode<'_>) -> Option<ParsedScheme> {
    if !scheme.is_object() {
        return None;
    }
    let wrapped = |member: &str| scheme.get(member).filter(JsonNode::is_object);
    let unserved = |kind: &str| Some(Err(kind.to_owned()));
    if let Some(http) = wrapped("httpAuthSecurityScheme") {
        return read_http(&http);
    }
    if let Some(key) = wrapped("apiKeySecurityScheme") {
        return read_api_key(&key, "location");
    }
    if let Some(oauth) = wrapped("oauth2SecurityScheme") {
        return read_oauth(&oauth);
    }
    if let Some(openid) = wrapped("openIdConnectSecurityScheme") {
        return read_openid(&openid);
    }
    if wrapped("mtlsSecurityScheme").is_some() {
        return unserved("mutual TLS");
    }
    let kind = scheme.expect("type", Severity::Warning, "the kind of scheme")?.line(MAX_WORD)?;
    match kind.as_str() {
        "http" => read_http(scheme),
        "apiKey" => read_api_key(scheme, "in"),
        "oauth2" => read_oauth(scheme),
        "openIdConnect" => read_openid(scheme),
        "mutualTLS" => unserved("mutual TLS"),
        other => unserved(other),
    }
}

fn read_http(scheme: &JsonNode<'_>) -> Option<ParsedScheme> {
    let word = scheme.expect("scheme", Severity::Error, "such as \"bearer\"")?.line(MAX_WORD)?;
    Some(match word.to_ascii_lowercase().as_str() {
        "bearer" => Ok(Credential::Bearer),
        "basic" => Ok(Credential::Basic),
        _ => Err(format!("HTTP {word}")),
    })
}

/// Parses an OAuth 2 scheme. Selects one flow: authorization code, else client credentials.
fn read_oauth(scheme: &JsonNode<'_>) -> Option<ParsedScheme> {
    let flows = scheme.expect("flows", Severity::Error, "how a token is got")?;
    if !flows.is_object() {
        return None;
    }
    let flow = |name: &str| flows.get(name).filter(JsonNode::is_object);
    if let Some(code) = flow("authorizationCode") {
        let asked = code.expect("authorizationUrl", Severity::Error, "where a person agrees")?;
        let authorization_url = Some(endpoint(&asked)?);
        return Some(Ok(Credential::Oauth(OauthRequirement { authorization_url, ..read_flow(&code)? })));
    }
    if let Some(client) = flow("clientCredentials") {
        return Some(Ok(Credential::Oauth(read_flow(&client)?)));
    }
    let others: Vec<_> =
        flows.members(MAX_SCHEMES).iter().map(|(name, _)| ellipsize(&one_line(name), MAX_WORD)).collect();
    let flows =
        if others.is_empty() { String::new() } else { format!(" by the flow {}", others.join(" or ")) };
    Some(Err(format!("OAuth 2{flows}")))
}

fn read_flow(flow: &JsonNode<'_>) -> Option<OauthRequirement> {
    let token_url = endpoint(&flow.expect("tokenUrl", Severity::Error, "where tokens are given")?)?;
    // ProtoJSON may serialize empty values.
    let refresh = flow.get("refreshUrl").filter(|node| node.value().as_str() != Some(""));
    let refresh_url = match refresh {
        Some(node) => Some(endpoint(&node)?),
        None => None,
    };
    Some(OauthRequirement { token_url, refresh_url, ..OauthRequirement::default() })
}

/// Parses an OpenID Connect scheme. Its discovery document names the endpoints; each user consents.
fn read_openid(scheme: &JsonNode<'_>) -> Option<ParsedScheme> {
    let discovery = scheme.expect("openIdConnectUrl", Severity::Error, "where the discovery document is")?;
    let discovery_url = Some(endpoint(&discovery)?);
    Some(Ok(Credential::Oauth(OauthRequirement { discovery_url, ..OauthRequirement::default() })))
}

/// Parses an endpoint URL of an authorization server: no fragment (RFC 6749, sections 3.1 and 3.2).
fn endpoint(node: &JsonNode<'_>) -> Option<String> {
    let url = node.url(Severity::Error)?;
    if url.fragment().is_some() {
        node.error("This URL may not have a fragment.");
        return None;
    }
    Some(url.into())
}

/// Sets the scopes of the requirement: `{"list": […]}` in 1.0, `[…]` in 0.3.
fn with_scopes(credential: &Credential, needed: &JsonNode<'_>) -> Credential {
    let Credential::Oauth(oauth) = credential else { return credential.clone() };
    let list = match needed.value().is_object() {
        true => needed.get("list"),
        false => Some(needed.clone()),
    };
    let items = list.map(|list| list.items(MAX_SCOPES)).unwrap_or_default();
    let scopes = items.iter().filter_map(|item| {
        let scope = item.raw_text()?;
        if !is_scope(scope) {
            item.error("Invalid scope: use one word without quotes and backslashes.");
            return None;
        }
        Some(scope.to_owned())
    });
    Credential::Oauth(OauthRequirement { scopes: scopes.collect(), ..oauth.clone() })
}

fn read_api_key(scheme: &JsonNode<'_>, place_member: &str) -> Option<ParsedScheme> {
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
