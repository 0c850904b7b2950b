//! Writes an archive from an open store.

use std::{
    fs::File,
    io::{self, Read as _, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use plexus_domain::{Digest, Timestamp};
use plexus_store::{
    Durability, Store, StoreConfig, StoreUrl,
    blobs::{self, Blob},
    transfer::{self, TableDigest, TransferProgress},
};
use tar::{Builder, Header};
use tokio::runtime::Handle;

use crate::{
    BackupError, BackupManifest, HubStorage, SECRET_KEY_BYTES, entry,
    hashing_reader::HashingReader,
    manifest::FORMAT,
    temporary_folder::{Purpose, TemporaryFolder, delete_leftovers},
};

/// Rows of the table of files that are read at once.
const PAGE: i64 = 1_000;

/// What is backed up.
pub struct BackupSource {
    pub store: Store,
    /// Folder with the files of messages.
    pub files_dir: PathBuf,
    pub secret_key_file: PathBuf,
    /// Folder in which a temporary copy of the database is made.
    pub temporary: PathBuf,
    pub made_by: BackupAuthor,
}

/// Who makes an archive, and when.
#[derive(Clone, Copy, Debug)]
pub struct BackupAuthor {
    /// Version of the running Plexus.
    pub program: &'static str,
    pub now: Timestamp,
}

/// What an archive contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupContents {
    /// Database and files. Restoring it needs the key file of the hub.
    WithoutSecretKey,
    /// Also the secret key, with which a reader of the archive can decrypt all credentials in it.
    WithSecretKey,
}

/// Writes an archive. The store may be in use: the archive holds one snapshot of the database.
///
/// A file that is deleted during the backup is left out: no message of the running hub shows it any more. Runs on a
/// thread of its own, since reading, hashing and compressing would block other tasks.
pub async fn write(
    source: BackupSource,
    contents: BackupContents,
    output: impl Write + Send + 'static,
    progress: impl FnMut(TransferProgress) + Send + 'static,
) -> Result<BackupManifest, BackupError> {
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let copy = runtime.block_on(DatabaseCopy::new(&source, progress))?;
        write_archive(&source, contents, &copy, output)
    })
    .await?
}

/// Writes an archive of a hub that does not run.
pub async fn write_stopped(
    storage: &HubStorage,
    made_by: BackupAuthor,
    contents: BackupContents,
    output: impl Write + Send + 'static,
    progress: impl FnMut(TransferProgress) + Send + 'static,
) -> Result<BackupManifest, BackupError> {
    let store = storage.open().await?;
    let source = BackupSource {
        store: store.clone(),
        files_dir: storage.files_dir.clone(),
        secret_key_file: storage.secret_key_file.clone(),
        temporary: storage.data_dir.clone(),
        made_by,
    };
    let written = write(source, contents, output, progress).await;
    store.close().await;
    written
}

/// Temporary SQLite copy of a snapshot of the database.
struct DatabaseCopy {
    tables: Vec<TableDigest>,
    blobs: Vec<Blob>,
    path: PathBuf,
    /// Deletes the copy when dropped.
    _folder: TemporaryFolder,
}

impl DatabaseCopy {
    async fn new(source: &BackupSource, progress: impl FnMut(TransferProgress)) -> Result<Self, BackupError> {
        let failed = || BackupError::file(&source.temporary);
        delete_leftovers(&source.temporary).map_err(failed())?;
        let folder = TemporaryFolder::create(Purpose::Backup, &source.temporary).map_err(failed())?;
        let mut config = StoreConfig::new(StoreUrl::Sqlite { folder: folder.path().to_owned() });
        config.durability = Durability::Crash;
        let copy = Store::open(&config).await?;
        let tables = transfer::copy(&source.store, &copy, progress).await?;
        let mut blobs: Vec<Blob> = Vec::new();
        let mut conn = copy.read().await?;
        loop {
            let page = blobs::list_after(&mut conn, blobs.last().map(|blob| &blob.sha256), PAGE).await?;
            if page.is_empty() {
                break;
            }
            blobs.extend(page);
        }
        drop(conn);
        copy.close().await;
        Ok(Self { tables, blobs, path: folder.path().join(entry::DATABASE), _folder: folder })
    }
}

