//! Rule-based decision maker. It uses the goal, states, seats and counts, never the text of members.

use std::collections::BTreeSet;

use crate::{
    Text,
    team::{
        Assignment, AssignmentMode, AssignmentNo, AssignmentSpec, AssignmentState, LongText, Seat, ShortText,
        Team, TeamFailure, Utterance, UtteranceKind,
        assignment::AssignmentOutcome,
        formation::{Skill, is_sequential},
        member::Member,
        utterance::AssignmentDraft,
    },
};

/// Separator in the title of an assignment that covers several required skills.
const BETWEEN_ROLES: &str = ", ";

/// Returns the member's utterance by rules; always an allowed one. `None` if the member is not asked.
pub fn decide(team: &Team, seat: Seat) -> Option<Utterance> {
    let allowed = team.allowed(seat);
    let may = |kind| allowed.contains(&kind);
    if allowed.is_empty() {
        return None;
    }
    if may(UtteranceKind::Ballot) {
        return Some(Utterance::Ballot { option: None });
    }
    let tasks = if may(UtteranceKind::AssignNow) { tasks(team) } else { Vec::new() };
    if !tasks.is_empty() {
        return Some(Utterance::Assign { mode: AssignmentMode::Now, assignments: tasks });
    }
    let open: BTreeSet<AssignmentNo> = team.open_assignments().map(|(no, _)| no).collect();
    if may(UtteranceKind::WaitFor) && !open.is_empty() {
        return Some(Utterance::WaitFor { assignments: open });
    }
    let unheard = team.active().find(|&other| other != seat && !was_heard(team, other));
    let all_were_heard = unheard.is_none() && was_heard(team, seat);
    let has_worked = !team.assignments().is_empty();
    if may(UtteranceKind::Conclude) && (!may(UtteranceKind::Discuss) || has_worked || all_were_heard) {
        return conclusion(team).map(|text| Utterance::Conclude { text: Some(text) });
    }
    opening(team).map(|text| Utterance::Discuss { text, next: unheard })
}

/// Returns the goal as opening message, if no member has spoken yet.
fn opening(team: &Team) -> Option<LongText> {
    let spoken = team.members().iter().any(|member| member.counts.messages > 0);
    LongText::truncate(if spoken { "Nothing to add." } else { team.charter().goal.as_str() })
}

/// Returns the assignments to create: retries of failed ones, else the next step, else one part per member.
fn tasks(team: &Team) -> Vec<AssignmentDraft> {
    let most = usize::try_from(team.remaining().assignments).unwrap_or(usize::MAX);
    let mut tasks = second_tries(team);
    if tasks.is_empty() {
        tasks.extend(next_step(team));
    }
    if tasks.is_empty() && team.assignments().is_empty() {
        tasks = parts(team);
    }
    tasks.truncate(most);
    tasks
}

/// Returns the next step of a sequential goal, with the earlier results as inputs.
///
/// Returns `None` if all steps were assigned, or if existing assignments do not match this plan.
fn next_step(team: &Team) -> Option<AssignmentDraft> {
    let needs = team.charter().required_skills();
    let given: BTreeSet<&str> =
        team.assignments().iter().flat_map(|work| work.spec.title.as_str().split(BETWEEN_ROLES)).collect();
    let is_ours = given.iter().all(|title| needs.iter().any(|need| need.as_str() == *title));
    if !is_ours || !is_sequential(team.charter().goal.as_str()) {
        return None;
    }
    let missing = needs.iter().filter(|need| !given.contains(need.as_str()));
    let mut missing = missing.filter_map(|need| Some((seat_of(team, need)?, need))).peekable();
    let (to, first) = missing.next()?;
    let mut roles = vec![first.as_str()];
    while let Some((_, need)) = missing.next_if(|(seat, _)| *seat == to) {
        roles.push(need.as_str());
    }
    Some(AssignmentDraft { to, spec: AssignmentSpec { inputs: results(team), ..part(team, &roles)? } })
}

/// Returns the first active agent whose roles include the skill.
fn seat_of(team: &Team, need: &Skill) -> Option<Seat> {
    let has = |seat: &Seat| {
        team.member(*seat).is_some_and(|member| !member.is_person() && member.invitee.roles.contains(need))
    };
    team.active().find(has)
}

