//! Bounded parsing of untrusted JSON: size, depth and value count are checked first.

use std::{cell::RefCell, fmt};

use plexus_domain::sanitized_text;
use serde::{
    Deserializer,
    de::{DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};

/// Maximum number of reported duplicate keys. Each report
/// is as long as its path, so more would only cost memory.
const MAX_DUPLICATES: usize = 100;

/// Limits of a JSON document. The number of values bounds the memory of the parsed form.
/// The byte limit alone does not: `[[],[],…]` grows tenfold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonLimits {
    pub bytes: usize,
    pub depth: usize,
    pub values: usize,
}

/// Why a JSON document was rejected, worded for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    #[error("It has {bytes} bytes; at most {limit} are read.")]
    TooLarge { bytes: usize, limit: usize },
    #[error("Its lists and objects are nested more than {limit} deep.")]
    TooDeep { limit: usize },
    #[error("It has more than {limit} values.")]
    TooMany { limit: usize },
    #[error("It is not JSON: {looks}.")]
    NotJson { looks: String },
    #[error("It is JSON, but not of the expected shape: {detail}.")]
    Shape { detail: String },
}

/// Checks the limits, then deserializes `bytes` as `T`.
pub fn parse<T: DeserializeOwned>(bytes: &[u8], limits: JsonLimits) -> Result<T, JsonError> {
    check(bytes, limits)?;
    serde_json::from_slice(bytes).map_err(|error| describe(&error, bytes))
}

/// Parses a JSON value and returns the JSON pointers (RFC 6901) of duplicate keys, at most 100.
///
/// The last of several members with the same name counts.
pub fn parse_noting_duplicates(bytes: &[u8], limits: JsonLimits) -> Result<(Value, Vec<String>), JsonError> {
    check(bytes, limits)?;
    let duplicates = RefCell::new(Vec::new());
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let value = DuplicateKeyVisitor { at: None, duplicates: &duplicates }
        .deserialize(&mut parser)
        .and_then(|value| parser.end().map(|()| value))
        .map_err(|error| describe(&error, bytes))?;
    Ok((value, duplicates.into_inner()))
}

/// Returns one escaped step of an RFC 6901 pointer.
pub fn pointer_step(member: &str) -> String {
    format!("/{}", member.replace('~', "~0").replace('/', "~1"))
}

/// Checks the limits by scanning the structure outside of
/// strings. Invalid JSON may pass; the parser rejects it.
pub fn check(bytes: &[u8], limits: JsonLimits) -> Result<(), JsonError> {
    if bytes.len() > limits.bytes {
        return Err(JsonError::TooLarge { bytes: bytes.len(), limit: limits.bytes });
    }
    let (mut depth, mut values, mut in_string, mut escaped) = (0_usize, 1_usize, false, false);
    for &byte in bytes {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => (depth, values) = (depth + 1, values + 1),
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            (false, b',') => values += 1,
            _ => {}
        }
        if depth > limits.depth {
            return Err(JsonError::TooDeep { limit: limits.depth });
        }
    }
    if values > limits.values { Err(JsonError::TooMany { limit: limits.values }) } else { Ok(()) }
}

fn describe(error: &serde_json::Error, bytes: &[u8]) -> JsonError {
    if error.is_data() {
        return JsonError::Shape { detail: quoted(&error.to_string()) };
    }
    let looks = looks_like(bytes).map_or_else(|| quoted(&error.to_string()), str::to_owned);
    JsonError::NotJson { looks }
}

/// Sanitizes and truncates a parser error: it quotes untrusted input.
fn quoted(message: &str) -> String {
    sanitized_text::ellipsize(&sanitized_text::one_line(message), 200)
}

/// Recognises common non-JSON formats by their first bytes.
fn looks_like(bytes: &[u8]) -> Option<&'static str> {
    const STARTS: [(&[u8], &str); 9] = [
        (b"<!doctype", "it looks like an HTML page"),
        (b"<html", "it looks like an HTML page"),
        (b"<", "it looks like XML or HTML"),
        (b"\xff\xfe", "it is UTF-16 text, JSON is UTF-8"),
        (b"\xfe\xff", "it is UTF-16 text, JSON is UTF-8"),
        (b"\xef\xbb\xbf", "it begins with a byte order mark, which JSON does not allow"),
        (b"\x1f\x8b", "it is compressed with gzip"),
        (b"%pdf", "it is a PDF file"),
        (b"\x89png", "it is a picture"),
    ];
    let start = bytes.trim_ascii_start();
    if start.is_empty() {
        return Some("it is empty");
    }
    let head = start[..start.len().min(16)].to_ascii_lowercase();
    let known = STARTS.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, looks)| looks);
    known.or_else(|| std::str::from_utf8(bytes).is_err().then_some("it is not UTF-8 text"))
}

/// Deserializer of a [`Value`] that records duplicate keys.
struct DuplicateKeyVisitor<'a> {
    /// `None` at the root of the document.
    at: Option<Step<'a>>,
    duplicates: &'a RefCell<Vec<String>>,
}

/// Path of a value as a linked list.
///
/// The pointer is built only on demand. Otherwise each of many values below a long name would copy that name.
#[derive(Clone, Copy)]
struct Step<'a> {
    above: Option<&'a Step<'a>>,
    member: Member<'a>,
}

/// One step of a path: a member name or an array index.
#[derive(Clone, Copy)]
enum Member<'a> {
    Named(&'a str),
    Item(usize),
}

