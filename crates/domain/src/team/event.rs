//! Team events and the actors that may cause them.

use serde::{Deserialize, Serialize};

use super::{
    AssignmentNo, LongText, Seat, ShortText, TeamSpec, Utterance, assignment::AssignmentReport,
    member::Invitee, spec::TeamBudget, utterance::read_stored,
};
use crate::{ChatId, MessageId, Text, run::Usage};

/// Actor that causes an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TeamActor {
    /// The home hub, which orders the log.
    Home,
    /// The user who launched the team, or a user who may act on their behalf.
    Owner,
    /// A member, or the home hub on behalf of a member that does not support teams.
    Seat(Seat),
}

/// An event of a team, the payload of log entries and proposals.
///
/// The aliases are the names in logs stored before 0.1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TeamEvent {
    /// Creates the team; the first entry of every log.
    Founded {
        charter: TeamSpec,
    },
    /// Invites members. Seats are numbered in this order.
    Invited {
        members: Vec<Invitee>,
    },
    /// The hub found no agent for any part of the goal: the team ends.
    NoCandidates,
    Accepted,
    Declined {
        reason: ShortText,
    },
    /// A member's utterance in its turn. Rejected if `turn` is no longer the current turn.
    Said {
        turn: u32,
        #[serde(flatten, deserialize_with = "read_stored")]
        utterance: Utterance,
        #[serde(default)]
        usage: Usage,
    },
    /// A message of a person to all members, accepted at any time. The speaker does not change.
    #[serde(alias = "remarked")]
    MessageSent {
        message: MessageId,
        text: LongText,
    },
    Started {
        #[serde(alias = "work")]
        assignment: AssignmentNo,
    },
    Asked {
        #[serde(alias = "work")]
        assignment: AssignmentNo,
        question: LongText,
    },
    Answered {
        #[serde(alias = "work")]
        assignment: AssignmentNo,
        answer: LongText,
    },
    /// The member forms a subteam for its assignment, or the owner does so for it.
    /// The budget is reserved until the assignment ends.
    #[serde(alias = "nested")]
    SubteamFormed {
        #[serde(alias = "work")]
        assignment: AssignmentNo,
        team: ChatId,
        budget: TeamBudget,
    },
    /// An assignment ended. The first report counts and one late report is stored; further ones are rejected.
    /// Exception: a report that a subteam used more than reported before is accepted for its usage.
    /// The owner may end an assignment by reporting their own result.
    Reported {
        #[serde(alias = "work")]
        assignment: AssignmentNo,
        #[serde(flatten)]
        report: AssignmentReport,
    },
    /// The owner cancels an assignment.
    #[serde(alias = "stopped")]
    AssignmentCancelled {
        #[serde(alias = "work")]
        assignment: AssignmentNo,
    },
    Left {
        seat: Seat,
        reason: ShortText,
    },
    /// The owner pauses a member.
    #[serde(alias = "held")]
    Paused {
        seat: Seat,
    },
    Resumed {
        seat: Seat,
    },
    /// The owner skips the turn of the speaker.
    #[serde(alias = "skipped")]
    TurnSkipped {
        turn: u32,
    },
    /// The owner chooses the speaker, which may be a person.
    #[serde(alias = "floor_given")]
    SpeakerSet {
        #[serde(alias = "to")]
        seat: Seat,
    },
    Cancelled {
        reason: ShortText,
    },
    /// Records the usage of a model that chose the next action. Its choice is recorded by other events.
    Decided {
        usage: Usage,
    },
    /// Extends the deadlines by the time in which no instance of the home hub served the team.
    Extended {
        by_ms: u64,
    },
    /// A deadline passed. The state machine derives the consequences; the entry does not hold them.
    Elapsed,
}

impl TeamEvent {
    /// Returns true if this kind of actor may cause the event.
    /// Turn and assignee are checked against the state.
    pub(super) fn may_come_from(&self, by: TeamActor) -> bool {
        use TeamActor::{Home, Owner, Seat};
        match self {
            Self::Founded { .. }
            | Self::NoCandidates
            | Self::Decided { .. }
            | Self::Extended { .. }
            | Self::Elapsed => by == Home,
            Self::Invited { .. } | Self::Cancelled { .. } => matches!(by, Home | Owner),
            Self::Accepted | Self::Declined { .. } | Self::Said { .. } => matches!(by, Seat(_)),
            Self::Started { .. } | Self::Asked { .. } => matches!(by, Seat(_)),
            Self::MessageSent { .. } | Self::Answered { .. } | Self::SubteamFormed { .. } => {
                matches!(by, Owner | Seat(_))
            }
            Self::Reported { report, .. } => by != Owner || report.is_a_result(),
            Self::Left { seat, .. } => by == Seat(*seat) || matches!(by, Home | Owner),
            Self::Paused { .. } | Self::Resumed { .. } => by == Owner,
            Self::AssignmentCancelled { .. } | Self::TurnSkipped { .. } | Self::SpeakerSet { .. } => {
                by == Owner
            }
        }
    }
}

/// An event requested by an actor. It becomes a log entry when the home hub accepts it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    pub team: ChatId,
    pub by: TeamActor,
    pub event: TeamEvent,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProposalSignature>,
}

/// Signature over [`Proposal::signed_bytes`]. Created and verified outside this crate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalSignature {
    pub key: Text<128>,
    pub signature: Text<256>,
}

impl Proposal {
    /// Returns the bytes to sign: a domain-separation label, then team, author and event as JSON.
    pub fn signed_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = b"plexus-team-proposal-v1\n".to_vec();
        serde_json::to_writer(&mut bytes, &(self.team, self.by, &self.event))?;
        Ok(bytes)
    }
}
