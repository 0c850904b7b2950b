use plexus_a2a::{
    A2aProtocol,
    bounded_json::JsonError,
    client::{self, DecodeError, Update},
    wire::{Method, v1::StreamResponse},
};
use plexus_runtime::a2a::A2aResponse;
use serde_json::json;

use crate::captured_output::{Heard, assert_shown};

/// Fuzzes responses of A2A agents in both versions: one event per line, and the whole input as one response.
pub fn answer(data: &[u8]) {
    for protocol in [A2aProtocol::V1, A2aProtocol::V03] {
        let events = data.split(|&byte| byte == b'\n').take(200);
        hear(events.filter_map(|line| decoded(protocol, client::event(protocol, line))));
        for method in [Method::SendMessage, Method::GetTask, Method::SendStreamingMessage] {
            hear(decoded(protocol, client::answer(protocol, method, data)).into_iter());
        }
    }
}

fn decoded(protocol: A2aProtocol, read: Result<Update, DecodeError>) -> Option<Update> {
    let update = read.inspect_err(|error| assert_shown(&error.to_string())).ok()?;
    // Round trip: an accepted update can be serialized and deserializes to the same value.
    if let Some(event) = event(&update) {
        let written = json!({"jsonrpc": "2.0", "id": 1, "result": event}).to_string();
        match client::event(A2aProtocol::V1, written.as_bytes()) {
            Ok(again) => assert_eq!(again, update, "read as {protocol:?}"),
            // The other protocol version has one nesting level less.
            Err(DecodeError::Json(JsonError::TooDeep { .. })) => {}
            Err(error) => panic!("what we write we do not read: {error}: {written}"),
        }
    }
    Some(update)
}

fn event(update: &Update) -> Option<StreamResponse> {
    Some(match update.clone() {
        Update::Message(message) => StreamResponse::Message(message),
        Update::Task(task) => StreamResponse::Task(task),
        Update::Status(update) => StreamResponse::StatusUpdate(update),
        Update::Artifact(update) => StreamResponse::ArtifactUpdate(update),
        Update::Error(_) => return None,
    })
}

/// Builds one answer from the updates, as a run does.
fn hear(updates: impl Iterator<Item = Update>) {
    let mut heard = Heard::default();
    let mut answer = A2aResponse::new(&mut heard, "agent.example".to_owned());
    for update in updates {
        if let Err(failure) = answer.take(update) {
            assert_shown(&failure.message);
            break;
        }
    }
    let remote = heard.remote.unwrap_or_default();
    for id in [remote.task, remote.context].into_iter().flatten() {
        assert!(id.len() <= 256, "an id of {} bytes is kept", id.len());
    }
}
