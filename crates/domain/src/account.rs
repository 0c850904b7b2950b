//! Accounts: the sign-in identities of users, their roles and the password policy.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Role of an account. Ordered by privilege: each role includes the permissions of the previous ones.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    User,
    Moderator,
    Admin,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::User, Self::Moderator, Self::Admin];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Moderator => "moderator",
            Self::Admin => "admin",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// Sign-up policy of the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Registration {
    Open,
    /// Each sign-up waits for the approval of an administrator.
    Approval,
    /// Only with an invitation.
    Invite,
    Closed,
}

/// A password that satisfies the password policy (OWASP ASVS 5.0, 6.2: length only, no composition rules).
///
/// At least 15 characters, because there is no second factor. At most 256 bytes, to bound the cost of
/// hashing. `Debug` redacts it.
#[derive(Clone)]
pub struct NewPassword(String);

impl NewPassword {
    pub const MIN_CHARS: usize = 15;
    pub const MAX_BYTES: usize = 256;

    /// Validates a password. `names` are easily guessed words, such as the account's name or the hub's.
    pub fn new(raw: String, names: &[&str]) -> Result<Self> {
        if raw.chars().count() < Self::MIN_CHARS {
            return Err(Error::invalid(
                "password",
                "Use at least 15 characters, for example four or five words.",
            ));
        }
        if raw.len() > Self::MAX_BYTES {
            return Err(Error::invalid("password", "Use at most 256 bytes."));
        }
        if is_guessable(&raw, names) {
            let words = "This is easy to guess: it is made of common words, of a sequence, or of one word that is repeated.";
            return Err(Error::invalid("password", words));
        }
        Ok(Self(raw))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Words of the most used passwords.
const COMMON: [&str; 43] = [
    "12345678",
    "admin",
    "administrator",
    "azerty",
    "baseball",
    "batman",
    "changeme",
    "computer",
    "default",
    "dragon",
    "football",
    "google",
    "guest",
    "hello",
    "iloveyou",
    "internet",
    "jordan",
    "letmein",
    "login",
    "master",
    "michael",
    "monkey",
    "p@ssw0rd",
    "p@ssword",
    "passphrase",
    "passw0rd",
    "password",
    "passwort",
    "plexus",
    "princess",
    "qwerty",
    "qwertz",
    "samsung",
    "secret",
    "shadow",
    "starwars",
    "sunshine",
    "superman",
    "test",
    "trustno1",
    "welcome",
    "whatever",
    "zxcvbn",
];
/// Rows and columns of keyboards, and the order of letters and digits. Passwords follow them in either direction.
const SEQUENCES: [&str; 9] = [
    "01234567890",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiop",
    "qwertzuiop",
    "asdfghjkl",
    "zxcvbnm",
    "yxcvbnm",
    "azertyuiop",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
];
/// Number of neighbours that are taken for a sequence.
const MIN_RUN: usize = 4;

/// Returns true if little remains after removing the guessable words, sequences and repetitions: fewer than eight
/// characters, or fewer than five different ones (NIST SP 800-63B-4, 3.1.1.2).
fn is_guessable(raw: &str, names: &[&str]) -> bool {
    let mut rest = raw.to_lowercase();
    let mut words: Vec<String> = COMMON.iter().chain(names).map(|word| word.to_lowercase()).collect();
    words.retain(|word| !word.is_empty());
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    for word in &words {
        rest = rest.replace(word.as_str(), "");
    }
    let rest = without_repetition(without_sequences(&rest));
    let mut distinct = rest.clone();
    distinct.sort_unstable();
    distinct.dedup();
    rest.len() < 8 || distinct.len() < 5
}

/// Removes runs of at least [`MIN_RUN`] characters that follow one of the [`SEQUENCES`].
fn without_sequences(text: &str) -> Vec<char> {
    let chars: Vec<char> = text.chars().collect();
    let follows = |run: &[char]| {
        let forward: String = run.iter().collect();
        let backward: String = run.iter().rev().collect();
        SEQUENCES.iter().any(|sequence| sequence.contains(&forward) || sequence.contains(&backward))
    };
    let mut kept = Vec::with_capacity(chars.len());
    let mut at = 0;
    while at < chars.len() {
        let longest =
            (MIN_RUN..=chars.len() - at).take_while(|length| follows(&chars[at..at + length])).last();
        if longest.is_none() {
            kept.push(chars[at]);
        }
        at += longest.unwrap_or(1);
    }
    kept
}

/// Returns the unit of a text that is one unit several times, or the text.
fn without_repetition(text: Vec<char>) -> Vec<char> {
    let repeats = |unit: &usize| {
        text.len().is_multiple_of(*unit) && text.chunks(*unit).all(|chunk| chunk == &text[..*unit])
    };
    let unit = (1..=text.len() / 2).find(repeats);
    match unit {
        Some(unit) => text[..unit].to_vec(),
        None => text,
    }
}

impl std::fmt::Debug for NewPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewPassword(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_counts_and_composition_does_not() {
        let new = |raw: &str| NewPassword::new(raw.to_owned(), &["ada"]);
        assert!(new("correct horse battery").is_ok());
        assert!(new("水が流れる静かな朝の庭に鳥が鳴く").is_ok());
        assert!(new("short").is_err());
        assert!(new("aaaaaaaaaaaaaaaaaaaa").is_err());
        assert!(new("passwordpasswordpassword").is_err());
        assert!(new("adaadaadaadaadaada").is_err());
        for famous in [
            "123456789012345",
            "qwertyuiopasdfgh",
            "poiuytrewqlkjhgf",
            "abcdefghijklmnop",
            "1qaz2wsx3edc4rfv",
            "iloveyouiloveyou",
            "adminadminadmin1",
            "Password12345678!",
            "boats boats boats ",
        ] {
            assert!(new(famous).is_err(), "{famous}");
        }
        for good in [
            "ada rows to the harbour",
            "my password is a tern",
            "qwerty herons at dawn",
            "12345 wet lanterns",
        ] {
            assert!(new(good).is_ok(), "{good}");
        }
        assert!(new(&"long phrase ".repeat(30)).is_err());
        assert_eq!(format!("{:?}", new("correct horse battery").unwrap()), "NewPassword(…)");
    }
}
