//! Folder of scheduled archives, named by their time: `plexus-2026-11-27T06-28-15Z.tar.gz`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use plexus_backup::ArchiveFile;
use plexus_domain::Timestamp;

const PREFIX: &str = "plexus-";
const SUFFIX: &str = ".tar.gz";

/// Folder of scheduled archives. Other files in it are ignored and never deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveFolder(pub PathBuf);

/// Complete archive of a scheduled backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledArchive {
    pub path: PathBuf,
    /// Time of its name: when the backup began.
    pub created_at: Timestamp,
    pub bytes: u64,
}

impl ArchiveFolder {
    /// Returns the path of an archive that begins at `now`, precise to the second.
    pub fn path_at(&self, now: Timestamp) -> PathBuf {
        self.0.join(format!("{PREFIX}{}{SUFFIX}", now.to_file_name()))
    }

    /// Lists the complete archives, from the newest to the oldest. A missing folder has none. Blocks.
    pub fn archives(&self) -> io::Result<Vec<ScheduledArchive>> {
        let mut archives: Vec<ScheduledArchive> = self.files()?.filter_map(|path| archive(&path)).collect();
        archives.sort_unstable_by_key(|archive| std::cmp::Reverse(archive.created_at));
        Ok(archives)
    }

    /// Deletes incomplete archives of interrupted backups. Blocks.
    pub fn delete_incomplete(&self) -> io::Result<()> {
        for path in self.files()? {
            let is_partial = path.extension().is_some_and(|extension| extension == ArchiveFile::PARTIAL);
            if is_partial && archive_time(&path.with_extension("")).is_some() {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }

    fn files(&self) -> io::Result<impl Iterator<Item = PathBuf> + use<>> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            entries => entries?.collect::<io::Result<Vec<_>>>()?,
        };
        Ok(entries.into_iter().map(|entry| entry.path()))
    }
}

fn archive(path: &Path) -> Option<ScheduledArchive> {
    let created_at = archive_time(path)?;
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(ScheduledArchive { path: path.to_owned(), created_at, bytes: metadata.len() })
}

/// Returns the time in the name of a scheduled archive.
fn archive_time(path: &Path) -> Option<Timestamp> {
    let name = path.file_name()?.to_str()?;
    let (date, time) = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('T')?;
    Timestamp::from_rfc3339(&format!("{date}T{}", time.replace('-', ":")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scheduled_archives_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let archives = ArchiveFolder(folder.path().to_owned());
        let now = Timestamp::from_rfc3339("2026-11-27T06:28:15Z").unwrap();
        let path = archives.path_at(now + std::time::Duration::from_millis(7));
        assert_eq!(path.file_name().unwrap(), "plexus-2026-11-27T06-28-15Z.tar.gz");
        fs::write(&path, "abc").unwrap();
        let older = archives.path_at(now - std::time::Duration::from_secs(60));
        fs::write(&older, "").unwrap();
        for other in ["plexus-2026-11-27.tar.gz", "plexus-move.tar.gz", "notes.txt", "plexus-T.tar.gz"] {
            fs::write(folder.path().join(other), "").unwrap();
        }
        let incomplete = folder.path().join("plexus-2026-11-26T06-28-15Z.tar.gz.partial");
        fs::write(&incomplete, "").unwrap();
        fs::write(folder.path().join("other.tar.gz.partial"), "").unwrap();

        let listed = archives.archives().unwrap();
        assert_eq!(listed[0], ScheduledArchive { path, created_at: now, bytes: 3 });
        assert_eq!((listed.len(), &listed[1].path), (2, &older));
        archives.delete_incomplete().unwrap();
        assert!(!incomplete.exists());
        assert!(folder.path().join("other.tar.gz.partial").exists());
        assert_eq!(ArchiveFolder(folder.path().join("none")).archives().unwrap(), []);
    }
}
