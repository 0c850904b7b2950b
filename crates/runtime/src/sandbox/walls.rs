//! The arguments of bubblewrap.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use super::{INSIDE, Program};

/// What of the system a program sees, where it is there. Nothing of `/etc` that could hold a secret.
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
/// What a program that may use the network sees, too.
const NETWORK: [&str; 4] = ["/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf", "/etc/services"];
/// The user that a program takes itself for; every system knows it.
const NOBODY: &str = "65534";
/// Puts on the filter that lies at this number among the open files.
pub(super) const FILTER: &str = "--seccomp 9";
const IN_FOLDER: &str = "--chdir /work --";

/// Everything up to the command inside. `by_root`: the rights to become another user are kept until that is done, and
/// [`own_user_namespace`] puts on the filter.
pub(super) fn around(program: &Program, by_root: bool, filtered: bool) -> Vec<OsString> {
    let mut walls = Walls::default();
    walls.words("--die-with-parent --new-session --hostname program");
    walls.words("--unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try");
    if !program.network {
        walls.words("--unshare-net");
    }
    if by_root {
        walls.words("--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP");
    } else {
        walls.words(&format!("--unshare-user --disable-userns --uid {NOBODY} --gid {NOBODY}"));
    }
    walls.system(program.network);
    walls.words("--proc /proc --dev /dev");
    for folder in ["/dev/shm", "/tmp"] {
        walls.words(&format!("--perms 1777 --size {} --tmpfs {folder}", program.limits.file_bytes));
    }
    // What the operator shows may lie in a folder for temporary files, which is why it comes after those.
    let (hidden, shown): (Vec<_>, Vec<_>) =
        program.read_only.iter().partition(|path| path.starts_with(INSIDE));
    for path in shown {
        walls.bind("--ro-bind", path, path);
    }
    walls.bind("--bind", &program.folder, Path::new(INSIDE));
    // The folder would hide what lies below its name on this machine. Empty folders are made in it to put that on.
    for path in hidden {
        walls.bind("--ro-bind", path, path);
    }
    walls.words("--remount-ro /dev --remount-ro /");
    if filtered && !by_root {
        walls.words(FILTER);
    }
    // Whoever makes the walls as root has given up the right to enter what is another user's.
    walls.words(if by_root { "--chdir / --" } else { IN_FOLDER });
    walls.arguments
}

/// A user namespace for a program that is no longer root, in which it can make no others.
pub(super) fn own_user_namespace(filtered: bool) -> Vec<String> {
    let filter = if filtered { FILTER } else { "" };
    let words = format!(
        "bwrap --unshare-user --disable-userns --uid {NOBODY} --gid {NOBODY} --dev-bind / / {filter} {IN_FOLDER}"
    );
    words.split_whitespace().map(str::to_owned).collect()
}

#[derive(Default)]
struct Walls {
    arguments: Vec<OsString>,
    made: BTreeSet<PathBuf>,
}

impl Walls {
    fn words(&mut self, words: &str) {
        self.arguments.extend(words.split(' ').map(OsString::from));
    }

    fn system(&mut self, network: bool) {
        let network = NETWORK.into_iter().filter(|_| network);
        for path in SYSTEM.into_iter().chain(network).map(Path::new) {
            match fs::read_link(path) {
                // On systems with one /usr the others are links into it.
                Ok(target) if path.parent() == Some(Path::new("/")) => {
                    self.arguments.extend(["--symlink".into(), target.into(), path.into()]);
                }
                _ => self.bind("--ro-bind-try", path, path),
            }
        }
    }

    /// The folders above are made readable; those that bubblewrap makes by itself are closed.
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
