//! Removes credentials, and addresses of servers, from text that comes from outside.

use std::{borrow::Cow, collections::HashSet, fmt, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use parking_lot::RwLock;
use plexus_domain::run::Failure;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use url::Url;

use crate::{RunEnd, Secret};

/// Replaces credentials.
const REDACTED: &str = "[redacted]";
/// Replaces addresses of servers.
const ADDRESS: &str = "[address]";
/// Length of the pieces of a secret that are redacted in errors, in bytes. Services show shorter ends of a key on purpose.
const PIECE: usize = 8;
/// Minimum length of a secret that is redacted within an answer. A shorter one is also an ordinary word.
const MIN_IN_ANSWER: usize = 6;
/// Minimum length of a secret that is redacted in errors.
const MIN_IN_ERROR: usize = 3;
/// Minimum length of a word that may be a credential that the hub does not know in this form.
const TOKEN_LIKE: usize = 20;

/// The secrets of a connector and the addresses that its callers may not see. Clones share them, so that a token that a
/// run fetches is redacted from then on.
///
/// What a server says is redacted in two ways. In *errors*, each longer piece of a secret is removed, in any usual
/// encoding. In *answers*, only whole secrets are, because answers are content.
#[derive(Clone, Default)]
pub struct Redact(Arc<RwLock<Redacted>>);

#[derive(Default)]
struct Redacted {
    secrets: Vec<String>,
    addresses: Vec<String>,
}

impl fmt::Debug for Redact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redact(…)")
    }
}

impl Redact {
    /// Creates a set with one secret.
    pub fn of(secret: &Secret) -> Self {
        let redact = Self::default();
        redact.add(secret.reveal());
        redact
    }

    pub fn add(&self, secret: &str) {
        let secret = secret.trim();
        let mut redacted = self.0.write();
        if secret.len() >= MIN_IN_ERROR && !redacted.secrets.iter().any(|known| known == secret) {
            redacted.secrets.push(secret.to_owned());
        }
    }

    /// Adds the host and port of a server, for [`Self::without_addresses`].
    pub fn add_address(&self, url: &Url) {
        let Some(host) = url.host_str() else { return };
        let mut redacted = self.0.write();
        redacted.addresses.push(url.authority().to_owned());
        redacted.addresses.push(host.to_owned());
    }

    /// Adds the secrets of another set.
    pub fn add_all(&self, other: &Self) {
        if Arc::ptr_eq(&self.0, &other.0) {
            return;
        }
        let other = other.0.read();
        other.secrets.iter().for_each(|secret| self.add(secret));
    }

    /// Redacts an error: each piece of a secret, also encoded.
    pub fn error(&self, text: &str) -> String {
        let secrets = &self.0.read().secrets;
        secrets.iter().fold(Cow::Borrowed(text), |text, secret| without_secret(text, secret)).into_owned()
    }

    /// Removes the addresses of the servers, and those that no caller can reach: IP addresses and `localhost`.
    pub fn without_addresses(&self, text: &str) -> String {
        without_addresses(text, &self.0.read().addresses)
    }

    /// Redacts the error of a call whose credentials were refused: also each word that looks like a credential, because
    /// servers quote keys in forms of their own.
    pub fn unauthorized(&self, text: &str) -> String {
        self.error(text)
            .split(' ')
            .map(|word| if is_token_like(word) { REDACTED } else { word })
            .collect::<Vec<_>>()
            .join(" ")
    }

    pub fn failure(&self, mut failure: Failure) -> Failure {
        failure.message = self.error(&failure.message);
        failure
    }

    pub(crate) fn end(&self, end: Result<RunEnd, Failure>) -> Result<RunEnd, Failure> {
        match end {
            Ok(RunEnd::Rejected { reason }) => Ok(RunEnd::Rejected { reason: self.error(&reason) }),
            Ok(end) => Ok(end),
            Err(failure) => Err(self.failure(failure)),
        }
    }

