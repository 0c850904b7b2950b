//! WebSocket protocol between a hub and an attached program: one JSON text per message.
//!
//! The hub sends [`HubFrame`]s, the program sends [`ProgramFrame`]s. Each names its run, because a program may work on
//! several runs at once.

use bytes::Bytes;
use plexus_domain::{
    Digest, Part, PartBody, RunId,
    part::ApprovalDecision,
    run::{Failure, FailureClass, Usage},
    sanitized_text::{ellipsize, multi_line, one_line},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ConversationTurn, Output, OutputFile, RemoteConversation, RunEnd, transcript::linkable};

/// Name and version of this protocol, negotiated as a WebSocket subprotocol (RFC 6455 section 1.9).
pub const PROTOCOL: &str = "plexus.attach.1";
/// Maximum bytes of a message in either direction. Files and long texts are split.
pub const MAX_FRAME: usize = 4 << 20;
/// Maximum bytes of a file or text piece in one message.
pub(super) const PIECE: usize = 256 << 10;

/// Maximum characters of a name, title or status.
const MAX_LABEL: usize = 200;
/// Maximum characters of a failure reason.
const MAX_WORDS: usize = 1_000;
/// Maximum bytes of the program's id of a conversation or approval request.
pub(super) const MAX_ID: usize = 256;

/// Message from the hub to the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HubFrame {
    /// Piece of a file that belongs to the message that follows.
    File {
        run: RunId,
        digest: Digest,
        #[serde(with = "base64_text")]
        bytes: Bytes,
    },
    Message(Box<RunRequestFrame>),
    /// Decision on an approval request of the program.
    ApprovalResult {
        run: RunId,
        approval_id: String,
        decision: ApprovalDecision,
    },
    Cancel {
        run: RunId,
    },
}

/// Request to answer a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRequestFrame {
    pub run: RunId,
    /// Text of the message to answer, for programs that need nothing else.
    #[serde(default)]
    pub text: String,
    /// Conversation, oldest message first. The last turn is the message to answer.
    pub turns: Vec<ConversationTurn>,
    /// Message id that the calling program gave to the message, if the caller is a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_conversation: Option<RemoteConversation>,
    /// Timeout of the whole answer, in milliseconds.
    pub timeout_ms: u64,
    pub max_answer_bytes: usize,
    pub max_file_bytes: usize,
    /// True if the requester wants to approve every tool call.
    #[serde(default)]
    pub approve_every_call: bool,
}

/// Message from the program to the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramFrame {
    pub run: RunId,
    #[serde(flatten)]
    pub news: ProgramEvent,
}

/// Payload of a message from the program: output, an approval request, or the end of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ProgramEvent {
    Text {
        text: String,
    },
    Part {
        part: Part,
    },
    ArtifactText {
        artifact: String,
        name: Option<String>,
        text: String,
    },
    File(FilePiece),
    RemoteConversation(RemoteConversation),
    Usage(Usage),
    Status {
        line: String,
    },
    /// Asks for approval of a tool call. The hub replies with [`HubFrame::ApprovalResult`] for the same id.
    ApprovalRequest(ApprovalRequestFrame),
    Completed,
    InputRequired,
    AuthRequired,
    Rejected {
        reason: String,
    },
    Cancelled,
    Failed {
        class: FailureClass,
        message: String,
    },
}

/// Approval request of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRequestFrame {
    /// Id chosen by the program, unique within the run.
    pub approval_id: String,
    pub tool: String,
    pub arguments: Value,
}

/// Piece of a file from the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilePiece {
    #[serde(default)]
    pub artifact: Option<String>,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub media_type: Option<String>,
    #[serde(with = "base64_text")]
    pub bytes: Bytes,
    /// The bytes continue the last file of this artifact.
    #[serde(default)]
    pub continues: bool,
}

impl ProgramEvent {
    /// Returns true if this ends the run.
    pub const fn is_last(&self) -> bool {
        matches!(
            self,
            Self::Completed
                | Self::InputRequired
                | Self::AuthRequired
                | Self::Rejected { .. }
                | Self::Cancelled
                | Self::Failed { .. }
        )
    }

    /// Emits the payload to `output`. Returns the end of the run if it is one.
    pub(super) fn say(self, output: &mut dyn Output) -> Result<Option<RunEnd>, Failure> {
        match self {
            Self::Text { text } => output.text(&text)?,
            Self::Part { part } => output.part(acceptable(part)?)?,
            Self::ArtifactText { artifact, name, text } => {
                output.artifact_text(&label(&artifact), name.as_deref().map(label).as_deref(), &text)?;
            }
            Self::File(piece) => output.file(piece.into())?,
            Self::RemoteConversation(remote) => output.remote(RemoteConversation {
                task: remote.task.filter(|id| id.len() <= MAX_ID),
                context: remote.context.filter(|id| id.len() <= MAX_ID),
            }),
            Self::Usage(usage) => output.usage(usage),
            Self::Status { line } => output.status(&label(&line)),
            // The connector handles approval requests before calling this.
            Self::ApprovalRequest(_) => {}
            Self::Completed => return Ok(Some(RunEnd::Completed)),
            Self::InputRequired => return Ok(Some(RunEnd::InputRequired)),
            Self::AuthRequired => return Ok(Some(RunEnd::AuthRequired)),
            Self::Rejected { reason } => {
                return Ok(Some(RunEnd::Rejected { reason: words(&reason) }));
            }
            Self::Cancelled => return Ok(Some(RunEnd::Stopped)),
            Self::Failed { class, message } => {
                return Err(Failure { class, message: words(&message) });
            }
        }
        Ok(None)
    }
}

