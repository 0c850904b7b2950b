use std::collections::BTreeMap;

use serde::Serialize;

use super::quoted;
use crate::team::{
    AssignmentNo, Phase, Seat, Team, UtteranceKind, spec::TeamBudget, state::ExhaustedLimit,
    utterance::GroupQuestion,
};

/// Maximum number of assignments shown, the newest ones.
const MAX_RESULTS: usize = 16;
/// Maximum length of all results together, in characters. Longer ones are cut to the same length each.
const MAX_RESULT_CHARS: usize = 24_000;
/// Maximum number of files shown per assignment.
const MAX_FILES: usize = 8;

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
    /// True if `result` is only the beginning. A conclusion can still include the whole result by its number.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// Names of the files and links of the result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
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

    /// Adds the names of the files that the assignments produced.
    #[must_use]
    pub fn with_files(mut self, names: &BTreeMap<AssignmentNo, Vec<String>>) -> Self {
        for work in &mut self.assignments {
            let of_work = names.get(&work.number).into_iter().flatten();
            work.files = of_work.take(MAX_FILES).map(|name| quoted(name, 120)).collect();
        }
        self
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
    let shown = || (0..).map(AssignmentNo).zip(team.assignments()).skip(skipped);
    let lengths = shown().filter_map(|(_, work)| Some(work.result()?.as_str().chars().count()));
    let most = fair_share(lengths.collect(), MAX_RESULT_CHARS);
    shown()
        .map(|(number, work)| AssignmentSummary {
            number,
            to: work.to,
            title: quoted(work.spec.title.as_str(), 200),
            state: work.state.as_str(),
            result: work.result().map(|text| quoted(text.as_str(), most)),
            is_cut: work.result().is_some_and(|text| text.as_str().chars().count() > most),
            files: Vec::new(),
        })
        .collect()
}

/// Returns the greatest length to which texts of these lengths can be cut so that they fit into `room` together
/// (max-min fairness: short texts leave their share to long ones).
fn fair_share(mut lengths: Vec<usize>, mut room: usize) -> usize {
    lengths.sort_unstable();
    let count = lengths.len();
    for (index, length) in lengths.into_iter().enumerate() {
        let share = room / (count - index);
        if length > share {
            return share;
        }
        room -= length;
    }
    usize::MAX
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_leave_room_to_long_ones() {
        assert_eq!(fair_share(vec![], 10), usize::MAX);
        assert_eq!(fair_share(vec![4, 6], 10), usize::MAX);
        assert_eq!(fair_share(vec![9, 2], 10), 8);
        assert_eq!(fair_share(vec![9, 8, 1], 10), 4);
        assert_eq!(fair_share(vec![5; 20], 10), 0);
    }
}
