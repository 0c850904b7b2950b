//! Members of a team, identified by seat number.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ShortText, formation::Skill};
use crate::{Address, Text, run::Usage};

/// A member's number within its team, in order of invitation. Small, so that a model can write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seat(pub u16);

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "member {}", self.0)
    }
}

/// Identity of a member. An agent address in a log names its hub, unless that is the home hub.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MemberIdentity {
    Agent { address: Address },
    Person { name: Text<120>, hub: Text<253> },
}

impl MemberIdentity {
    pub const fn is_person(&self) -> bool {
        matches!(self, Self::Person { .. })
    }

    /// Returns a case-insensitive key that is unique per identity.
    pub fn key(&self) -> String {
        match self {
            Self::Agent { address } => address.to_string().to_lowercase(),
            Self::Person { name, hub } => format!("{}:{name}@{hub}", name.as_str().len()).to_lowercase(),
        }
    }
}

impl fmt::Display for MemberIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent { address } => address.fmt(f),
            Self::Person { name, .. } => name.fmt(f),
        }
    }
}

/// A candidate to be invited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitee {
    pub identity: MemberIdentity,
    /// Skills for which the member is invited.
    #[serde(default)]
    pub roles: Vec<Skill>,
    /// Public key that must sign the member's proposals. `None` if the home hub proposes on its behalf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Text<128>>,
}

/// A member with its status and statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub invitee: Invitee,
    /// True if the owner named it, false if the hub found it.
    pub is_named: bool,
    pub status: MemberStatus,
    pub counts: MemberStats,
}

impl Member {
    /// Maximum number of roles per member. An invitation with more is rejected.
    pub const MAX_ROLES: usize = 32;

    pub const fn is_person(&self) -> bool {
        self.invitee.identity.is_person()
    }

    pub const fn is_gone(&self) -> bool {
        matches!(self.status, MemberStatus::Gone(_))
    }
}

/// Status of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberStatus {
    Invited,
    Active,
    /// Paused by the owner: cannot speak or get new work until resumed.
    Paused,
    Gone(DepartureReason),
}

/// Why a member is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DepartureReason {
    Declined(ShortText),
    Left(ShortText),
    /// Did not reply to the invitation, or missed too many turns in a row.
    Silent,
}

/// Activity and resource usage of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberStats {
    pub messages: u32,
    /// Messages not shown to the others because they nearly repeated recent ones.
    pub suppressed: u32,
    /// Turns taken or missed.
    pub turns: u32,
    /// Consecutive missed turns since the member last spoke.
    pub silences: u32,
    /// Usage of its turns and its assignments.
    pub usage: Usage,
}