    /// Redacts whole secrets in the text of an answer.
    pub fn answer<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for secret in self.0.read().secrets.iter().filter(|secret| secret.len() >= MIN_IN_ANSWER) {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), REDACTED).into();
            }
        }
        text
    }

    /// Redacts whole secrets in all strings of a value.
    pub(crate) fn value<T: Serialize + DeserializeOwned>(&self, value: T) -> T {
        if !self.has_secrets() {
            return value;
        }
        let Ok(mut json) = serde_json::to_value(&value) else { return value };
        if !self.redact_strings(&mut json) {
            return value;
        }
        serde_json::from_value(json).unwrap_or(value)
    }

    fn redact_strings(&self, json: &mut Value) -> bool {
        match json {
            Value::String(text) => match self.answer(text) {
                Cow::Borrowed(_) => false,
                Cow::Owned(redacted) => {
                    *text = redacted;
                    true
                }
            },
            // Every item is visited, also after a change.
            Value::Array(list) => {
                list.iter_mut().map(|item| self.redact_strings(item)).filter(|changed| *changed).count() > 0
            }
            Value::Object(members) => {
                members.values_mut().map(|item| self.redact_strings(item)).filter(|changed| *changed).count()
                    > 0
            }
            _ => false,
        }
    }

    pub(crate) fn has_secrets(&self) -> bool {
        !self.0.read().secrets.is_empty()
    }

    /// Returns the length of the end of `text` that may be the beginning of a secret.
    fn held_back(&self, text: &str) -> usize {
        let secrets = &self.0.read().secrets;
        let secrets = secrets.iter().filter(|secret| secret.len() >= MIN_IN_ANSWER);
        secrets.map(|secret| longest_begin_at_end(text, secret)).max().unwrap_or(0)
    }
}

/// Returns the length of the longest proper prefix of `secret` with which `text` ends.
fn longest_begin_at_end(text: &str, secret: &str) -> usize {
    let from = text.ceil_char_boundary(text.len().saturating_sub(secret.len() - 1));
    let begins = text[from..].char_indices().map(|(at, _)| &text[from + at..]);
    begins.filter(|end| secret.starts_with(end)).map(str::len).next().unwrap_or(0)
}

/// Filter for streamed text of an answer. The end of a text that may begin a secret is held back until more follows.
#[derive(Default)]
pub(crate) struct RedactedText {
    held: String,
}

impl RedactedText {
    /// Returns the text that may be emitted now.
    pub fn push<'t>(&mut self, redact: &Redact, delta: &'t str) -> Cow<'t, str> {
        if self.held.is_empty() && !redact.has_secrets() {
            return Cow::Borrowed(delta);
        }
        self.held.push_str(delta);
        let mut text = redact.answer(&self.held).into_owned();
        self.held = text.split_off(text.len() - redact.held_back(&text));
        text.into()
    }

    /// Returns the text that was held back.
    pub fn flush(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

fn without_secret<'t>(text: Cow<'t, str>, secret: &str) -> Cow<'t, str> {
    let mut text = text;
    for form in forms(secret) {
        text = match form.len() {
            ..PIECE => without_word(text, &form),
            _ => without_pieces(text, &form),
        };
    }
    text
}

/// Returns a secret as servers may quote it.
fn forms(secret: &str) -> Vec<String> {
    let hex = |byte: u8| format!("{byte:02x}");
    let mut forms = vec![secret.to_owned(), secret.bytes().map(hex).collect()];
    forms.push(forms[1].to_uppercase());
    forms.push(secret.bytes().map(|byte| format!("%{byte:02X}")).collect());
    forms.push(secret.bytes().map(|byte| format!("%{byte:02x}")).collect());
    if !secret.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')) {
        let encode =
            |encode: fn(u8) -> String| -> String {
                secret
                    .bytes()
                    .map(|byte| {
                        if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { encode(byte) }
                    })
                    .collect()
            };
        forms.push(encode(|byte| format!("%{byte:02X}")));
        forms.push(encode(|byte| format!("%{byte:02x}")));
        forms.push(encode(|byte| format!("\\u{byte:04x}")));
        forms.push(serde_json::to_string(secret).unwrap_or_default().trim_matches('"').to_owned());
        forms.push(secret.replace('/', "\\/"));
        forms.push(url::form_urlencoded::byte_serialize(secret.as_bytes()).collect());
    }
    // The secret may stand anywhere in what was encoded, so its first byte may be any of a group of three. The ends also
    // depend on what is before and behind it.
    for before in ["", "_", "__"] {
        let encoded = BASE64_STANDARD_NO_PAD.encode(format!("{before}{secret}"));
        let begin = if before.is_empty() { 0 } else { before.len() + 1 };
        let end = encoded.len() - usize::from(!(before.len() + secret.len()).is_multiple_of(3));
        let core = encoded.get(begin..end).unwrap_or_default();
        if core.len() >= PIECE {
            forms.push(core.to_owned());
            forms.push(core.replace('+', "-").replace('/', "_"));
        }
    }
    debug_assert!(forms.iter().all(|form| !form.is_empty()), "an empty form is in every text");
    forms
}