/// Validates a part. A program may not name a file by digest: that would disclose a blob of the hub. Only the
/// hub may create approval cards.
fn acceptable(part: Part) -> Result<Part, Failure> {
    match &part.content {
        PartBody::Text { .. }
        | PartBody::Data { .. }
        | PartBody::Link { .. }
        | PartBody::Tool(_)
        | PartBody::Reasoning { .. } => Ok(linkable(Part {
            artifact: part.artifact.as_deref().map(label),
            name: part.name.as_deref().map(label),
            media_type: part.media_type.as_deref().map(label),
            ..part
        })),
        PartBody::File { .. } | PartBody::Approval { .. } | PartBody::Question { .. } => {
            let words = "The attached program sent a part type that only the hub may create.";
            Err(Failure::new(FailureClass::Garbage, words))
        }
    }
}

/// Sanitises and truncates a failure reason.
fn words(reason: &str) -> String {
    ellipsize(&multi_line(reason), MAX_WORDS)
}

/// Sanitises and truncates a name or title to one line.
pub(super) fn label(text: &str) -> String {
    ellipsize(&one_line(text), MAX_LABEL)
}

impl From<Result<RunEnd, Failure>> for ProgramEvent {
    fn from(end: Result<RunEnd, Failure>) -> Self {
        match end {
            Ok(RunEnd::Completed | RunEnd::Truncated) => Self::Completed,
            Ok(RunEnd::InputRequired) => Self::InputRequired,
            Ok(RunEnd::AuthRequired) => Self::AuthRequired,
            Ok(RunEnd::Rejected { reason }) => Self::Rejected { reason },
            Ok(RunEnd::Stopped) => Self::Cancelled,
            Err(Failure { class, message }) => Self::Failed { class, message },
        }
    }
}

impl From<FilePiece> for OutputFile {
    fn from(piece: FilePiece) -> Self {
        let FilePiece { artifact, name, media_type, bytes, continues } = piece;
        Self { artifact, name, media_type, metadata: None, bytes, continues }
    }
}

mod base64_text {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use bytes::Bytes;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(bytes: &Bytes, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(from)?;
        STANDARD.decode(text).map(Bytes::from).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::person;

    #[test]
    fn frames_are_plain_json() {
        let run: RunId = "0191b2c4-0000-7000-8000-000000000000".parse().unwrap();
        let frame = ProgramFrame { run, news: ProgramEvent::Text { text: "Hi".to_owned() } };
        let wire = json!({ "run": run, "type": "text", "text": "Hi" });
        assert_eq!(serde_json::to_value(&frame).unwrap(), wire);
        assert_eq!(serde_json::from_value::<ProgramFrame>(wire).unwrap(), frame);
        let done = json!({ "run": run, "type": "completed" });
        assert!(serde_json::from_value::<ProgramFrame>(done).unwrap().news.is_last());
        let question = RunRequestFrame {
            run,
            text: "Hello".to_owned(),
            turns: vec![person("Hello")],
            message_id: None,
            remote_conversation: None,
            timeout_ms: 1,
            max_answer_bytes: 1,
            max_file_bytes: 1,
            approve_every_call: false,
        };
        let wire = serde_json::to_value(HubFrame::Message(Box::new(question.clone()))).unwrap();
        assert_eq!(wire["type"], "message");
        assert_eq!(wire["turns"][0]["speaker"], json!({ "kind": "person", "name": "Ada" }));
        assert_eq!(serde_json::from_value::<HubFrame>(wire).unwrap(), HubFrame::Message(Box::new(question)));
    }

    #[test]
    fn a_program_cannot_name_files_of_the_hub() {
        let mut heard = crate::testing::Recorder::default();
        let part =
            Part::from(PartBody::File { blob: Digest::of(b"a file of another agent"), size: 1, image: None });
        let refused = ProgramEvent::Part { part }.say(&mut heard).unwrap_err();
        assert_eq!(refused.class, FailureClass::Garbage);
        let long = ProgramEvent::Failed { class: FailureClass::Internal, message: "no ".repeat(10_000) };
        assert!(long.say(&mut heard).unwrap_err().message.chars().count() <= MAX_WORDS);
    }

    #[test]
    fn what_a_program_says_is_shown_as_what_it_is() {
        let mut heard = crate::testing::Recorder::default();
        let link = PartBody::Link { url: "javascript:x".to_owned() };
        ProgramEvent::Part { part: link.into() }.say(&mut heard).unwrap();
        assert_eq!(heard.parts, [Part::text("[link: javascript:x]")]);
        let hidden = ProgramEvent::Rejected { reason: "No\u{202e}t\nnow".to_owned() };
        let reason = "Not\nnow".to_owned();
        assert_eq!(hidden.say(&mut heard), Ok(Some(RunEnd::Rejected { reason })));
    }

    #[test]
    fn bytes_travel_as_base64() {
        let piece = json!({ "bytes": "AAH/" });
        let piece: FilePiece = serde_json::from_value(piece).unwrap();
        assert_eq!(piece.bytes.as_ref(), [0, 1, 255]);
        assert!(serde_json::from_value::<FilePiece>(json!({ "bytes": "?" })).is_err());
    }
}
