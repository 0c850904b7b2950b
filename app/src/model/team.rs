//! Teams: agents with a goal.

use plexus_domain::{Timestamp, team::story::MarkKind};

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
    /// How many levels of teams members may form: value and words.
    pub depths: Vec<(String, String)>,
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
    /// The teams that it works for, the outermost first.
    pub above: Vec<Branch>,
    /// The teams that its members formed.
    pub below: Vec<Branch>,
    pub strip: Strip,
    pub members: Vec<Member>,
    pub work: Vec<Work>,
    pub plan: Vec<(String, bool)>,
    pub said: Vec<Said>,
    pub answer: Option<Html>,
    /// Why there is no answer.
    pub failed: Option<String>,
    /// Whether somebody speaks who can be passed over.
    pub may_skip: bool,
    /// Whether it is shown to somebody who only has a link.
    pub guest: bool,
    /// Once it has ended: what came of it.
    pub report: Option<Report>,
    /// The page shows the team as it was after this entry of its log.
    pub step: Option<Step>,
    pub form: Form,
}

/// What is shown of a team that has ended.
#[derive(Clone, Debug)]
pub struct Report {
    pub timeline: Timeline,
    pub artifacts: Vec<ArtifactRow>,
    /// Where it is told step by step.
    pub replay: String,
    /// None for whoever may not share it.
    pub share: Option<Share>,
}

/// The link with which anybody may read it.
#[derive(Clone, Debug)]
pub struct Share {
    pub action: String,
    pub made: Option<Timestamp>,
    /// The link itself, just after it was made.
    pub link: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ArtifactRow {
    pub by: String,
    pub name: String,
    /// Its type and size, or where it lies.
    pub about: String,
    pub href: String,
    /// Whether it lies elsewhere.
    pub is_link: bool,
}

/// Who did what when. Times are milliseconds since the founding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    pub length: u64,
    pub rows: Vec<TimelineRow>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineRow {
    pub name: String,
    pub bars: Vec<TimelineBar>,
    pub marks: Vec<TimelineMark>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineBar {
    pub from: u64,
    pub until: u64,
    pub tone: WorkTone,
    /// What it was and how it ended.
    pub words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineMark {
    pub at: u64,
    pub kind: MarkKind,
}

/// An entry of the log.
#[derive(Clone, Debug)]
pub struct Step {
    pub number: u64,
    pub last: u64,
    pub at: Timestamp,
    /// What happened.
    pub words: String,
    /// What was said, asked or answered with it.
    pub text: Option<Html>,
    /// Where the team itself is.
    pub back: String,
    /// Where its steps are.
    pub replay: String,
}

/// A team in the tree of teams.
#[derive(Clone, Debug)]
pub struct Branch {
    pub href: String,
    pub title: String,
    pub standing: Standing,
    pub below: Vec<Branch>,
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
    /// Millionths of the currency, as is the most that it may be.
    pub cost: u64,
    pub most_cost: u64,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub seat: u16,
    pub name: String,
    /// None for somebody who only has a link.
    pub href: Option<String>,
    pub seed: String,
    pub roles: Vec<String>,
    /// In words, such as "Takes part".
    pub presence: &'static str,
    pub why: Option<String>,
    pub has_floor: bool,
    pub messages: u32,
    pub tokens: u64,
    /// Millionths of whatever models are priced in here.
    pub cost: u64,
    /// How long it had work, in milliseconds, once that is known.
    pub worked: Option<u64>,
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
    /// Where the team is that its member formed for it.
    pub team: Option<String>,
    /// Whether such a team may be formed now.
    pub may_nest: bool,
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
