//! Tests of the timeline of a log.

use std::time::Duration;

use plexus_domain::team::{
    AssignmentMode, AssignmentNo, Pattern, Seat, TeamEvent, Utterance,
    assignment::AssignmentOutcome,
    timeline::{TimelineEventKind, build_timeline},
    utterance::AssignmentDraft,
};

use crate::fixtures::{World, assign, conclude, spec, text};

#[test]
fn bars_reach_from_giving_to_ending_and_moments_are_marked() {
    let mut world = World::of(3, Pattern::ALL[0]);
    let began = world.now;
    world.say(Seat(0), assign(AssignmentMode::Background, &[1, 2])).unwrap();
    world.later(Duration::from_secs(10));
    world.report(Seat(1), AssignmentNo(0), AssignmentOutcome::Completed, "Done.").unwrap();
    world.later(Duration::from_secs(5));
    world.seat(Seat(2), TeamEvent::Asked { assignment: AssignmentNo(1), question: text("Which?") }).unwrap();
    world.later(Duration::from_secs(5));
    world.say(Seat(0), conclude("All of it.")).unwrap();

    let (team, story) = build_timeline(&world.log).unwrap();
    assert_eq!(team, world.team);
    let after = |seconds| began + Duration::from_secs(seconds);
    let bars: Vec<_> = story.bars.iter().map(|bar| (bar.to.0, bar.from, bar.until)).collect();
    assert_eq!(bars, [(1, began, Some(after(10))), (2, began, Some(after(20)))]);
    let kinds: Vec<_> = story.marks.iter().map(|mark| (mark.seat.map(|seat| seat.0), mark.kind)).collect();
    let joined = [
        (Some(0), TimelineEventKind::Joined),
        (Some(1), TimelineEventKind::Joined),
        (Some(2), TimelineEventKind::Joined),
    ];
    assert_eq!(kinds[..3], joined);
    assert!(kinds.contains(&(Some(0), TimelineEventKind::SpeakerSet)));
    assert!(kinds.contains(&(Some(2), TimelineEventKind::Asked)));
    assert_eq!(kinds.last(), Some(&(None, TimelineEventKind::Ended)));
    assert_eq!((story.busy_ms(Seat(1), after(99)), story.busy_ms(Seat(0), after(99))), (10_000, 0));
}

#[test]
fn work_side_by_side_counts_once() {
    let mut world = World::of(2, Pattern::ALL[0]);
    let began = world.now;
    world.say(Seat(0), assign(AssignmentMode::Background, &[1])).unwrap();
    world.later(Duration::from_secs(3));
    let second = Utterance::Assign {
        mode: AssignmentMode::Background,
        assignments: vec![AssignmentDraft { to: Seat(1), spec: spec("More") }],
    };
    world.say(Seat(0), second).unwrap();
    let (_, story) = build_timeline(&world.log).unwrap();
    assert_eq!(story.bars.len(), 2);
    assert_eq!(story.busy_ms(Seat(1), began + Duration::from_secs(7)), 7_000);
}
