use serde::Serialize;

use super::quoted;
use crate::team::{
    AssignmentNo, Phase, Seat, Team, UtteranceKind, spec::TeamBudget, state::ExhaustedLimit,
    utterance::GroupQuestion,
};

/// Maximum number of assignments shown, the newest ones.
const MAX_RESULTS: usize = 16;

/// What a decision maker is asked: the team as one member sees it. Text of others is sanitized and truncated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DecisionRequest {
    pub you: Seat,
    pub turn: u32,
    pub goal: String,
    /// The utterances that are allowed now.
    pub allowed: Vec<UtteranceKind>,
    pub members: Vec<MemberSummary>,
    pub plan: Vec<PlanStepSummary>,
    /// Question and options of the open vote.
    pub vote: Option<VoteSummary>,
    pub transcript: Vec<UtteranceSummary>,
    pub assignments: Vec<AssignmentSummary>,
    pub turns_left: u32,
    pub remaining: TeamBudget,
    /// Why the team must conclude, if the final answer is asked for.
    pub conclude_because: Option<&'static str>,
}

/// A member as shown to the decision maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemberSummary {
    pub seat: Seat,
    pub name: String,
    pub person: bool,
    pub roles: Vec<String>,
}

/// A step of the plan as shown to the decision maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanStepSummary {
    pub title: String,
    pub done: bool,
}

/// The open vote as shown to the decision maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VoteSummary {
    pub question: String,
    pub options: Vec<String>,
}

/// A recent utterance as shown to the decision maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UtteranceSummary {
    /// `None` for the owner, who has no seat.
    pub seat: Option<Seat>,
    pub text: String,
}

/// An assignment as shown to the decision maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AssignmentSummary {
    pub number: AssignmentNo,
    pub to: Seat,
    pub title: String,
    pub state: &'static str,
    pub result: Option<String>,
}

impl DecisionRequest {
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
            transcript: transcript(team),
            assignments: assignments(team),
            turns_left: team.limits().turns.saturating_sub(team.turn()),
            remaining: team.remaining(),
            conclude_because: conclude_because(team),
        })
    }
}

fn members(team: &Team) -> Vec<MemberSummary> {
    let seated = team.active().filter_map(|seat| Some((seat, team.member(seat)?)));
    seated
        .map(|(seat, member)| MemberSummary {
            seat,
            name: quoted(&member.invitee.identity.to_string(), 120),
            person: member.is_person(),
            roles: member.invitee.roles.iter().map(|role| quoted(role.as_str(), 64)).collect(),
        })
        .collect()
}

fn plan(team: &Team) -> Vec<PlanStepSummary> {
    let steps = team.plan().iter();
    steps.map(|step| PlanStepSummary { title: quoted(step.title.as_str(), 200), done: step.done }).collect()
}

fn vote(team: &Team) -> Option<VoteSummary> {
    let Phase::Polling { poll: GroupQuestion::Vote { question, options, .. }, .. } = team.phase() else {
        return None;
    };
    Some(VoteSummary {
        question: quoted(question.as_str(), 500),
        options: options.iter().map(|option| quoted(option.as_str(), 200)).collect(),
    })
}

fn transcript(team: &Team) -> Vec<UtteranceSummary> {
    team.recent()
        .map(|line| UtteranceSummary { seat: line.seat, text: quoted(line.text.as_str(), 1_000) })
        .collect()
}

fn assignments(team: &Team) -> Vec<AssignmentSummary> {
    let skipped = team.assignments().len().saturating_sub(MAX_RESULTS);
    let numbered = (0..).map(AssignmentNo).zip(team.assignments()).skip(skipped);
    numbered
        .map(|(number, work)| AssignmentSummary {
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
        Some(ExhaustedLimit::Turns) => "The turns are used up.",
        Some(ExhaustedLimit::Tokens) => "The tokens are used up.",
        Some(ExhaustedLimit::Cost) => "The budget is used up.",
        Some(ExhaustedLimit::Time) => "The time is over.",
        Some(ExhaustedLimit::Repeats) => "The members repeat themselves.",
    })
}
