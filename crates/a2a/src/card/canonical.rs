//! Canonical form of a 1.0 card for signatures (`specification/a2a.proto`, specification section 8.4.1).
//!
//! Fields that hold their type's default are omitted, unless they are required or `optional` as in proto3,
//! where an explicit default is meaningful.

use serde_json::{Map, Value};

/// Handling of fields that 1.0 does not have, such as those of 0.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownFields {
    Keep,
    Drop,
}

/// Fields of one protobuf message.
struct MessageSchema(&'static [FieldSchema]);

/// A field and its type.
struct FieldSchema {
    name: &'static str,
    /// True if the field is omitted when it holds its default.
    is_implicit: bool,
    of: FieldKind,
}

/// Type of a field.
enum FieldKind {
    /// A scalar, a list of scalars, or arbitrary JSON.
    Plain,
    One(&'static MessageSchema),
    Many(&'static MessageSchema),
    /// A map with free keys.
    Named(&'static MessageSchema),
}

const fn always(name: &'static str) -> FieldSchema {
    FieldSchema { name, is_implicit: false, of: FieldKind::Plain }
}

const fn filled(name: &'static str) -> FieldSchema {
    FieldSchema { name, is_implicit: true, of: FieldKind::Plain }
}

const fn one(name: &'static str, shape: &'static MessageSchema) -> FieldSchema {
    FieldSchema { name, is_implicit: false, of: FieldKind::One(shape) }
}

const fn required_list(name: &'static str, shape: &'static MessageSchema) -> FieldSchema {
    FieldSchema { name, is_implicit: false, of: FieldKind::Many(shape) }
}

const fn list(name: &'static str, shape: &'static MessageSchema) -> FieldSchema {
    FieldSchema { name, is_implicit: true, of: FieldKind::Many(shape) }
}

const fn named(name: &'static str, shape: &'static MessageSchema) -> FieldSchema {
    FieldSchema { name, is_implicit: true, of: FieldKind::Named(shape) }
}

/// All fields except `signatures`, which cannot sign themselves.
static CARD: MessageSchema = MessageSchema(&[
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
static INTERFACE: MessageSchema =
    MessageSchema(&[always("url"), always("protocolBinding"), filled("tenant"), always("protocolVersion")]);
static PROVIDER: MessageSchema = MessageSchema(&[always("url"), always("organization")]);
static CAPABILITIES: MessageSchema = MessageSchema(&[
    always("streaming"),
    always("pushNotifications"),
    list("extensions", &EXTENSION),
    always("extendedAgentCard"),
]);
static EXTENSION: MessageSchema =
    MessageSchema(&[filled("uri"), filled("description"), filled("required"), always("params")]);
static SKILL: MessageSchema = MessageSchema(&[
    always("id"),
    always("name"),
    always("description"),
    always("tags"),
    filled("examples"),
    filled("inputModes"),
    filled("outputModes"),
    list("securityRequirements", &REQUIREMENT),
]);
static REQUIREMENT: MessageSchema = MessageSchema(&[named("schemes", &SCOPES)]);
static SCOPES: MessageSchema = MessageSchema(&[filled("list")]);
static SCHEME: MessageSchema = MessageSchema(&[
    one("apiKeySecurityScheme", &API_KEY),
    one("httpAuthSecurityScheme", &HTTP),
    one("oauth2SecurityScheme", &OAUTH2),
    one("openIdConnectSecurityScheme", &OPEN_ID),
    one("mtlsSecurityScheme", &MUTUAL_TLS),
]);
static API_KEY: MessageSchema = MessageSchema(&[filled("description"), always("location"), always("name")]);
static HTTP: MessageSchema =
    MessageSchema(&[filled("description"), always("scheme"), filled("bearerFormat")]);
static OAUTH2: MessageSchema =
    MessageSchema(&[filled("description"), one("flows", &FLOWS), filled("oauth2MetadataUrl")]);
static OPEN_ID: MessageSchema = MessageSchema(&[filled("description"), always("openIdConnectUrl")]);
static MUTUAL_TLS: MessageSchema = MessageSchema(&[filled("description")]);
static FLOWS: MessageSchema = MessageSchema(&[
    one("authorizationCode", &FLOW),
    one("clientCredentials", &FLOW),
    one("implicit", &OLD_FLOW),
    one("password", &OLD_FLOW),
    one("deviceCode", &FLOW),
]);
static FLOW: MessageSchema = MessageSchema(&[
    always("authorizationUrl"),
    always("deviceAuthorizationUrl"),
    always("tokenUrl"),
    filled("refreshUrl"),
    always("scopes"),
    filled("pkceRequired"),
]);
static OLD_FLOW: MessageSchema =
    MessageSchema(&[filled("authorizationUrl"), filled("tokenUrl"), filled("refreshUrl"), filled("scopes")]);

/// Returns the card without signatures and implicit defaults.
pub fn canonical_card(card: &Value, unknown: UnknownFields) -> Value {
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

fn reduce(value: &Value, shape: &MessageSchema, unknown: UnknownFields) -> Value {
    let Value::Object(members) = value else { return value.clone() };
    let kept = members.iter().filter_map(|(name, value)| {
        let Some(member) = shape.0.iter().find(|member| member.name == name) else {
            return (unknown == UnknownFields::Keep).then(|| (name.clone(), value.clone()));
        };
        let reduced = reduce_member(value, &member.of, unknown);
        let is_left_out = value.is_null() || (member.is_implicit && is_default(&reduced));
        (!is_left_out).then(|| (name.clone(), reduced))
    });
    Value::Object(kept.collect())
}

fn reduce_member(value: &Value, of: &FieldKind, unknown: UnknownFields) -> Value {
    match (of, value) {
        (FieldKind::One(shape), _) => reduce(value, shape, unknown),
        (FieldKind::Many(shape), Value::Array(items)) => {
            Value::Array(items.iter().map(|item| reduce(item, shape, unknown)).collect())
        }
        (FieldKind::Named(shape), Value::Object(members)) => {
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
