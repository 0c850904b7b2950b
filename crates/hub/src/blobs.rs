//! Files that agents and callers sent: bytes in a folder, named by their digest, and given to members of the chats that show them.

use std::{path::Path as FsPath, time::Duration};

use anyhow::Context as _;
use bytes::Bytes;
use futures::{TryStreamExt as _, stream::BoxStream};
use object_store::{ObjectMeta, ObjectStore as _, ObjectStoreExt as _, local::LocalFileSystem, path::Path};
use plexus_domain::{Content, Digest, Error as Refusal, Part, Timestamp, text};
use plexus_store::{Tx, blobs, blobs::Blob, parts, permissions};
use tokio::sync::{RwLock, RwLockReadGuard};

use crate::{Caller, Error, Hub, Result, caller::Scope};

/// What another process wrote lately it may be about to show: its sweeps and ours do not wait for each other.
const SETTLES: Duration = Duration::from_mins(10);
const UNKNOWN_TYPE: &str = "application/octet-stream";
/// Names and types of files come from elsewhere.
const LABEL_CHARS: usize = 200;
/// Blobs that one sweep looks at in one go.
const SWEPT: i64 = 200;

/// The folder of the bytes.
pub(crate) struct Blobs {
    files: LocalFileSystem,
    /// Written bytes have no row until their message is kept: whoever writes holds this, and a sweep waits.
    sweeping: RwLock<()>,
}

/// A file to be kept.
#[derive(Clone, Debug)]
pub struct NewBlob {
    row: Blob,
    bytes: Bytes,
}

/// Bytes that lie in the folder, to be recorded in the transaction that shows them.
pub(crate) struct Written<'a> {
    new: &'a [NewBlob],
    _no_sweep: RwLockReadGuard<'a, ()>,
}

/// A file for somebody who may see it.
pub struct Download {
    pub name: Option<String>,
    /// As the agent called it.
    pub media_type: Option<String>,
    pub size: u64,
    pub bytes: BoxStream<'static, Result<Bytes, object_store::Error>>,
}

/// What somebody elsewhere calls a file or its type, as it is kept.
pub(crate) fn label(words: Option<String>) -> Option<String> {
    let words = words.map(|words| text::shorten(&text::one_line(&words), LABEL_CHARS));
    words.filter(|words| !words.is_empty())
}

impl NewBlob {
    pub fn new(media_type: Option<String>, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let (sha256, size) = (Digest::of(&bytes), bytes.len() as u64);
        let media_type = label(media_type).unwrap_or_else(|| UNKNOWN_TYPE.to_owned());
        Self { row: Blob { sha256, size, media_type, place: place(&sha256) }, bytes }
    }

    /// In bytes.
    pub const fn size(&self) -> u64 {
        self.row.size
    }

    /// The part that shows it.
    pub fn part(&self, name: Option<String>) -> Part {
        let content = Content::File { blob: self.row.sha256, size: self.row.size };
        Part { name: label(name), media_type: Some(self.row.media_type.clone()), ..Part::from(content) }
    }
}

impl Blobs {
    pub fn open(folder: &FsPath) -> anyhow::Result<Self> {
        let making = || format!("making the folder of files {}", folder.display());
        permissions::create_closed_folder(folder).with_context(making)?;
        let files = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true);
        Ok(Self { files, sweeping: RwLock::new(()) })
    }

    /// Puts the bytes into the folder. The same bytes twice are one file.
    pub async fn write<'a>(&'a self, new: &'a [NewBlob]) -> Result<Written<'a>> {
        let no_sweep = self.sweeping.read().await;
        for blob in new {
            let path = Path::from(blob.row.place.as_str());
            let put = self.files.put(&path, blob.bytes.clone().into()).await;
            put.map_err(|error| {
                tracing::warn!(%error, "a file could not be written");
                Refusal::unavailable("The hub cannot write files at the moment.")
            })?;
        }
        Ok(Written { new, _no_sweep: no_sweep })
    }
}

impl Written<'_> {
    pub async fn record(&self, tx: &mut Tx) -> Result<()> {
        for blob in self.new {
            blobs::insert(tx, &blob.row).await?;
        }
        Ok(())
    }
}

