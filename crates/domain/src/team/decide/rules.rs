//! The decider without a model. It reads states, seats and counts; the words of members never change its choice.

use std::collections::BTreeSet;

use crate::{
    Text,
    team::{
        Failed, Kind, Mode, Note, Seat, Spec, Team, Utterance, Words, Work, WorkNo, WorkState,
        member::Member, utterance::Task, work::End,
    },
};

/// What the member says now, by rules; none when it is not asked. Always something that is allowed.
pub fn decide(team: &Team, seat: Seat) -> Option<Utterance> {
    let allowed = team.allowed(seat);
    let may = |kind| allowed.contains(&kind);
    if allowed.is_empty() {
        return None;
    }
    if may(Kind::Ballot) {
        return Some(Utterance::Ballot { option: None });
    }
    let tasks = if may(Kind::AssignNow) { tasks(team) } else { Vec::new() };
    if !tasks.is_empty() {
        return Some(Utterance::Assign { mode: Mode::Now, work: tasks });
    }
    let open: BTreeSet<WorkNo> = team.open_work().map(|(no, _)| no).collect();
    if may(Kind::PauseFor) && !open.is_empty() {
        return Some(Utterance::PauseFor { work: open });
    }
    let unheard = team.active().find(|&other| other != seat && !was_heard(team, other));
    let all_were_heard = unheard.is_none() && was_heard(team, seat);
    let has_worked = !team.work().is_empty();
    if may(Kind::Conclude) && (!may(Kind::Discuss) || has_worked || all_were_heard) {
        return conclusion(team).map(|text| Utterance::Conclude { text: Some(text) });
    }
    opening(team).map(|text| Utterance::Discuss { text, next: unheard })
}

/// The goal, when no member has said anything yet.
fn opening(team: &Team) -> Option<Words> {
    let spoken = team.members().iter().any(|member| member.counts.messages > 0);
    Words::cut(if spoken { "Nothing to add." } else { team.charter().goal.as_str() })
}

/// Work to give: first a part to everybody who has a role, then what failed once more to somebody else.
fn tasks(team: &Team) -> Vec<Task> {
    let most = usize::try_from(team.left().hops).unwrap_or(usize::MAX);
    let mut tasks = if team.work().is_empty() { parts(team) } else { second_tries(team) };
    tasks.truncate(most);
    tasks
}

fn parts(team: &Team) -> Vec<Task> {
    let seated = || team.active().filter_map(|seat| Some((seat, team.member(seat)?)));
    let wanted = |member: &Member| !member.is_person() && !member.invitee.roles.is_empty();
    let anybody_wanted = seated().any(|(_, member)| wanted(member));
    seated()
        .filter(|(_, member)| if anybody_wanted { wanted(member) } else { !member.is_person() })
        .filter_map(|(to, member)| Some(Task { to, spec: part(team, member)? }))
        .collect()
}

fn part(team: &Team, member: &Member) -> Option<Spec> {
    let roles: Vec<&str> = member.invitee.roles.iter().map(Text::as_str).collect();
    let goal = team.charter().goal.as_str();
    let (title, description) = match roles.is_empty() {
        true => ("The goal".to_owned(), goal.to_owned()),
        false => {
            (roles.join(", "), format!("Your part: {}.\n\nThe goal of the team: {goal}", roles.join(", ")))
        }
    };
    Some(Spec {
        title: Note::cut(&title)?,
        description: Text::cut(&description)?,
        criteria: None,
        inputs: Vec::new(),
    })
}

fn second_tries(team: &Team) -> Vec<Task> {
    let given = |spec: &Spec| team.work().iter().filter(|work| work.spec == *spec).count();
    let failed = team.work().iter().filter(|work| has_failed(work) && given(&work.spec) == 1);
    failed
        .filter_map(|work| {
            let to = team.next_after(work.to).filter(|&to| to != work.to && !is_person(team, to))?;
            Some(Task { to, spec: work.spec.clone() })
        })
        .collect()
}

fn is_person(team: &Team, seat: Seat) -> bool {
    team.member(seat).is_some_and(Member::is_person)
}

fn has_failed(work: &Work) -> bool {
    let failures = [End::Failed, End::Rejected, End::TimedOut];
    matches!(&work.state, WorkState::Ended(report) if failures.contains(&report.end))
}

pub(super) fn was_heard(team: &Team, seat: Seat) -> bool {
    team.member(seat).is_some_and(|member| member.counts.turns > 0)
}

/// The results under their titles, and how many members brought none; without any result, what members said last; without
/// that, that there is nothing.
fn conclusion(team: &Team) -> Option<Words> {
    let results: Vec<(&Note, &Words)> =
        team.work().iter().filter_map(|work| Some((&work.spec.title, work.result()?))).collect();
    let parts: Vec<String> = match results.as_slice() {
        [] => team.recent().filter(|line| line.seat.is_some()).map(|line| line.text.to_string()).collect(),
        [(_, only)] => vec![only.to_string()],
        several => several.iter().map(|(title, result)| format!("## {title}\n\n{result}")).collect(),
    };
    let text = parts.join("\n\n");
    match without_result(team).filter(|_| !results.is_empty()) {
        Some(last) => Words::cut_before(&text, &last),
        None => Words::cut(&text).or_else(|| Words::cut(Failed::NoResult.as_str())),
    }
}

/// How many members failed at all that they were given. Whoever reads only the answer is to know that something may be
/// missing; names and reasons are for those who may see the team.
fn without_result(team: &Team) -> Option<String> {
    let seats = |of: fn(&Work) -> bool| -> BTreeSet<Seat> {
        team.work().iter().filter(|work| of(work)).map(|work| work.to).collect()
    };
    let failed = seats(has_failed).difference(&seats(|work| work.result().is_some())).count();
    let all = seats(|_| true).len();
    (failed > 0).then(|| format!("{failed} of {all} members who were given work came back without a result."))
}
