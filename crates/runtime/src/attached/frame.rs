//! WebSocket protocol between a hub and an attached program: one JSON text per message.
//!
//! The hub sends [`Order`]s, the program sends [`Told`]s. Each names its run, because a program may work on
//! several runs at once.

use bytes::Bytes;
use plexus_domain::{
    Content, Digest, Part, RunId,
    part::Decision,
    run::{Failure, FailureClass, Usage},
    text::{multi_line, one_line, shorten},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{End, File, Output, Remote, Turn, transcript::linkable};

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
#[serde(tag = "order", rename_all = "snake_case")]
pub enum Order {
    /// Piece of a file that belongs to the question that follows.
    File {
        run: RunId,
        digest: Digest,
        #[serde(with = "base64_text")]
        bytes: Bytes,
    },
    Ask(Box<Question>),
    /// Decision on an approval request of the program.
    Decided {
        run: RunId,
        wish: String,
        decision: Decision,
    },
    Stop {
        run: RunId,
    },
}

/// Request to answer a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub run: RunId,
    /// Text of the message to answer, for programs that need nothing else.
    #[serde(default)]
    pub text: String,
    /// Conversation, oldest message first. The last turn is the message to answer.
    pub turns: Vec<Turn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<Remote>,
    /// Timeout of the whole answer, in milliseconds.
    pub whole_ms: u64,
    pub max_answer_bytes: usize,
    pub max_file_bytes: usize,
    /// True if the requester wants to approve every tool call.
    #[serde(default)]
    pub wants_every: bool,
}

/// Message from the program to the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    pub run: RunId,
    #[serde(flatten)]
    pub news: News,
}

/// Payload of a message from the program: output, an approval request, or the end of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "told", rename_all = "snake_case")]
pub enum News {
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
    Remote(Remote),
    Usage(Usage),
    Status {
        line: String,
    },
    /// Asks for approval of a tool call. The hub replies with [`Order::Decided`] for the same id.
    Wishes(Wish),
    Completed,
    InputRequired,
    AuthRequired,
    Rejected {
        reason: String,
    },
    Stopped,
    Failed {
        class: FailureClass,
        message: String,
    },
}

/// Approval request of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wish {
    /// Id chosen by the program, unique within the run.
    pub wish: String,
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

impl News {
    /// Returns true if this ends the run.
    pub const fn is_last(&self) -> bool {
        matches!(
            self,
            Self::Completed
                | Self::InputRequired
                | Self::AuthRequired
                | Self::Rejected { .. }
                | Self::Stopped
                | Self::Failed { .. }
        )
    }

