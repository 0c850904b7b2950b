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
        if is_monotonous(&raw, names) {
            return Err(Error::invalid("password", "This is easy to guess: it repeats one word or pattern."));
        }
        Ok(Self(raw))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Returns true if fewer than five distinct characters remain after removing the guessable words.
fn is_monotonous(raw: &str, names: &[&str]) -> bool {
    const COMMON: [&str; 6] = ["password", "passphrase", "plexus", "qwerty", "12345678", "letmein"];
    let mut rest = raw.to_lowercase();
    for word in COMMON.iter().chain(names).filter(|word| !word.is_empty()) {
        rest = rest.replace(&word.to_lowercase(), "");
    }
    let mut distinct: Vec<char> = rest.chars().collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() < 5
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
        assert!(new(&"long phrase ".repeat(30)).is_err());
        assert_eq!(format!("{:?}", new("correct horse battery").unwrap()), "NewPassword(…)");
    }
}
