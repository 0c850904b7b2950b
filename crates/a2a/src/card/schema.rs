//! Canonical form of a 1.0 card for signatures (`specification/a2a.proto`, specification section 8.4.1).
//!
//! Fields that hold their type's default are omitted, unless they are required or `optional` as in proto3,
//! where an explicit default is meaningful.

use serde_json::{Map, Value};

/// Handling of fields that 1.0 does not have, such as those of 0.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    Keep,
    Drop,
}

/// Fields of one protobuf message.
struct Shape(&'static [Member]);

/// A field and its type.
struct Member {
    name: &'static str,
    /// True if the field is omitted when it holds its default.
    is_implicit: bool,
    of: Kind,
}

/// Type of a field.
enum Kind {
    /// A scalar, a list of scalars, or arbitrary JSON.
    Plain,
    One(&'static Shape),
    Many(&'static Shape),
    /// A map with free keys.
    Named(&'static Shape),
}

const fn always(name: &'static str) -> Member {
    Member { name, is_implicit: false, of: Kind::Plain }
}

const fn filled(name: &'static str) -> Member {
    Member { name, is_implicit: true, of: Kind::Plain }
}

const fn one(name: &'static str, shape: &'static Shape) -> Member {
    Member { name, is_implicit: false, of: Kind::One(shape) }
}

const fn required_list(name: &'static str, shape: &'static Shape) -> Member {
    Member { name, is_implicit: false, of: Kind::Many(shape) }
}

const fn list(name: &'static str, shape: &'static Shape) -> Member {
    Member { name, is_implicit: true, of: Kind::Many(shape) }
}

const fn named(name: &'static str, shape: &'static Shape) -> Member {
    Member { name, is_implicit: true, of: Kind::Named(shape) }
}

/// All fields except `signatures`, which cannot sign themselves.
static CARD: Shape = Shape(&[
    always("name"),
    always("description"),
    required_list("supportedInterfaces", &INTERFACE),
    one("provider", &PROVIDER),
    always("version"),
    always("documentationUrl"),
    one("capabilities", &CAPABILITIES),
    named("securitySchemes", &SCHEME),
    list("securityRequirements", &REQUIREMENT),
    always("defaultInputModes"),
    always("defaultOutputModes"),
    required_list("skills", &SKILL),
    always("iconUrl"),
]);
static INTERFACE: Shape =
    Shape(&[always("url"), always("protocolBinding"), filled("tenant"), always("protocolVersion")]);
static PROVIDER: Shape = Shape(&[always("url"), always("organization")]);
static CAPABILITIES: Shape = Shape(&[
    always("streaming"),
    always("pushNotifications"),
    list("extensions", &EXTENSION),
    always("extendedAgentCard"),
]);
static EXTENSION: Shape =
    Shape(&[filled("uri"), filled("description"), filled("required"), always("params")]);
static SKILL: Shape = Shape(&[
    always("id"),
    always("name"),
    always("description"),
    always("tags"),
    filled("examples"),
    filled("inputModes"),
    filled("outputModes"),
    list("securityRequirements", &REQUIREMENT),
]);
static REQUIREMENT: Shape = Shape(&[named("schemes", &SCOPES)]);
static SCOPES: Shape = Shape(&[filled("list")]);
static SCHEME: Shape = Shape(&[
    one("apiKeySecurityScheme", &API_KEY),
    one("httpAuthSecurityScheme", &HTTP),
    one("oauth2SecurityScheme", &OAUTH2),
    one("openIdConnectSecurityScheme", &OPEN_ID),
    one("mtlsSecurityScheme", &MUTUAL_TLS),
]);
static API_KEY: Shape = Shape(&[filled("description"), always("location"), always("name")]);
static HTTP: Shape = Shape(&[filled("description"), always("scheme"), filled("bearerFormat")]);
static OAUTH2: Shape = Shape(&[filled("description"), one("flows", &FLOWS), filled("oauth2MetadataUrl")]);
static OPEN_ID: Shape = Shape(&[filled("description"), always("openIdConnectUrl")]);
static MUTUAL_TLS: Shape = Shape(&[filled("description")]);
static FLOWS: Shape = Shape(&[
    one("authorizationCode", &FLOW),
    one("clientCredentials", &FLOW),
    one("implicit", &OLD_FLOW),
    one("password", &OLD_FLOW),
    one("deviceCode", &FLOW),
]);
static FLOW: Shape = Shape(&[
    always("authorizationUrl"),
    always("deviceAuthorizationUrl"),
    always("tokenUrl"),
    filled("refreshUrl"),
    always("scopes"),
    filled("pkceRequired"),
]);
static OLD_FLOW: Shape =
    Shape(&[filled("authorizationUrl"), filled("tokenUrl"), filled("refreshUrl"), filled("scopes")]);

/// Returns the card without signatures and implicit defaults.
pub fn reduce_card(card: &Value, unknown: Unknown) -> Value {
    let mut reduced = reduce(card, &CARD, unknown);
    if let Some(members) = reduced.as_object_mut() {
        members.remove("signatures");
    }
    reduced
}

/// Removes all empty texts, lists and objects, required or not. The official Python SDK signs this form.
pub fn without_empty(value: &Value) -> Option<Value> {
    let value = match value {
        Value::Object(members) => {
            let kept = members.iter().filter_map(|(name, value)| Some((name.clone(), without_empty(value)?)));
            Value::Object(kept.collect())
        }
        Value::Array(items) => Value::Array(items.iter().filter_map(without_empty).collect()),
        other => other.clone(),
    };
    let is_empty = matches!(&value, Value::Object(members) if members.is_empty())
        || matches!(&value, Value::Array(items) if items.is_empty())
        || matches!(&value, Value::String(text) if text.is_empty());
    (!is_empty).then_some(value)
}

fn reduce(value: &Value, shape: &Shape, unknown: Unknown) -> Value {
    let Value::Object(members) = value else { return value.clone() };
    let kept = members.iter().filter_map(|(name, value)| {
        let Some(member) = shape.0.iter().find(|member| member.name == name) else {
            return (unknown == Unknown::Keep).then(|| (name.clone(), value.clone()));
        };
        let reduced = reduce_member(value, &member.of, unknown);
        let is_left_out = value.is_null() || (member.is_implicit && is_default(&reduced));
        (!is_left_out).then(|| (name.clone(), reduced))
    });
    Value::Object(kept.collect())
}

fn reduce_member(value: &Value, of: &Kind, unknown: Unknown) -> Value {
    match (of, value) {
        (Kind::One(shape), _) => reduce(value, shape, unknown),
        (Kind::Many(shape), Value::Array(items)) => {
            Value::Array(items.iter().map(|item| reduce(item, shape, unknown)).collect())
        }
        (Kind::Named(shape), Value::Object(members)) => {
            let reduced = members.iter().map(|(name, value)| (name.clone(), reduce(value, shape, unknown)));
            Value::Object(reduced.collect::<Map<_, _>>())
        }
        _ => value.clone(),
    }
}

fn is_default(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}
