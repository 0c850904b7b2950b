//! The files that a task shows.

use plexus_domain::{Content, Digest, Error as Refusal, Part, RunId};

use super::{Door, task};
use crate::{
    Hub, Result,
    blobs::{self, Download},
};

/// A file of a task, for whoever may see the task.
pub async fn file(hub: &Hub, door: &Door, id: RunId, sha256: &str) -> Result<Download> {
    let gone = || Refusal::not_found("There is no such file, or it is not yours.");
    let sha256: Digest = sha256.parse().map_err(|_| gone())?;
    let task = task::get(hub, door, id).await?;
    let shows = |part: &&Part| matches!(part.content, Content::File { blob, .. } if blob == sha256);
    let part = task.messages.iter().flat_map(|message| &message.parts).find(shows).ok_or_else(gone)?;
    blobs::open(hub, &sha256, part.name.clone(), part.media_type.clone()).await
}
