//! Finds what a request gives a built-in agent to work on: a file, a block of the message, or an earlier result.

use plexus_domain::{
    Part, PartBody,
    embedded_block::{EmbeddedBlock, embedded_blocks},
    team::AssignmentPrompt,
};

use crate::RunRequest;

/// Maximum number of bytes that are worked on.
pub(super) const MAX_BYTES: usize = 1 << 20;

const TOO_LARGE: &str = "The text is larger than 1 MiB. Send less at once.";

/// A text to work on, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InputText {
    /// A file of the message.
    File(String),
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
            Self::File(text) | Self::Block(text) | Self::Result(text) | Self::Message(text) => text,
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
        let mut found: Vec<Self> = files(request).into_iter().map(Self::File).collect();
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

/// Returns the files of the turn to answer that are text, in any encoding that is valid UTF-8.
fn files(request: &RunRequest) -> Vec<String> {
    let parts = request.turns.last().map(|turn| turn.parts.as_slice()).unwrap_or_default();
    let text = |part: &Part| match &part.content {
        PartBody::File { blob, .. } => {
            let text = str::from_utf8(request.files.get(blob)?).ok()?;
            Some(text.trim_start_matches('\u{feff}').to_owned())
        }
        _ => None,
    };
    parts.iter().filter_map(text).collect()
}
