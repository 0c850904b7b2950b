//! Members: whoever was invited, by the number of their seat.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Note, formation::Skill};
use crate::{Address, Text, run::Usage};

/// A member's number in its team, in the order of invitation. Small, so that a model can name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seat(pub u16);

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "member {}", self.0)
    }
}

/// Who sits there. An address in a log names its hub, unless that is the one that orders the log.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Identity {
    Agent { address: Address },
    Person { name: Text<120>, hub: Text<253> },
}

impl Identity {
    pub const fn is_person(&self) -> bool {
        matches!(self, Self::Person { .. })
    }

    /// One spelling for each identity, whatever the case of its names; two identities never share it.
    pub fn key(&self) -> String {
        match self {
            Self::Agent { address } => address.to_string().to_lowercase(),
            Self::Person { name, hub } => format!("{}:{name}@{hub}", name.as_str().len()).to_lowercase(),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent { address } => address.fmt(f),
            Self::Person { name, .. } => name.fmt(f),
        }
    }
}

/// Somebody to invite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitee {
    pub identity: Identity,
    /// What the member is wanted for.
    #[serde(default)]
    pub roles: Vec<Skill>,
    /// The key that must have signed what this member proposes; none when the home hub speaks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Text<128>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub invitee: Invitee,
    pub presence: Presence,
    pub counts: Counts,
}

impl Member {
    /// Roles kept per member; what is beyond is not read.
    pub const MAX_ROLES: usize = 32;

    pub const fn is_person(&self) -> bool {
        self.invitee.identity.is_person()
    }

    pub const fn is_gone(&self) -> bool {
        matches!(self.presence, Presence::Gone(_))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    Invited,
    Active,
    /// Kept from speaking and from new work by the owner, until resumed.
    Held,
    Gone(Absence),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    Declined(Note),
    Left(Note),
    /// No answer to the invitation, or to too many turns in a row.
    Silent,
}

/// What a member did and used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub messages: u32,
    /// Messages that nearly repeated recent ones and were kept from the others.
    pub suppressed: u32,
    /// Turns used or missed.
    pub turns: u32,
    /// Turns missed since the member last spoke.
    pub silences: u32,
    /// Of its turns and of its work.
    pub usage: Usage,
}
