use serde::Serialize;

use super::quoted;
use crate::team::{Kind, Phase, Seat, Team, WorkNo, charter::Budget, state::Limit, utterance::Poll};

/// Results that are shown, the newest.
const MAX_RESULTS: usize = 16;

/// What a decider is asked: the team as one of its members sees it. Words of others are quoted and cut short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    pub you: Seat,
    pub turn: u32,
    pub goal: String,
    /// The kinds of utterances that are accepted now.
    pub allowed: Vec<Kind>,
    pub members: Vec<MemberView>,
    pub plan: Vec<StepView>,
    /// The question and the options of the vote that is open.
    pub vote: Option<VoteView>,
    pub recent: Vec<LineView>,
    pub work: Vec<WorkView>,
    pub turns_left: u32,
    pub left: Budget,
    /// What made the team stop, when the answer to the goal is asked for.
    pub conclude_because: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemberView {
    pub seat: Seat,
    pub name: String,
    pub person: bool,
    pub roles: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepView {
    pub title: String,
    pub done: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VoteView {
    pub question: String,
    pub options: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineView {
    /// None for the person who launched the team.
    pub from: Option<Seat>,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkView {
    pub number: WorkNo,
    pub to: Seat,
    pub title: String,
    pub state: &'static str,
    pub result: Option<String>,
}

impl Request {
    /// None when the member is not asked.
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
