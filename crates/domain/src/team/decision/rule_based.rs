//! Rule-based decision maker. It uses the goal, states, seats and counts, never the text of members.

use std::collections::BTreeSet;

use super::conclusion::render_results;
use crate::{
    Text,
    team::{
        Assignment, AssignmentMode, AssignmentNo, AssignmentSpec, AssignmentState, LongText, Seat, ShortText,
        Team, TeamFailure, Utterance, UtteranceKind,
        assignment::{AssignmentOutcome, BETWEEN_PARTS},
        formation::{GoalPart, Skill, is_concurrent},
        member::Member,
        utterance::AssignmentDraft,
    },
};

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

/// Returns the next step of a goal whose parts build on each other, with the earlier results as inputs. It is one part,
/// or consecutive parts of a member that the owner named.
///
/// Returns `None` if all steps were assigned, or if existing assignments do not match this plan.
fn next_step(team: &Team) -> Option<AssignmentDraft> {
    let goal_parts = team.charter().parts();
    let given: BTreeSet<&str> =
        team.assignments().iter().flat_map(|work| work.spec.title.as_str().split(BETWEEN_PARTS)).collect();
    // Logs that were stored before 0.1 have the skill as title. Titles of long parts are cut.
    let names = |part: &GoalPart, title: &str| {
        let cut = || ShortText::truncate(&part.words).is_some_and(|words| words.as_str() == title);
        part.words == title || part.skill.as_str() == title || cut()
    };
    let is_ours = given.iter().all(|title| goal_parts.iter().any(|part| names(part, title)));
    if !is_ours || goal_parts.len() < 2 || is_concurrent(team.charter().goal.as_str()) {
        return None;
    }
    let missing = goal_parts.iter().filter(|part| !given.iter().any(|title| names(part, title)));
    let mut missing = missing.filter_map(|part| Some((seat_of(team, &part.skill)?, part))).peekable();
    let (to, first) = missing.next()?;
    let mut step = vec![first];
    while let Some((_, part)) = missing.next_if(|(seat, _)| *seat == to && is_named(team, to)) {
        step.push(part);
    }
    Some(AssignmentDraft {
        to,
        spec: AssignmentSpec { inputs: results(team), ..part(team, &goal_parts, &step)? },
    })
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

/// Returns one assignment for each part for which members were invited, or the goal for each if none has parts. A member
/// that the owner named gets its parts as one.
fn parts(team: &Team) -> Vec<AssignmentDraft> {
    let goal_parts = team.charter().parts();
    let seated = || team.active().filter_map(|seat| Some((seat, team.member(seat)?)));
    let wanted = |member: &Member| !member.is_person() && !member.invitee.roles.is_empty();
    let any_wanted = seated().any(|(_, member)| wanted(member));
    seated()
        .filter(|(_, member)| if any_wanted { wanted(member) } else { !member.is_person() })
        .flat_map(|(to, member)| {
            let roles = &member.invitee.roles;
            let own: Vec<&GoalPart> = goal_parts.iter().filter(|part| roles.contains(&part.skill)).collect();
            let groups = match member.is_named || own.is_empty() {
                true => vec![own],
                false => own.into_iter().map(|part| vec![part]).collect(),
            };
            groups.into_iter().map(move |own| (to, own))
        })
        .filter_map(|(to, own)| Some(AssignmentDraft { to, spec: part(team, &goal_parts, &own)? }))
        .collect()
}

/// Returns the assignment for some parts of the goal, in the words of the goal. Without parts, or with all of them, it
/// is the goal.
fn part(team: &Team, all: &[GoalPart], parts: &[&GoalPart]) -> Option<AssignmentSpec> {
    let goal = team.charter().goal.as_str();
    let is_whole = parts.is_empty() || parts.len() == all.len();
    let words: Vec<&str> = parts.iter().map(|part| part.words.as_str()).collect();
    let full_texts: Vec<&str> = parts.iter().map(|part| part.full_text.as_str()).collect();
    let (title, description) = match is_whole {
        true => ("The goal".to_owned(), goal.to_owned()),
        false => (words.join(BETWEEN_PARTS), full_texts.join("\n")),
    };
    Some(AssignmentSpec {
        title: ShortText::truncate(&title)?,
        description: Text::truncate(&description)?,
        criteria: None,
        inputs: Vec::new(),
    })
}

/// Returns failed assignments for other members that were invited for the same part, once each. A member without that
/// skill would only produce something else.
fn second_tries(team: &Team) -> Vec<AssignmentDraft> {
    let numbered = (0..).map(AssignmentNo).zip(team.assignments());
    numbered
        .filter(|(_, work)| has_failed(work) && team.is_first_try(work))
        .filter_map(|(no, work)| {
            let mut others = team.active().filter(|&seat| seat != work.to && !is_person(team, seat));
            let to = others.find(|&seat| can_replace(team, seat, no, work))?;
            let inputs = results(team);
            Some(AssignmentDraft { to, spec: AssignmentSpec { inputs, ..work.spec.clone() } })
        })
        .collect()
}

/// Returns whether a member has all skills that a failed assignment needs.
fn can_replace(team: &Team, seat: Seat, no: AssignmentNo, work: &Assignment) -> bool {
    let roles = |seat: Seat| team.member(seat).map(|member| &member.invitee.roles);
    match roles(seat) {
        // Members without roles were given the goal itself, like the one that failed.
        Some(own) if own.is_empty() => roles(work.to).is_some_and(Vec::is_empty),
        Some(own) => {
            let needed = team.skills_of_assignment(no);
            !needed.is_empty() && needed.iter().all(|skill| own.contains(skill))
        }
        None => false,
    }
}

fn is_named(team: &Team, seat: Seat) -> bool {
    team.member(seat).is_some_and(|member| member.is_named)
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
        results => render_results(results),
    };
    let text = parts.join("\n\n");
    let missing: Vec<String> =
        without_result(team).into_iter().chain(failed_parts(team)).chain(unassigned(team)).collect();
    match (!results.is_empty() && !missing.is_empty()).then(|| missing.join(" ")) {
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

/// Returns a sentence that names the failed assignments of members that completed others, if there are any.
fn failed_parts(team: &Team) -> Option<String> {
    let done: BTreeSet<Seat> =
        team.assignments().iter().filter(|work| work.result().is_some()).map(|work| work.to).collect();
    let is_done = |title: &ShortText| {
        team.assignments().iter().any(|work| work.spec.title == *title && work.result().is_some())
    };
    let failed = team.assignments().iter().filter(|work| has_failed(work) && done.contains(&work.to));
    let named: Vec<String> = failed
        .filter(|work| !is_done(&work.spec.title))
        .map(|work| format!("“{}”", work.spec.title))
        .collect();
    (!named.is_empty()).then(|| format!("There is no result for {}.", named.join(", ")))
}

/// Returns a sentence that names the parts of the goal for which there is no member, if there are any.
fn unassigned(team: &Team) -> Option<String> {
    let goal_parts = team.charter().parts();
    let has_seat =
        |part: &GoalPart| team.members().iter().any(|member| member.invitee.roles.contains(&part.skill));
    let are_divided = goal_parts.iter().any(has_seat);
    let without = goal_parts.iter().filter(|part| !part.is_subject && !has_seat(part));
    let named: Vec<String> = without.map(|part| format!("“{}”", part.words)).collect();
    (are_divided && !named.is_empty()).then(|| format!("No agent was found for {}.", named.join(", ")))
}
