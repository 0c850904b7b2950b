//! Golden tests of the log format. Changing it breaks the replicas of other hubs.

use plexus_domain::{
    ChatId, Digest, MessageId, Timestamp,
    run::Usage,
    team::{
        AssignmentMode, AssignmentNo, Pattern, Proposal, Seat, TeamActor, TeamEvent, TeamLimits, TeamSpec,
        Utterance,
        assignment::{AssignmentOutcome, AssignmentReport},
        pattern::{Debate, PlanAndDelegate},
        spec::TeamBudget,
        subteam::TeamAncestry,
        utterance::PlanStep,
    },
};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::fixtures::{World, agent, assign, charter, conclude, discuss, report, text, wait_for};

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
            json!({ "kind": "said", "turn": 3, "action": "discuss", "text": "Hi", "next": 1 }),
        ),
        (
            said(assign(AssignmentMode::Now, &[1])),
            json!({
                "kind": "said", "turn": 3, "action": "assign", "mode": "now", "assignments": [{ "to": 1, "spec": spec }]
            }),
        ),
        (
            said(Utterance::Plan { steps: vec![PlanStep { title: text("One"), done: false }] }),
            json!({
                "kind": "said", "turn": 3, "action": "plan", "steps": [{ "title": "One", "done": false }]
            }),
        ),
        (
            said(Utterance::WaitFor { assignments: [AssignmentNo(0)].into() }),
            json!({
                "kind": "said", "turn": 3, "action": "wait_for", "assignments": [0]
            }),
        ),
        (said(conclude("42")), json!({ "kind": "said", "turn": 3, "action": "conclude", "text": "42" })),
        (
            TeamEvent::Reported {
                assignment: AssignmentNo(0),
                report: report(AssignmentOutcome::TimedOut, ""),
            },
            json!({
                "kind": "reported", "assignment": 0, "end": "timed_out", "subteam_assignments": 0
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

/// Reads an event in the form of logs stored before 0.1.
fn stored(form: &Value) -> TeamEvent {
    TeamEvent::deserialize(form).unwrap_or_else(|error| panic!("{form}: {error}"))
}

#[test]
fn events_of_older_logs_are_read() {
    let (team, now) = (ChatId::new(Timestamp::from_millis(1), &[1; 10]), Timestamp::from_millis(2));
    let message = MessageId::new(now, &[2; 10]);
    let (assignment, seat) = (AssignmentNo(0), Seat(1));
    let said_before = |mut form: Value| {
        form["kind"] = json!("said");
        form["turn"] = json!(3);
        stored(&form)
    };
    let spec = json!({ "title": "Part of 1", "description": "Do it well.", "inputs": [] });
    let budget = TeamBudget { assignments: 4, tokens: 5, cost_micro: 6 };
    let reported = AssignmentReport {
        subteam_assignments: 7,
        usage: Usage::default(),
        ..report(AssignmentOutcome::Completed, "42")
    };
    for (form, event) in [
        (said_before(json!({ "say": "discuss", "text": "Hi", "next": 1 })), said(discuss("Hi", Some(1)))),
        (
            said_before(json!({ "say": "assign", "mode": "now", "work": [{ "to": 1, "spec": spec }] })),
            said(assign(AssignmentMode::Now, &[1])),
        ),
        (said_before(json!({ "say": "pause_for", "work": [0, 1] })), said(wait_for(&[0, 1]))),
        (said_before(json!({ "say": "conclude", "text": "42" })), said(conclude("42"))),
        (
            stored(&json!({ "kind": "remarked", "message": message, "text": "Hurry." })),
            TeamEvent::MessageSent { message, text: text("Hurry.") },
        ),
        (stored(&json!({ "kind": "started", "work": 0 })), TeamEvent::Started { assignment }),
        (
            stored(&json!({ "kind": "asked", "work": 0, "question": "Which?" })),
            TeamEvent::Asked { assignment, question: text("Which?") },
        ),
        (
            stored(&json!({ "kind": "answered", "work": 0, "answer": "That." })),
            TeamEvent::Answered { assignment, answer: text("That.") },
        ),
        (
            stored(&json!({
                "kind": "nested", "work": 0, "team": team, "budget": { "hops": 4, "tokens": 5, "cost_micro": 6 },
            })),
            TeamEvent::SubteamFormed { assignment, team, budget },
        ),
        (
            stored(&json!({ "kind": "reported", "work": 0, "end": "completed", "text": "42", "hops": 7 })),
            TeamEvent::Reported { assignment, report: reported },
        ),
        (stored(&json!({ "kind": "stopped", "work": 0 })), TeamEvent::AssignmentCancelled { assignment }),
        (stored(&json!({ "kind": "held", "seat": 1 })), TeamEvent::Paused { seat }),
        (stored(&json!({ "kind": "skipped", "turn": 3 })), TeamEvent::TurnSkipped { turn: 3 }),
        (stored(&json!({ "kind": "floor_given", "to": 1 })), TeamEvent::SpeakerSet { seat }),
    ] {
        assert_eq!(form, event);
    }
    let ancestor = Digest::of(b"x");
    let mut founded = serde_json::to_value(TeamEvent::Founded { charter: charter() }).unwrap();
    founded["charter"]["limits"] = json!({
        "members": 5, "quorum": 1, "rounds": 3, "turns": 40, "hops": 6, "depth": 7, "tokens": 1_000_000,
        "cost_micro": 5_000_000, "time_ms": 1_800_000, "turn_ms": 120_000, "invite_ms": 20_000, "work_ms": 8,
    });
    founded["charter"]["lineage"] = json!({ "parent": team, "work": 0, "above": [ancestor] });
    let limits = TeamLimits {
        max_members: 5,
        max_assignments: 6,
        max_subteam_depth: 7,
        assignment_ms: 8,
        ..TeamLimits::default()
    };
    let lineage = Some(TeamAncestry { parent: team, assignment, ancestors: vec![ancestor] });
    assert_eq!(stored(&founded), TeamEvent::Founded { charter: TeamSpec { limits, lineage, ..charter() } });
}

/// Only logs are stored. Answers of agents and models have the current names.
#[test]
fn an_answer_in_an_older_form_is_refused() {
    for form in [
        json!({ "say": "discuss", "text": "Hi" }),
        json!({ "action": "pause_for", "assignments": [0] }),
        json!({ "action": "wait_for", "work": [0] }),
        json!({ "action": "assign", "mode": "now", "work": [] }),
    ] {
        assert!(serde_json::from_value::<Utterance>(form.clone()).is_err(), "{form}");
    }
}

#[test]
fn an_entry_names_its_team_its_place_and_its_author() {
    let mut world = World::found(TeamSpec {
        pattern: Pattern::Debate(Debate { rounds: 2, pair_argues: false }),
        ..charter()
    });
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
            "plexus-team-proposal-v1\n[\"{team}\",{{\"seat\":1}},{{\"kind\":\"said\",\"turn\":3,\"action\":\"discuss\",\
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
