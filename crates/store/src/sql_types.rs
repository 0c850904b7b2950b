//! Mapping of domain types to columns.

use std::error::Error as StdError;

use plexus_domain::*;
use plexus_domain::{
    account::Role,
    agent::{AgentAccess, Connector, Visibility},
    chat::{ChatKind, DailyLimitUnit, Title},
    chat_event::Event,
    feedback::{FeedbackReason, Rating},
    form_question::FormQuestion,
    message::MessageState,
    run::FailureClass,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use uuid::Uuid;

type Unreadable = Box<dyn StdError + Send + Sync>;

/// A type that is stored in one column, as one of the few types that both databases support.
pub(crate) trait SqlType: Sized {
    type Raw;

    fn to_column(&self) -> Self::Raw;

    fn from_column(raw: Self::Raw) -> Result<Self, Unreadable>;
}

impl<T: SqlType> SqlType for Option<T> {
    type Raw = Option<T::Raw>;

    fn to_column(&self) -> Self::Raw {
        self.as_ref().map(T::to_column)
    }

    fn from_column(raw: Self::Raw) -> Result<Self, Unreadable> {
        raw.map(T::from_column).transpose()
    }
}

macro_rules! as_is {
    ($($type:ty),*) => {$(
        impl SqlType for $type {
            type Raw = $type;

            fn to_column(&self) -> Self {
                self.clone()
            }

            fn from_column(raw: Self) -> Result<Self, Unreadable> {
                Ok(raw)
            }
        }
    )*};
}
as_is!(bool, i64, String, Vec<u8>, Uuid);

macro_rules! ids {
    ($($id:ty),* $(,)?) => {$(
        impl SqlType for $id {
            type Raw = Uuid;

            fn to_column(&self) -> Uuid {
                self.uuid()
            }

            fn from_column(raw: Uuid) -> Result<Self, Unreadable> {
                Ok(Self::from_uuid(raw))
            }
        }
    )*};
}
ids!(
    NamespaceId,
    AccountId,
    CredentialId,
    TokenId,
    OauthGrantId,
    PrincipalId,
    SecretId,
    KeyId,
    HubRowId,
    AgentId,
    VersionId,
    DraftId,
    KnowledgeFileId,
    ProofId,
    ChatId,
    MemberId,
    ChatInvitationId,
    UploadId,
    MessageId,
    RunId,
    ApprovalId,
    PushId,
    ProcessId,
    OutboxId,
    AuditId,
);

/// Implements `SqlType` for types with one keyword per value: `as_str` and `parse`.
macro_rules! words {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::sql_types::SqlType for $type {
            type Raw = String;

            fn to_column(&self) -> String {
                self.as_str().to_owned()
            }

            fn from_column(raw: String) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
                Self::parse(&raw).ok_or_else(|| format!("{raw:?} is no {}", stringify!($type)).into())
            }
        }
    )*};
}
pub(crate) use words;
words!(
    Role,
    AgentAccess,
    Visibility,
    ChatKind,
    MessageState,
    RunState,
    FailureClass,
    Rating,
    FeedbackReason,
    DailyLimitUnit
);

/// Defines an enum of this crate whose values are stored as keywords.
macro_rules! word_enum {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$value_meta:meta])* $value:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $vis enum $name {
            $($(#[$value_meta])* $value),*
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$value),*];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word),*
                }
            }

            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text)
            }
        }

        $crate::sql_types::words!($name);
    };
}
pub(crate) use word_enum;

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl SqlType for $type {
            type Raw = i64;

            fn to_column(&self) -> i64 {
                i64::try_from(*self).unwrap_or(i64::MAX)
            }

            fn from_column(raw: i64) -> Result<Self, Unreadable> {
                Ok(raw.try_into()?)
            }
        }
    )*};
}
numbers!(u64, u32, i32);

impl SqlType for Timestamp {
    type Raw = i64;

    fn to_column(&self) -> i64 {
        self.millis()
    }

    fn from_column(raw: i64) -> Result<Self, Unreadable> {
        Ok(Self::from_millis(raw))
    }
}

impl SqlType for Digest {
    type Raw = Vec<u8>;

    fn to_column(&self) -> Vec<u8> {
        self.as_bytes().to_vec()
    }

    fn from_column(raw: Vec<u8>) -> Result<Self, Unreadable> {
        let bytes = raw.try_into().map_err(|_| "a digest has 32 bytes")?;
        Ok(Self::from_bytes(bytes))
    }
}

impl SqlType for Name {
    type Raw = String;

    fn to_column(&self) -> String {
        self.as_str().to_owned()
    }

    fn from_column(raw: String) -> Result<Self, Unreadable> {
        Ok(raw.parse()?)
    }
}

impl SqlType for Title {
    type Raw = String;

    fn to_column(&self) -> String {
        self.as_str().to_owned()
    }

    fn from_column(raw: String) -> Result<Self, Unreadable> {
        Ok(raw.try_into()?)
    }
}

macro_rules! json {
    ($($type:ty),*) => {$(
        impl SqlType for $type {
            type Raw = String;

            fn to_column(&self) -> String {
                to_json(self)
            }

            fn from_column(raw: String) -> Result<Self, Unreadable> {
                from_json(&raw)
            }
        }
    )*};
}
json!(Value, Connector, Event, PartBody, Vec<String>, FormQuestion, Map<String, Value>);

/// Serializes to JSON. It escapes U+0000, which a text column of Postgres would reject.
fn to_json(value: &impl Serialize) -> String {
    // Cannot fail: all types have string keys only and infallible serializers.
    serde_json::to_string(value).unwrap_or_default()
}

fn from_json<T: DeserializeOwned>(raw: &str) -> Result<T, Unreadable> {
    Ok(serde_json::from_str(raw)?)
}

/// Removes U+0000 from untrusted text; a text column of Postgres rejects it.
pub(crate) fn clean(text: &str) -> String {
    text.replace('\0', "")
}

/// Defines a struct that is read from columns of the same names.
macro_rules! record {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident { $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $($(#[$field_meta])* $field_vis $field: $type),*
        }

        $crate::sql_types::from_row!($crate::sqlite_driver::Row, $name { $($field: $type),* });
        $crate::sql_types::from_row!(sqlx::postgres::PgRow, $name { $($field: $type),* });
    };
}
pub(crate) use record;

macro_rules! from_row {
    ($row:ty, $name:ident { $($field:ident: $type:ty),* }) => {
        impl sqlx::FromRow<'_, $row> for $name {
            fn from_row(row: &$row) -> Result<Self, sqlx::Error> {
                use sqlx::Row;
                use $crate::sql_types::SqlType;
                Ok(Self {$(
                    $field: <$type>::from_column(row.try_get(stringify!($field))?).map_err(|source| {
                        sqlx::Error::ColumnDecode { index: stringify!($field).to_owned(), source }
                    })?
                ),*})
            }
        }
    };
}
pub(crate) use from_row;
