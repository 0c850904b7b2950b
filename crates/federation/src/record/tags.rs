//! Tags and languages in normalised form, by which hubs compare them and look them up.

use plexus_domain::sanitized_text;
use serde::{Deserialize, Serialize};
use unicode_security::MixedScript;

/// Maximum tags per listing.
pub const MAX_TAGS: usize = 16;
const MAX_TAG_CHARS: usize = 40;
const MAX_LANG: usize = 35;

/// A search tag: lower case, NFC, letters of one script, so that tags cannot imitate each other (homoglyphs).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tag(String);

impl Tag {
    /// Normalises free text of an agent card to a tag; `None` if that is impossible.
    pub fn from_text(raw: &str) -> Option<Self> {
        let line = sanitized_text::one_line(&sanitized_text::one_line(raw).to_lowercase());
        let fits = !line.is_empty() && line.chars().count() <= MAX_TAG_CHARS;
        (fits && line.as_str().is_single_script()).then_some(Self(line))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Tag {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let tag = Self::from_text(&text).filter(|tag| tag.0 == text);
        tag.ok_or("a tag is one line in lower case, of one script, of at most 40 characters")
    }
}

impl From<Tag> for String {
    fn from(tag: Tag) -> Self {
        tag.0
    }
}

/// A language tag (BCP 47) in lower case, such as `de` or `pt-br`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Lang(String);

impl TryFrom<String> for Lang {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let part = |part: &str| {
            (1..=8).contains(&part.len())
                && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let fits = (2..=MAX_LANG).contains(&text.len()) && text.split('-').all(part);
        if fits { Ok(Self(text)) } else { Err("a language is a BCP 47 name in lower case") }
    }
}

impl From<Lang> for String {
    fn from(lang: Lang) -> Self {
        lang.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_one_spelling() {
        assert_eq!(Tag::from_text("  Data\u{200b}  Science ").unwrap().as_str(), "data science");
        assert_eq!(Tag::from_text("翻译").unwrap().as_str(), "翻译");
        for bad in ["", " ", "p\u{430}ypal", &"x".repeat(41)] {
            assert!(Tag::from_text(bad).is_none(), "{bad}");
        }
        for bad in ["Data", "a  b", " a", "e\u{301}"] {
            assert!(Tag::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }

    #[test]
    fn languages_are_names_in_lower_case() {
        assert!(["de", "pt-br", "zh-hant-tw"].iter().all(|lang| Lang::try_from((*lang).to_owned()).is_ok()));
        assert!(
            ["", "d", "DE", "de_", "de-", "-de"]
                .iter()
                .all(|lang| Lang::try_from((*lang).to_owned()).is_err())
        );
    }
}
