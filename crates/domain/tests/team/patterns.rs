//! Tests of each pattern from the first utterance to the conclusion.

use plexus_domain::team::{
    AssignmentMode, AssignmentNo, Pattern, Seat, TeamEvent, TeamFailure, TeamLimits, TeamOutcome, TeamSpec,
    UtteranceKind,
    assignment::AssignmentOutcome,
    decision::{from_text, rule_based},
    member::Invitee,
};

use crate::fixtures::{World, agent, assign, charter, speakers, text};

/// Lets the rules speak for all members and completes all assignments. Returns the speakers in order.
fn run(world: &mut World) -> Vec<u16> {
    let mut order = Vec::new();
    while world.team.outcome().is_none() {
        if let Some(seat) = speakers(&world.team).first().copied() {
            let utterance = rule_based::decide(&world.team, seat).unwrap();
            world.say(seat, utterance).unwrap();
            order.push(seat.0);
        }
        for (no, work) in world.team.clone().open_assignments() {
            world.report(work.to, no, AssignmentOutcome::Completed, "Done.").unwrap();
        }
    }
    world.crash();
    order
}

#[test]
fn each_pattern_has_its_order_of_speaking_and_concludes() {
    for (pattern, order) in [
        (Pattern::ALL[0], vec![0, 0]),
        (Pattern::ALL[1], vec![0, 1, 2, 0]),
        (Pattern::ALL[2], vec![0, 1, 2, 0, 1, 2, 0]),
        (Pattern::ALL[3], vec![1, 2, 1, 2, 0]),
        (Pattern::ALL[4], vec![0, 1, 2, 0]),
    ] {
        let mut world = World::of(3, pattern);
        assert_eq!(run(&mut world), order, "{pattern:?}");
        assert!(matches!(world.team.outcome(), Some(TeamOutcome::Concluded { .. })));
    }
}

