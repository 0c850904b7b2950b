//! Temporary folders with a copy of the database, and what a crash leaves of them and of archives.

use std::{
    fs::{self, File, Permissions},
    io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use crate::{ArchiveFile, entry};

/// What a temporary folder is for: the start of its name, to which six random characters are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Backup,
    Restore,
    RestoreTest,
}

const PURPOSES: [Purpose; 3] = [Purpose::Backup, Purpose::Restore, Purpose::RestoreTest];
const RANDOM_CHARS: usize = 6;
/// Folder of files in a hub that is restored for a test.
pub(crate) const FILES: &str = "files";
/// Lock file that the store makes beside a database.
const LOCK: &str = "plexus.lock";

/// Folder that only the user of this process may enter. Deleted when dropped.
///
/// It is locked while this process lives, which the kernel ends even after a crash: a folder that can be locked is a
/// leftover.
pub(crate) struct TemporaryFolder {
    folder: tempfile::TempDir,
    _lock: File,
}

impl Purpose {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Backup => "backup-",
            Self::Restore => "restore-",
            Self::RestoreTest => ".restore-test-",
        }
    }
}

impl TemporaryFolder {
    pub fn create(purpose: Purpose, parent: &Path) -> io::Result<Self> {
        loop {
            let mut builder = tempfile::Builder::new();
            builder.prefix(purpose.prefix()).rand_bytes(RANDOM_CHARS);
            let folder = builder.permissions(Permissions::from_mode(0o700)).tempdir_in(parent)?;
            let lock = File::open(folder.path())?;
            lock.lock()?;
            // Another process may have taken it for a leftover before it was locked.
            if folder.path().exists() {
                return Ok(Self { folder, _lock: lock });
            }
        }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Lists what interrupted backups, restores and migrations left in `parent`: folders with copies of a database, and
/// incomplete archives. A missing folder has none. Blocks.
pub fn leftovers(parent: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(parent) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let (path, kind, name) = (entry.path(), entry.file_type()?, entry.file_name());
        let name = name.to_string_lossy();
        let is_own = (kind.is_dir() && is_temporary(&name) && has_only_copies(&path)?)
            || (kind.is_file() && is_incomplete_archive(&name));
        if is_own && File::open(&path)?.try_lock().is_ok() {
            found.push(path);
        }
    }
    Ok(found)
}

/// Deletes the [`leftovers`] and returns how many there were. Blocks.
pub fn delete_leftovers(parent: &Path) -> io::Result<usize> {
    let found = leftovers(parent)?;
    for path in &found {
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        } else {
            fs::remove_file(path)?;
        }
        tracing::info!(path = %path.display(), "leftover of an interrupted backup or restore: deleted");
    }
    Ok(found.len())
}

/// Returns whether a file is an archive or a copy that the hub was still writing, by its name.
fn is_incomplete_archive(name: &str) -> bool {
    name.starts_with("plexus-") && name.rsplit_once('.').is_some_and(|(_, end)| end == ArchiveFile::PARTIAL)
}

fn is_temporary(name: &str) -> bool {
    let random = PURPOSES.iter().find_map(|purpose| name.strip_prefix(purpose.prefix()));
    random.is_some_and(|random| {
        random.len() == RANDOM_CHARS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Returns whether a folder has nothing but what this crate writes: a folder of the operator may have a similar name.
fn has_only_copies(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let is_own =
            name.starts_with(entry::DATABASE) || name == FILES || name == entry::SECRET_KEY || name == LOCK;
        if !is_own && !is_temporary(&name) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_process_uses_is_a_leftover() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str, files: &[&str]| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).unwrap();
            files.iter().for_each(|file| fs::write(folder.join(file), "x").unwrap());
            folder
        };
        let used = TemporaryFolder::create(Purpose::Backup, parent.path()).unwrap();
        let mode = fs::metadata(used.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let mut expected = vec![
            make("backup-a1B2c3", &["plexus.sqlite3", "plexus.sqlite3-wal"]),
            make("restore-a1B2c3", &[]),
            make(".restore-test-a1B2c3", &["plexus.sqlite3", "plexus.lock", "secret.key"]),
        ];
        make("backup-2026-11", &["plexus.sqlite3"]);
        make("backup-before", &["plexus.sqlite3", "notes.txt"]);
        make("backups", &[]);
        fs::write(parent.path().join("backup-file12"), "x").unwrap();
        let archive = ArchiveFile::create(&parent.path().join("plexus-2.tar.gz")).unwrap();
        let incomplete = parent.path().join("plexus-1.tar.gz.partial");
        fs::write(&incomplete, "x").unwrap();
        fs::write(parent.path().join("notes.partial"), "x").unwrap();
        expected.push(incomplete);
        let mut found = leftovers(parent.path()).unwrap();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
        assert_eq!(delete_leftovers(parent.path()).unwrap(), 4);
        assert!(leftovers(parent.path()).unwrap().is_empty() && used.path().exists());
        archive.publish().unwrap();
        assert!(leftovers(&parent.path().join("missing")).unwrap().is_empty());
    }
}
