//! Parses JSON-RPC messages (specification sections 4 and 6): a single request or a batch. Each entry is a
//! call, a notification or invalid.

use plexus_a2a::bounded_json::{self, JsonError, JsonLimits};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::error::{INVALID_REQUEST, PARSE_ERROR, RpcError};

/// Maximum number of requests in a batch.
pub const BATCH: usize = 50;
const DEPTH: usize = 64;
const VALUES: usize = 100_000;

/// Content of one message.
pub enum Read {
    One(BatchEntry),
    Batch(Vec<BatchEntry>),
}

pub struct BatchEntry {
    /// `None` for a notification, which is executed but not answered.
    pub id: Option<Id>,
    /// `None` if the entry is not a valid request.
    pub request: Option<Request>,
}

/// A request id (string, number or null), stored verbatim as the caller wrote it.
pub struct Id(Box<RawValue>);

pub struct Request {
    pub method: String,
    /// An object or an array.
    pub params: Option<Box<RawValue>>,
}

/// Parses a message of at most `bytes` bytes.
pub fn read(message: &[u8], bytes: usize) -> Result<Read, RpcError> {
    bounded_json::check(message, JsonLimits { bytes, depth: DEPTH, values: VALUES })
        .map_err(|error| RpcError::of_protocol(INVALID_REQUEST, error.to_string()))?;
    let whole: &RawValue = serde_json::from_slice(message).map_err(|error| not_json(message, &error))?;
    if !whole.get().starts_with('[') {
        return Ok(Read::One(entry(whole)));
    }
    let batch: Vec<&RawValue> =
        serde_json::from_str(whole.get()).map_err(|error| not_json(message, &error))?;
    if batch.is_empty() || batch.len() > BATCH {
        let words = format!("A batch has 1 to {BATCH} requests.");
        return Err(RpcError::of_protocol(INVALID_REQUEST, words));
    }
    Ok(Read::Batch(batch.into_iter().map(entry).collect()))
}

/// Returns the parse error, with the same message as other decoders of the project.
fn not_json(message: &[u8], error: &serde_json::Error) -> RpcError {
    let limits = JsonLimits { bytes: message.len(), depth: usize::MAX, values: usize::MAX };
    let words = match bounded_json::parse::<serde::de::IgnoredAny>(message, limits) {
        Err(error @ JsonError::NotJson { .. }) => error.to_string(),
        _ => format!("It is not JSON: {error}."),
    };
    RpcError::of_protocol(PARSE_ERROR, words)
}

#[derive(Deserialize)]
struct Envelope<'a> {
    jsonrpc: String,
    #[serde(default, borrow, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    method: String,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
}

/// Only the id of a request, so that an invalid request can be answered under its id.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(default, borrow, deserialize_with = "present")]
    id: Option<&'a RawValue>,
}

/// Deserializes a member such that `null` counts as present.
pub fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn entry(raw: &RawValue) -> BatchEntry {
    let broken = || {
        let named = serde_json::from_str::<Named<'_>>(raw.get()).ok();
        BatchEntry {
            id: Some(named.and_then(|named| Id::read(named.id?)).unwrap_or_default()),
            request: None,
        }
    };
    let Ok(read) = serde_json::from_str::<Envelope<'_>>(raw.get()) else { return broken() };
    let id = read.id.map(Id::read);
    let is_structure = read.params.is_none_or(|params| params.get().starts_with(['{', '[']));
    if read.jsonrpc != "2.0" || matches!(id, Some(None)) || !is_structure {
        return broken();
    }
    let request = Request { method: read.method, params: read.params.map(ToOwned::to_owned) };
    BatchEntry { id: id.flatten(), request: Some(request) }
}

impl Id {
    fn read(raw: &RawValue) -> Option<Self> {
        let is_id = raw.get() == "null"
            || raw.get().starts_with(['"', '-'])
            || raw.get().starts_with(|one: char| one.is_ascii_digit());
        is_id.then(|| Self(raw.to_owned()))
    }

    pub fn as_raw(&self) -> &RawValue {
        &self.0
    }
}

/// The null id, used in responses to requests whose id could not be read.
impl Default for Id {
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> BatchEntry {
        match read(text.as_bytes(), 1_000) {
            Ok(Read::One(entry)) => entry,
            _ => panic!("{text} is one"),
        }
    }

    fn id(entry: &BatchEntry) -> Option<&str> {
        entry.id.as_ref().map(|id| id.as_raw().get())
    }

    #[test]
    fn ids_are_kept_as_they_were_written() {
        for written in ["1", "-7", "1.50", "1e400", "123456789012345678901234567890", "\"a\\u0041\"", "null"]
        {
            let entry = one(&format!(r#"{{"jsonrpc":"2.0","method":"m","id":{written}}}"#));
            assert_eq!((id(&entry), entry.request.is_some()), (Some(written), true), "{written}");
        }
        let silent = one(r#"{"jsonrpc":"2.0","method":"m"}"#);
        assert!(silent.id.is_none() && silent.request.is_some(), "a notification");
    }

    #[test]
    fn what_is_no_request_is_answered_as_such() {
        for (text, answered) in [
            ("7", "null"),
            ("null", "null"),
            ("{}", "null"),
            (r#"{"jsonrpc":"2.0","method":7,"id":3}"#, "3"),
            (r#"{"jsonrpc":"1.0","method":"m","id":"x"}"#, "\"x\""),
            (r#"{"jsonrpc":"2.0","method":"m","id":true}"#, "null"),
            (r#"{"jsonrpc":"2.0","method":"m","id":[1]}"#, "null"),
            (r#"{"jsonrpc":"2.0","method":"m","params":"x","id":1}"#, "1"),
            (r#"{"jsonrpc":"2.0","method":"m","method":"n"}"#, "null"),
        ] {
            let entry = one(text);
            assert_eq!((id(&entry), entry.request.is_none()), (Some(answered), true), "{text}");
        }
        assert!(one(r#"{"jsonrpc":"2.0","method":"m","params":null,"id":1}"#).request.is_some());
    }

    #[test]
    fn batches_are_lists_of_some() {
        let read_batch = |text: &str| read(text.as_bytes(), 10_000);
        assert!(matches!(read_batch(" [1, {}] "), Ok(Read::Batch(entries)) if entries.len() == 2));
        assert!(read_batch("[]").is_err());
        assert!(read_batch(&format!("[{}1]", "1,".repeat(BATCH))).is_err());
        for broken in ["", "{", "[1,", "[1] 2", "\u{7f}", "tru"] {
            assert!(read_batch(broken).is_err(), "{broken}");
        }
        assert!(read(&[b'"', 0xff, b'"'], 100).is_err() && read(b"{}", 1).is_err());
        assert!(read_batch(&"[".repeat(DEPTH + 1)).is_err());
    }
}
