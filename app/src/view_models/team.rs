//! View models of the team pages.

use plexus_domain::{Timestamp, team::timeline::TimelineEventKind};

use super::{Form, Html};

/// Status of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamStatus {
    Forming,
    Working,
    Done,
    Failed,
    Cancelled,
    /// The hub that launched it is silent.
    Lost,
}

impl TeamStatus {
    pub const fn is_over(self) -> bool {
        !matches!(self, Self::Forming | Self::Working)
    }
}

/// Page at `/teams`: the user's teams, and a form for a new one.
#[derive(Clone, Debug)]
pub struct TeamsPage {
    pub teams: Vec<TeamRow>,
    /// Collaboration patterns as (value, label).
    pub patterns: Vec<(String, String)>,
    /// Levels of subteams that members may form, as (value, label).
    pub depths: Vec<(String, String)>,
    pub examples: Vec<GoalExample>,
    pub form: Form,
}

/// Goal to start from. The link shows the form with it.
#[derive(Clone, Debug)]
pub struct GoalExample {
    pub title: &'static str,
    pub goal: &'static str,
    pub href: String,
}

#[derive(Clone, Debug)]
pub struct TeamRow {
    pub id: String,
    pub title: String,
    pub standing: TeamStatus,
    pub launched: Timestamp,
}

/// Page of a team at `/teams/{id}`.
#[derive(Clone, Debug)]
pub struct TeamPage {
    pub id: String,
    pub title: String,
    pub goal: String,
    pub standing: TeamStatus,
    /// Ancestor teams, outermost first.
    pub ancestors: Vec<SubteamNode>,
    /// Subteams that its members formed.
    pub subteams: Vec<SubteamNode>,
    pub strip: TeamStatusBar,
    pub members: Vec<Member>,
    pub assignments: Vec<AssignmentCard>,
    pub plan: Vec<(String, bool)>,
    pub transcript: Vec<UtteranceView>,
    pub answer: Option<Html>,
    /// Why there is no answer.
    pub failure: Option<String>,
    /// Whether the current speaker can be skipped.
    pub may_skip: bool,
    /// Whether the viewer has access only by a share link.
    pub by_share_link: bool,
    /// Report of a team that has ended.
    pub report: Option<Report>,
    /// Replay: the page shows the team as it was after this log entry.
    pub step: Option<TimelineStep>,
    pub form: Form,
}

/// Report of a team that has ended: timeline, files, replay and share link.
#[derive(Clone, Debug)]
pub struct Report {
    pub timeline: TimelineChart,
    pub artifacts: Vec<ArtifactRow>,
    /// URL of the replay.
    pub replay: String,
    /// Share link; `None` if the viewer may not share the team.
    pub share: Option<Share>,
}

/// Public share link of a team.
#[derive(Clone, Debug)]
pub struct Share {
    pub action: String,
    pub made: Option<Timestamp>,
    /// The URL, only right after it was created.
    pub link: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ArtifactRow {
    pub by: String,
    pub name: String,
    /// Media type and size, or the location of a link.
    pub about: String,
    pub href: String,
    /// True for a link to another site, false for a stored file.
    pub is_link: bool,
}

/// Timeline of a team. Times are milliseconds since its founding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineChart {
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
    pub tone: AssignmentTone,
    /// Description of the work, and how it ended.
    pub words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineMark {
    pub at: u64,
    pub kind: TimelineEventKind,
}

/// Entry of the team log, shown as a replay step.
#[derive(Clone, Debug)]
pub struct TimelineStep {
    pub number: u64,
    pub last: u64,
    pub at: Timestamp,
    /// What happened.
    pub words: String,
    /// Text that was uttered, asked or answered with it.
    pub text: Option<Html>,
    /// URL of the team's page.
    pub back: String,
    /// URL of the replay.
    pub replay: String,
}

/// Node of the tree of teams.
#[derive(Clone, Debug)]
pub struct SubteamNode {
    pub href: String,
    pub title: String,
    pub standing: TeamStatus,
    pub subteams: Vec<SubteamNode>,
}

/// Status bar: the speaker, the turn, the deadline and the remaining budget.
#[derive(Clone, Debug)]
pub struct TeamStatusBar {
    /// Phase as text, such as "Waiting for assignments".
    pub phase: String,
    pub speaker: Option<String>,
    pub turn: u32,
    pub turns: u32,
    pub launched: Timestamp,
    pub deadline: Timestamp,
    pub ended: Option<Timestamp>,
    pub tokens: u64,
    pub tokens_left: u64,
    /// Cost so far, in millionths of the currency unit.
    pub cost: u64,
    /// Maximum cost, in millionths of the currency unit.
    pub most_cost: u64,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub seat: u16,
    pub name: String,
    /// URL of the agent's page; `None` if the viewer has access only by a share link.
    pub href: Option<String>,
    pub seed: String,
    pub roles: Vec<String>,
    /// Participation as text, such as "Active".
    pub status: &'static str,
    pub reason: Option<String>,
    pub is_speaker: bool,
    pub messages: u32,
    pub tokens: u64,
    /// Cost in millionths of the hub's currency unit.
    pub cost: u64,
    /// Busy time in milliseconds, once it is known.
    pub worked: Option<u64>,
    /// Owner actions that are possible now.
    pub may: MemberActions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberActions {
    /// Active member: can be paused, made the speaker, removed.
    Rest,
    /// Paused member: can be resumed or removed.
    GoOn,
    Nothing,
}

#[derive(Clone, Debug)]
pub struct AssignmentCard {
    pub number: u32,
    pub title: String,
    pub to: String,
    /// State as text, such as "Working".
    pub state: &'static str,
    pub tone: AssignmentTone,
    /// Question of the member; the answer is sent back to it.
    pub question: Option<String>,
    /// Result so far.
    pub text: Option<Html>,
    pub tokens: u64,
    /// URL of the subteam that its member formed for it.
    pub team: Option<String>,
    /// Whether a subteam may be formed now.
    pub may_form_subteam: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignmentTone {
    Open,
    Asking,
    Good,
    Bad,
    Neutral,
}

#[derive(Clone, Debug)]
pub struct UtteranceView {
    /// Name of the member; `None` for the owner of the team.
    pub by: Option<String>,
    pub text: Html,
}