/// Removes each run of text that has `PIECE` bytes or more in common with `form`.
fn without_pieces<'t>(text: Cow<'t, str>, form: &str) -> Cow<'t, str> {
    let (bytes, pieces) = (text.as_bytes(), form.as_bytes().windows(PIECE).collect::<HashSet<_>>());
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (at, window) in bytes.windows(PIECE).enumerate() {
        if !pieces.contains(window) {
            continue;
        }
        match spans.last_mut() {
            Some((_, end)) if *end >= at => *end = at + PIECE,
            _ => spans.push((at, at + PIECE)),
        }
    }
    if spans.is_empty() {
        return text;
    }
    let (mut kept, mut from) = (String::new(), 0);
    for (begin, end) in spans {
        kept.push_str(&text[from..text.floor_char_boundary(begin).max(from)]);
        kept.push_str(REDACTED);
        from = text.ceil_char_boundary(end);
    }
    kept.push_str(&text[from..]);
    kept.into()
}

/// Removes a short secret where it is a word.
fn without_word<'t>(text: Cow<'t, str>, word: &str) -> Cow<'t, str> {
    if !text.contains(word) {
        return text;
    }
    let (mut kept, mut rest) = (String::new(), &*text);
    while let Some((before, behind)) = rest.split_once(word) {
        let is_word = !before.ends_with(char::is_alphanumeric) && !behind.starts_with(char::is_alphanumeric);
        kept.push_str(before);
        kept.push_str(if is_word { REDACTED } else { word });
        rest = behind;
    }
    kept.push_str(rest);
    kept.into()
}

/// Removes the addresses, IP addresses and names without a public domain, with their ports.
fn without_addresses(text: &str, addresses: &[String]) -> String {
    let is_of_address = |c: char| c.is_alphanumeric() || matches!(c, '.' | ':' | '-' | '[' | ']' | '_');
    let (mut kept, mut word) = (String::new(), String::new());
    let end_word = |word: &mut String, kept: &mut String| {
        let bare = word.trim_end_matches(['.', ':', '-']);
        kept.push_str(if is_hidden_address(bare, addresses) { ADDRESS } else { bare });
        kept.push_str(&word[bare.len()..]);
        word.clear();
    };
    for c in text.chars() {
        if is_of_address(c) {
            word.push(c);
            continue;
        }
        end_word(&mut word, &mut kept);
        kept.push(c);
    }
    end_word(&mut word, &mut kept);
    kept
}

fn is_hidden_address(word: &str, addresses: &[String]) -> bool {
    let host = match word.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => host,
        _ => word,
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_known = |known: &String| known.eq_ignore_ascii_case(word) || known.eq_ignore_ascii_case(host);
    addresses.iter().any(is_known)
        || bare.parse::<std::net::Ipv4Addr>().is_ok()
        || bare.len() > 2 && bare.parse::<std::net::Ipv6Addr>().is_ok()
        || host.len() < word.len() && !host.contains('.') && host.eq_ignore_ascii_case("localhost")
}

