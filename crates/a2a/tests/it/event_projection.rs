//! Property test of event projection: late and duplicate deliveries converge to the same task.

use std::collections::BTreeMap;

use plexus_a2a::{
    task::{CallerRun, RunChange, TaskEventProjector},
    wire::v1::{Artifact, Part as WirePart, StreamResponse, Task, TaskStatus},
};
use plexus_domain::{
    Digest, Part, PartBody, RunState,
    message::{Message, MessageState},
};
use proptest::prelude::*;
use serde_json::json;

use crate::fixtures::{agent, asks, blob_url, message, run};

/// Task state as reconstructed by a client from events.
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

/// Merges adjacent texts for comparison.
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

/// Generates the parts of a message of the agent.
fn parts() -> impl Strategy<Value = Vec<Part>> {
    let content = prop_oneof![
        3 => "[a-zé水 ]{0,12}".prop_map(|text| PartBody::Text { text }),
        1 => Just(PartBody::Data { data: json!({"k": 1}) }),
        1 => Just(PartBody::Reasoning { text: "hm".into() }),
        1 => Just(PartBody::File { blob: Digest::of("x"), size: 1, image: None }),
    ];
    let artifact = prop::option::of(prop::sample::select(vec!["a", "b"]));
    let part = (content, artifact)
        .prop_map(|(content, artifact)| Part { artifact: artifact.map(str::to_owned), ..content.into() });
    prop::collection::vec(part, 0..5)
}

/// One step of a run, and the run after it.
struct Moment {
    messages: Vec<Message>,
    state: RunState,
    since: i64,
    step: Step,
}

enum Step {
    /// Index, start and new text of a part of the last message.
    Part(usize, usize, Box<Part>),
    Ended,
    State,
}

impl Moment {
    fn run(&self) -> CallerRun<'_> {
        run(self.state, self.since, &self.messages)
    }

    fn change(&self) -> RunChange<'_> {
        let last = self.messages.last().unwrap();
        match &self.step {
            Step::Part(index, start, part) => {
                RunChange::Part { message: last.id, index: *index, start: *start, part }
            }
            Step::Ended => RunChange::Ended { message: last, is_question: self.run().is_question(last) },
            Step::State => RunChange::State { run: self.run() },
        }
    }
}

/// Returns a run in which the caller answers a question. Messages
/// of the agent are streamed in chunks of `size` characters.
fn moments(turns: &[Vec<Part>; 2], size: usize) -> Vec<Moment> {
    let mut moments: Vec<Moment> = Vec::new();
    let mut messages = Vec::new();
    for (turn, parts) in (0_u8..).zip(turns) {
        let mut add = |messages: &[Message], state: Option<RunState>, step| {
            let before = moments.last().map_or((RunState::Queued, 0), |last| (last.state, last.since));
            let now = i64::try_from(moments.len()).unwrap() + 1;
            let (state, since) = state.map_or(before, |state| (state, now));
            moments.push(Moment { messages: messages.to_vec(), state, since, step });
        };
        messages.push(asks(turn * 2 + 1, "go on"));
        add(&messages, Some(RunState::Working), Step::State);
        messages.push(message(turn * 2 + 2, agent(), MessageState::Open, Vec::new()));
        let at = messages.len() - 1;
        // Of a question, only artifacts are streamed before the run waits for input.
        let is_streamed = |part: &&Part| turn == 1 || part.artifact.is_some();
        for (index, part) in parts.iter().filter(is_streamed).enumerate() {
            for (start, new, so_far) in pieces(part, size) {
                messages[at].parts.push(so_far);
                add(&messages, None, Step::Part(index, start, Box::new(new)));
                messages[at].parts.truncate(index);
            }
            messages[at].parts.push(part.clone());
        }
        messages[at].parts.extend(parts.iter().filter(|part| !is_streamed(part)).cloned());
        messages[at].state = MessageState::Done;
        let end = if turn == 0 { RunState::InputRequired } else { RunState::Completed };
        add(&messages, (turn == 0).then_some(end), Step::Ended);
        add(&messages, Some(end), Step::State);
    }
    moments
}

/// Splits a part into chunks: start, chunk and the part up to the chunk's end. Only text is split.
fn pieces(part: &Part, size: usize) -> Vec<(usize, Part, Part)> {
    let Some(text) = part.as_text() else { return vec![(0, part.clone(), part.clone())] };
    let with = |text: &str| Part { content: PartBody::Text { text: text.to_owned() }, ..part.clone() };
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let ends: Vec<_> =
        ends.enumerate().filter(|(n, end)| (n + 1) % size == 0 || *end == text.len()).collect();
    let mut start = 0;
    let mut piece = |end: usize| {
        let piece = (start, with(&text[start..end]), with(&text[..end]));
        start = end;
        piece
    };
    ends.into_iter().map(|(_, end)| piece(end)).collect()
}

proptest! {
    #[test]
    fn whenever_a_reader_comes_it_ends_up_knowing_the_task(
        turns in [parts(), parts()],
        size in 1..5_usize,
        joins in any::<prop::sample::Index>(),
        again in 0..4_usize,
    ) {
        let moments = moments(&turns, size);
        let join = joins.index(moments.len());
        let (mut feed, first) = TaskEventProjector::open(&moments[join].run(), &blob_url);
        let StreamResponse::Task(task) = &first else { panic!("{first:?}") };
        let mut known = Known::from_task(task);
        // Changes that were in flight when the subscriber joined are delivered again.
        for moment in &moments[join.saturating_sub(again)..=join] {
            if !matches!(moment.step, Step::State) {
                prop_assert_eq!(feed.apply(moment.change(), &blob_url), Ok(Vec::new()));
            }
        }
        for moment in &moments[join + 1..] {
            let events = feed.apply(moment.change(), &blob_url).unwrap();
            events.iter().for_each(|event| known.take(event));
            // The state of a question follows its end.
            if !(matches!(moment.step, Step::Ended) && moment.state == RunState::InputRequired) {
                prop_assert_eq!(&known, &Known::from_task(&moment.run().to_task(&blob_url)));
            }
        }
    }
}
