//! Built-in agent for A2A conformance suites. The message id selects its behaviour (a2a-tck 1.0,
//! `scenarios/*.feature`). Only available in conformance mode.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use plexus_domain::{Part, PartBody, run::Failure};
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{Connector, Output, OutputFile, RunEnd, RunRequest};

/// Connector of the conformance agent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tck;

/// Behaviour selected by a message id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Greet,
    Text,
    File,
    FileUrl,
    Data,
    /// Sends one artifact in two pieces.
    Chunks,
    Reply,
    Ask,
    AskToSignIn,
    Reject,
    Late(Duration),
}

/// Behaviour by prefix of the message id. The first match counts, so longer prefixes precede their own
/// prefixes.
const ACTS: &[(&str, Act)] = &[
    ("tck-artifact-text", Act::Text),
    ("tck-artifact-file-url", Act::FileUrl),
    ("tck-artifact-file", Act::File),
    ("tck-artifact-data", Act::Data),
    ("tck-message-response", Act::Reply),
    ("tck-input-required", Act::Ask),
    ("tck-auth-required", Act::AskToSignIn),
    ("tck-reject-task", Act::Reject),
    ("tck-delayed-complete", Act::Late(Duration::from_secs(2))),
    ("tck-stream-001", Act::Text),
    ("tck-stream-003", Act::Text),
    ("tck-stream-ordering-001", Act::Text),
    ("tck-stream-artifact-text", Act::Text),
    ("tck-stream-artifact-file", Act::File),
    ("tck-stream-artifact-chunked", Act::Chunks),
    ("test-resubscribe-message-id", Act::Late(Duration::from_secs(4))),
];

impl Act {
    fn of(called: &str) -> Self {
        let found = ACTS.iter().find(|(prefix, _)| called.starts_with(prefix));
        found.map_or(Self::Greet, |(_, act)| *act)
    }
}

const REPLY: &str = "Direct message response";

impl Tck {
    /// Returns the reply to a message id that is answered by a message alone, without a task.
    pub fn at_once(called: &str) -> Option<Vec<Part>> {
        (Act::of(called) == Act::Reply).then(|| vec![Part::text(REPLY)])
    }
}

#[async_trait]
impl Connector for Tck {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        match Act::of(request.called.as_deref().unwrap_or_default()) {
            Act::Greet => output.text("Hello from TCK")?,
            Act::Reply => output.text(REPLY)?,
            Act::Text => output.artifact_text("text", Some("text"), "Generated text content")?,
            Act::Chunks => {
                output.artifact_text("chunks", Some("chunks"), "First chunk, ")?;
                output.artifact_text("chunks", None, "second chunk")?;
            }
            Act::File => output.file(file())?,
            Act::FileUrl => output.part(link())?,
            Act::Data => output.part(data())?,
            Act::Ask => {
                output.begin_question();
                output.text("What else do you want to say?")?;
                return Ok(RunEnd::InputRequired);
            }
            Act::AskToSignIn => {
                output.begin_question();
                output.text("Sign in elsewhere, then go on.")?;
                return Ok(RunEnd::AuthRequired);
            }
            Act::Reject => return Ok(RunEnd::Rejected { reason: "rejected".to_owned() }),
            Act::Late(pause) => {
                if stop.run_until_cancelled(sleep(pause)).await.is_none() {
                    return Ok(RunEnd::Stopped);
                }
                output.text("Done after delay")?;
            }
        }
        Ok(RunEnd::Completed)
    }
}

fn file() -> OutputFile {
    OutputFile {
        artifact: Some("file".to_owned()),
        name: Some("output.txt".to_owned()),
        media_type: Some("text/plain".to_owned()),
        metadata: None,
        bytes: Bytes::from_static(b"Generated file content"),
        continues: false,
    }
}

fn link() -> Part {
    Part {
        artifact: Some("link".to_owned()),
        name: Some("output.txt".to_owned()),
        media_type: Some("text/plain".to_owned()),
        ..PartBody::Link { url: "https://example.com/output.txt".to_owned() }.into()
    }
}

fn data() -> Part {
    let data = json!({ "key": "value", "count": 42 });
    Part { artifact: Some("data".to_owned()), ..PartBody::Data { data }.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_prefix_hides_behind_a_shorter_one() {
        for (at, (prefix, act)) in ACTS.iter().enumerate() {
            assert_eq!(Act::of(&format!("{prefix}-7f3a")), *act, "{prefix}");
            assert!(ACTS[..at].iter().all(|(earlier, _)| !prefix.starts_with(earlier)), "{prefix}");
        }
        assert_eq!(Act::of("tck-complete-task-1"), Act::Greet);
        assert!(Tck::at_once("tck-message-response-1").is_some() && Tck::at_once("m-1").is_none());
    }
}
