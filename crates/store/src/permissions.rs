//! File permissions: data of the hub is accessible only to its own user, also in a folder that others
//! created.

use std::{
    fs::{self, DirBuilder, File, Permissions},
    io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

/// Mode bits of group and others.
const OTHERS: u32 = 0o077;

/// Creates a folder and its parents with mode 0700. An existing folder keeps its mode.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Creates a folder that only the hub uses. If it exists, permissions of group and others are removed.
pub fn create_closed_folder(folder: &Path) -> io::Result<()> {
    create_folder(folder)?;
    restrict(folder);
    Ok(())
}

/// Opens a file for writing. A new file gets mode 0600; an existing one loses the permissions of group and
/// others.
pub fn create_file(path: &Path) -> io::Result<File> {
    let file = File::options().create(true).truncate(false).write(true).mode(0o600).open(path)?;
    restrict(path);
    Ok(file)
}

/// Removes all permissions of group and others. A path that does not exist is ignored. A failure is only
/// logged: the file may come from a secret store that is mounted read-only.
pub fn restrict(path: &Path) {
    let Ok(metadata) = fs::metadata(path) else { return };
    let mode = metadata.permissions().mode();
    if mode & OTHERS == 0 {
        return;
    }
    match fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)) {
        Ok(()) => tracing::info!(path = %path.display(), "permissions: closed to other users"),
        Err(error) => {
            tracing::warn!(%error, path = %path.display(), "permissions: other users of this machine can read it");
        }
    }
}

/// Returns whether group or others have any permission on the path.
pub fn is_open(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & OTHERS != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_is_made_and_what_was_open_is_closed() {
        let root = tempfile::tempdir().unwrap();
        let (folder, file) = (root.path().join("a/b"), root.path().join("a/b/file"));
        create_closed_folder(&folder).unwrap();
        create_file(&file).unwrap();
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));

        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        assert!(is_open(&file));
        create_closed_folder(&folder).unwrap();
        create_file(&file).unwrap();
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        restrict(&root.path().join("missing"));
    }
}
