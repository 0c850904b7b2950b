//! Serialized form of agent cards written by the hub (specification sections 4.4 and 4.5).
//!
//! Cards of other agents are parsed by [`crate::card`], which reports their problems.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::wire::{Metadata, lenient};

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCard {
    pub name: String,
    pub description: String,
    pub supported_interfaces: Vec<AgentInterface>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentProvider>,
    pub version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    pub capabilities: AgentCapabilities,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// Alternatives: one of them must be satisfied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security_requirements: Vec<SecurityRequirement>,
    pub default_input_modes: Vec<String>,
    pub default_output_modes: Vec<String>,
    pub skills: Vec<AgentSkill>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<AgentCardSignature>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentInterface {
    pub url: String,
    pub protocol_binding: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    pub protocol_version: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentProvider {
    pub url: String,
    pub organization: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCapabilities {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_notifications: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<AgentExtension>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extended_agent_card: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentExtension {
    pub uri: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(skip_serializing_if = "lenient::is_false")]
    pub required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Metadata>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSkill {
    pub id: String,
    pub name: String,
    pub description: String,
    /// At least one.
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input_modes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_modes: Vec<String>,
}

/// Security scheme; the member name gives its kind, as in `{"httpAuthSecurityScheme": {…}}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum SecurityScheme {
    #[serde(rename = "apiKeySecurityScheme")]
    ApiKey { location: String, name: String },
    #[serde(rename = "httpAuthSecurityScheme")]
    Http { scheme: String },
    /// Fields as in the specification.
    #[serde(rename = "oauth2SecurityScheme")]
    Oauth2(Value),
    #[serde(rename = "openIdConnectSecurityScheme", rename_all = "camelCase")]
    OpenIdConnect { open_id_connect_url: String },
}

/// Schemes by name with the scopes needed. All of them are required together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SecurityRequirement {
    pub schemes: BTreeMap<String, ScopeList>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ScopeList {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentCardSignature {
    pub protected: String,
    pub signature: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<Metadata>,
}
