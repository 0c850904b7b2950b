//! HTTP endpoint agents: the request template that the hub sends, and where the answer is in the response.
//!
//! The template holds placeholders that the hub substitutes, so existing software needs no adapter:
//! `{"question": "{{message}}"}`.

mod placeholders;
mod presets;
mod validate;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Scheme;
use crate::{Error, Result};

pub use self::{
    placeholders::{Placeholder, PlaceholderValues},
    presets::Preset,
    validate::takes_key,
};

/// User-described HTTP request, as edited and as stored.
/// Flat, so that form fields and errors have one name each.
// Each alias is the name of the field in agent versions and drafts stored before 0.1.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", schema(as = HttpRequest))]
#[serde(default, deny_unknown_fields)]
pub struct EndpointRequestSpec {
    pub method: Method,
    /// Absolute URL. Placeholders may occur after the host.
    pub url: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// JSON body. Placeholders in its strings are substituted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    #[serde(alias = "answer")]
    pub response_format: ResponseFormat,
    /// JSON pointer (RFC 6901) to the answer, in the whole response or in each event or line of it.
    #[serde(alias = "path")]
    pub response_path: String,
    /// URL of a POST request sent before the first request, for software that needs a task to be created.
    #[serde(alias = "start_url", skip_serializing_if = "Option::is_none")]
    pub init_url: Option<String>,
    #[serde(alias = "start_body", skip_serializing_if = "Option::is_none")]
    pub init_body: Option<Value>,
    /// JSON pointer to the task id in the response to that request. The id fills `{{task}}`.
    #[serde(alias = "start_id", skip_serializing_if = "Option::is_none")]
    pub init_id_path: Option<String>,
    /// JSON pointer to a flag that is true in the last response. The request is repeated until then.
    #[serde(alias = "last", skip_serializing_if = "Option::is_none")]
    pub done_path: Option<String>,
    /// Suffix (ignoring trailing white space) by which an answer is recognised as a question to the caller.
    #[serde(alias = "question", skip_serializing_if = "Option::is_none")]
    pub question_suffix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<Scheme>,
}

/// HTTP method of a request template.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    Get,
    #[default]
    Post,
    Put,
}

impl Method {
    pub const ALL: [Self; 3] = [Self::Post, Self::Get, Self::Put];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == text)
    }
}

/// Response format.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseFormat {
    /// One JSON value.
    #[default]
    Json,
    /// Server-sent events (WHATWG HTML, section 9.2), each with a part of the answer.
    Events,
    /// One JSON value per line, each with a part of the answer.
    Lines,
    /// Plain text, streamed as it arrives.
    Text,
}

impl ResponseFormat {
    pub const ALL: [Self; 4] = [Self::Json, Self::Events, Self::Lines, Self::Text];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Events => "events",
            Self::Lines => "lines",
            Self::Text => "text",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reading| reading.as_str() == text)
    }
}

/// A validated [`EndpointRequestSpec`]. Validation errors name the field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "EndpointRequestSpec", into = "EndpointRequestSpec")]
pub struct EndpointTemplate(EndpointRequestSpec);

/// Request that creates the task, sent before the first request.
#[derive(Clone, Copy, Debug)]
pub struct SessionInit<'a> {
    pub url: &'a str,
    pub body: Option<&'a Value>,
    pub id_path: &'a str,
}

impl EndpointTemplate {
    /// Validates a request that a user enters, more strictly than a stored one.
    pub fn from_entered(request: EndpointRequestSpec) -> Result<Self> {
        let template = Self::try_from(request)?;
        validate::check_entered(&template.0)?;
        Ok(template)
    }

    pub const fn request(&self) -> &EndpointRequestSpec {
        &self.0
    }

    pub fn init(&self) -> Option<SessionInit<'_>> {
        let (url, id_path) = self.0.init_url.as_deref().zip(self.0.init_id_path.as_deref())?;
        Some(SessionInit { url, body: self.0.init_body.as_ref(), id_path })
    }

    /// Returns true if the response is a chat completion (OpenAI API): a stream of chunks, or one document.
    pub fn is_chat_completion(&self) -> bool {
        let place = match self.0.response_format {
            ResponseFormat::Events | ResponseFormat::Lines => "/choices/0/delta/content",
            ResponseFormat::Json => "/choices/0/message/content",
            ResponseFormat::Text => return false,
        };
        self.0.response_path == place && self.0.done_path.is_none()
    }

    /// Returns true if the request names a model, which the chat completions API requires. Servers of this API mark the end
    /// of an answer; software that only resembles them does not always.
    pub fn names_model(&self) -> bool {
        let has_model = |body: &Value| body.get("model").is_some_and(Value::is_string);
        self.0.body.as_ref().is_some_and(has_model) && self.0.question_suffix.is_none()
    }

    /// Returns true if any text of the request contains this placeholder.
    pub fn uses(&self, placeholder: Placeholder) -> bool {
        placeholders::template_texts(&self.0).any(|text| text.contains(placeholder.token()))
    }
}

impl TryFrom<EndpointRequestSpec> for EndpointTemplate {
    type Error = Error;

    fn try_from(request: EndpointRequestSpec) -> Result<Self> {
        validate::check(&request)?;
        Ok(Self(request))
    }
}

impl From<EndpointTemplate> for EndpointRequestSpec {
    fn from(template: EndpointTemplate) -> Self {
        template.0
    }
}

#[cfg(test)]
mod tests;
