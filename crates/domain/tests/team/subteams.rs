//! Tests of subteams.

use std::time::Duration;

use plexus_domain::{
    Timestamp,
    team::{
        AssignmentMode, AssignmentNo, Seat, TeamError, TeamEvent, TeamFailure, TeamLimits, TeamOutcome,
        TeamSpec, assignment::AssignmentOutcome, spec::TeamBudget,
    },
};

use crate::fixtures::{World, agent, assign, charter, conclude, report};

const A: Seat = Seat(0);
const B: Seat = Seat(1);

/// Creates an assignment and the subteam that its assignee forms for it.
fn below(above: &mut World, number: u8, members: &[&str]) -> World {
    above.say(A, assign(AssignmentMode::Now, &[1])).unwrap();
    let charter = above.team.subteam_spec(AssignmentNo(0), above.now).unwrap();
    let mut child = World::found_as(number, charter, above.now);
    let event = TeamEvent::SubteamFormed {
        assignment: AssignmentNo(0),
        team: child.team.id(),
        budget: child.team.charter().limits.budget(),
    };
    above.seat(B, event).unwrap();
    child.home(TeamEvent::Invited { members: members.iter().map(|name| agent(name)).collect() }).unwrap();
    for seat in child.team.seats().collect::<Vec<_>>() {
        child.seat(seat, TeamEvent::Accepted).unwrap();
    }
    child
}

fn root(depth: u8) -> World {
    let limits = TeamLimits {
        max_subteam_depth: depth,
        time_ms: 60 * 60_000,
        assignment_ms: 60 * 60_000,
        ..TeamLimits::default()
    };
    World::found(TeamSpec { limits, ..charter() }).with_members(2)
}

#[test]
fn eight_levels_down_and_the_results_come_up() {
    let mut levels = vec![root(8)];
    levels[0].later(Duration::from_secs(60));
    for number in 2..=9 {
        let (lead, other) = (format!("lead{number}"), format!("other{number}"));
        let above = levels.last_mut().unwrap();
        let child = below(above, number, &[&lead, &other]);
        assert!(child.team.hard_deadline() <= above.team.conclude_at(), "its answer comes in time");
        levels.push(child);
    }
    let mut deepest = levels.pop().unwrap();
    assert_eq!(deepest.team.limits().max_subteam_depth, 0);
    deepest.say(A, assign(AssignmentMode::Background, &[1])).unwrap();
    assert!(matches!(
        deepest.team.subteam_spec(AssignmentNo(0), deepest.now),
        Err(TeamError::NoTeamBelow(_))
    ));
    deepest.say(A, conclude("It is 42.")).unwrap();
    let mut result = deepest.team.report_to_parent().unwrap();
    while let Some(mut above) = levels.pop() {
        assert_eq!(result.end, AssignmentOutcome::Completed);
        above.seat(B, TeamEvent::Reported { assignment: AssignmentNo(0), report: result }).unwrap();
        above.say(A, conclude("It is 42.")).unwrap();
        result = above.team.report_to_parent().unwrap();
        above.crash();
    }
    assert_eq!(result.subteam_assignments, 9, "the work of all levels is counted at the top");
}

#[test]
fn cancelling_reaches_every_level_and_a_cancelled_team_says_so() {
    let mut levels = vec![root(8)];
    for number in 2..=9 {
        let child = below(levels.last_mut().unwrap(), number, &["x", &format!("y{number}")]);
        levels.push(child);
    }
    assert_eq!(levels[0].team.orphaned_subteams().count(), 0, "its assignment is open");
    let cancel = || TeamEvent::Cancelled { reason: crate::fixtures::text("The team above ended.") };
    levels[0].owner(cancel()).unwrap();
    for number in 1..levels.len() {
        let orphans: Vec<_> = levels[number - 1].team.orphaned_subteams().collect();
        assert_eq!(orphans, [levels[number].team.id()]);
        levels[number].home(cancel()).unwrap();
        assert_eq!(levels[number].team.report_to_parent().unwrap().end, AssignmentOutcome::Cancelled);
    }
}

/// Reports are awaited even if the assignment has ended, because the subteam's usage must be counted.
#[test]
fn a_team_below_is_listened_for_until_it_has_reported() {
    let mut top = root(1);
    let mut child = below(&mut top, 2, &["x", "y"]);
    let unheard =
        |top: &World| top.team.unreported_subteams().map(|(no, _, team)| (no, team)).collect::<Vec<_>>();
    top.owner(TeamEvent::AssignmentCancelled { assignment: AssignmentNo(0) }).unwrap();
    assert_eq!(unheard(&top), [(AssignmentNo(0), child.team.id())]);
    child.home(TeamEvent::Cancelled { reason: crate::fixtures::text("Nobody waits.") }).unwrap();
    let report = child.team.report_to_parent().unwrap();
    top.seat(B, TeamEvent::Reported { assignment: AssignmentNo(0), report }).unwrap();
    assert_eq!(unheard(&top), []);
}

#[test]
fn the_same_members_do_not_hand_the_work_round() {
    let mut top = root(3);
    let same = below(&mut top, 2, &["agent1", "AGENT0"]);
    assert_eq!(same.team.outcome(), Some(&TeamOutcome::Failed(TeamFailure::SameMembersAbove)));
    assert_eq!(same.team.report_to_parent().unwrap().end, AssignmentOutcome::Failed);
}

#[test]
fn what_is_set_aside_for_a_team_below_cannot_be_used_twice() {
    let limits = TeamLimits {
        max_members: 3,
        max_assignments: 10,
        tokens: 1_000,
        max_subteam_depth: 1,
        ..TeamLimits::default()
    };
    let mut world = World::found(TeamSpec { limits, ..charter() }).with_members(3);
    world.say(A, assign(AssignmentMode::Background, &[1, 2])).unwrap();
    let first = world.team.subteam_spec(AssignmentNo(0), world.now).unwrap().limits.budget();
    assert_eq!(first, TeamBudget { assignments: 4, tokens: 492, cost_micro: first.cost_micro });
    let nest = |work, budget, number| {
        let team = plexus_domain::ChatId::new(Timestamp::from_millis(1), &[number; 10]);
        TeamEvent::SubteamFormed { assignment: AssignmentNo(work), team, budget }
    };
    let greedy = TeamBudget { assignments: 9, ..first };
    assert!(matches!(world.seat(B, nest(0, greedy, 5)), Err(TeamError::NoTeamBelow(_))));
    world.seat(B, nest(0, first, 5)).unwrap();
    assert_eq!(world.seat(B, nest(0, first, 6)), Err(TeamError::WrongState(AssignmentNo(0))));
    assert_eq!(world.team.remaining().assignments, 4);
    let second = world.team.subteam_spec(AssignmentNo(1), world.now).unwrap().limits.budget();
    assert_eq!(second.assignments, 4);
    world
        .seat(
            B,
            TeamEvent::Reported {
                assignment: AssignmentNo(0),
                report: report(AssignmentOutcome::Completed, "Done."),
            },
        )
        .unwrap();
    assert_eq!(world.team.remaining().assignments, 8, "what was set aside and not used comes back");
}
