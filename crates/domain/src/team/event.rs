//! What can happen in a team, and who may say that it did.

use serde::{Deserialize, Serialize};

use super::{Charter, Note, Seat, Utterance, Words, WorkNo, charter::Budget, member::Invitee, work::Report};
use crate::{ChatId, MessageId, Text, run::Usage};

/// Who causes an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The hub that orders the log.
    Home,
    /// The person who launched the team, or whoever may act for them.
    Owner,
    /// A member, or the home hub on behalf of one that knows nothing of teams.
    Seat(Seat),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// The first entry of every log.
    Founded {
        charter: Charter,
    },
    /// Seats are numbered in this order.
    Invited {
        members: Vec<Invitee>,
    },
    Accepted,
    Declined {
        reason: Note,
    },
    /// `turn` is the turn that the speaker was asked for: one that has passed is refused.
    Said {
        turn: u32,
        #[serde(flatten)]
        utterance: Utterance,
        #[serde(default)]
        usage: Usage,
    },
    /// Words of a person at any time; the floor stays where it is.
    Remarked {
        message: MessageId,
        text: Words,
    },
    Started {
        work: WorkNo,
    },
    Asked {
        work: WorkNo,
        question: Words,
    },
    Answered {
        work: WorkNo,
        answer: Words,
    },
    /// The member forms a team for its work, by itself or because the owner wants it. The budget is set aside until
    /// the assignment ends.
    Nested {
        work: WorkNo,
        team: ChatId,
        budget: Budget,
    },
    /// An assignment ended. The first report counts, one late report is kept, further ones are refused, unless they say that
    /// a team below used more. The owner takes work over with a result of their own.
    Reported {
        work: WorkNo,
        #[serde(flatten)]
        report: Report,
    },
    Stopped {
        work: WorkNo,
    },
    Left {
        seat: Seat,
        reason: Note,
    },
    Held {
        seat: Seat,
    },
    Resumed {
        seat: Seat,
    },
    /// The holder of the floor is passed over.
    Skipped {
        turn: u32,
    },
    /// The owner gives the floor: to a person who takes over, or to another member.
    FloorGiven {
        to: Seat,
    },
    Cancelled {
        reason: Note,
    },
    /// A model was asked what comes next, and what that took. What it chose is said by other events.
    Decided {
        usage: Usage,
    },
    /// No process of the home hub served the team for so many milliseconds, so its deadlines move by that.
    Extended {
        by_ms: u64,
    },
    /// A deadline passed. What follows is in the rules, not in the entry.
    Elapsed,
}

impl Event {
    /// Whether this author may cause it at all; whose work or turn it is, is checked against the state.
    pub(super) fn may_come_from(&self, by: Author) -> bool {
        use Author::{Home, Owner, Seat};
        match self {
            Self::Founded { .. } | Self::Decided { .. } | Self::Extended { .. } | Self::Elapsed => by == Home,
            Self::Invited { .. } | Self::Cancelled { .. } => matches!(by, Home | Owner),
            Self::Accepted | Self::Declined { .. } | Self::Said { .. } => matches!(by, Seat(_)),
            Self::Started { .. } | Self::Asked { .. } => matches!(by, Seat(_)),
            Self::Remarked { .. } | Self::Answered { .. } | Self::Nested { .. } => {
                matches!(by, Owner | Seat(_))
            }
            Self::Reported { report, .. } => by != Owner || report.is_a_result(),
            Self::Left { seat, .. } => by == Seat(*seat) || matches!(by, Home | Owner),
            Self::Held { .. } | Self::Resumed { .. } => by == Owner,
            Self::Stopped { .. } | Self::Skipped { .. } | Self::FloorGiven { .. } => by == Owner,
        }
    }
}

/// What somebody wants to happen. It becomes an entry when the home hub accepts it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    pub team: ChatId,
    pub by: Author,
    pub event: Event,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// A signature over [`Proposal::signed_bytes`], made and verified outside of this crate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub key: Text<128>,
    pub signature: Text<256>,
}

impl Proposal {
    /// What a member signs: a label, so that the signature fits nothing else, then team, author and event as JSON.
    pub fn signed_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = b"plexus-team-proposal-v1\n".to_vec();
        serde_json::to_writer(&mut bytes, &(self.team, self.by, &self.event))?;
        Ok(bytes)
    }
}
