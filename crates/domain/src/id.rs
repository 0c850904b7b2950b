//! Ids: UUIDv7 (RFC 9562 section 5.7), one type for each kind of thing so that they cannot be mixed up.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, Timestamp};

/// What an id is made of besides the time: 74 of these 80 bits are kept.
pub type Entropy = [u8; 10];

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// An id that sorts by `at`, unique by `entropy`.
            pub fn new(at: Timestamp, entropy: &Entropy) -> Self {
                let millis = u64::try_from(at.millis()).unwrap_or(0);
                Self(uuid::Builder::from_unix_timestamp_millis(millis, entropy).into_uuid())
            }

            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                Uuid::try_parse(text).map(Self).map_err(|_| Error::invalid("id", "This is not a valid id."))
            }
        }
    )*};
}

ids! {
    NamespaceId,
    AccountId,
    CredentialId,
    TokenId,
    /// What an account lets a program do.
    OauthGrantId,
    PrincipalId,
    SecretId,
    KeyId,
    /// A row of `hubs`; [`HubRowId::SELF`] is this hub.
    HubRowId,
    AgentId,
    ModelId,
    VersionId,
    DraftId,
    ProofId,
    ChatId,
    MemberId,
    /// Made by whoever writes the message, so that sending it twice is harmless.
    MessageId,
    /// To callers over A2A this is the task id.
    RunId,
    ApprovalId,
    PushId,
    ProcessId,
    JobId,
    OutboxId,
    AssignmentId,
    AuditId,
}

impl HubRowId {
    pub const SELF: Self = Self(Uuid::nil());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_survive_text() {
        let early = ChatId::new(Timestamp::from_millis(1_000), &[255; 10]);
        let late = ChatId::new(Timestamp::from_millis(2_000), &[0; 10]);
        assert!(early < late);
        assert_eq!(early.to_string().parse::<ChatId>().unwrap(), early);
        assert!("not-an-id".parse::<ChatId>().is_err());
    }
}
