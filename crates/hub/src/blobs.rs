//! Content-addressed file store: stages, records, downloads and purges the files of messages.
//!
//! Files lie in a folder, named by their SHA-256 digest. Members of a chat that shows a file may download it.

use std::{
    collections::HashSet,
    fs,
    path::Path as FsPath,
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use bytes::Bytes;
use futures::{StreamExt as _, future::ready, stream::BoxStream};
use object_store::{ObjectMeta, ObjectStore as _, ObjectStoreExt as _, local::LocalFileSystem, path::Path};
use plexus_domain::{Digest, Error as Refusal, ImageSize, Part, PartBody, Timestamp, sanitized_text};
use plexus_image_file::ImageFile;
use plexus_store::{Tx, blobs, blobs::Blob, parts, permissions, uploads};
use tokio::sync::{RwLock, RwLockReadGuard};

use crate::{
    Caller, Error, Hub, Result,
    caller::Scope,
    media_types::{UNKNOWN_TYPE, image_size},
};

/// Grace period of a written file while other instances run. Another instance may be about to insert the row
/// of a file that it wrote; the sweep lock covers one instance only.
const SETTLES: Duration = Duration::from_mins(10);
/// Maximum length of file names and media types, which callers and agents choose freely.
const LABEL_CHARS: usize = 200;
/// Unreferenced files that one transaction deletes.
const SWEPT: i64 = 200;
/// Files that are compared with the database at once, by one query.
const CHECKED: usize = 256;

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
    image: Option<ImageSize>,
}

/// Files on disk that have no row yet; [`StagedFiles::record`] inserts the rows in the transaction of the
/// message.
///
/// Holds off sweeps until it is dropped.
pub(crate) struct StagedFiles<'a> {
    new: &'a [NewBlob],
    /// `None` without files.
    _no_sweep: Option<RwLockReadGuard<'a, ()>>,
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

impl NewBlob {
    /// Removes the metadata of an image, such as the place of a photo. Its pixels are not decoded.
    pub fn new(media_type: Option<String>, bytes: impl Into<Bytes>) -> Self {
        let mut bytes = bytes.into();
        let mut image = None;
        if let Some(file) = ImageFile::read(&bytes) {
            image = image_size(media_type.as_deref(), &file);
            bytes = file.bytes.into();
        }
        let (sha256, size) = (Digest::of(&bytes), bytes.len() as u64);
        let media_type = label(media_type).unwrap_or_else(|| UNKNOWN_TYPE.to_owned());
        Self { row: Blob { sha256, size, media_type, place: blobs::place(&sha256) }, bytes, image }
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
    pub const fn image(&self) -> Option<ImageSize> {
        self.image
    }

    /// Returns a message part that refers to this file.
    pub fn part(&self, name: Option<String>) -> Part {
        Part {
            name: label(name),
            media_type: Some(self.row.media_type.clone()),
            ..Part::from(self.content())
        }
    }

    /// Returns the content of a message part that refers to this file.
    pub const fn content(&self) -> PartBody {
        PartBody::File { blob: self.row.sha256, size: self.row.size, image: self.image }
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
        let no_sweep = match new {
            [] => None,
            _ => Some(self.sweeping.read().await),
        };
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
        // Without the lock, which stops writers: usually there is nothing to delete.
        if blobs::list_unused(&mut hub.store().read().await?, 1).await?.is_empty() {
            return Ok(swept);
        }
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
    }
}

/// Deletes orphaned files: files without a row, left by a crash or by a request that was rejected.
///
/// Writers wait for one batch of [`CHECKED`] files at most: the folder is read without the lock.
pub(crate) async fn delete_orphaned_files(hub: &Hub) -> Result<()> {
    let (folder, oldest) = (hub.config().files_dir.clone(), hub.env().now() - SETTLES);
    tokio::task::spawn_blocking(move || delete_unfinished(&folder, oldest)).await.map_err(Error::fault)?;
    // A file that is deleted while the folder is read costs itself.
    let readable = |file: object_store::Result<ObjectMeta>| {
        ready(file.inspect_err(|error| tracing::debug!(%error, "sweep of files: a file is skipped")).ok())
    };
    let mut found = hub.blobs().files.list(None).filter_map(readable).chunks(CHECKED);
    while let Some(batch) = found.next().await {
        delete_orphans_of(hub, &batch).await?;
    }
    Ok(())
}

/// Deletes files that were still being written when the hub crashed. The object store does not list them: their names end
/// in `#` and a number. Blocks.
fn delete_unfinished(folder: &FsPath, oldest: Timestamp) {
    let entries = |folder: &FsPath| fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries(folder).flat_map(|inner| entries(&inner.path()).collect::<Vec<_>>()) {
        let is_unfinished = entry.file_name().to_string_lossy().contains('#');
        let modified = || entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let is_old = |time: SystemTime| {
            let millis = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis());
            Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX)) < oldest
        };
        if is_unfinished
            && modified().is_some_and(is_old)
            && let Err(error) = fs::remove_file(entry.path())
        {
            tracing::warn!(%error, path = %entry.path().display(), "unfinished file: not deleted");
        }
    }
}

async fn delete_orphans_of(hub: &Hub, batch: &[ObjectMeta]) -> Result<()> {
    let digest = |file: &ObjectMeta| file.location.filename().and_then(|name| name.parse().ok());
    let digests: Vec<Digest> = batch.iter().filter_map(digest).collect();
    // Most batches have no orphan. These do not stop writers.
    if digests.len() == batch.len() && list_known(hub, &digests).await?.len() == batch.len() {
        return Ok(());
    }
    let _alone = hub.blobs().sweeping.write().await;
    let known = list_known(hub, &digests).await?;
    for file in batch.iter().filter(|file| digest(file).is_none_or(|digest| !known.contains(&digest))) {
        // Re-read the modification time: the listing may be old, and the file may have been written again
        // since.
        if !hub.cluster_notifier().has_peers() || is_settled(hub, &file.location).await? {
            remove(hub, &file.location).await?;
        }
    }
    Ok(())
}

async fn list_known(hub: &Hub, digests: &[Digest]) -> Result<HashSet<Digest>> {
    Ok(blobs::list_existing(&mut hub.store().read().await?, digests).await?)
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
