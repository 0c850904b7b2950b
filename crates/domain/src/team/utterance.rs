//! Utterances: what a member may say in its turn.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Mode, Note, Seat, Spec, Words, WorkNo};

/// What a member says in its turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum Utterance {
    /// A message to all members. `next` requests the next
    /// speaker, if the pattern leaves the choice to the speaker.
    Discuss {
        text: Words,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<Seat>,
    },
    /// Assigns work to members. In mode `now` the team waits for the results.
    Assign { mode: Mode, work: Vec<Task> },
    /// Waits until all these assignments have ended.
    PauseFor { work: BTreeSet<WorkNo> },
    /// Replaces the whole plan.
    Plan { steps: Vec<Step> },
    /// Asks all other members to vote on the options.
    Vote { question: Note, options: Vec<Note> },
    /// A vote: index of the option, or `None` to abstain.
    Ballot {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        option: Option<u8>,
    },
    /// The final answer to the goal. Without text, the speaker is asked for it in the next turn.
    Conclude {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Words>,
    },
}

/// An assignment to be created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub to: Seat,
    pub spec: Spec,
}

/// A step of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub title: Note,
    pub done: bool,
}

/// A question to several members at once. Each answers once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Poll {
    /// Asks for comments on the last message.
    Views,
    Vote {
        question: Note,
        options: Vec<Note>,
        ballots: BTreeMap<Seat, u8>,
    },
}

impl Utterance {
    pub const MAX_STEPS: usize = 32;
    pub const MAX_OPTIONS: usize = 8;

    pub const fn kind(&self) -> Kind {
        match self {
            Self::Discuss { .. } => Kind::Discuss,
            Self::Assign { mode: Mode::Now, .. } => Kind::AssignNow,
            Self::Assign { mode: Mode::Background, .. } => Kind::AssignBackground,
            Self::PauseFor { .. } => Kind::PauseFor,
            Self::Plan { .. } => Kind::Plan,
            Self::Vote { .. } => Kind::Vote,
            Self::Ballot { .. } => Kind::Ballot,
            Self::Conclude { .. } => Kind::Conclude,
        }
    }
}

/// Kind of utterance, used to list the allowed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Discuss,
    AssignNow,
    AssignBackground,
    PauseFor,
    Plan,
    Vote,
    Ballot,
    Conclude,
}

impl Kind {
    /// Utterances of the leader in patterns without restrictions.
    pub const LEADING: [Self; 7] = [
        Self::Discuss,
        Self::AssignNow,
        Self::AssignBackground,
        Self::PauseFor,
        Self::Plan,
        Self::Vote,
        Self::Conclude,
    ];
}
