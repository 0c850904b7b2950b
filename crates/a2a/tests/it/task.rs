//! Runs told as tasks: golden files, and the rule that every reader of a task comes to know the same.

use std::collections::BTreeMap;

use plexus_a2a::{
    task::{Change, Feed, Gap, Run},
    wire::v1::{Artifact, Part as WirePart, StreamResponse, Task, TaskStatus},
};
use plexus_domain::{
    Content, Digest, MessageId, Part, PrincipalId, RunId, RunState, Timestamp,
    message::{Message, MessageState},
    part::ToolUse,
    run::{Failure, FailureClass},
};
use proptest::prelude::*;
use serde_json::json;

const CONTEXT: &str = "trip";

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(1_795_132_800_000 + second * 1_000)
}

fn caller() -> PrincipalId {
    PrincipalId::new(at(0), &[1; 10])
}

fn agent() -> PrincipalId {
    PrincipalId::new(at(0), &[2; 10])
}

fn run_id() -> RunId {
    RunId::new(at(0), &[3; 10])
}

fn message_id(seq: u8) -> MessageId {
    MessageId::new(at(i64::from(seq)), &[seq; 10])
}

fn message(seq: u8, author: PrincipalId, state: MessageState, parts: Vec<Part>) -> Message {
    Message {
        id: message_id(seq),
        seq: i64::from(seq),
        parent: None,
        lane: 0,
        author,
        run: Some(run_id()),
        state,
        created: at(i64::from(seq)),
        parts,
    }
}

fn asks(seq: u8, text: &str) -> Message {
    message(seq, caller(), MessageState::Done, vec![Part::text(text)])
}

fn answers(seq: u8, parts: Vec<Part>) -> Message {
    message(seq, agent(), MessageState::Done, parts)
}

fn in_artifact(artifact: &str, part: Part) -> Part {
    Part { artifact: Some(artifact.to_owned()), ..part }
}

fn run<'a>(state: RunState, second: i64, messages: &'a [Message]) -> Run<'a> {
    Run {
        id: run_id(),
        context: CONTEXT,
        agent: agent(),
        state,
        state_at: at(second),
        failure: None,
        messages,
    }
}

