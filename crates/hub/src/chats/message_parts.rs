//! Parts of a message of a user: its text and its files.

use plexus_domain::Part;
use plexus_store::{Tx, messages};

use super::MessagePosition;
use crate::{Result, uploads};

/// Returns the text, if there is one, and the files.
pub(super) fn text_and_files(text: String, files: Vec<Part>) -> Vec<Part> {
    let text = Some(text).filter(|text| !text.trim().is_empty());
    text.map(Part::text).into_iter().chain(files).collect()
}

/// Returns the files of the message that this one is an alternative to. An edit changes the text only.
pub(super) async fn files_of_edited(tx: &mut Tx, position: MessagePosition) -> Result<Vec<Part>> {
    let MessagePosition::InsteadOf(edited) = position else { return Ok(Vec::new()) };
    let edited = messages::load(tx, &[edited]).await?.pop();
    Ok(edited.map(|edited| uploads::files(edited.parts)).unwrap_or_default())
}
