//! Parses and writes the line-delimited JSON-RPC 2.0 messages of an ACP program.

use std::borrow::Cow;

use agent_client_protocol_schema::v1::{Error, RequestId};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

/// Message from a program.
#[derive(Debug)]
pub enum Incoming<'a> {
    Answer {
        id: RequestId,
        result: Result<&'a RawValue, Error>,
    },
    Request {
        id: RequestId,
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    Notice {
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    /// Any other output. Programs print logs and progress too; it is ignored.
    Noise,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    jsonrpc: Cow<'a, str>,
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Error>,
}

/// Parses a line without its line feed.
pub fn read(line: &[u8]) -> Incoming<'_> {
    let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(line) else { return Incoming::Noise };
    let Envelope { jsonrpc, id, method, params, result, error } = envelope;
    match (id, method, result, error) {
        _ if jsonrpc != "2.0" => Incoming::Noise,
        (Some(id), Some(method), None, None) => Incoming::Request { id, method, params },
        (None, Some(method), None, None) => Incoming::Notice { method, params },
        (Some(id), None, _, Some(error)) => Incoming::Answer { id, result: Err(error) },
        (Some(id), None, Some(result), None) => Incoming::Answer { id, result: Ok(result) },
        // A `null` result is valid, and deserializes as an absent one.
        (Some(id), None, None, None) => Incoming::Answer { id, result: Ok(RawValue::NULL) },
        _ => Incoming::Noise,
    }
}

/// Deserializes parameters or a result. Returns `None` if the shape does not match.
pub(super) fn parse<T: DeserializeOwned>(raw: &RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

#[derive(Serialize)]
struct Call<'a, T> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    method: &'a str,
    params: T,
}

#[derive(Serialize)]
struct Reply<T> {
    jsonrpc: &'static str,
    id: RequestId,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Error>,
}

/// Serializes a request as a line. Without an id it is a notification.
pub(super) fn call(id: Option<i64>, method: &str, params: impl Serialize) -> Vec<u8> {
    line(&Call { jsonrpc: "2.0", id, method, params })
}

pub(super) fn reply<T: Serialize>(id: RequestId, outcome: Result<T, Error>) -> Vec<u8> {
    let (result, error) = outcome.map_or_else(|error| (None, Some(error)), |result| (Some(result), None));
    line(&Reply { jsonrpc: "2.0", id, result, error })
}

/// Serializes a message as a line. Compact JSON contains no line feed, and the protocol's types always
/// serialize.
fn line(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_for_what_it_is() {
        let kind = |line: &str| match read(line.as_bytes()) {
            Incoming::Answer { id, result } => format!("answer {id} {}", result.is_ok()),
            Incoming::Request { id, method, .. } => format!("request {id} {method}"),
            Incoming::Notice { method, params } => format!("notice {method} {}", params.is_some()),
            Incoming::Noise => "noise".to_owned(),
        };
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#), "answer 1 true");
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"result":null}"#), "answer 1 true");
        assert_eq!(
            kind(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m"}}"#),
            "answer 1 false"
        );
        assert_eq!(
            kind(r#"{"jsonrpc":"2.0","id":"x","method":"fs\/read","params":{}}"#),
            "request x fs/read"
        );
        assert_eq!(kind(r#"{"jsonrpc":"2.0","method":"session/update"}"#), "notice session/update false");
        for noise in [
            "Loading the model …",
            "",
            "[]",
            "3",
            r#"{"jsonrpc":"1.0","id":1,"result":1}"#,
            r#"{"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"m","result":1}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#,
        ] {
            assert_eq!(kind(noise), "noise", "{noise}");
        }
    }
}