#[test]
fn both_members_of_a_pair_argue_twice() {
    let mut world = World::of(2, Pattern::ALL[3]);
    assert_eq!(run(&mut world), [0, 1, 0, 1, 0]);
    assert!(matches!(world.team.outcome(), Some(TeamOutcome::Concluded { .. })));
    // Logs of an earlier version have no such field.
    let earlier: Pattern = serde_json::from_str(r#"{"kind":"debate","rounds":2}"#).unwrap();
    assert_eq!(run(&mut World::of(2, earlier)), [1, 1, 0]);
}

/// Agents without team support name no next speaker. The rules give each a turn, then let one conclude.
#[test]
fn members_who_only_have_words_are_all_heard_before_the_lead_concludes() {
    for pattern in Pattern::ALL.into_iter().filter(Pattern::is_talk) {
        let (mut world, mut rules_only) = (World::of(4, pattern), World::of(4, pattern));
        let mut order = Vec::new();
        while let Some(&seat) = speakers(&world.team).first() {
            let words = format!("What {} has to say about {} ships.", seat.0, order.len());
            world.say(seat, from_text(&world.team, seat, &words, None).unwrap()).unwrap();
            order.push(seat.0);
        }
        assert_eq!(order, run(&mut rules_only), "{pattern:?}");
        let Some(TeamOutcome::Concluded { by, text }) = world.team.outcome() else {
            panic!("no answer: {pattern:?}")
        };
        assert_eq!(
            (by.0, text.as_str()),
            (0, format!("What 0 has to say about {} ships.", order.len() - 1).as_str())
        );
    }
}

/// A member may have left while another was asked; a remark to the others is still not the final answer.
#[test]
fn a_remark_is_no_conclusion() {
    for pattern in Pattern::ALL.into_iter().filter(Pattern::is_talk) {
        let mut world = World::of(3, pattern);
        loop {
            let seat = speakers(&world.team)[0];
            let by_rules = rule_based::decide(&world.team, seat).unwrap();
            if by_rules.kind() == UtteranceKind::Conclude {
                let said =
                    |wanted| from_text(&world.team, seat, "Ships.", Some(wanted)).map(|said| said.kind());
                assert_eq!(said(UtteranceKind::Conclude), Some(UtteranceKind::Conclude), "{pattern:?}");
                let remark = if world.team.allowed(seat).contains(&UtteranceKind::Discuss) {
                    UtteranceKind::Discuss
                } else {
                    UtteranceKind::Conclude
                };
                assert_eq!(said(UtteranceKind::Discuss), Some(remark), "{pattern:?}");
                break;
            }
            world.say(seat, by_rules).unwrap();
        }
    }
}

/// Plain text creates no assignments, so after the leader's turn the team must not wait for more utterances.
#[test]
fn a_leader_who_only_has_words_holds_up_no_work() {
    for pattern in Pattern::ALL.into_iter().filter(|pattern| !pattern.is_talk()) {
        let mut world = World::of(3, pattern);
        for turn in 0..10 {
            let Some(&seat) = speakers(&world.team).first() else { break };
            let words = from_text(&world.team, seat, &format!("Step {turn} is about {turn} ships."), None);
            world.say(seat, words.or_else(|| rule_based::decide(&world.team, seat)).unwrap()).unwrap();
            let open: Vec<_> = world.team.open_assignments().map(|(no, work)| (no, work.to)).collect();
            for (no, to) in open {
                world.report(to, no, AssignmentOutcome::Completed, "7 ships.").unwrap();
            }
        }
        let Some(TeamOutcome::Concluded { text, .. }) = world.team.outcome() else { panic!("{pattern:?}") };
        assert!(text.as_str().contains("7 ships."), "{pattern:?}: {text}");
        assert!(world.team.recent().any(|line| line.text.as_str().starts_with("Step 0")), "{pattern:?}");
    }
}

#[test]
fn an_answer_says_how_many_members_brought_no_result() {
    let long = "Figures.".repeat(2_000);
    let mut world = World::of(3, Pattern::ALL[0]);
    let speak =
        |world: &mut World| world.say(Seat(0), rule_based::decide(&world.team, Seat(0)).unwrap()).unwrap();
    speak(&mut world);
    for (seat, end, words) in [
        (0, AssignmentOutcome::Completed, "Plot."),
        (1, AssignmentOutcome::Failed, "No disk at 10.7.7.7."),
        (2, AssignmentOutcome::Completed, long.as_str()),
    ] {
        world.report(Seat(seat), AssignmentNo(seat.into()), end, words).unwrap();
    }
    speak(&mut world);
    let Some(TeamOutcome::Concluded { text, .. }) = world.team.outcome() else { panic!("no answer") };
    assert!(text.as_str().contains("Figures.") && text.as_str().contains("Plot."), "{text}");
    assert!(text.as_str().ends_with("1 of 3 members returned no result."), "{text}");
    assert!(!text.as_str().contains("10.7.7.7"), "a reason is for those who may see the team: {text}");
}

/// Returns a team whose two members have dependent parts: the first finds and reports, the second plots.
fn stepwise() -> World {
    let limits = TeamLimits { max_members: 2, ..TeamLimits::default() };
    let mut world = World::found(TeamSpec { limits, ..charter() });
    let with = |name: &str, roles: &[&str]| {
        let roles = roles.iter().map(|role| text(role)).collect();
        Invitee { roles, ..agent(name) }
    };
    let members = vec![with("finder", &["figures", "write report"]), with("plotter", &["plot"])];
    world.home(TeamEvent::Invited { members }).unwrap();
    for seat in [0, 1] {
        world.seat(Seat(seat), TeamEvent::Accepted).unwrap();
    }
    world
}

/// Returns the next assignments by the rules: assignee, title and inputs.
fn given(world: &mut World) -> Vec<(u16, String, Vec<u32>)> {
    let first = world.team.assignments().len();
    world.say(Seat(0), rule_based::decide(&world.team, Seat(0)).unwrap()).unwrap();
    let new = world.team.assignments()[first..].iter();
    new.map(|work| {
        let inputs = work.spec.inputs.iter().map(|no| no.0).collect();
        (work.to.0, work.spec.title.to_string(), inputs)
    })
    .collect()
}

#[test]
fn parts_that_build_on_each_other_are_done_one_after_the_other() {
    let mut world = stepwise();
    assert_eq!(given(&mut world), [(0, "Find the figures".to_owned(), vec![])]);
    world.report(Seat(0), AssignmentNo(0), AssignmentOutcome::Completed, "7, 8, 9.").unwrap();
    assert_eq!(given(&mut world), [(1, "plot them".to_owned(), vec![0])]);
    let prompt = world.team.assignment_prompt(AssignmentNo(1)).unwrap();
    let context = prompt.context.unwrap();
    assert!(context.contains("## Result of: Find the figures\n\n7, 8, 9."), "{context}");
    assert_eq!(prompt.words, "plot them", "an agent that takes commands reads nothing else");
    world.report(Seat(1), AssignmentNo(1), AssignmentOutcome::Failed, "No ink.").unwrap();
    world.crash();
    assert_eq!(given(&mut world), [(0, "write a report".to_owned(), vec![0])], "the finder cannot plot");
    world.report(Seat(0), AssignmentNo(2), AssignmentOutcome::Completed, "They rise.").unwrap();
    assert_eq!(given(&mut world), []);
    let Some(TeamOutcome::Concluded { text, .. }) = world.team.outcome() else { panic!("no answer") };
    let all = "## Find the figures\n\n7, 8, 9.\n\n## write a report\n\nThey rise.";
    assert_eq!(text.as_str(), format!("{all}\n\n1 of 2 members returned no result."));
}

/// Work that failed goes to another member that was invited for the same part.
#[test]
fn failed_work_goes_to_a_member_with_the_same_role() {
    let mut world = stepwise();
    let other = Invitee { roles: vec![text("plot")], ..agent("painter") };
    given(&mut world);
    world.report(Seat(0), AssignmentNo(0), AssignmentOutcome::Completed, "7, 8, 9.").unwrap();
    given(&mut world);
    world.owner(TeamEvent::Invited { members: vec![other] }).unwrap();
    world.seat(Seat(2), TeamEvent::Accepted).unwrap();
    world.report(Seat(1), AssignmentNo(1), AssignmentOutcome::Failed, "No ink.").unwrap();
    assert_eq!(given(&mut world), [(2, "plot them".to_owned(), vec![0])]);
    world.report(Seat(2), AssignmentNo(2), AssignmentOutcome::Failed, "No paper.").unwrap();
    assert_eq!(given(&mut world), [(0, "write a report".to_owned(), vec![0])], "twice is enough");
}

#[test]
fn a_step_whose_member_is_gone_keeps_nobody_from_the_next() {
    let mut world = stepwise();
    assert_eq!(given(&mut world).len(), 1);
    world.owner(TeamEvent::Left { seat: Seat(1), reason: text("Away.") }).unwrap();
    world.report(Seat(0), AssignmentNo(0), AssignmentOutcome::Completed, "7, 8, 9.").unwrap();
    assert_eq!(given(&mut world), [(0, "write a report".to_owned(), vec![0])]);
    world.report(Seat(0), AssignmentNo(1), AssignmentOutcome::Failed, "No ink.").unwrap();
    assert_eq!(given(&mut world), [], "nobody else is there to try it again");
    assert!(matches!(world.team.outcome(), Some(TeamOutcome::Concluded { .. })));
}

/// A model, or an agent with team support, may have created other assignments before the rules decide.
#[test]
fn the_rules_add_no_steps_to_a_plan_that_is_not_theirs() {
    let mut world = stepwise();
    world.say(Seat(0), assign(AssignmentMode::Now, &[1])).unwrap();
    world.report(Seat(1), AssignmentNo(0), AssignmentOutcome::Completed, "All of it.").unwrap();
    assert_eq!(given(&mut world), []);
    assert!(matches!(world.team.outcome(), Some(TeamOutcome::Concluded { .. })));
}

#[test]
fn a_team_of_one_and_a_team_of_fifty_conclude_in_every_pattern() {
    for pattern in Pattern::ALL {
        for members in [1, 2, 50] {
            let mut world = World::of(members, pattern);
            run(&mut world);
            let outcome = world.team.outcome();
            // A debate needs two members.
            let is_alone = matches!(pattern, Pattern::Debate(_)) && members == 1;
            match outcome {
                Some(TeamOutcome::Failed(TeamFailure::TooFewMembers)) => {
                    assert!(is_alone, "{pattern:?} {members}");
                }
                _ => assert!(matches!(outcome, Some(TeamOutcome::Concluded { .. })), "{pattern:?} {members}"),
            }
        }
    }
}
