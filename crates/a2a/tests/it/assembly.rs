//! Tests of merging streamed updates: each piece of content is reported once, however the agent streams.

use plexus_a2a::{
    A2aProtocol,
    client::{self, ArtifactDelta, ArtifactMerger, Update},
    wire::v1::{
        Artifact, Message, Part, PartContent, Role, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    },
};
use serde_json::json;

const PYTHON: &str = include_str!("../samples/stream-v1.sse");
const PYTHON_03: &str = include_str!("../samples/stream-v03.sse");
const FASTA2A: &str = include_str!("../samples/stream-fasta2a.sse");
const JS: &str = include_str!("../samples/stream-js.sse");

fn updates(protocol: A2aProtocol, stream: &str) -> Vec<Update> {
    let data = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| client::event(protocol, data.as_bytes()).unwrap()).collect()
}

/// Returns all deltas as text, in order.
fn told(updates: &[Update]) -> Vec<String> {
    let mut assembly = ArtifactMerger::default();
    let line = |news: ArtifactDelta| match news {
        ArtifactDelta::TextBegins { .. } => "[text]".to_owned(),
        ArtifactDelta::Text { delta, .. } => delta,
        ArtifactDelta::Part { part, .. } => match part.content {
            PartContent::Raw(bytes) => format!("[{} bytes]", bytes.len()),
            PartContent::Url(url) => format!("[{url}]"),
            _ => "[data]".to_owned(),
        },
        ArtifactDelta::Replaced { artifact } => format!("[{artifact} anew]"),
        ArtifactDelta::Said { state, message } => {
            let state = state.map(|state| format!("{state:?}")).unwrap_or_default();
            format!("{state}: {}", message.parts.iter().filter_map(Part::as_text).collect::<String>())
        }
    };
    updates.iter().flat_map(|update| assembly.take(update)).map(line).collect()
}

fn artifact(append: bool, parts: Vec<Part>) -> Update {
    Update::Artifact(TaskArtifactUpdateEvent {
        task_id: "t".into(),
        context_id: "c".into(),
        artifact: Artifact::new("a", None, parts),
        append,
        last_chunk: false,
        metadata: None,
    })
}

fn task(parts: Vec<Part>) -> Update {
    let message = Message::new("m", Role::Agent, vec![Part::text("Which?")]);
    Update::Task(Task {
        id: "t".into(),
        context_id: None,
        status: TaskStatus { state: TaskState::InputRequired, message: Some(message), timestamp: None },
        artifacts: vec![Artifact::new("a", None, parts)],
        history: Vec::new(),
        metadata: None,
    })
}

#[test]
fn streams_of_real_agents_are_told_once_and_in_order() {
    let python =
        ["Four ", "is it.", "[data]", "[2 bytes]", "[https://example.org/x.png]", "Completed: Done."];
    assert_eq!(told(&updates(A2aProtocol::V1, PYTHON)), python);
    assert_eq!(told(&updates(A2aProtocol::V03, PYTHON_03)), python);
    let js = ["Working: Threading the loom", "row 1 of 3\n\n", "row 2 of 3\n\n", "row 3 of 3\n\n"];
    assert_eq!(told(&updates(A2aProtocol::V1, JS)), js);
}

#[test]
fn an_artifact_sent_whole_after_its_chunks_is_not_told_again() {
    let told = told(&updates(A2aProtocol::V1, FASTA2A));
    assert!(told.len() > 3, "{told:?}");
    assert_eq!(told.concat(), "Four is the sum of two and two.");
}

#[test]
fn a_task_seen_again_and_again_tells_what_it_grew_by() {
    let data = || Part::from(PartContent::Data(json!(1)));
    let updates = [
        task(vec![Part::text("a")]),
        task(vec![Part::text("ab")]),
        task(vec![Part::text("ab")]),
        task(vec![Part::text("a"), Part::text("b"), data()]),
        artifact(true, vec![Part::text("c"), Part::text("")]),
        task(vec![Part::text("ab"), data(), Part::text("cd")]),
        artifact(false, vec![Part::text("ab"), data()]),
    ];
    assert_eq!(told(&updates), ["a", "InputRequired: Which?", "b", "[data]", "c", "d"]);
}

#[test]
fn what_an_agent_takes_back_is_said_to_be_replaced() {
    let other = || Part::from(PartContent::Url("https://example.org/".into()));
    let updates = [
        artifact(false, vec![Part::text("one")]),
        artifact(false, vec![Part::text("two")]),
        artifact(false, vec![other(), Part::text("two")]),
        artifact(true, vec![Part::text("!")]),
    ];
    assert_eq!(told(&updates), ["one", "[a anew]", "two", "[a anew]", "[https://example.org/]", "two", "!"]);
}