impl Step<'_> {
    fn pointer(&self) -> String {
        let mut steps = Vec::new();
        let mut next = Some(self);
        while let Some(step) = next {
            steps.push(match step.member {
                Member::Named(name) => pointer_step(name),
                Member::Item(item) => pointer_step(&item.to_string()),
            });
            next = step.above;
        }
        steps.into_iter().rev().collect()
    }
}

impl<'a> DuplicateKeyVisitor<'a> {
    fn step<'b>(&'b self, member: Member<'b>) -> Step<'b> {
        Step { above: self.at.as_ref(), member }
    }
}

impl<'de> DeserializeSeed<'de> for DuplicateKeyVisitor<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DuplicateKeyVisitor<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let at = Some(self.step(Member::Item(list.len())));
            match items.next_element_seed(DuplicateKeyVisitor { at, duplicates: self.duplicates })? {
                Some(item) => list.push(item),
                None => break,
            }
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let step = self.step(Member::Named(&name));
            let mut duplicates = self.duplicates.borrow_mut();
            if duplicates.len() < MAX_DUPLICATES && object.contains_key(&name) {
                duplicates.push(step.pointer());
            }
            drop(duplicates);
            let value = members
                .next_value_seed(DuplicateKeyVisitor { at: Some(step), duplicates: self.duplicates })?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SMALL: JsonLimits = JsonLimits { bytes: 1_000, depth: 4, values: 20 };

    fn read(text: &str) -> Result<Value, JsonError> {
        parse(text.as_bytes(), SMALL)
    }

    #[test]
    fn each_limit_has_its_own_error() {
        assert!(read(r#"{"a":[[1,"]]]]]{{{{{,,,,,\"[[["]]}"#).is_ok());
        assert_eq!(read("[[[[[]]]]]"), Err(JsonError::TooDeep { limit: 4 }));
        assert_eq!(read(&format!("[{}1]", "1,".repeat(30))), Err(JsonError::TooMany { limit: 20 }));
        assert_eq!(read(&" ".repeat(1_001)), Err(JsonError::TooLarge { bytes: 1_001, limit: 1_000 }));
    }

    #[test]
    fn what_is_not_json_is_named() {
        for (bytes, word) in [
            (&b" "[..], "empty"),
            (b"\n<!DOCTYPE html><p>", "HTML"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"\xff\xfe{\0", "UTF-16"),
            (b"\"\xff\"", "UTF-8"),
            (b"hello", "line 1"),
        ] {
            let error = parse::<Value>(bytes, SMALL).unwrap_err();
            assert!(error.to_string().contains(word), "{error}");
        }
        assert!(matches!(parse::<bool>(b"1", SMALL), Err(JsonError::Shape { .. })));
    }

    #[test]
    fn duplicates_are_found_at_any_depth() {
        let text = br#"{"a":1,"b":[{"x/y":1,"x/y":2}],"a":2}"#;
        let (value, duplicates) = parse_noting_duplicates(text, SMALL).unwrap();
        assert_eq!(duplicates, ["/b/0/x~1y", "/a"]);
        assert_eq!(value["a"], 2);
        assert!(parse_noting_duplicates(b"{} x", SMALL).is_err());
    }

    #[test]
    fn values_below_a_long_name_cost_no_copy_of_it() {
        const LARGE: JsonLimits = JsonLimits { bytes: 1 << 20, depth: 8, values: 200_000 };
        let document = |size: usize| format!("{{\"{}\":[{}0]}}", "x".repeat(size), "0,".repeat(size / 2));
        let read = |text: &String| parse_noting_duplicates(text.as_bytes(), LARGE).unwrap();
        let [small, _, large] = plexus_testing::cost::growth(32 * 1024, document, read);
        assert!(large.is_noise() || large.per_kib() < small.per_kib() * 2.5, "{small:?} {large:?}");
    }

    #[test]
    fn a_document_of_duplicates_names_some() {
        const LARGE: JsonLimits = JsonLimits { bytes: 1 << 20, depth: 8, values: 200_000 };
        let text = format!("{{{}\"a\":1}}", "\"a\":1,".repeat(5_000));
        assert_eq!(parse_noting_duplicates(text.as_bytes(), LARGE).unwrap().1.len(), MAX_DUPLICATES);
    }

    proptest! {
        #[test]
        fn both_parsers_agree_and_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let plain = parse::<Value>(&bytes, SMALL);
            let noting = parse_noting_duplicates(&bytes, SMALL).map(|(value, _)| value);
            prop_assert_eq!(plain, noting);
        }

        #[test]
        fn structure_is_bounded(text in r#"[\[\]{}",:0-9a\\]{0,60}"#) {
            let plain = read(&text);
            let noting = parse_noting_duplicates(text.as_bytes(), SMALL).map(|(value, _)| value);
            prop_assert_eq!(plain, noting);
        }
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_text() {
        use plexus_testing::cost::assert_linear;
        let limits = JsonLimits { bytes: 4 << 20, depth: 64, values: 1 << 20 };
        assert_linear("JSON", |text| parse::<Value>(text.as_bytes(), limits).is_ok());
        assert_linear("duplicates", |text| parse_noting_duplicates(text.as_bytes(), limits).is_ok());
        assert_linear("members", |text| {
            let members = text.char_indices().step_by(8).map(|(at, _)| format!("\"{at}\":0"));
            let json = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
            parse_noting_duplicates(json.as_bytes(), limits).is_ok()
        });
        assert_linear("the same member", |text| {
            let json = format!("{{{}\"b\":0}}", "\"a\":0,".repeat(text.len() / 8));
            parse_noting_duplicates(json.as_bytes(), limits).is_ok()
        });
    }
}