fn blob_url(blob: &Digest) -> String {
    format!("https://hub.example/blobs/{blob}")
}

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
        ..in_artifact("report", Content::File { blob: Digest::of("2,2,4"), size: 5 }.into())
    };
    let tool =
        ToolUse { tool: "add".into(), arguments: json!([2, 2]), result: Some(json!(4)), took_ms: Some(1) };
    let messages = [
        asks(1, "2 + 2"),
        answers(
            2,
            vec![
                Content::Reasoning { text: "Easy.".into() }.into(),
                Content::Tool(tool).into(),
                Part::text("It is **4**."),
                Content::Data { data: json!({"sum": 4}) }.into(),
                report,
                table,
                Content::Link { url: "https://example.org/four".into() }.into(),
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
    let run = Run { failure: Some(&failure), ..run(RunState::Failed, 62, &messages) };
    assert_golden!("failed", run.to_task(&blob_url));
}

#[test]
fn artifact_in_chunks() {
    let finished =
        answers(2, vec![Part::text("Here: "), in_artifact("poem", Part::text("Roses are red.\n"))]);
    let messages = [asks(1, "A poem."), finished];
    let (mut feed, first) = Feed::open(&run(RunState::Queued, 1, &messages[..1]), &blob_url);
    let mut events = vec![first];
    let poem = |text: &str| in_artifact("poem", Part::text(text));
    let (own, roses, are) = (Part::text("Here: "), poem("Roses "), poem("are red."));
    let part = |index, start, part| Change::Part { message: message_id(2), index, start, part };
    for change in [
        Change::State { run: run(RunState::Working, 2, &messages[..1]) },
        part(0, 0, &own),
        part(1, 0, &roses),
        part(1, 6, &are),
        Change::Ended { message: &messages[1] },
        Change::State { run: run(RunState::Completed, 3, &messages) },
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
    let (mut early, first) = Feed::open(&run(RunState::Working, 2, &[asked]), &blob_url);
    let mut early_events = vec![first];
    let (one, two) = (Part::text("one "), Part::text("two "));
    let part = |start, part| Change::Part { message: message_id(2), index: 0, start, part };
    for change in [part(0, &one), part(4, &two)] {
        early_events.extend(early.apply(change, &blob_url).unwrap());
    }

    // The second reader's first event holds "one two "; what was on its way comes once more.
    let (mut late, first) = Feed::open(&run(RunState::Working, 2, &so_far), &blob_url);
    let mut late_events = vec![first];
    let three = Part::text("three");
    let overlapping = Part::text("two three");
    early_events.extend(early.apply(part(8, &three), &blob_url).unwrap());
    for change in [part(4, &two), part(4, &overlapping)] {
        late_events.extend(late.apply(change, &blob_url).unwrap());
    }
    for change in [
        Change::Ended { message: &finished[1] },
        Change::State { run: run(RunState::Completed, 5, &finished) },
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
    let (mut feed, _) = Feed::open(&run(RunState::Working, 2, &messages[..1]), &blob_url);
    let two = Part::text("two");
    let change = Change::Part { message: message_id(2), index: 0, start: 4, part: &two };
    assert_eq!(feed.apply(change, &blob_url), Err(Gap { message: message_id(2), index: 0, start: 4 }));
    let stopped = Change::State { run: run(RunState::Stopped, 3, &messages[..1]) };
    assert_eq!(feed.apply(stopped, &blob_url).unwrap().len(), 1);
    let late = Change::Part { message: message_id(2), index: 0, start: 0, part: &two };
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

/// What a client knows of a task after some events.
#[derive(Debug, PartialEq)]
struct Known {
    status: TaskStatus,
    artifacts: BTreeMap<String, Vec<WirePart>>,
}

impl Known {
    fn from_task(task: &Task) -> Self {
        let artifacts =
            task.artifacts.iter().map(|artifact| (artifact.artifact_id.clone(), joined(&artifact.parts)));
        Self { status: task.status.clone(), artifacts: artifacts.collect() }
    }

    fn take(&mut self, event: &StreamResponse) {
        match event {
            StreamResponse::Task(task) => *self = Self::from_task(task),
            StreamResponse::StatusUpdate(update) => self.status = update.status.clone(),
            StreamResponse::ArtifactUpdate(update) => {
                let Artifact { artifact_id, parts, .. } = &update.artifact;
                let known = self.artifacts.entry(artifact_id.clone()).or_default();
                assert_eq!(
                    update.append,
                    update.append && !known.is_empty(),
                    "an append needs something to follow"
                );
                if !update.append {
                    known.clear();
                }
                known.extend(parts.clone());
                *known = joined(known);
            }
            StreamResponse::Message(_) => panic!("a run is always a task"),
        }
    }
}

/// Text in pieces is the same as text in one.
fn joined(parts: &[WirePart]) -> Vec<WirePart> {
    let mut whole: Vec<WirePart> = Vec::new();
    for part in parts {
        match (whole.last().and_then(WirePart::as_text), part.as_text()) {
            (_, Some("")) => {}
            (Some(before), Some(text)) => {
                let text = format!("{before}{text}");
                *whole.last_mut().unwrap() = WirePart::text(text);
            }
            _ => whole.push(part.clone()),
        }
    }
    whole
}

/// The parts of a message of the agent.
fn parts() -> impl Strategy<Value = Vec<Part>> {
    let content = prop_oneof![
        3 => "[a-zé水 ]{0,12}".prop_map(|text| Content::Text { text }),
        1 => Just(Content::Data { data: json!({"k": 1}) }),
        1 => Just(Content::Reasoning { text: "hm".into() }),
        1 => Just(Content::File { blob: Digest::of("x"), size: 1 }),
    ];
    let artifact = prop::option::of(prop::sample::select(vec!["a", "b"]));
    let part = (content, artifact)
        .prop_map(|(content, artifact)| Part { artifact: artifact.map(str::to_owned), ..content.into() });
    prop::collection::vec(part, 0..5)
}

/// Every step of two turns of a run, with the run's messages as they are after it.
fn steps(turns: &[Vec<Part>; 2], piece: usize) -> Vec<(Vec<Message>, Step)> {
    let mut messages = Vec::new();
    let mut steps = Vec::new();
    for (turn, parts) in turns.iter().enumerate() {
        let seq = u8::try_from(turn).unwrap() * 2 + 1;
        messages.push(asks(seq, "go on"));
        steps.push((messages.clone(), Step::State(RunState::Working)));
        messages.push(message(seq + 1, agent(), MessageState::Open, Vec::new()));
        for (index, part) in parts.iter().enumerate() {
            let chars: Vec<char> = part.as_text().unwrap_or("x").chars().collect();
            let mut start = 0;
            let mut shown = String::new();
            for chunk in chars.chunks(piece) {
                let text: String = chunk.iter().collect();
                shown.push_str(&text);
                let with = |text: String| match &part.content {
                    Content::Text { .. } => Part { content: Content::Text { text }, ..part.clone() },
                    _ => part.clone(),
                };
                let open = messages.last_mut().unwrap();
                open.parts.truncate(index);
                open.parts.resize(index, Part::text(""));
                open.parts.push(with(shown.clone()));
                steps.push((
                    messages.clone(),
                    Step::Part { message: message_id(seq + 1), index, start, part: with(text.clone()) },
                ));
                start += text.len();
            }
        }
        let open = messages.last_mut().unwrap();
        open.parts.clone_from(parts);
        open.state = MessageState::Done;
        steps.push((messages.clone(), Step::Ended));
        let state = if turn == 0 { RunState::InputRequired } else { RunState::Completed };
        steps.push((messages.clone(), Step::State(state)));
    }
    steps
}

enum Step {
    Part { message: MessageId, index: usize, start: usize, part: Part },
    Ended,
    State(RunState),
}

proptest! {
    #[test]
    fn whenever_a_reader_comes_it_ends_up_knowing_the_task(
        turns in [parts(), parts()],
        piece in 1..5_usize,
        joins in any::<prop::sample::Index>(),
        again in 0..4_usize,
    ) {
        let steps = steps(&turns, piece);
        let state_after = |index: usize| steps[..=index].iter().enumerate().rev().find_map(|(at, (_, step))| match step {
            Step::State(state) => Some((*state, i64::try_from(at).unwrap())),
            _ => None,
        }).unwrap();
        let join = joins.index(steps.len());
        let (state, since) = state_after(join);
        let (mut feed, first) = Feed::open(&run(state, since, &steps[join].0), &blob_url);
        let StreamResponse::Task(task) = &first else { panic!("{first:?}") };
        let mut known = Known::from_task(task);
        // What was on its way when the reader came reaches it once more.
        for index in join.saturating_sub(again) + 1..steps.len() {
            let (messages, step) = &steps[index];
            let change = match step {
                Step::Part { message, index, start, part } => Change::Part { message: *message, index: *index, start: *start, part },
                Step::Ended => Change::Ended { message: messages.last().unwrap() },
                Step::State(_) if index <= join => continue,
                Step::State(state) => Change::State { run: run(*state, i64::try_from(index).unwrap(), messages) },
            };
            for event in feed.apply(change, &blob_url).unwrap() {
                known.take(&event);
            }
            if index > join {
                let (state, since) = state_after(index);
                let task = run(state, since, messages).to_task(&blob_url);
                prop_assert_eq!(&known, &Known::from_task(&task));
            }
        }
    }
}
