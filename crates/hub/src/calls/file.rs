//! Download of files that a task shows.

use plexus_domain::{Digest, Error as Refusal, Part, PartBody, RunId};

use super::{AuthorizedAgent, Task, task};
use crate::{
    Hub, Result,
    blobs::{self, Download},
};

/// Opens a file of a task that the caller may read.
pub async fn file(hub: &Hub, authorized: &AuthorizedAgent, id: RunId, sha256: &str) -> Result<Download> {
    let task = task::get(hub, authorized, id).await?;
    let blob = sha256.parse().map_err(|_| gone())?;
    shown(hub, &task, &blob).await
}

/// Opens a file of a task that was read for the caller.
pub async fn file_of_task(hub: &Hub, task: &Task, sha256: &Digest) -> Result<Download> {
    shown(hub, task, sha256).await
}

pub(super) fn gone() -> Refusal {
    Refusal::not_found("File not found.")
}

pub(super) async fn shown(hub: &Hub, task: &Task, wanted: &Digest) -> Result<Download> {
    let shows = |part: &&Part| matches!(&part.content, PartBody::File { blob, .. } if blob == wanted);
    let part = task.messages.iter().flat_map(|message| &message.parts).find(shows).ok_or_else(gone)?;
    blobs::open(hub, wanted, part.name.clone(), part.media_type.clone()).await
}
