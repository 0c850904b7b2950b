//! Content-addressed file store: stages, records, downloads and purges the files of messages.
//!
//! Files lie in a folder, named by their SHA-256 digest. Members of a chat that shows a file may download it.

use std::{path::Path as FsPath, time::Duration};

use anyhow::Context as _;
use bytes::Bytes;
use futures::{TryStreamExt as _, stream::BoxStream};
use object_store::{ObjectMeta, ObjectStore as _, ObjectStoreExt as _, local::LocalFileSystem, path::Path};
use plexus_domain::{Digest, Error as Refusal, ImageSize, Part, PartBody, Timestamp, sanitized_text};
use plexus_store::{Tx, blobs, blobs::Blob, parts, permissions, uploads};
use tokio::sync::{RwLock, RwLockReadGuard};

use crate::{Caller, Error, Hub, Result, caller::Scope, uploads::image_size};

/// Grace period of a written file while other instances run. Another instance may be about to insert the row
/// of a file that it wrote; the sweep lock covers one instance only.
const SETTLES: Duration = Duration::from_mins(10);
pub(crate) const UNKNOWN_TYPE: &str = "application/octet-stream";
/// Maximum length of file names and media types, which callers and agents choose freely.
const LABEL_CHARS: usize = 200;
/// Unreferenced files that one transaction deletes.
const SWEPT: i64 = 200;

/// Content-addressed files in one folder.
pub(crate) struct FileStore {
    files: LocalFileSystem,
    /// A written file has no row until its message is stored. Writers hold a read lock until then, and a
    /// sweep takes the write lock.
    sweeping: RwLock<()>,
}

/// A file to be stored: its row and its bytes.
#[derive(Clone, Debug)]
pub struct NewBlob {
    row: Blob,
    bytes: Bytes,
}

/// Files on disk that have no row yet; [`StagedFiles::record`] inserts the rows in the transaction of the
/// message.
///
/// Holds off sweeps until it is dropped.
pub(crate) struct StagedFiles<'a> {
    new: &'a [NewBlob],
    _no_sweep: RwLockReadGuard<'a, ()>,
}

/// A file for a caller who may read it, as a stream of bytes.
pub struct Download {
    pub name: Option<String>,
    /// The media type that the agent declared; not verified.
    pub media_type: Option<String>,
    pub size: u64,
    pub bytes: BoxStream<'static, Result<Bytes, object_store::Error>>,
}

/// Cleans a file name or media type that was received: one line, at most [`LABEL_CHARS`] characters. None if
/// empty.
pub(crate) fn label(words: Option<String>) -> Option<String> {
    let words = words.map(|words| sanitized_text::ellipsize(&sanitized_text::one_line(&words), LABEL_CHARS));
    words.filter(|words| !words.is_empty())
}

/// Returns the file name of a path; some browsers and programs send paths.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Raster image types: browsers show them, because they cannot contain scripts. All other types are downloaded.
const SHOWN: [&str; 5] = ["image/avif", "image/gif", "image/jpeg", "image/png", "image/webp"];

/// Returns the type of an image that browsers show, in its canonical spelling.
pub fn inline_type(media_type: &str) -> Option<&'static str> {
    SHOWN.into_iter().find(|shown| media_type.trim().eq_ignore_ascii_case(shown))
}

impl NewBlob {
    pub fn new(media_type: Option<String>, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let (sha256, size) = (Digest::of(&bytes), bytes.len() as u64);
        let media_type = label(media_type).unwrap_or_else(|| UNKNOWN_TYPE.to_owned());
        Self { row: Blob { sha256, size, media_type, place: blobs::place(&sha256) }, bytes }
    }

    /// Returns the size in bytes.
    pub const fn size(&self) -> u64 {
        self.row.size
    }

    /// Returns the row of the file in the database.
    pub const fn row(&self) -> &Blob {
        &self.row
    }

    /// Returns the size of an image that browsers show; `None` for other files.
    pub fn image(&self) -> Option<ImageSize> {
        image_size(Some(&self.row.media_type), &self.bytes)
    }

    /// Returns a message part that refers to this file.
    pub fn part(&self, name: Option<String>) -> Part {
        let content = PartBody::File { blob: self.row.sha256, size: self.row.size, image: self.image() };
        Part { name: label(name), media_type: Some(self.row.media_type.clone()), ..Part::from(content) }
    }
}

