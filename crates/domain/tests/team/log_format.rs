//! Golden tests of the log format. Changing it breaks the replicas of other hubs.

use plexus_domain::{
    ChatId, Timestamp,
    run::Usage,
    team::{
        AssignmentMode, AssignmentNo, Pattern, Proposal, Seat, TeamActor, TeamEvent, TeamSpec, Utterance,
        assignment::AssignmentOutcome,
        pattern::{Debate, PlanAndDelegate},
        utterance::PlanStep,
    },
};
use serde_json::{Value, json};

use crate::fixtures::{World, agent, assign, charter, conclude, discuss, report, text};

fn said(utterance: Utterance) -> TeamEvent {
    TeamEvent::Said { turn: 3, utterance, usage: Usage::default() }
}

/// Returns the event without its usage, which is the same in all cases.
fn json(event: &TeamEvent) -> Value {
    let mut value = serde_json::to_value(event).unwrap();
    value.as_object_mut().unwrap().remove("usage");
    assert_eq!(&serde_json::from_value::<TeamEvent>(serde_json::to_value(event).unwrap()).unwrap(), event);
    value
}

#[test]
fn events_keep_their_form() {
    let spec = json!({ "title": "Part of 1", "description": "Do it well.", "inputs": [] });
    for (event, form) in [
        (
            TeamEvent::Invited { members: vec![agent("a")] },
            json!({ "kind": "invited", "members": [
            { "identity": { "kind": "agent", "address": "@ada/a@hub.example" }, "roles": [] }
        ] }),
        ),
        (TeamEvent::Accepted, json!({ "kind": "accepted" })),
        (
            said(discuss("Hi", Some(1))),
            json!({ "kind": "said", "turn": 3, "say": "discuss", "text": "Hi", "next": 1 }),
        ),
        (
            said(assign(AssignmentMode::Now, &[1])),
            json!({
                "kind": "said", "turn": 3, "say": "assign", "mode": "now", "work": [{ "to": 1, "spec": spec }]
            }),
        ),
        (
            said(Utterance::Plan { steps: vec![PlanStep { title: text("One"), done: false }] }),
            json!({
                "kind": "said", "turn": 3, "say": "plan", "steps": [{ "title": "One", "done": false }]
            }),
        ),
        (
            said(Utterance::PauseFor { work: [AssignmentNo(0)].into() }),
            json!({
                "kind": "said", "turn": 3, "say": "pause_for", "work": [0]
            }),
        ),
        (said(conclude("42")), json!({ "kind": "said", "turn": 3, "say": "conclude", "text": "42" })),
        (
            TeamEvent::Reported { work: AssignmentNo(0), report: report(AssignmentOutcome::TimedOut, "") },
            json!({
                "kind": "reported", "work": 0, "end": "timed_out", "hops": 0
            }),
        ),
        (
            TeamEvent::Left { seat: Seat(2), reason: text("Bye") },
            json!({ "kind": "left", "seat": 2, "reason": "Bye" }),
        ),
        (
            TeamEvent::Decided { usage: Usage { tokens_in: 5, tokens_out: 2, cost_micro: 1 } },
            json!({ "kind": "decided" }),
        ),
        (TeamEvent::Extended { by_ms: 7 }, json!({ "kind": "extended", "by_ms": 7 })),
        (TeamEvent::Elapsed, json!({ "kind": "elapsed" })),
    ] {
        assert_eq!(json(&event), form);
    }
}

#[test]
fn an_entry_names_its_team_its_place_and_its_author() {
    let mut world = World::found(TeamSpec { pattern: Pattern::Debate(Debate { rounds: 2 }), ..charter() });
    world.home(TeamEvent::Invited { members: vec![agent("a")] }).unwrap();
    world.seat(Seat(0), TeamEvent::Accepted).unwrap();
    let founding: Value = serde_json::from_str(world.log[0].text()).unwrap();
    assert_eq!(founding["event"]["charter"]["pattern"], json!({ "kind": "debate", "rounds": 2 }));
    let accepted: Value = serde_json::from_str(world.log[2].text()).unwrap();
    let prev = world.log[1].digest().to_string();
    assert_eq!(
        accepted,
        json!({
            "team": world.team.id().to_string(), "seq": 2, "prev": prev, "at": 1_000_000,
            "by": { "seat": 0 }, "event": { "kind": "accepted" },
        })
    );
}

#[test]
fn what_a_member_signs_has_a_label_and_stays_the_same() {
    let team = ChatId::new(Timestamp::from_millis(1), &[1; 10]);
    let event = said(discuss("Hi", None));
    let proposal = Proposal { team, by: TeamActor::Seat(Seat(1)), event, proof: None };
    let signed = String::from_utf8(proposal.signed_bytes().unwrap()).unwrap();
    assert_eq!(
        signed,
        format!(
            "plexus-team-proposal-v1\n[\"{team}\",{{\"seat\":1}},{{\"kind\":\"said\",\"turn\":3,\"say\":\"discuss\",\
         \"text\":\"Hi\",\"usage\":{{\"tokens_in\":0,\"tokens_out\":0,\"cost_micro\":0}}}}]"
        )
    );
}

#[test]
fn patterns_are_known_by_name() {
    assert_eq!(Pattern::parse("plan_and_delegate"), Some(Pattern::PlanAndDelegate(PlanAndDelegate {})));
    for pattern in Pattern::ALL {
        assert_eq!(Pattern::parse(pattern.as_str()), Some(pattern));
        assert_eq!(serde_json::to_value(pattern).unwrap()["kind"], pattern.as_str());
    }
    assert_eq!(Pattern::parse("shouting"), None);
}
