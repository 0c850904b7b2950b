//! The file of an archive while it is written.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use plexus_store::permissions;

use crate::BackupError;

/// Archive that is not complete yet, in the folder of its final place. Removed when dropped unpublished.
pub struct ArchiveFile {
    file: File,
    partial: PathBuf,
    target: PathBuf,
}

impl ArchiveFile {
    /// Extension of an archive that is not complete.
    pub const PARTIAL: &str = "partial";

    /// Creates the incomplete file, readable only for the user of this process. Replaces one that an interrupted
    /// backup left.
    pub fn create(target: &Path) -> Result<Self, BackupError> {
        let name = target.file_name().filter(|name| !name.is_empty());
        let no_name = || BackupError::file(target)(io::Error::other("the path names no file"));
        let mut partial = name.ok_or_else(no_name)?.to_owned();
        partial.push(OsStr::new("."));
        partial.push(Self::PARTIAL);
        let partial = target.with_file_name(partial);
        let file = permissions::create_file(&partial).map_err(BackupError::file(&partial))?;
        // Held until it is published or this process ends; see `leftovers`.
        file.try_lock().map_err(|error| BackupError::file(&partial)(error.into()))?;
        file.set_len(0).map_err(BackupError::file(&partial))?;
        Ok(Self { file, partial, target: target.to_owned() })
    }

    /// Returns another handle to the file, for writing.
    pub fn writer(&self) -> Result<File, BackupError> {
        self.file.try_clone().map_err(BackupError::file(&self.partial))
    }

    /// Path of the incomplete file.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Path of the complete file.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Syncs the file to the disk and gives it its final name. Returns its size in bytes.
    pub fn publish(self) -> Result<u64, BackupError> {
        self.file.sync_all().map_err(BackupError::file(&self.partial))?;
        fs::rename(&self.partial, &self.target).map_err(BackupError::file(&self.target))?;
        Ok(self.file.metadata().map_err(BackupError::file(&self.target))?.len())
    }
}

impl Drop for ArchiveFile {
    fn drop(&mut self) {
        // After `publish` there is no such file.
        let _ = fs::remove_file(&self.partial);
    }
}
