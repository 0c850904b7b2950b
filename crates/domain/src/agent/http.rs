//! Agents that are an HTTP endpoint of any shape: what the hub sends, and where in the reply the answer lies.
//!
//! A request holds placeholders that the hub fills in, so software joins without code:
//! `{"question": "{{message}}"}`.

mod check;
mod fill;
mod presets;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Scheme;
use crate::{Error, Result};

pub use self::{
    check::takes_key,
    fill::{Asked, Placeholder},
    presets::Preset,
};

/// What somebody fills in, and what is kept: flat, so that each field of a form and each error has one name.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", schema(as = HttpRequest))]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    pub method: Method,
    /// Absolute; placeholders may stand behind the host.
    pub url: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Sent as JSON, with the placeholders in its strings filled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    pub answer: Reading,
    /// JSON pointer (RFC 6901) to the answer: in the whole reply, or in each of its pieces.
    pub path: String,
    /// Sent (POST) before the first request, where the software wants a task to be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_body: Option<Value>,
    /// Pointer to the task's id in the reply to that, which fills `{{task}}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_id: Option<String>,
    /// Pointer to what is true in the last reply; until then the request is sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// What an answer ends with that is a question to whoever asked, whatever space follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<Scheme>,
}

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

/// What the reply is made of.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// One JSON value.
    #[default]
    Json,
    /// Server-sent events (WHATWG HTML, section 9.2), each with a piece of the answer.
    Events,
    /// JSON values, one a line, each with a piece of the answer.
    Lines,
    /// Text, shown as it comes.
    Text,
}

impl Reading {
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

/// A [`Request`] that can be sent: what is wrong with one that cannot is said by field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Request", into = "Request")]
pub struct Template(Request);

/// What is sent before the first request.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    pub url: &'a str,
    pub body: Option<&'a Value>,
    pub id: &'a str,
}

impl Template {
    pub const fn request(&self) -> &Request {
        &self.0
    }

    pub fn start(&self) -> Option<Start<'_>> {
        let (url, id) = self.0.start_url.as_deref().zip(self.0.start_id.as_deref())?;
        Some(Start { url, body: self.0.start_body.as_ref(), id })
    }

    /// Whether any text that is sent has this placeholder.
    pub fn uses(&self, placeholder: Placeholder) -> bool {
        fill::texts(&self.0).any(|text| text.contains(placeholder.token()))
    }
}

impl TryFrom<Request> for Template {
    type Error = Error;

    fn try_from(request: Request) -> Result<Self> {
        check::check(&request)?;
        Ok(Self(request))
    }
}

impl From<Template> for Request {
    fn from(template: Template) -> Self {
        template.0
    }
}

#[cfg(test)]
mod tests;
