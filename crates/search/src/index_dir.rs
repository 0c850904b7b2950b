//! Index directory: versions of the index on disk and the pointer to the current one.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::{
    error::{Error, Result},
    schema,
};

/// File that names the current index.
const CURRENT: &str = "current";

/// Returns the path of the current index. `None` if there is none of this schema version.
pub fn current(folder: &Path) -> Result<Option<PathBuf>> {
    let pointer = folder.join(CURRENT);
    match fs::read_to_string(&pointer) {
        Ok(name) => Ok((version_of(&name) == Some(schema::VERSION)).then(|| folder.join(name))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::folder(pointer)(error)),
    }
}

/// Returns an unused path `v{version}-{n}`.
pub fn next_place(folder: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).map_err(Error::folder(folder))?;
    let numbers = entries.filter_map(|entry| number_of(entry.ok()?.file_name().to_str()?));
    let next = numbers.max().map_or(0, |last| last + 1);
    Ok(folder.join(format!("v{}-{next}", schema::VERSION)))
}

/// Atomically sets `place` as the current index (fsync and rename).
pub fn set_current(folder: &Path, place: &Path) -> Result<()> {
    let name = place.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let draft = folder.join("current.new");
    fs::write(&draft, name).map_err(Error::folder(&draft))?;
    fs::File::open(&draft).and_then(|file| file.sync_all()).map_err(Error::folder(&draft))?;
    fs::rename(&draft, folder.join(CURRENT)).map_err(Error::folder(folder))
}

/// Removes old indexes and unfinished rebuilds. Failures are logged and ignored.
pub fn remove_stale(folder: &Path, keep: Option<&Path>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_str().and_then(number_of).is_some()) {
        if Some(entry.path().as_path()) != keep
            && let Err(error) = fs::remove_dir_all(entry.path())
        {
            tracing::warn!(path = %entry.path().display(), %error, "could not remove old search index");
        }
    }
}

fn version_of(name: &str) -> Option<u32> {
    number_of(name)?;
    name.strip_prefix('v')?.split_once('-')?.0.parse().ok()
}

fn number_of(name: &str) -> Option<u64> {
    name.strip_prefix('v')?.split_once('-')?.1.parse().ok()
}
