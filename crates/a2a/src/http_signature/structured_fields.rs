//! Parser for `Signature-Input` and `Signature`: the subset
//! of structured fields (RFC 9651) for one signature.

use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};

use super::SignatureError::{self, Malformed, Several};
use crate::keys::SIGNATURE_BYTES;

/// Maximum header length; far more than a signature needs.
const MAX_BYTES: usize = 2_048;
const MAX_COVERED: usize = 32;
const MAX_PARAMS: usize = 16;
/// Maximum number of digits of an integer in structured fields.
const MAX_DIGITS: usize = 15;

/// Parsed `Signature-Input`. The order of components and parameters is preserved, because it is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SignatureInput {
    pub label: String,
    pub covered: Vec<String>,
    pub params: Vec<(String, ParamValue)>,
}

/// Value of a signature parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ParamValue {
    Number(i64),
    Text(String),
}

impl SignatureInput {
    pub fn parse(header: &str) -> Result<Self, SignatureError> {
        let mut reader = FieldParser::new(header)?;
        let label = reader.key()?;
        reader.expect('=')?;
        let covered = reader.list()?;
        let params = reader.params()?;
        reader.end()?;
        Ok(Self { label, covered, params })
    }

    /// Serializes the signature parameters in the canonical form that is signed (RFC 9421 section 2.3).
    pub fn described(&self) -> String {
        let covered: Vec<String> = self.covered.iter().map(|name| quoted(name)).collect();
        let mut text = format!("({})", covered.join(" "));
        for (name, value) in &self.params {
            let _ = match value {
                ParamValue::Number(number) => write!(text, ";{name}={number}"),
                ParamValue::Text(value) => write!(text, ";{name}={}", quoted(value)),
            };
        }
        text
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.param(name)? {
            ParamValue::Text(text) => Some(text),
            ParamValue::Number(_) => None,
        }
    }

    pub fn number(&self, name: &str) -> Option<i64> {
        match self.param(name)? {
            ParamValue::Number(number) => Some(*number),
            ParamValue::Text(_) => None,
        }
    }

    fn param(&self, name: &str) -> Option<&ParamValue> {
        self.params.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Returns the only signature in the header, which must have this label.
pub(super) fn signature(header: &str, label: &str) -> Result<[u8; SIGNATURE_BYTES], SignatureError> {
    let mut reader = FieldParser::new(header)?;
    if reader.key()? != label {
        return Err(Malformed);
    }
    reader.expect('=')?;
    reader.expect(':')?;
    let encoded = reader.until(':')?;
    reader.end()?;
    let bytes = BASE64.decode(encoded).map_err(|_| Malformed)?;
    bytes.try_into().map_err(|_| Malformed)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Parser over the remaining text of a header.
struct FieldParser<'a>(&'a str);

impl<'a> FieldParser<'a> {
    fn new(header: &'a str) -> Result<Self, SignatureError> {
        let is_plain = header.len() <= MAX_BYTES && header.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if is_plain { Ok(Self(header.trim_matches(' '))) } else { Err(Malformed) }
    }

    fn take(&mut self, wanted: char) -> bool {
        match self.0.strip_prefix(wanted) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), SignatureError> {
        if self.take(wanted) { Ok(()) } else { Err(Malformed) }
    }

    fn skip_spaces(&mut self) {
        self.0 = self.0.trim_start_matches(' ');
    }

    /// Expects the end of the header. A further dictionary member would be another signature.
    fn end(&self) -> Result<(), SignatureError> {
        match self.0.trim_start_matches(' ').chars().next() {
            None => Ok(()),
            Some(',') => Err(Several),
            Some(_) => Err(Malformed),
        }
    }

    fn key(&mut self) -> Result<String, SignatureError> {
        let belongs =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | '.' | '*');
        let end = self.0.find(|c| !belongs(c)).unwrap_or(self.0.len());
        let (key, rest) = self.0.split_at(end);
        if !key.starts_with(|c: char| c.is_ascii_lowercase() || c == '*') {
            return Err(Malformed);
        }
        self.0 = rest;
        Ok(key.to_owned())
    }

    fn until(&mut self, end: char) -> Result<&'a str, SignatureError> {
        let (before, rest) = self.0.split_once(end).ok_or(Malformed)?;
        self.0 = rest;
        Ok(before)
    }

    fn string(&mut self) -> Result<String, SignatureError> {
        self.expect('"')?;
        let mut text = String::new();
        let mut chars = self.0.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.0 = &self.0[at + 1..];
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    _ => return Err(Malformed),
                },
                c => text.push(c),
            }
        }
        Err(Malformed)
    }

    fn number(&mut self) -> Result<i64, SignatureError> {
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        // Only the canonical form of a number is signed: no leading zeros, no fraction.
        let plain = digits.len() <= MAX_DIGITS && (digits == "0" || !digits.starts_with('0'));
        self.0 = rest;
        digits.parse().ok().filter(|_| plain && !rest.starts_with('.')).ok_or(Malformed)
    }

    /// Parses component names: unique, lower case and without parameters.
    fn list(&mut self) -> Result<Vec<String>, SignatureError> {
        self.expect('(')?;
        let mut names: Vec<String> = Vec::new();
        loop {
            self.skip_spaces();
            if self.take(')') {
                return Ok(names);
            }
            let name = self.string()?;
            let is_small = !name.is_empty() && !name.bytes().any(|byte| byte.is_ascii_uppercase());
            let ends = self.0.starts_with([' ', ')']);
            if !is_small || !ends || names.contains(&name) || names.len() == MAX_COVERED {
                return Err(Malformed);
            }
            names.push(name);
        }
    }

    fn params(&mut self) -> Result<Vec<(String, ParamValue)>, SignatureError> {
        let mut params: Vec<(String, ParamValue)> = Vec::new();
        while self.take(';') {
            self.skip_spaces();
            let name = self.key()?;
            self.expect('=')?;
            let is_text = self.0.starts_with('"');
            let value =
                if is_text { ParamValue::Text(self.string()?) } else { ParamValue::Number(self.number()?) };
            if params.len() == MAX_PARAMS || params.iter().any(|(known, _)| *known == name) {
                return Err(Malformed);
            }
            params.push((name, value));
        }
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_header() {
        use plexus_testing::cost::assert_linear;
        assert_linear("signature input", |text| SignatureInput::parse(text).is_ok());
        assert_linear("components", |text| {
            let names = "\"a\" ".repeat(text.len() / 4);
            SignatureInput::parse(&format!("sig=({names});{}", "a=1;".repeat(text.len() / 4))).is_ok()
        });
        assert_linear("signature", |text| signature(text, "sig").is_ok());
    }
}
