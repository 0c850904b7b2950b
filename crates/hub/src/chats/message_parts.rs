//! Parts of a message of a user: its text and its files.

use plexus_domain::{MessageId, Part};
use plexus_store::{Tx, messages};

use crate::{Result, uploads};

/// Returns the text, if there is one, and the files.
pub(super) fn text_and_files(text: String, files: Vec<Part>) -> Vec<Part> {
    let text = Some(text).filter(|text| !text.trim().is_empty());
    text.map(Part::text).into_iter().chain(files).collect()
}

/// Returns the files of a message; none without a message.
pub(super) async fn files_of(tx: &mut Tx, message: Option<MessageId>) -> Result<Vec<Part>> {
    let Some(message) = message else { return Ok(Vec::new()) };
    let message = messages::load(tx, &[message]).await?.pop();
    Ok(message.map(|message| uploads::files(message.parts)).unwrap_or_default())
}
