//! What the holder of the floor may say.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Mode, Note, Seat, Spec, Words, WorkNo};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum Utterance {
    /// Words for everybody; `next` should speak then, where the pattern leaves the choice.
    Discuss {
        text: Words,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<Seat>,
    },
    /// Work for members: the team waits for it, or goes on.
    Assign { mode: Mode, work: Vec<Task> },
    /// Wait until all of these have ended.
    PauseFor { work: BTreeSet<WorkNo> },
    /// The plan, whole, in place of the one before.
    Plan { steps: Vec<Step> },
    /// Everybody else chooses one of the options.
    Vote { question: Note, options: Vec<Note> },
    /// An answer to a vote: the place of the option, or none to abstain.
    Ballot {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        option: Option<u8>,
    },
    /// The answer to the goal. Without words, the speaker is asked for them next.
    Conclude {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Words>,
    },
}

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

/// A question to several members at once; each answers it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Poll {
    /// What they think of what was just said.
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

/// The kinds of utterances, to say which are allowed.
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
    /// What the member that leads may say where a pattern sets no bounds.
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