/// Returns the assignments with results; only the newest [`AssignmentSpec::MAX_INPUTS`] of them.
fn results(team: &Team) -> Vec<AssignmentNo> {
    let numbered = (0..).map(AssignmentNo).zip(team.assignments());
    let done: Vec<AssignmentNo> =
        numbered.filter(|(_, work)| work.result().is_some()).map(|(no, _)| no).collect();
    done[done.len().saturating_sub(AssignmentSpec::MAX_INPUTS)..].to_vec()
}

fn parts(team: &Team) -> Vec<AssignmentDraft> {
    let seated = || team.active().filter_map(|seat| Some((seat, team.member(seat)?)));
    let wanted = |member: &Member| !member.is_person() && !member.invitee.roles.is_empty();
    let any_wanted = seated().any(|(_, member)| wanted(member));
    seated()
        .filter(|(_, member)| if any_wanted { wanted(member) } else { !member.is_person() })
        .filter_map(|(to, member)| {
            let roles: Vec<&str> = member.invitee.roles.iter().map(Text::as_str).collect();
            Some(AssignmentDraft { to, spec: part(team, &roles)? })
        })
        .collect()
}

fn part(team: &Team, roles: &[&str]) -> Option<AssignmentSpec> {
    let goal = team.charter().goal.as_str();
    let (title, description) = match roles.is_empty() {
        true => ("The goal".to_owned(), goal.to_owned()),
        false => {
            let roles = roles.join(BETWEEN_ROLES);
            (roles.clone(), format!("Your part: {roles}.\n\nThe goal of the team: {goal}"))
        }
    };
    Some(AssignmentSpec {
        title: ShortText::truncate(&title)?,
        description: Text::truncate(&description)?,
        criteria: None,
        inputs: Vec::new(),
    })
}

fn second_tries(team: &Team) -> Vec<AssignmentDraft> {
    let given = |spec: &AssignmentSpec| team.assignments().iter().filter(|work| work.spec == *spec).count();
    let failed = team.assignments().iter().filter(|work| has_failed(work) && given(&work.spec) == 1);
    failed
        .filter_map(|work| {
            let to = team.next_after(work.to).filter(|&to| to != work.to && !is_person(team, to))?;
            Some(AssignmentDraft { to, spec: work.spec.clone() })
        })
        .collect()
}

fn is_person(team: &Team, seat: Seat) -> bool {
    team.member(seat).is_some_and(Member::is_person)
}

fn has_failed(work: &Assignment) -> bool {
    let failures = [AssignmentOutcome::Failed, AssignmentOutcome::Rejected, AssignmentOutcome::TimedOut];
    matches!(&work.state, AssignmentState::Ended(report) if failures.contains(&report.end))
}

/// Returns true if the member has taken or missed a turn.
pub(super) fn was_heard(team: &Team, seat: Seat) -> bool {
    team.member(seat).is_some_and(|member| member.counts.turns > 0)
}

/// Returns the final answer: the results under their titles, and how many members failed.
///
/// Without results: the recent utterances of members, and
/// without those a text stating that there is no result.
fn conclusion(team: &Team) -> Option<LongText> {
    let results: Vec<(&ShortText, &LongText)> =
        team.assignments().iter().filter_map(|work| Some((&work.spec.title, work.result()?))).collect();
    let parts: Vec<String> = match results.as_slice() {
        [] => team.recent().filter(|line| line.seat.is_some()).map(|line| line.text.to_string()).collect(),
        [(_, only)] => vec![only.to_string()],
        several => several.iter().map(|(title, result)| format!("## {title}\n\n{result}")).collect(),
    };
    let text = parts.join("\n\n");
    match without_result(team).filter(|_| !results.is_empty()) {
        Some(last) => LongText::truncate_with_suffix(&text, &last),
        None => LongText::truncate(&text).or_else(|| LongText::truncate(TeamFailure::NoResult.as_str())),
    }
}

/// Returns a sentence on how many members failed all their assignments, if any did.
///
/// Readers of the answer must know that something may be missing.
/// Names and reasons are visible only to those who may see the team.
fn without_result(team: &Team) -> Option<String> {
    let seats = |of: fn(&Assignment) -> bool| -> BTreeSet<Seat> {
        team.assignments().iter().filter(|work| of(work)).map(|work| work.to).collect()
    };
    let failed = seats(has_failed).difference(&seats(|work| work.result().is_some())).count();
    let all = seats(|_| true).len();
    (failed > 0).then(|| format!("{failed} of {all} members returned no result."))
}
