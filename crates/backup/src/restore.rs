//! Restores an archive into an empty hub.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use plexus_domain::Digest;
use plexus_store::{
    Durability, Store, StoreConfig, StoreUrl, blobs, permissions,
    transfer::{self, TransferProgress},
};

use crate::{
    BackupError, BackupManifest, BackupTable, HubStorage, entry,
    read::{EntrySink, damaged, read},
    temporary_folder::{FILES, Purpose, TemporaryFolder, delete_leftovers},
};

/// Result of a restore.
#[derive(Debug)]
pub struct RestoreSummary {
    pub manifest: BackupManifest,
    /// Files that were restored. Fewer than in the manifest if files were deleted during the backup.
    pub files: u64,
    /// Whether the data folder has a key now. Without it the hub does not start.
    pub has_secret_key: bool,
}

/// Restores an archive into an empty database, SQLite or Postgres, and compares every table afterwards.
///
/// The database is filled in one transaction, at the end: after an error it is still empty. Files that were written
/// before the error are removed by the hub when it runs next.
pub async fn restore(
    archive: &Path,
    into: &HubStorage,
    progress: impl FnMut(TransferProgress) + Send,
) -> Result<RestoreSummary, BackupError> {
    permissions::create_folder(&into.data_dir).map_err(BackupError::file(&into.data_dir))?;
    let target = into.open().await?;
    let restored = fill(archive, into, &target, progress).await;
    target.close().await;
    restored
}

/// Restores an archive into a temporary SQLite hub, and deletes it. Needs free space in `folder` for the database, twice,
/// and the files.
pub async fn restore_for_test(archive: &Path, folder: &Path) -> Result<RestoreSummary, BackupError> {
    delete_leftovers(folder).map_err(BackupError::file(folder))?;
    let hub = TemporaryFolder::create(Purpose::RestoreTest, folder).map_err(BackupError::file(folder))?;
    let storage = HubStorage {
        database_url: None,
        data_dir: hub.path().to_owned(),
        files_dir: hub.path().join(FILES),
        secret_key_file: hub.path().join(entry::SECRET_KEY),
    };
    restore(archive, &storage, |_| ()).await
}

async fn fill(
    archive: &Path,
    into: &HubStorage,
    target: &Store,
    progress: impl FnMut(TransferProgress) + Send,
) -> Result<RestoreSummary, BackupError> {
    transfer::check_empty(target).await?;
    let failed = || BackupError::file(&into.data_dir);
    delete_leftovers(&into.data_dir).map_err(failed())?;
    let staging = TemporaryFolder::create(Purpose::Restore, &into.data_dir).map_err(failed())?;
    let mut sink =
        RestoreSink { storage: into.clone(), staging: staging.path().to_owned(), secret_key: None };
    let archive = archive.to_owned();
    let (sink, read) = tokio::task::spawn_blocking(move || {
        let read = read(&archive, &mut sink);
        (sink, read)
    })
    .await?;
    let (manifest, files) = read?;
    let mut config = StoreConfig::new(StoreUrl::Sqlite { folder: staging.path().to_owned() });
    config.durability = Durability::Crash;
    // Opening migrates the database of an older Plexus.
    let source = Store::open(&config).await?;
    let copied = check_tables(&source, &manifest).await;
    let copied = match copied {
        Ok(()) => transfer::copy(&source, target, progress).await.map(drop).map_err(Into::into),
        Err(error) => Err(error),
    };
    source.close().await;
    copied?;
    if let Some(key) = sink.secret_key {
        write_secret_key(&into.secret_key_file, &key)?;
    }
    Ok(RestoreSummary { manifest, files, has_secret_key: into.secret_key_file.exists() })
}

/// Compares the tables with the manifest. Those of an older schema have changed by their migration.
async fn check_tables(source: &Store, manifest: &BackupManifest) -> Result<(), BackupError> {
    if manifest.schema != plexus_store::schema_version() {
        return Ok(());
    }
    let found = transfer::contents(&mut source.snapshot().await?).await?;
    let found: Vec<BackupTable> = found.iter().map(Into::into).collect();
    if found != manifest.tables {
        return Err(damaged(io::Error::other("its tables do not match its manifest")));
    }
    Ok(())
}

/// Writes the entries of an archive to the staging folder and to the folder of files.
struct RestoreSink {
    storage: HubStorage,
    staging: PathBuf,
    secret_key: Option<Vec<u8>>,
}

impl EntrySink for RestoreSink {
    fn manifest(&mut self, _: &BackupManifest) -> Result<(), BackupError> {
        let files = &self.storage.files_dir;
        permissions::create_closed_folder(files).map_err(BackupError::file(files))
    }

    fn database(&mut self) -> Result<Box<dyn Write>, BackupError> {
        let path = self.staging.join(entry::DATABASE);
        let file = permissions::create_file(&path).map_err(BackupError::file(&path))?;
        Ok(Box::new(file))
    }

    fn secret_key(&mut self, key: &[u8]) -> Result<(), BackupError> {
        let path = &self.storage.secret_key_file;
        match fs::read(path) {
            Ok(present) if present == key => {}
            Ok(_) => return Err(BackupError::OtherSecretKey { path: path.clone() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(BackupError::file(path)(error)),
        }
        self.secret_key = Some(key.to_owned());
        Ok(())
    }

    fn stage_file(&mut self, sha256: &Digest, content: &mut dyn Read) -> Result<(), BackupError> {
        let path = self.staged_file(sha256);
        let folder = path.parent().unwrap_or(&path);
        permissions::create_folder(folder).map_err(BackupError::file(folder))?;
        let mut file = permissions::create_file(&path).map_err(BackupError::file(&path))?;
        copy(content, &mut file, &path)
    }

    fn commit_file(&mut self, sha256: &Digest) -> Result<(), BackupError> {
        let path = self.storage.files_dir.join(blobs::place(sha256));
        fs::rename(self.staged_file(sha256), &path).map_err(BackupError::file(&path))
    }
}

impl RestoreSink {
    fn staged_file(&self, sha256: &Digest) -> PathBuf {
        self.storage.files_dir.join(blobs::place(sha256)).with_extension("part")
    }
}

fn copy(content: &mut dyn Read, file: &mut File, path: &Path) -> Result<(), BackupError> {
    file.set_len(0).map_err(BackupError::file(path))?;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = match content.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) => return Err(damaged(error)),
        };
        file.write_all(&buffer[..read]).map_err(BackupError::file(path))?;
    }
    file.sync_all().map_err(BackupError::file(path))
}

fn write_secret_key(path: &Path, key: &[u8]) -> Result<(), BackupError> {
    let mut file = permissions::create_file(path).map_err(BackupError::file(path))?;
    file.write_all(key).and_then(|()| file.sync_all()).map_err(BackupError::file(path))
}