fn write_archive(
    source: &BackupSource,
    contents: BackupContents,
    copy: &DatabaseCopy,
    output: impl Write,
) -> Result<BackupManifest, BackupError> {
    let secret_key = match contents {
        BackupContents::WithSecretKey => Some(read_secret_key(&source.secret_key_file)?),
        BackupContents::WithoutSecretKey => None,
    };
    let (database_sha256, database_bytes) = hash_file(&copy.path).map_err(BackupError::file(&copy.path))?;
    let manifest = BackupManifest {
        format: FORMAT,
        program: source.made_by.program.to_owned(),
        schema: plexus_store::schema_version(),
        created_at: source.made_by.now,
        tables: copy.tables.iter().map(Into::into).collect(),
        database_sha256,
        database_bytes,
        files: copy.blobs.len() as u64,
        has_secret_key: secret_key.is_some(),
    };
    let mut archive = ArchiveWriter::new(output, source.made_by.now);
    let json = serde_json::to_vec_pretty(&manifest).map_err(|error| BackupError::Output(error.into()))?;
    archive.append(entry::MANIFEST, &json[..], json.len() as u64)?;
    archive.append_file(entry::DATABASE, &copy.path, database_bytes)?;
    if let Some(key) = secret_key {
        archive.append(entry::SECRET_KEY, &key[..], key.len() as u64)?;
    }
    for blob in &copy.blobs {
        let path = source.files_dir.join(&blob.place);
        match archive.append_file(&format!("{}{}", entry::FILES, blob.sha256), &path, blob.size) {
            Err(BackupError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                tracing::info!(file = %blob.sha256, "backup: file left out: it was deleted meanwhile");
            }
            other => other?,
        }
    }
    archive.finish()?;
    Ok(manifest)
}

fn read_secret_key(path: &Path) -> Result<Vec<u8>, BackupError> {
    let mut key = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SECRET_KEY_BYTES + 1).read_to_end(&mut key));
    read.map_err(BackupError::file(path))?;
    Ok(key)
}

/// Returns SHA-256 digest and length of a file.
fn hash_file(path: &Path) -> io::Result<(Digest, u64)> {
    let mut content = HashingReader::new(File::open(path)?);
    let bytes = io::copy(&mut content, &mut io::sink())?;
    Ok((content.digest(), bytes))
}

/// Tar archive in a gzip stream.
struct ArchiveWriter<W: Write> {
    tar: Builder<GzEncoder<W>>,
    modified: u64,
}

impl<W: Write> ArchiveWriter<W> {
    fn new(output: W, now: Timestamp) -> Self {
        let modified = u64::try_from(now.millis() / 1_000).unwrap_or(0);
        Self { tar: Builder::new(GzEncoder::new(output, Compression::fast())), modified }
    }

    fn append(&mut self, name: &str, content: impl io::Read, size: u64) -> Result<(), BackupError> {
        let mut header = Header::new_gnu();
        header.set_mode(0o600);
        header.set_mtime(self.modified);
        header.set_size(size);
        self.tar.append_data(&mut header, name, content).map_err(BackupError::Output)
    }

    /// Appends `size` bytes of a file. A file of another size is an error: the archive would be damaged.
    fn append_file(&mut self, name: &str, path: &Path, size: u64) -> Result<(), BackupError> {
        let file = File::open(path).map_err(BackupError::file(path))?;
        let length = file.metadata().map_err(BackupError::file(path))?.len();
        if length != size {
            let found = io::Error::other(format!("the file has {length} bytes instead of {size}"));
            return Err(BackupError::File { path: path.to_owned(), source: found });
        }
        self.append(name, file, size)
    }

    fn finish(self) -> Result<(), BackupError> {
        let finished = self.tar.into_inner().and_then(GzEncoder::finish);
        finished.and_then(|mut output| output.flush()).map_err(BackupError::Output)
    }
}
