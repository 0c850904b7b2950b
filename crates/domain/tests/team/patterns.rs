//! Each pattern, from the first word to the conclusion.

use plexus_domain::team::{Outcome, Pattern, decide::rules, work::End};

use crate::world::{World, speakers};

/// Lets the rules speak for everybody and completes all work; who spoke, in order.
fn run(world: &mut World) -> Vec<u16> {
    let mut order = Vec::new();
    while world.team.outcome().is_none() {
        if let Some(seat) = speakers(&world.team).first().copied() {
            let utterance = rules::decide(&world.team, seat).unwrap();
            world.say(seat, utterance).unwrap();
            order.push(seat.0);
        }
        for (no, work) in world.team.clone().open_work() {
            world.report(work.to, no, End::Completed, "Done.").unwrap();
        }
    }
    world.crash();
    order
}

#[test]
fn each_pattern_has_its_order_of_speaking_and_concludes() {
    for (pattern, order) in [
        (Pattern::ALL[0], vec![0, 0]),
        (Pattern::ALL[1], vec![0, 1, 2]),
        (Pattern::ALL[2], vec![0, 1, 2, 0, 1, 2, 0]),
        (Pattern::ALL[3], vec![1, 2, 1, 2, 0]),
        (Pattern::ALL[4], vec![0, 1, 2, 0]),
    ] {
        let mut world = World::of(3, pattern);
        assert_eq!(run(&mut world), order, "{pattern:?}");
        assert!(matches!(world.team.outcome(), Some(Outcome::Concluded { .. })));
    }
}

#[test]
fn a_team_of_one_and_a_team_of_fifty_conclude_in_every_pattern() {
    for pattern in Pattern::ALL {
        for members in [1, 2, 50] {
            let mut world = World::of(members, pattern);
            run(&mut world);
            assert!(matches!(world.team.outcome(), Some(Outcome::Concluded { .. })), "{pattern:?} {members}");
        }
    }
}
