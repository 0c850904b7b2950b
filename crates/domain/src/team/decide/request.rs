use serde::Serialize;

use super::quoted;
use crate::team::{Kind, Phase, Seat, Team, WorkNo, charter::Budget, state::Limit, utterance::Poll};

/// Maximum number of assignments shown, the newest ones.
const MAX_RESULTS: usize = 16;

/// What a decision maker is asked: the team as one member sees it. Text of others is sanitized and truncated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    pub you: Seat,
    pub turn: u32,
    pub goal: String,
    /// The utterances that are allowed now.
    pub allowed: Vec<Kind>,
    pub members: Vec<MemberView>,
    pub plan: Vec<StepView>,
    /// Question and options of the open vote.
    pub vote: Option<VoteView>,
    pub recent: Vec<LineView>,
    pub work: Vec<WorkView>,
    pub turns_left: u32,
    pub left: Budget,
    /// Why the team must conclude, if the final answer is asked for.
    pub conclude_because: Option<&'static str>,
}

/// A member as shown to the decision maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemberView {
    pub seat: Seat,
    pub name: String,
    pub person: bool,
    pub roles: Vec<String>,
}

/// A step of the plan as shown to the decision maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepView {
    pub title: String,
    pub done: bool,
}

/// The open vote as shown to the decision maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VoteView {
    pub question: String,
    pub options: Vec<String>,
}

/// A recent utterance as shown to the decision maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineView {
    /// `None` for the owner, who has no seat.
    pub from: Option<Seat>,
    pub text: String,
}

/// An assignment as shown to the decision maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkView {
    pub number: WorkNo,
    pub to: Seat,
    pub title: String,
    pub state: &'static str,
    pub result: Option<String>,
}

impl Request {
    /// Builds the request, or returns `None` if the member is not asked.
    pub fn new(team: &Team, seat: Seat) -> Option<Self> {
        let allowed = team.allowed(seat);
        (!allowed.is_empty()).then(|| Self {
            you: seat,
            turn: team.turn(),
            goal: quoted(team.charter().goal.as_str(), 4_000),
            allowed,
            members: members(team),
            plan: plan(team),
            vote: vote(team),
            recent: recent(team),
            work: work(team),
            turns_left: team.limits().turns.saturating_sub(team.turn()),
            left: team.left(),
            conclude_because: conclude_because(team),
        })
    }
}

fn members(team: &Team) -> Vec<MemberView> {
    let seated = team.active().filter_map(|seat| Some((seat, team.member(seat)?)));
    seated
        .map(|(seat, member)| MemberView {
            seat,
            name: quoted(&member.invitee.identity.to_string(), 120),
            person: member.is_person(),
            roles: member.invitee.roles.iter().map(|role| quoted(role.as_str(), 64)).collect(),
        })
        .collect()
}

fn plan(team: &Team) -> Vec<StepView> {
    let steps = team.plan().iter();
    steps.map(|step| StepView { title: quoted(step.title.as_str(), 200), done: step.done }).collect()
}

fn vote(team: &Team) -> Option<VoteView> {
    let Phase::Polling { poll: Poll::Vote { question, options, .. }, .. } = team.phase() else { return None };
    Some(VoteView {
        question: quoted(question.as_str(), 500),
        options: options.iter().map(|option| quoted(option.as_str(), 200)).collect(),
    })
}

fn recent(team: &Team) -> Vec<LineView> {
    team.recent().map(|line| LineView { from: line.seat, text: quoted(line.text.as_str(), 1_000) }).collect()
}

fn work(team: &Team) -> Vec<WorkView> {
    let skipped = team.work().len().saturating_sub(MAX_RESULTS);
    let numbered = (0..).map(WorkNo).zip(team.work()).skip(skipped);
    numbered
        .map(|(number, work)| WorkView {
            number,
            to: work.to,
            title: quoted(work.spec.title.as_str(), 200),
            state: work.state.as_str(),
            result: work.result().map(|text| quoted(text.as_str(), 1_500)),
        })
        .collect()
}

const fn conclude_because(team: &Team) -> Option<&'static str> {
    let Phase::Concluding { limit, .. } = team.phase() else { return None };
    Some(match limit {
        None => "The team decided to conclude.",
        Some(Limit::Turns) => "The turns are used up.",
        Some(Limit::Tokens) => "The tokens are used up.",
        Some(Limit::Cost) => "The budget is used up.",
        Some(Limit::Time) => "The time is over.",
        Some(Limit::Repeats) => "The members repeat themselves.",
    })
}
