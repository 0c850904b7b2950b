//! Disk quota for the folder of a program. The kernel limits only each file; this sums up all of them and
//! needs no file-system quotas.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rustix::process::Pid;

use super::memory_watch;

/// Minimum poll interval. A slow scan is followed by a pause of ten times its duration.
const INTERVAL: Duration = Duration::from_millis(250);
const PAUSE_PER_WALK: u32 = 10;
/// Block size of `st_blocks` (stat(3type)).
const BLOCK: u64 = 512;

/// Quota of a folder, including everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    pub bytes: u64,
    /// Number of files and folders.
    pub files: u64,
}

/// Description of the exceeded quota, to follow "its folder".
pub type Excess = String;

impl Total {
    /// Scans a folder until it exceeds the quota. Returns `None` if it does not.
    pub fn exceeded_by(self, folder: &Path) -> Option<Excess> {
        self.check(folder, 0, 0)
    }

    /// Scans a folder, starting from already counted bytes and files. Symbolic links are not followed.
    fn check(self, folder: &Path, mut bytes: u64, mut files: u64) -> Option<Excess> {
        let mut open = vec![folder.to_owned()];
        let mut linked = BTreeSet::new();
        while let Some(folder) = open.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                // An unreadable folder could hide any amount, so it counts as exceeding the quota.
                Err(error) => return Some(format!("has a part that cannot be read ({error})")),
            };
            for entry in entries.flatten() {
                let Ok(found) = entry.metadata() else { continue };
                // Count a file with several hard links once.
                if found.is_file() && found.nlink() > 1 && !linked.insert((found.dev(), found.ino())) {
                    continue;
                }
                bytes = bytes.saturating_add(found.blocks().saturating_mul(BLOCK));
                files += 1;
                if found.is_dir() {
                    open.push(entry.path());
                }
                if let Some(excess) = self.of(bytes, files) {
                    return Some(excess);
                }
            }
        }
        self.of(bytes, files)
    }

    fn of(self, bytes: u64, files: u64) -> Option<Excess> {
        if bytes > self.bytes {
            Some(format!("holds more than {} MiB", self.bytes >> 20))
        } else if files > self.files {
            Some(format!("holds more than {} files", self.files))
        } else {
            None
        }
    }
}

/// Polls until the folder of a program exceeds its quota. Returns `None` once the program has exited.
pub(super) async fn outgrows(leader: Pid, folder: PathBuf, total: Total) -> Option<Excess> {
    let mut pause = INTERVAL;
    loop {
        tokio::time::sleep(pause).await;
        let begun = Instant::now();
        let folder = folder.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let device = fs::metadata(&folder).ok()?.dev();
            let (bytes, files) = unlinked(leader, device);
            total.check(&folder, bytes, files)
        });
        match looked.await {
            Ok(Some(excess)) => return Some(excess),
            Ok(None) if memory_watch::is_gone(leader) => return None,
            Ok(None) => {}
            Err(error) => return Some(format!("cannot be measured ({error})")),
        }
        pause = INTERVAL.max(begun.elapsed() * PAUSE_PER_WALK);
    }
}

/// Returns bytes and number of deleted files on the device that the program still holds open.
fn unlinked(leader: Pid, device: u64) -> (u64, u64) {
    let mut seen = BTreeSet::new();
    let (mut bytes, mut files) = (0_u64, 0);
    for process in memory_watch::processes(leader) {
        let Ok(open) = fs::read_dir(format!("/proc/{process}/fd")) else { continue };
        for file in open.flatten() {
            let Ok(found) = fs::metadata(file.path()) else { continue };
            if found.is_file() && found.nlink() == 0 && found.dev() == device && seen.insert(found.ino()) {
                bytes = bytes.saturating_add(found.blocks().saturating_mul(BLOCK));
                files += 1;
            }
        }
    }
    (bytes, files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_measured_with_all_below_it() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        fs::write(below.join("big"), vec![1; 2 << 20]).unwrap();
        fs::hard_link(below.join("big"), folder.path().join("same")).unwrap();
        std::os::unix::fs::symlink("/usr", folder.path().join("elsewhere")).unwrap();
        let exceeded = |bytes, files| Total { bytes, files }.exceeded_by(folder.path());
        assert_eq!(exceeded(3 << 20, 3), None, "a folder, a file of two names and a link");
        assert_eq!(exceeded(1 << 20, 3).unwrap(), "holds more than 1 MiB");
        assert_eq!(exceeded(3 << 20, 2).unwrap(), "holds more than 2 files");
    }
}
