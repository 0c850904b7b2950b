//! Teams: agents with a goal.

use plexus_domain::Timestamp;

use super::{Form, Html};

/// Where a team stands, in a word for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Forming,
    Working,
    Done,
    Failed,
    Cancelled,
    /// The hub that launched it is silent.
    Lost,
}

impl Standing {
    pub const fn is_over(self) -> bool {
        !matches!(self, Self::Forming | Self::Working)
    }
}

/// `/teams`: the person's teams, and a form for the next.
#[derive(Clone, Debug)]
pub struct TeamsPage {
    pub teams: Vec<TeamRow>,
    /// The ways a team can go about it: value and words.
    pub patterns: Vec<(String, String)>,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct TeamRow {
    pub id: String,
    pub title: String,
    pub standing: Standing,
    pub launched: Timestamp,
}

/// `/teams/{id}`.
#[derive(Clone, Debug)]
pub struct TeamPage {
    pub id: String,
    pub title: String,
    pub goal: String,
    pub standing: Standing,
    pub strip: Strip,
    pub members: Vec<Member>,
    pub work: Vec<Work>,
    pub plan: Vec<(String, bool)>,
    pub said: Vec<Said>,
    pub answer: Option<Html>,
    /// Why there is no answer.
    pub failed: Option<String>,
    pub form: Form,
}

/// The plan strip: who has the floor, the step, what is left.
#[derive(Clone, Debug)]
pub struct Strip {
    /// Such as "Waiting for work".
    pub phase: String,
    pub floor: Option<String>,
    pub turn: u32,
    pub turns: u32,
    pub launched: Timestamp,
    pub deadline: Timestamp,
    pub ended: Option<Timestamp>,
    pub tokens: u64,
    pub tokens_left: u64,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub seat: u16,
    pub name: String,
    pub href: String,
    pub seed: String,
    pub roles: Vec<String>,
    /// In words, such as "Takes part".
    pub presence: &'static str,
    pub why: Option<String>,
    pub has_floor: bool,
    pub messages: u32,
    pub tokens: u64,
    /// Whether it can be held, resumed or dismissed.
    pub may: MemberMay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberMay {
    /// Active: be held, be given the floor, be sent away.
    Rest,
    /// Held: go on, be sent away.
    GoOn,
    Nothing,
}

#[derive(Clone, Debug)]
pub struct Work {
    pub number: u32,
    pub title: String,
    pub to: String,
    /// In words, such as "Working".
    pub state: &'static str,
    pub tone: WorkTone,
    /// What the member asks; an answer goes back to it.
    pub question: Option<String>,
    /// What came of it so far.
    pub text: Option<Html>,
    pub tokens: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkTone {
    Open,
    Asking,
    Good,
    Bad,
    Neutral,
}

#[derive(Clone, Debug)]
pub struct Said {
    /// None for the person who launched the team.
    pub by: Option<String>,
    pub text: Html,
}
