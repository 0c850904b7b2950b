//! Arguments of bubblewrap.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use super::{INSIDE, SandboxedCommand};

/// System paths visible to a program, if they exist. No file of `/etc` that could contain a secret.
const SYSTEM: [&str; 17] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/passwd",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
];
/// Additional paths visible to programs with network access.
const NETWORK: [&str; 4] = ["/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf", "/etc/services"];
/// User id of the program inside the sandbox. It exists on every system.
const UNPRIVILEGED_UID: &str = "65534";
/// bubblewrap option that installs the filter from file descriptor 9.
pub(super) const FILTER: &str = "--seccomp 9";
const IN_FOLDER: &str = "--chdir /work --";

/// Returns the bubblewrap arguments up to the inner command. `by_root`: keeps the capabilities to change the
/// user id until that is done; then [`own_user_namespace`] installs the filter.
pub(super) fn around(program: &SandboxedCommand, by_root: bool, filtered: bool) -> Vec<OsString> {
    let mut walls = BwrapArgs::default();
    walls.words("--die-with-parent --new-session --hostname program");
    walls.words("--unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try");
    if !program.network {
        walls.words("--unshare-net");
    }
    if by_root {
        walls.words("--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP");
    } else {
        walls.words(&format!(
            "--unshare-user --disable-userns --uid {UNPRIVILEGED_UID} --gid {UNPRIVILEGED_UID}"
        ));
    }
    walls.system(program.network);
    walls.words("--proc /proc --dev /dev");
    for folder in ["/dev/shm", "/tmp"] {
        walls.words(&format!("--perms 1777 --size {} --tmpfs {folder}", program.limits.file_bytes));
    }
    // Bind the operator's paths after the temporary file systems, because they may be inside one of those.
    let (hidden, shown): (Vec<_>, Vec<_>) =
        program.read_only.iter().partition(|path| path.starts_with(INSIDE));
    for path in shown {
        walls.bind("--ro-bind", path, path);
    }
    walls.bind("--bind", &program.working_dir, Path::new(INSIDE));
    // Bind paths below `/work` after the folder, which would hide them. bubblewrap creates empty mount points
    // in the folder.
    for path in hidden {
        walls.bind("--ro-bind", path, path);
    }
    walls.words("--remount-ro /dev --remount-ro /");
    if filtered && !by_root {
        walls.words(FILTER);
    }
    // As root the setup has dropped the capability to enter folders of another user, so `--chdir` comes
    // later.
    walls.words(if by_root { "--chdir / --" } else { IN_FOLDER });
    walls.arguments
}

/// Returns the arguments of an inner bubblewrap: a user namespace for a program that is no longer root,
/// without the right to create further ones.
pub(super) fn own_user_namespace(filtered: bool) -> Vec<String> {
    let filter = if filtered { FILTER } else { "" };
    let words = format!(
        "bwrap --unshare-user --disable-userns --uid {UNPRIVILEGED_UID} --gid {UNPRIVILEGED_UID} --dev-bind / / {filter} {IN_FOLDER}"
    );
    words.split_whitespace().map(str::to_owned).collect()
}

#[derive(Default)]
struct BwrapArgs {
    arguments: Vec<OsString>,
    made: BTreeSet<PathBuf>,
}

impl BwrapArgs {
    fn words(&mut self, words: &str) {
        self.arguments.extend(words.split(' ').map(OsString::from));
    }

    fn system(&mut self, network: bool) {
        let network = NETWORK.into_iter().filter(|_| network);
        for path in SYSTEM.into_iter().chain(network).map(Path::new) {
            match fs::read_link(path) {
                // On systems with merged /usr, the other top-level paths are symbolic links into it.
                Ok(target) if path.parent() == Some(Path::new("/")) => {
                    self.arguments.extend(["--symlink".into(), target.into(), path.into()]);
                }
                _ => self.bind("--ro-bind-try", path, path),
            }
        }
    }

    /// Adds a mount. Parent folders are created explicitly, because those that bubblewrap creates are not
    /// readable.
    fn bind(&mut self, how: &str, from: &Path, to: &Path) {
        let above: Vec<&Path> = to.ancestors().skip(1).filter(|above| above.parent().is_some()).collect();
        for folder in above.into_iter().rev() {
            if self.made.insert(folder.to_owned()) {
                self.arguments.extend(["--dir".into(), folder.into()]);
            }
        }
        self.arguments.extend([how.into(), from.into(), to.into()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_the_name_of_the_folder_is_put_on_after_it() {
        let mut program = super::super::probe();
        program.read_only = vec!["/work/checkout/venv".into(), "/opt/tool".into()];
        let words = around(&program, false, false);
        let at = |word: &str| words.iter().position(|argument| argument == word).unwrap();
        assert!(at("/opt/tool") < at("/work") && at("/work") < at("/work/checkout/venv"), "{words:?}");
    }
}
