//! Lines and canonical JSON: what all records have in common.

use plexus_a2a::{
    json::{self, Limits},
    jws::Jws,
};
use plexus_domain::text;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{MAX_BYTES, RecordError};

/// A payload has no long lists and nothing deep; what a later version adds has to fit as well.
const LIMITS: Limits = Limits { bytes: MAX_BYTES, depth: 8, values: 400 };
/// A header with a `did:key` and a signature come to about 270.
const MAX_SIGNATURE: usize = 512;
/// Far longer than any kind's name.
const MAX_KIND: usize = 64;

/// What becomes the first line of a record.
pub trait Payload: Serialize + DeserializeOwned {
    /// The `type` of the payload: kind and version. It also keeps a signature over one kind from serving for another.
    const KIND: &'static str;

    /// What is parsed at all.
    const LIMITS: Limits = LIMITS;

    /// What no type says. Asked when a record is made and when one is read.
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

/// A record cut into its lines.
pub struct Frame<'a, const SIGNATURES: usize> {
    pub payload: &'a [u8],
    pub signatures: [Jws; SIGNATURES],
    /// What follows the last signature's line.
    pub rest: &'a [u8],
}

pub fn split<const SIGNATURES: usize>(
    bytes: &[u8],
    limit: usize,
) -> Result<Frame<'_, SIGNATURES>, RecordError> {
    if bytes.len() > limit {
        return Err(RecordError::TooLarge { bytes: bytes.len(), limit });
    }
    let mut lines = bytes.splitn(SIGNATURES + 2, |&byte| byte == b'\n');
    let payload = lines.next().ok_or(RecordError::Lines)?;
    let read = lines.by_ref().take(SIGNATURES).map(signature).collect::<Result<Vec<_>, _>>()?;
    let signatures = read.try_into().map_err(|_| RecordError::Lines)?;
    let rest = lines.next().ok_or(RecordError::Lines)?;
    Ok(Frame { payload, signatures, rest })
}

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

/// The payload line of `body`.
pub fn write<T: Payload>(body: &T) -> Result<Vec<u8>, RecordError> {
    body.check()?;
    serde_json_canonicalizer::to_vec(&Typed { kind: T::KIND, body }).map_err(shape)
}

/// Reads a payload line, which has to be in its canonical form: then one record has one hash, and nothing that two
/// JSON parsers would read differently (a member twice, a number beyond 2^53) gets in.
pub fn read<T: Payload>(payload: &[u8]) -> Result<T, RecordError> {
    let value: Value = json::parse(payload, T::LIMITS)?;
    if serde_json_canonicalizer::to_vec(&value).map_err(shape)? != payload {
        return Err(RecordError::NotCanonical);
    }
    if value.get("type").and_then(Value::as_str) != Some(T::KIND) {
        return Err(RecordError::Unknown);
    }
    let body: T = serde_json::from_value(value).map_err(shape)?;
    body.check().map(|()| body)
}

/// Whether it is one line that shows something, of at most so many characters.
pub fn is_line(line: &str, most: usize) -> bool {
    (1..=most).contains(&line.chars().count()) && text::one_line(line) == line
}

/// The `type` of the payload, before anything else is looked at.
pub fn kind_of(bytes: &[u8]) -> Result<&str, RecordError> {
    if bytes.len() > MAX_BYTES {
        return Err(RecordError::TooLarge { bytes: bytes.len(), limit: MAX_BYTES });
    }
    let payload = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    json::check(payload, LIMITS)?;
    let Kind { kind } = serde_json::from_slice(payload).map_err(shape)?;
    if kind.len() <= MAX_KIND { Ok(kind) } else { Err(RecordError::Unknown) }
}

/// The parser repeats what it met, so its words are cut.
#[expect(clippy::needless_pass_by_value, reason = "a function for map_err")]
fn shape(error: serde_json::Error) -> RecordError {
    let words = text::one_line(&error.to_string());
    RecordError::Payload(text::shorten(&words, 200))
}
