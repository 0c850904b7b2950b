//! Attributes of messages that programs exchange, besides their parts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Free-form metadata of an object; its meaning is defined by the sender.
pub type Metadata = Map<String, Value>;

/// Attributes that a program gave its message, or a remote agent its answer. The hub stores them and passes them on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageAttributes {
    /// Id that the sender gave the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Metadata,
    /// URIs of the extensions that the message uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Ids of tasks that the message refers to, as its sender knows them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reference_task_ids: Vec<String>,
    /// Metadata of the task of an answer.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub task_metadata: Metadata,
    /// Attributes of the artifacts of an answer, by their ids.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub artifacts: BTreeMap<String, ArtifactAttributes>,
}

/// What an A2A caller sends along with its message. The hub passes it on to the agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ForwardedAttributes {
    /// Attributes of the message; its id is not passed on.
    pub message: MessageAttributes,
    /// Metadata of the request.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Metadata,
    /// Media types that the caller can read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted_output_modes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceContext>,
}

impl ForwardedAttributes {
    /// Returns the attributes, or `None` if all are empty.
    pub fn non_empty(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

/// W3C Trace Context: the values of its two HTTP headers, as received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceContext {
    pub traceparent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracestate: Option<String>,
}

/// Maximum length of `tracestate` that is passed on, in bytes (section 3.3.1.5: at least 512).
const MAX_TRACESTATE_BYTES: usize = 1_024;

impl TraceContext {
    /// Parses the values of the headers (W3C Trace Context, sections 3.2 and 3.3). `None` if `traceparent` is invalid; an
    /// invalid `tracestate` is dropped.
    pub fn parse(traceparent: &str, tracestate: Option<&str>) -> Option<Self> {
        let traceparent = traceparent.trim();
        let fields: Vec<&str> = traceparent.split('-').collect();
        let [version, trace, parent, flags] = fields.as_slice() else { return None };
        let is_hex = |text: &str, length: usize| {
            text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_zero = |text: &str| text.bytes().all(|byte| byte == b'0');
        let is_valid = is_hex(version, 2)
            && *version != "ff"
            && is_hex(trace, 32)
            && !is_zero(trace)
            && is_hex(parent, 16)
            && !is_zero(parent)
            && is_hex(flags, 2);
        let is_printable = |text: &&str| text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let tracestate = tracestate.map(str::trim).filter(|text| !text.is_empty()).filter(is_printable);
        let tracestate = tracestate.filter(|text| text.len() <= MAX_TRACESTATE_BYTES).map(str::to_owned);
        is_valid.then(|| Self { traceparent: traceparent.to_owned(), tracestate })
    }
}

/// Attributes of an artifact besides its id, name and parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ArtifactAttributes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Metadata,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}

impl MessageAttributes {
    /// Returns the attributes, or `None` if all are empty.
    pub fn non_empty(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_trace_context_is_valid_or_dropped() {
        let parsed = TraceContext::parse(PARENT, Some("congo=t61rcWkgMzE")).unwrap();
        assert_eq!(
            (parsed.traceparent.as_str(), parsed.tracestate.as_deref()),
            (PARENT, Some("congo=t61rcWkgMzE"))
        );
        let too_long = "x".repeat(MAX_TRACESTATE_BYTES + 1);
        for bad in ["a\r\nb", "é", &too_long] {
            assert_eq!(TraceContext::parse(PARENT, Some(bad)).unwrap().tracestate, None);
        }
        for bad in [
            "",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        ] {
            assert_eq!(TraceContext::parse(bad, None), None, "{bad}");
        }
    }

    #[test]
    fn attributes_are_stored_without_empty_fields() {
        let given = MessageAttributes { id: Some("m-1".to_owned()), ..MessageAttributes::default() };
        let text = serde_json::to_string(&given).unwrap();
        assert_eq!(text, r#"{"id":"m-1"}"#);
        assert_eq!(serde_json::from_str::<MessageAttributes>(&text).unwrap(), given);
        assert_eq!(MessageAttributes::default().non_empty(), None);
    }
}
