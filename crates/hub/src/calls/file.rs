//! The files that a task shows.

use std::fmt;

use plexus_domain::{Content, Digest, Error as Refusal, Part, RunId};

use super::{Door, Task, task};
use crate::{
    Hub, Result,
    blobs::{self, Download},
    keys,
};

/// What the keys of links follow from: the hub's own key, so links outlast a restart and nothing is stored.
#[derive(Clone)]
pub(super) struct Links(Digest);

impl Links {
    pub async fn load(hub: &Hub) -> Result<Self> {
        let (seed, _) = keys::hub_seed(hub, &mut hub.store().read().await?).await?;
        Ok(Self(Digest::of([b"plexus links to files 1\n", seed.as_slice()].concat())))
    }

    /// Lets whoever has it see this file of this task.
    pub fn key(&self, run: RunId, blob: &Digest) -> Digest {
        let run = run.uuid();
        Digest::of([self.0.as_bytes().as_slice(), run.as_bytes(), blob.as_bytes()].concat())
    }
}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Links(…)")
    }
}

/// A file of a task, for whoever may see the task.
pub async fn file(hub: &Hub, door: &Door, id: RunId, sha256: &str) -> Result<Download> {
    let task = task::get(hub, door, id).await?;
    let blob = sha256.parse().map_err(|_| gone())?;
    shown(hub, &task, &blob).await
}

/// The same for whoever has the link that a guest was shown.
pub async fn file_by_link(hub: &Hub, id: RunId, sha256: &str, key: &str) -> Result<Download> {
    let blob: Digest = sha256.parse().map_err(|_| gone())?;
    if Links::load(hub).await?.key(id, &blob).to_string() != key {
        return Err(gone().into());
    }
    let task = task::reload(hub, &mut hub.store().snapshot().await?, id).await?;
    shown(hub, &task, &blob).await
}

fn gone() -> Refusal {
    Refusal::not_found("There is no such file, or it is not yours.")
}

async fn shown(hub: &Hub, task: &Task, wanted: &Digest) -> Result<Download> {
    let shows = |part: &&Part| matches!(&part.content, Content::File { blob, .. } if blob == wanted);
    let part = task.messages.iter().flat_map(|message| &message.parts).find(shows).ok_or_else(gone)?;
    blobs::open(hub, wanted, part.name.clone(), part.media_type.clone()).await
}