impl FileStore {
    pub fn open(folder: &FsPath) -> anyhow::Result<Self> {
        let making = || format!("making the folder of files {}", folder.display());
        permissions::create_closed_folder(folder).with_context(making)?;
        let files = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true);
        Ok(Self { files, sweeping: RwLock::new(()) })
    }

    /// Writes the files to disk. Idempotent: equal bytes are one file.
    pub async fn write<'a>(&'a self, new: &'a [NewBlob]) -> Result<StagedFiles<'a>> {
        let no_sweep = self.sweeping.read().await;
        for blob in new {
            let path = Path::from(blob.row.place.as_str());
            let put = self.files.put(&path, blob.bytes.clone().into()).await;
            put.map_err(|error| {
                tracing::warn!(%error, "file write failed");
                Refusal::unavailable("The hub cannot store files at the moment. Try again later.")
            })?;
        }
        Ok(StagedFiles { new, _no_sweep: no_sweep })
    }
}

impl StagedFiles<'_> {
    pub async fn record(&self, tx: &mut Tx) -> Result<()> {
        for blob in self.new {
            blobs::insert(tx, &blob.row).await?;
        }
        Ok(())
    }
}

/// Opens a file that is shown in a chat of which the caller is a member, or that the caller has stored for a message.
pub async fn download(hub: &Hub, caller: &Caller, sha256: &str) -> Result<Download> {
    let gone = || Refusal::not_found("File not found.");
    let person = caller.may(Scope::Read)?;
    let sha256: Digest = sha256.parse().map_err(|_| gone())?;
    let mut conn = hub.store().read().await?;
    let shown = parts::with_blob(&mut conn, &sha256, person.principal).await?;
    let (name, media_type) = match shown {
        Some(shown) => (shown.name, shown.media_type),
        None => {
            let stored = uploads::find_by_blob(&mut conn, person.principal, &sha256).await?;
            stored.map(|stored| (Some(stored.name), Some(stored.media_type))).ok_or_else(gone)?
        }
    };
    drop(conn);
    open(hub, &sha256, name, media_type).await
}

/// Opens a file by its digest, with the name and media type of the part that shows it.
///
/// Does not check access: the caller of this function has authorized the reader.
pub(crate) async fn open(
    hub: &Hub,
    sha256: &Digest,
    name: Option<String>,
    media_type: Option<String>,
) -> Result<Download> {
    let gone = || Refusal::not_found("File not found.");
    let blob = blobs::find(&mut hub.store().read().await?, sha256).await?.ok_or_else(gone)?;
    let found = hub.blobs().files.get(&Path::from(blob.place)).await.map_err(Error::fault)?;
    Ok(Download { name, media_type, size: found.meta.size, bytes: found.into_stream() })
}

/// Returns the bytes of a file, to be sent to an agent. None if no row has this digest.
pub(crate) async fn read(hub: &Hub, sha256: &Digest) -> Result<Option<Bytes>> {
    let Some(blob) = blobs::find(&mut hub.store().read().await?, sha256).await? else { return Ok(None) };
    let found = hub.blobs().files.get(&Path::from(blob.place)).await.map_err(Error::fault)?;
    Ok(Some(found.bytes().await.map_err(Error::fault)?))
}

/// Deletes files that no message shows any more, and returns how many. Runs in transactions of [`SWEPT`]
/// files.
pub(crate) async fn delete_unreferenced(hub: &Hub) -> Result<usize> {
    let mut swept = 0;
    loop {
        let _alone = hub.blobs().sweeping.write().await;
        let mut tx = hub.store().write_background().await?;
        let unused = blobs::list_unused(&mut tx, SWEPT).await?;
        for blob in &unused {
            blobs::delete(&mut tx, &blob.sha256).await?;
        }
        tx.commit().await?;
        for blob in &unused {
            let path = Path::from(blob.place.as_str());
            // A file in its grace period stays on disk without a row; `delete_orphaned_files` deletes it later.
            if !hub.cluster_notifier().has_peers() || is_settled(hub, &path).await? {
                remove(hub, &path).await?;
            }
        }
        swept += unused.len();
        if unused.is_empty() {
            return Ok(swept);
        }
    }
}

/// Deletes orphaned files: files without a row, left by a crash or by a request that was rejected.
pub(crate) async fn delete_orphaned_files(hub: &Hub) -> Result<()> {
    let _alone = hub.blobs().sweeping.write().await;
    let mut found = hub.blobs().files.list(None);
    while let Some(file) = found.try_next().await.map_err(Error::fault)? {
        let digest = file.location.filename().and_then(|name| name.parse().ok());
        let known = match digest {
            Some(digest) => blobs::find(&mut hub.store().read().await?, &digest).await?.is_some(),
            None => false,
        };
        // Re-read the modification time: the listing may be old, and the file may have been written again
        // since.
        if !known && (!hub.cluster_notifier().has_peers() || is_settled(hub, &file.location).await?) {
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
