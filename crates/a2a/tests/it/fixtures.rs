//! Fixtures: a caller, an agent and their run.

use plexus_a2a::task::CallerRun;
use plexus_domain::{
    Digest, MessageId, Part, PrincipalId, RunId, RunState, Timestamp,
    message::{Message, MessageState},
};

const CONTEXT: &str = "trip";

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(1_795_132_800_000 + second * 1_000)
}

pub fn caller() -> PrincipalId {
    PrincipalId::new(at(0), &[1; 10])
}

pub fn agent() -> PrincipalId {
    PrincipalId::new(at(0), &[2; 10])
}

pub fn run_id() -> RunId {
    RunId::new(at(0), &[3; 10])
}

pub fn message_id(seq: u8) -> MessageId {
    MessageId::new(at(i64::from(seq)), &[seq; 10])
}

pub fn message(seq: u8, author: PrincipalId, state: MessageState, parts: Vec<Part>) -> Message {
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
        attributes: None,
    }
}

pub fn asks(seq: u8, text: &str) -> Message {
    message(seq, caller(), MessageState::Done, vec![Part::text(text)])
}

pub fn answers(seq: u8, parts: Vec<Part>) -> Message {
    message(seq, agent(), MessageState::Done, parts)
}

pub fn in_artifact(artifact: &str, part: Part) -> Part {
    Part { artifact: Some(artifact.to_owned()), ..part }
}

pub fn run<'a>(state: RunState, second: i64, messages: &'a [Message]) -> CallerRun<'a> {
    CallerRun {
        id: run_id(),
        context: CONTEXT,
        agent: agent(),
        state,
        state_at: at(second),
        failure: None,
        waits: None,
        messages,
    }
}

pub fn blob_url(blob: &Digest) -> String {
    format!("https://hub.example/blobs/{blob}")
}
