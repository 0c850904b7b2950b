//! Finds what a request gives a built-in agent to work on: a file, a block of the message, or an earlier result.

use bytes::Bytes;
use plexus_domain::{
    PartBody,
    embedded_block::{EmbeddedBlock, embedded_blocks},
    team::AssignmentPrompt,
};

use super::text_decoding::{DecodedText, decode};
use crate::RunRequest;

/// Maximum number of bytes that are worked on.
pub(super) const MAX_BYTES: usize = 1 << 20;

const TOO_LARGE: &str = "The text is larger than 1 MiB. Send less at once.";

/// A text to work on, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InputText {
    /// A file of the message, with a sentence on how it was read if that is a guess.
    File { text: String, source: Option<String> },
    /// A file that is no text, with the reason.
    Unreadable(String),
    /// An embedded block of the message or of the goal.
    Block(String),
    /// Results of earlier assignments.
    Result(String),
    /// The message itself.
    Message(String),
}

impl InputText {
    pub fn as_str(&self) -> &str {
        match self {
            Self::File { text, .. } | Self::Block(text) | Self::Result(text) | Self::Message(text) => text,
            Self::Unreadable(_) => "",
        }
    }

    /// Returns how a file was read, if the reader must know.
    pub fn source(&self) -> Option<&str> {
        match self {
            Self::File { source, .. } => source.as_deref(),
            _ => None,
        }
    }

    /// Returns the texts of a request, the most likely one first. Those larger than [`MAX_BYTES`] are an error, which
    /// says so.
    pub fn of(request: &RunRequest) -> Result<Vec<Self>, String> {
        let command = request.command();
        if command.len() > MAX_BYTES {
            return Err(TOO_LARGE.to_owned());
        }
        let (results, goal) = AssignmentPrompt::results_and_goal(request.context());
        let mut found: Vec<Self> = files(request)?;
        found.extend(blocks(&command).map(Self::Block));
        found.extend((!results.is_empty()).then_some(Self::Result(results)));
        found.extend(blocks(goal).map(Self::Block));
        found.push(Self::Message(command));
        match found.iter().all(|text| text.as_str().len() <= MAX_BYTES) {
            true => Ok(found),
            false => Err(TOO_LARGE.to_owned()),
        }
    }
}

/// Returns the contents of the embedded blocks of a text.
pub(super) fn blocks(text: &str) -> impl Iterator<Item = String> {
    embedded_blocks(text).into_iter().map(move |EmbeddedBlock { content, .. }| text[content].to_owned())
}

/// Returns the files of the turn to answer. Those larger than [`MAX_BYTES`] are an error; Unicode of two bytes a character may
/// be twice as large.
fn files(request: &RunRequest) -> Result<Vec<InputText>, String> {
    let parts = request.turns.last().map(|turn| turn.parts.as_slice()).unwrap_or_default();
    let bytes = parts.iter().filter_map(|part| match &part.content {
        PartBody::File { blob, .. } => request.files.get(blob),
        _ => None,
    });
    let file = |bytes: &Bytes| match bytes.len() <= 2 * MAX_BYTES {
        true => Ok(decode(bytes).map_or_else(InputText::Unreadable, InputText::from)),
        false => Err(TOO_LARGE.to_owned()),
    };
    bytes.map(file).collect()
}

impl From<DecodedText> for InputText {
    fn from(DecodedText { text, guessed }: DecodedText) -> Self {
        let source =
            guessed.map(|encoding| format!("The file has no mark of its encoding; I read it as {encoding}."));
        Self::File { text, source }
    }
}
