//! Record format: lines, and canonical JSON payloads.

use plexus_a2a::{
    bounded_json::{self, JsonLimits},
    jws::Jws,
};
use plexus_domain::sanitized_text;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{MAX_BYTES, RecordError};

/// JSON limits of a payload, with room for fields of later versions. Payloads are flat and have no long
/// lists.
const LIMITS: JsonLimits = JsonLimits { bytes: MAX_BYTES, depth: 8, values: 400 };
/// Maximum bytes of a signature line. A header with a `did:key` and the signature take about 270.
const MAX_SIGNATURE: usize = 512;
/// Maximum length of a `type`, far above that of any known kind.
const MAX_KIND: usize = 64;

/// Payload of a record: its first line.
pub trait Payload: Serialize + DeserializeOwned {
    /// The `type` of the payload: kind and version. Also separates domains: a signature over one kind is
    /// invalid for another.
    const KIND: &'static str;

    /// JSON limits for parsing.
    const LIMITS: JsonLimits = LIMITS;

    /// Validates what the types do not express. Called when a record is created and when one is parsed.
    fn check(&self) -> Result<(), RecordError>;
}

#[derive(Serialize)]
struct Typed<'a, T> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    body: &'a T,
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    kind: &'a str,
}

/// A record split into its lines.
pub struct RecordLines<'a, const SIGNATURES: usize> {
    pub payload: &'a [u8],
    pub signatures: [Jws; SIGNATURES],
    /// Bytes after the last signature line.
    pub rest: &'a [u8],
}

/// Splits a record into lines, without interpreting the payload.
pub fn split<const SIGNATURES: usize>(
    bytes: &[u8],
    limit: usize,
) -> Result<RecordLines<'_, SIGNATURES>, RecordError> {
    if bytes.len() > limit {
        return Err(RecordError::TooLarge { bytes: bytes.len(), limit });
    }
    let mut lines = bytes.splitn(SIGNATURES + 2, |&byte| byte == b'\n');
    let payload = lines.next().ok_or(RecordError::Lines)?;
    let read = lines.by_ref().take(SIGNATURES).map(signature).collect::<Result<Vec<_>, _>>()?;
    let signatures = read.try_into().map_err(|_| RecordError::Lines)?;
    let rest = lines.next().ok_or(RecordError::Lines)?;
    Ok(RecordLines { payload, signatures, rest })
}

/// Joins payload, signatures and rest into a record.
pub fn join<'a>(payload: &[u8], signatures: impl IntoIterator<Item = &'a Jws>, rest: &[u8]) -> Vec<u8> {
    let mut bytes = payload.to_vec();
    for signature in signatures {
        bytes.extend(format!("\n{signature}").into_bytes());
    }
    bytes.push(b'\n');
    bytes.extend(rest);
    bytes
}

fn signature(line: &[u8]) -> Result<Jws, RecordError> {
    let text =
        Some(line).filter(|line| line.len() <= MAX_SIGNATURE).and_then(|line| str::from_utf8(line).ok());
    text.and_then(|text| text.parse().ok()).ok_or(RecordError::Lines)
}

/// Serializes `body` as a canonical payload line.
pub fn write<T: Payload>(body: &T) -> Result<Vec<u8>, RecordError> {
    body.check()?;
    serde_json_canonicalizer::to_vec(&Typed { kind: T::KIND, body }).map_err(shape)
}

/// Parses a payload line, which must be in canonical form. Hence a record has exactly one hash, and input
/// that JSON parsers interpret differently is rejected (duplicate fields, numbers beyond 2^53).
pub fn read<T: Payload>(payload: &[u8]) -> Result<T, RecordError> {
    let value: Value = bounded_json::parse(payload, T::LIMITS)?;
    if serde_json_canonicalizer::to_vec(&value).map_err(shape)? != payload {
        return Err(RecordError::NotCanonical);
    }
    if value.get("type").and_then(Value::as_str) != Some(T::KIND) {
        return Err(RecordError::Unknown);
    }
    let body: T = serde_json::from_value(value).map_err(shape)?;
    body.check().map(|()| body)
}

/// Returns whether `line` is a single visible line of at most `most` characters.
pub fn is_line(line: &str, most: usize) -> bool {
    (1..=most).contains(&line.chars().count()) && sanitized_text::one_line(line) == line
}

/// Returns the `type` of the payload, before anything else is parsed.
pub fn kind_of(bytes: &[u8]) -> Result<&str, RecordError> {
    if bytes.len() > MAX_BYTES {
        return Err(RecordError::TooLarge { bytes: bytes.len(), limit: MAX_BYTES });
    }
    let payload = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    bounded_json::check(payload, LIMITS)?;
    let Kind { kind } = serde_json::from_slice(payload).map_err(shape)?;
    if kind.len() <= MAX_KIND { Ok(kind) } else { Err(RecordError::Unknown) }
}

/// Converts a parser error; its text is shortened because it repeats the input.
#[expect(clippy::needless_pass_by_value, reason = "a function for map_err")]
fn shape(error: serde_json::Error) -> RecordError {
    let words = sanitized_text::one_line(&error.to_string());
    RecordError::Payload(sanitized_text::ellipsize(&words, 200))
}