/// The first two digits are a folder, so that none grows too large.
fn place(sha256: &Digest) -> String {
    let name = sha256.to_string();
    format!("{}/{name}", &name[..2])
}

/// A file that is shown in a chat which the caller is in.
pub async fn download(hub: &Hub, caller: &Caller, sha256: &str) -> Result<Download> {
    let gone = || Refusal::not_found("There is no such file, or it is not yours.");
    let person = caller.may(Scope::Read)?;
    let sha256: Digest = sha256.parse().map_err(|_| gone())?;
    let mut conn = hub.store().read().await?;
    let shown = parts::with_blob(&mut conn, &sha256, person.principal).await?.ok_or_else(gone)?;
    drop(conn);
    open(hub, &sha256, shown.name, shown.media_type).await
}

/// A file that whoever asks may see, with what is said of it where it is shown.
pub(crate) async fn open(
    hub: &Hub,
    sha256: &Digest,
    name: Option<String>,
    media_type: Option<String>,
) -> Result<Download> {
    let gone = || Refusal::not_found("There is no such file, or it is not yours.");
    let blob = blobs::find(&mut hub.store().read().await?, sha256).await?.ok_or_else(gone)?;
    let found = hub.blobs().files.get(&Path::from(blob.place)).await.map_err(Error::fault)?;
    Ok(Download { name, media_type, size: found.meta.size, bytes: found.into_stream() })
}

/// The bytes of a file that goes to an agent.
pub(crate) async fn read(hub: &Hub, sha256: &Digest) -> Result<Option<Bytes>> {
    let Some(blob) = blobs::find(&mut hub.store().read().await?, sha256).await? else { return Ok(None) };
    let found = hub.blobs().files.get(&Path::from(blob.place)).await.map_err(Error::fault)?;
    Ok(Some(found.bytes().await.map_err(Error::fault)?))
}

/// Deletes the bytes that no message shows any more. Answers how many files went.
pub(crate) async fn sweep(hub: &Hub) -> Result<usize> {
    let mut swept = 0;
    loop {
        let _alone = hub.blobs().sweeping.write().await;
        let mut tx = hub.store().write_bulk().await?;
        let unused = blobs::list_unused(&mut tx, SWEPT).await?;
        for blob in &unused {
            blobs::delete(&mut tx, &blob.sha256).await?;
        }
        tx.commit().await?;
        for blob in &unused {
            let path = Path::from(blob.place.as_str());
            // One that is new is a stray from now on.
            if !hub.hints().are_heard() || is_settled(hub, &path).await? {
                remove(hub, &path).await?;
            }
        }
        swept += unused.len();
        if unused.is_empty() {
            return Ok(swept);
        }
    }
}

/// Deletes bytes that have no row: a crash left them, or what they came with was refused.
pub(crate) async fn sweep_strays(hub: &Hub) -> Result<()> {
    let _alone = hub.blobs().sweeping.write().await;
    let mut found = hub.blobs().files.list(None);
    while let Some(file) = found.try_next().await.map_err(Error::fault)? {
        let digest = file.location.filename().and_then(|name| name.parse().ok());
        let known = match digest {
            Some(digest) => blobs::find(&mut hub.store().read().await?, &digest).await?.is_some(),
            None => false,
        };
        // Looked at anew: the list may have been read a while ago.
        if !known && (!hub.hints().are_heard() || is_settled(hub, &file.location).await?) {
            remove(hub, &file.location).await?;
        }
    }
    Ok(())
}

async fn is_settled(hub: &Hub, path: &Path) -> Result<bool> {
    match hub.blobs().files.head(path).await {
        Ok(file) => Ok(has_settled(hub, &file)),
        Err(object_store::Error::NotFound { .. }) => Ok(false),
        Err(error) => Err(Error::fault(error)),
    }
}

fn has_settled(hub: &Hub, file: &ObjectMeta) -> bool {
    Timestamp::from_millis(file.last_modified.timestamp_millis()) + SETTLES < hub.env().now()
}

async fn remove(hub: &Hub, path: &Path) -> Result<()> {
    match hub.blobs().files.delete(path).await {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(Error::fault(error)),
    }
}