/// Returns whether a word may be a credential: long, of letters and digits, and no URL.
fn is_token_like(word: &str) -> bool {
    let is_of_token = |c: char| c.is_ascii_alphanumeric() || "-_.+/=~%*…".contains(c);
    let runs = word.split(|c| !is_of_token(c));
    !word.contains("://")
        && runs.into_iter().any(|run| {
            run.chars().count() >= TOKEN_LIKE
                && run.contains(|c: char| c.is_ascii_digit())
                && run.contains(|c: char| c.is_ascii_alphabetic())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-proj-4fJ+/9xQz&7aLmN0pR2tV5wY8";

    fn redact() -> Redact {
        Redact::of(&Secret::new(KEY))
    }

    /// Fails if a piece of the key is left.
    fn assert_hidden(text: &str) {
        let redacted = redact().error(text);
        assert!(redacted.contains(REDACTED), "{text} -> {redacted}");
        for piece in KEY.as_bytes().windows(PIECE) {
            assert!(!redacted.contains(std::str::from_utf8(piece).unwrap()), "{text} -> {redacted}");
        }
    }

    #[test]
    fn errors_show_no_piece_of_a_key_in_any_form() {
        let basic = base64::prelude::BASE64_STANDARD.encode(format!("ada:{KEY}"));
        let percent: String = KEY.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let quoted = serde_json::to_string(&format!("bad \"{KEY}\"")).unwrap();
        let form: String = url::form_urlencoded::byte_serialize(KEY.as_bytes()).collect();
        let hex: String = KEY.bytes().map(|byte| format!("{byte:02x}")).collect();
        for text in [
            format!("Invalid key: {KEY}."),
            format!("Authorization: Bearer {KEY}"),
            format!("{}…", &KEY[..12]),
            format!("***{}", &KEY[KEY.len() - 10..]),
            format!("ü{KEY}ü"),
            quoted,
            KEY.replace('/', "\\/"),
            format!("?key={form}"),
        ] {
            assert_hidden(&text);
        }
        for (text, left) in [(basic, 12), (hex, 0), (base64::prelude::BASE64_STANDARD.encode(KEY), 4)] {
            let redacted = redact().error(&format!("got {text} there"));
            let rest = redacted.replace(REDACTED, "").len();
            assert!(redacted.contains(REDACTED) && rest <= "got  there".len() + left, "{redacted}");
        }
        assert!(!redact().error(&percent).contains("%34%66%4A%2B%2F"), "every character encoded");
        for text in ["", "sk-proj", "Try again in 12 s.", "Ünïcode 水"] {
            assert_eq!(redact().error(text), text);
        }
        let short = Redact::of(&Secret::new("t1x"));
        assert_eq!(short.error("Bearer t1x, not t1xy"), "Bearer [redacted], not t1xy");
    }

    #[test]
    fn a_refused_call_quotes_nothing_like_a_key() {
        let words =
            "Incorrect key yeK9182736455abcdefZYXW given. See https://example.com/keys/0123456789abcdef";
        assert_eq!(
            redact().unauthorized(words),
            "Incorrect key [redacted] given. See https://example.com/keys/0123456789abcdef"
        );
    }

    #[test]
    fn addresses_are_hidden_in_errors() {
        let redact = Redact::default();
        redact.add_address(&"http://models.cellar.example:8000/v1".parse().unwrap());
        for (text, expected) in [
            ("No connection to models.cellar.example:8000.", "No connection to [address]."),
            ("http://models.cellar.example:8000/v1 failed", "http://[address]/v1 failed"),
            ("see models.cellar.example", "see [address]"),
            ("connect ECONNREFUSED 10.0.0.5:11434", "connect ECONNREFUSED [address]"),
            ("dial [::1]:9 or localhost:9", "dial [address] or [address]"),
            (
                "version 1.2.3 at 12:30, see https://platform.example/docs",
                "version 1.2.3 at 12:30, see https://platform.example/docs",
            ),
        ] {
            assert_eq!(redact.without_addresses(text), expected);
        }
    }

    #[test]
    fn a_key_in_an_answer_is_removed_wherever_pieces_meet() {
        let text = format!("It is {KEY}! sk-proj- and {KEY}");
        for length in 1..text.len() {
            let (mut filter, mut shown) = (RedactedText::default(), String::new());
            for piece in text.as_bytes().chunks(length) {
                shown.push_str(&filter.push(&redact(), std::str::from_utf8(piece).unwrap()));
            }
            shown.push_str(&filter.flush());
            assert_eq!(shown, "It is [redacted]! sk-proj- and [redacted]", "{length}");
        }
        let part = plexus_domain::Part::text(format!("a {KEY}"));
        assert_eq!(redact().value(part), plexus_domain::Part::text("a [redacted]"));
    }
}
