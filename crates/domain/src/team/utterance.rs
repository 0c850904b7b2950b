//! Utterances: what a member may say in its turn.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Value};

use super::{AssignmentMode, AssignmentNo, AssignmentSpec, LongText, Seat, ShortText};

/// What a member says in its turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Utterance {
    /// A message to all members. `next` requests the next
    /// speaker, if the pattern leaves the choice to the speaker.
    Discuss {
        text: LongText,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<Seat>,
    },
    /// Assigns work to members. In mode `now` the team waits for the results.
    Assign { mode: AssignmentMode, assignments: Vec<AssignmentDraft> },
    /// Waits until all these assignments have ended.
    WaitFor { assignments: BTreeSet<AssignmentNo> },
    /// Replaces the whole plan.
    Plan { steps: Vec<PlanStep> },
    /// Asks all other members to vote on the options.
    Vote { question: ShortText, options: Vec<ShortText> },
    /// A vote: index of the option, or `None` to abstain.
    Ballot {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        option: Option<u8>,
    },
    /// The final answer to the goal. Without text, the speaker is asked for it in the next turn.
    Conclude {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<LongText>,
    },
}

/// Reads an utterance in a log. Logs stored before 0.1 name its tag `say`, `wait_for` `pause_for` and
/// `assignments` `work`. A type with aliases would also accept these names in the answers of agents and models.
pub(super) fn read_stored<'de, D: Deserializer<'de>>(stored: D) -> Result<Utterance, D::Error> {
    let mut fields = Map::deserialize(stored)?;
    if let Some(action) = fields.remove("say") {
        let action = if action == "pause_for" { Value::from("wait_for") } else { action };
        fields.insert("action".to_owned(), action);
        if let Some(assignments) = fields.remove("work") {
            fields.insert("assignments".to_owned(), assignments);
        }
    }
    Utterance::deserialize(Value::Object(fields)).map_err(D::Error::custom)
}

/// An assignment to be created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignmentDraft {
    pub to: Seat,
    pub spec: AssignmentSpec,
}

/// A step of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    pub title: ShortText,
    pub done: bool,
}

/// A question to several members at once. Each answers once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupQuestion {
    /// Asks for comments on the last message.
    Views,
    Vote {
        question: ShortText,
        options: Vec<ShortText>,
        ballots: BTreeMap<Seat, u8>,
    },
}

impl Utterance {
    pub const MAX_STEPS: usize = 32;
    pub const MAX_OPTIONS: usize = 8;

    pub const fn kind(&self) -> UtteranceKind {
        match self {
            Self::Discuss { .. } => UtteranceKind::Discuss,
            Self::Assign { mode: AssignmentMode::Now, .. } => UtteranceKind::AssignNow,
            Self::Assign { mode: AssignmentMode::Background, .. } => UtteranceKind::AssignBackground,
            Self::WaitFor { .. } => UtteranceKind::WaitFor,
            Self::Plan { .. } => UtteranceKind::Plan,
            Self::Vote { .. } => UtteranceKind::Vote,
            Self::Ballot { .. } => UtteranceKind::Ballot,
            Self::Conclude { .. } => UtteranceKind::Conclude,
        }
    }
}

/// Kind of utterance, used to list the allowed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UtteranceKind {
    Discuss,
    AssignNow,
    AssignBackground,
    WaitFor,
    Plan,
    Vote,
    Ballot,
    Conclude,
}

impl UtteranceKind {
    /// Utterances of the leader in patterns without restrictions.
    pub const LEADING: [Self; 7] = [
        Self::Discuss,
        Self::AssignNow,
        Self::AssignBackground,
        Self::WaitFor,
        Self::Plan,
        Self::Vote,
        Self::Conclude,
    ];
}
