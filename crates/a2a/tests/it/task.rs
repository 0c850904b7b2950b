//! Golden tests: runs as visible to callers.

use plexus_a2a::task::{CallerRun, MissingText, RunChange, TaskEventProjector};
use plexus_domain::{
    Digest, Part, PartBody, RunState,
    message::MessageState,
    part::ToolUse,
    run::{Failure, FailureClass},
};
use serde_json::json;

use crate::fixtures::{agent, answers, asks, blob_url, in_artifact, message, message_id, run};

macro_rules! assert_golden {
    ($name:literal, $value:expr) => {
        insta::with_settings!({snapshot_path => "../golden", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_json_snapshot!($name, $value);
        });
    };
}

#[test]
fn completed() {
    let report = Part { name: Some("Report".into()), ..in_artifact("report", Part::text("# 4\n")) };
    let table = Part {
        name: Some("sums.csv".into()),
        media_type: Some("text/csv".into()),
        ..in_artifact("report", PartBody::File { blob: Digest::of("2,2,4"), size: 5, image: None }.into())
    };
    let tool = ToolUse {
        tool: "add".into(),
        arguments: json!([2, 2]),
        result: Some(json!(4)),
        took_ms: Some(1),
        call_id: None,
    };
    let messages = [
        asks(1, "2 + 2"),
        answers(
            2,
            vec![
                PartBody::Reasoning { text: "Easy.".into() }.into(),
                PartBody::Tool(tool).into(),
                Part::text("It is **4**."),
                PartBody::Data { data: json!({"sum": 4}) }.into(),
                report,
                table,
                PartBody::Link { url: "https://example.org/four".into() }.into(),
            ],
        ),
    ];
    assert_golden!("completed", run(RunState::Completed, 9, &messages).to_task(&blob_url));
}

#[test]
fn input_required_and_answered_by_a_second_message() {
    let mut messages = vec![asks(1, "Book a train."), answers(2, vec![Part::text("To which city?")])];
    assert_golden!("input_required", run(RunState::InputRequired, 3, &messages).to_task(&blob_url));
    messages.push(asks(3, "Lyon"));
    assert_golden!("input_required_answered", run(RunState::Working, 4, &messages).to_task(&blob_url));
    messages.push(answers(4, vec![Part::text("Booked for Lyon.")]));
    assert_golden!("input_required_completed", run(RunState::Completed, 5, &messages).to_task(&blob_url));
}

#[test]
fn stopped() {
    let half = message(2, agent(), MessageState::Stopped, vec![Part::text("Once upon a")]);
    assert_golden!(
        "stopped",
        run(RunState::Stopped, 3, &[asks(1, "Tell a story."), half]).to_task(&blob_url)
    );
}

#[test]
fn failed() {
    let failure = Failure::new(FailureClass::TimedOut, "The agent said nothing for 60 s. Try again later.");
    let half = message(2, agent(), MessageState::Failed, vec![Part::text("Let me")]);
    let messages = [asks(1, "2 + 2"), half];
    let run = CallerRun { failure: Some(&failure), ..run(RunState::Failed, 62, &messages) };
    assert_golden!("failed", run.to_task(&blob_url));
}

#[test]
fn artifact_in_chunks() {
    let finished =
        answers(2, vec![Part::text("Here: "), in_artifact("poem", Part::text("Roses are red.\n"))]);
    let messages = [asks(1, "A poem."), finished];
    let (mut feed, first) = TaskEventProjector::open(&run(RunState::Queued, 1, &messages[..1]), &blob_url);
    let mut events = vec![first];
    let poem = |text: &str| in_artifact("poem", Part::text(text));
    let (own, roses, are) = (Part::text("Here: "), poem("Roses "), poem("are red."));
    let part = |index, start, part| RunChange::Part { message: message_id(2), index, start, part };
    for change in [
        RunChange::State { run: run(RunState::Working, 2, &messages[..1]) },
        part(0, 0, &own),
        part(1, 0, &roses),
        part(1, 6, &are),
        RunChange::Ended { message: &messages[1], is_question: false },
        RunChange::State { run: run(RunState::Completed, 3, &messages) },
    ] {
        events.extend(feed.apply(change, &blob_url).unwrap());
    }
    assert_golden!("artifact_in_chunks", events);
}

#[test]
fn two_readers_of_one_task() {
    let asked = asks(1, "Count.");
    let so_far = [asked.clone(), message(2, agent(), MessageState::Open, vec![Part::text("one two ")])];
    let finished = [asked.clone(), answers(2, vec![Part::text("one two three four")])];
    let (mut early, first) = TaskEventProjector::open(&run(RunState::Working, 2, &[asked]), &blob_url);
    let mut early_events = vec![first];
    let (one, two) = (Part::text("one "), Part::text("two "));
    let part = |start, part| RunChange::Part { message: message_id(2), index: 0, start, part };
    for change in [part(0, &one), part(4, &two)] {
        early_events.extend(early.apply(change, &blob_url).unwrap());
    }

    // The second subscriber's first event holds "one two "; in-flight changes are delivered again.
    let (mut late, first) = TaskEventProjector::open(&run(RunState::Working, 2, &so_far), &blob_url);
    let mut late_events = vec![first];
    let three = Part::text("three");
    let overlapping = Part::text("two three");
    early_events.extend(early.apply(part(8, &three), &blob_url).unwrap());
    for change in [part(4, &two), part(4, &overlapping)] {
        late_events.extend(late.apply(change, &blob_url).unwrap());
    }
    for change in [
        RunChange::Ended { message: &finished[1], is_question: false },
        RunChange::State { run: run(RunState::Completed, 5, &finished) },
    ] {
        early_events.extend(early.apply(change, &blob_url).unwrap());
        late_events.extend(late.apply(change, &blob_url).unwrap());
    }
    assert_eq!(early_events[3..], late_events[1..]);
    assert_golden!("two_readers_of_one_task", json!({"early": early_events, "late": late_events}));
}

#[test]
fn missing_text_is_a_gap_and_nothing_follows_the_end() {
    let messages = [asks(1, "Count."), answers(2, vec![Part::text("one")])];
    let (mut feed, _) = TaskEventProjector::open(&run(RunState::Working, 2, &messages[..1]), &blob_url);
    let two = Part::text("two");
    let change = RunChange::Part { message: message_id(2), index: 0, start: 4, part: &two };
    assert_eq!(
        feed.apply(change, &blob_url),
        Err(MissingText { message: message_id(2), index: 0, start: 4 })
    );
    let stopped = RunChange::State { run: run(RunState::Stopped, 3, &messages[..1]) };
    assert_eq!(feed.apply(stopped, &blob_url).unwrap().len(), 1);
    let late = RunChange::Part { message: message_id(2), index: 0, start: 0, part: &two };
    assert_eq!(feed.apply(late, &blob_url), Ok(Vec::new()));
}

#[test]
fn the_history_is_cut_on_request() {
    let messages =
        [asks(1, "a"), answers(2, vec![Part::text("b?")]), asks(3, "c"), answers(4, vec![Part::text("d")])];
    let task = run(RunState::Completed, 5, &messages).to_task(&blob_url);
    let lengths =
        [None, Some(0), Some(2), Some(9)].map(|length| task.clone().with_history(length).history.len());
    assert_eq!(lengths, [3, 0, 2, 3]);
}