    /// Emits the payload to `output`. Returns the end of the run if it is one.
    pub(super) fn say(self, output: &mut dyn Output) -> Result<Option<End>, Failure> {
        match self {
            Self::Text { text } => output.text(&text)?,
            Self::Part { part } => output.part(acceptable(part)?)?,
            Self::ArtifactText { artifact, name, text } => {
                output.artifact_text(&label(&artifact), name.as_deref().map(label).as_deref(), &text)?;
            }
            Self::File(piece) => output.file(piece.into())?,
            Self::Remote(remote) => output.remote(Remote {
                task: remote.task.filter(|id| id.len() <= MAX_ID),
                context: remote.context.filter(|id| id.len() <= MAX_ID),
            }),
            Self::Usage(usage) => output.usage(usage),
            Self::Status { line } => output.status(&label(&line)),
            // The connector handles approval requests before calling this.
            Self::Wishes(_) => {}
            Self::Completed => return Ok(Some(End::Completed)),
            Self::InputRequired => return Ok(Some(End::InputRequired)),
            Self::AuthRequired => return Ok(Some(End::AuthRequired)),
            Self::Rejected { reason } => {
                return Ok(Some(End::Rejected { reason: words(&reason) }));
            }
            Self::Stopped => return Ok(Some(End::Stopped)),
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
        Content::Text { .. }
        | Content::Data { .. }
        | Content::Link { .. }
        | Content::Tool(_)
        | Content::Reasoning { .. } => Ok(linkable(Part {
            artifact: part.artifact.as_deref().map(label),
            name: part.name.as_deref().map(label),
            media_type: part.media_type.as_deref().map(label),
            ..part
        })),
        Content::File { .. } | Content::Approval { .. } => {
            let words =
                "The program behind this agent answered with a part that only the hub itself can make.";
            Err(Failure::new(FailureClass::Garbage, words))
        }
    }
}

/// Sanitises and truncates a failure reason.
fn words(reason: &str) -> String {
    shorten(&multi_line(reason), MAX_WORDS)
}

/// Sanitises and truncates a name or title to one line.
pub(super) fn label(text: &str) -> String {
    shorten(&one_line(text), MAX_LABEL)
}

impl From<Result<End, Failure>> for News {
    fn from(end: Result<End, Failure>) -> Self {
        match end {
            Ok(End::Completed) => Self::Completed,
            Ok(End::InputRequired) => Self::InputRequired,
            Ok(End::AuthRequired) => Self::AuthRequired,
            Ok(End::Rejected { reason }) => Self::Rejected { reason },
            Ok(End::Stopped) => Self::Stopped,
            Err(Failure { class, message }) => Self::Failed { class, message },
        }
    }
}

impl From<FilePiece> for File {
    fn from(piece: FilePiece) -> Self {
        let FilePiece { artifact, name, media_type, bytes, continues } = piece;
        Self { artifact, name, media_type, bytes, continues }
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
        let told = Told { run, news: News::Text { text: "Hi".to_owned() } };
        let wire = json!({ "run": run, "told": "text", "text": "Hi" });
        assert_eq!(serde_json::to_value(&told).unwrap(), wire);
        assert_eq!(serde_json::from_value::<Told>(wire).unwrap(), told);
        let done = json!({ "run": run, "told": "completed" });
        assert!(serde_json::from_value::<Told>(done).unwrap().news.is_last());
        let question = Question {
            run,
            text: "Hello".to_owned(),
            turns: vec![person("Hello")],
            called: None,
            remote: None,
            whole_ms: 1,
            max_answer_bytes: 1,
            max_file_bytes: 1,
            wants_every: false,
        };
        let wire = serde_json::to_value(Order::Ask(Box::new(question.clone()))).unwrap();
        assert_eq!(wire["order"], "ask");
        assert_eq!(wire["turns"][0]["speaker"], json!({ "is": "person", "name": "Ada" }));
        assert_eq!(serde_json::from_value::<Order>(wire).unwrap(), Order::Ask(Box::new(question)));
    }

    #[test]
    fn a_program_cannot_name_files_of_the_hub() {
        let mut heard = crate::testing::Recorder::default();
        let part = Part::from(Content::File { blob: Digest::of(b"somebody else's"), size: 1 });
        let refused = News::Part { part }.say(&mut heard).unwrap_err();
        assert_eq!(refused.class, FailureClass::Garbage);
        let long = News::Failed { class: FailureClass::Internal, message: "no ".repeat(10_000) };
        assert!(long.say(&mut heard).unwrap_err().message.chars().count() <= MAX_WORDS);
    }

    #[test]
    fn what_a_program_says_is_shown_as_what_it_is() {
        let mut heard = crate::testing::Recorder::default();
        let link = Content::Link { url: "javascript:x".to_owned() };
        News::Part { part: link.into() }.say(&mut heard).unwrap();
        assert_eq!(heard.parts, [Part::text("[link: javascript:x]")]);
        let hidden = News::Rejected { reason: "No\u{202e}t\nnow".to_owned() };
        let reason = "Not\nnow".to_owned();
        assert_eq!(hidden.say(&mut heard), Ok(Some(End::Rejected { reason })));
    }

    #[test]
    fn bytes_travel_as_base64() {
        let piece = json!({ "bytes": "AAH/" });
        let piece: FilePiece = serde_json::from_value(piece).unwrap();
        assert_eq!(piece.bytes.as_ref(), [0, 1, 255]);
        assert!(serde_json::from_value::<FilePiece>(json!({ "bytes": "?" })).is_err());
    }
}
