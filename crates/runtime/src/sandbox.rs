//! Sandbox for the operator's programs: a separate folder, no access to the hub, and resource limits.
//!
//! Bubblewrap isolates a program in its own user, mount, process, IPC and host name namespaces, and without
//! network unless the operator allows it. If bubblewrap is unavailable, a hub that runs as root starts the
//! program under another user id. If neither is possible, the program is not started, unless the operator
//! allows it to run unsandboxed.

mod bwrap_args;
mod seccomp;

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt as _, chown},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use plexus_domain::{
    Digest,
    run::{Failure, FailureClass},
};

use rustix::process::geteuid;

use crate::child_process::{ProcessSpec, Total};

/// Path of the program's folder inside the sandbox.
pub const INSIDE: &str = "/work";
/// First user id for programs of a hub that runs as root, one id per program name. Outside the ranges of
/// human users and systemd.
const FIRST_USER: u32 = 0x7100_0000;
/// Shell script: opens the file named by its first argument as descriptor 9 ([`bwrap_args::FILTER`]) and executes
/// the rest.
const OPEN_FILTER: &str = "exec 9< \"$0\" && exec \"$@\"";
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Program from the operator's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxedCommand {
    pub name: String,
    pub command: String,
    pub args: Vec<String>,
    /// Environment variables, besides the few that every program needs.
    pub env: BTreeMap<String, String>,
    /// Working folder, writable.
    pub working_dir: PathBuf,
    /// Additional read-only paths, visible at the same location.
    pub read_only: Vec<PathBuf>,
    pub network: bool,
    pub limits: Limits,
}

/// Resource limits of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Memory of all processes together, polled. Also the kernel's data limit of each process.
    pub memory_bytes: u64,
    /// Maximum processes, including threads.
    pub processes: u64,
    pub open_files: u64,
    /// CPU time of each process.
    pub cpu_seconds: u64,
    /// Maximum size of a file, and of each temporary file system.
    pub file_bytes: u64,
    /// Disk quota of the working folder, polled.
    pub total: Total,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 1 << 30,
            processes: 128,
            open_files: 1_024,
            cpu_seconds: 3_600,
            file_bytes: 256 << 20,
            total: Total { bytes: 1 << 30, files: 50_000 },
        }
    }
}

/// Isolation of programs that this machine supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox(SandboxKind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum SandboxKind {
    Walls {
        as_root: bool,
    },
    OtherUser {
        why: String,
    },
    /// Unsandboxed, because the operator allows it.
    Nothing {
        why: String,
    },
    Impossible {
        why: String,
    },
}

impl Sandbox {
    /// Probes what this machine supports. With `allow_unsandboxed_programs`, programs run unsandboxed if it supports
    /// nothing.
    pub fn find(allow_unsandboxed_programs: bool) -> Self {
        let as_root = geteuid().is_root();
        Self(match try_walls(as_root) {
            Ok(()) => SandboxKind::Walls { as_root },
            Err(why) if as_root && succeeds(other_user(Path::new("/"), FIRST_USER, &probe())) => {
                SandboxKind::OtherUser { why }
            }
            Err(why) if allow_unsandboxed_programs => SandboxKind::Nothing { why },
            Err(why) => SandboxKind::Impossible { why },
        })
    }

    /// Returns the value for a hub without programs.
    pub fn unneeded() -> Self {
        Self(SandboxKind::Impossible { why: "it was started without any in its list".to_owned() })
    }

    /// Describes the isolation for the operator. An error means that no program can be started.
    pub fn describe(&self) -> Result<String, String> {
        match &self.0 {
            SandboxKind::Walls { as_root } => {
                let user = if *as_root { "under user ids of their own" } else { "under the hub's user id" };
                Ok(format!(
                    "bubblewrap, {user}: own user, mount, process, IPC, host name and network namespaces; memory, \
                     processes, files and CPU time are limited without cgroups; {}",
                    if seccomp::path().is_ok_and(|path| path.is_some()) {
                        "seccomp filter"
                    } else {
                        "no seccomp filter"
                    }
                ))
            }
            SandboxKind::OtherUser { why } => Ok(format!(
                "other user ids, without walls: only programs with network = true are started ({why})"
            )),
            SandboxKind::Nothing { why } => Ok(format!(
                "NOTHING: programs run as the hub's own user, as PLEXUS_ALLOW_UNSANDBOXED_PROGRAMS says ({why})"
            )),
            SandboxKind::Impossible { why } => Err(impossible(why)),
        }
    }

    /// Prepares a program to be started.
    pub fn launch(&self, program: &SandboxedCommand) -> Result<ProcessSpec, Failure> {
        if !program.working_dir.is_dir() {
            return Err(refused(format!(
                "The folder of the program {} is missing: {}.",
                program.name,
                program.working_dir.display()
            )));
        }
        // A program killed for its disk quota is not restarted until there is room.
        if let Some(excess) = program.limits.total.exceeded_by(&program.working_dir) {
            return Err(refused(format!(
                "The folder of the program {} {excess}. The operator of this hub must free space, or raise \
                 folder_mib or folder_files.",
                program.name
            )));
        }
        let launch = match &self.0 {
            SandboxKind::Walls { as_root } => {
                let user = as_root.then(|| user_of(&program.name));
                give(&program.working_dir, user)?;
                let command = walled(program, user).map_err(refused)?;
                ProcessSpec::new(command, INSIDE)
            }
            SandboxKind::OtherUser { why } => {
                if !program.network {
                    let words = format!(
                        "The program {} must run without network access, but this machine cannot enforce \
                         that: {why}.",
                        program.name
                    );
                    return Err(refused(words));
                }
                reachable(&program.working_dir)?;
                give(&program.working_dir, Some(user_of(&program.name)))?;
                let command = other_user(&program.working_dir, user_of(&program.name), program);
                ProcessSpec::new(command, &program.working_dir)
            }
            SandboxKind::Nothing { .. } => {
                ProcessSpec::new(bare(program, &program.working_dir), &program.working_dir)
            }
            SandboxKind::Impossible { why } => return Err(refused(impossible(why))),
        };
        let limits = &program.limits;
        Ok(launch.within(limits.memory_bytes).filling(&program.working_dir, limits.total))
    }
}

fn impossible(why: &str) -> String {
    format!(
        "No sandbox for programs is available: {why}. Install bubblewrap, allow user namespaces, or run \
         programs unsandboxed with PLEXUS_ALLOW_UNSANDBOXED_PROGRAMS=true."
    )
}

fn refused(words: impl Into<String>) -> Failure {
    Failure::new(FailureClass::Policy, words)
}

/// Returns the user id of a program name. Stable across restarts, so that the program still owns its files.
fn user_of(name: &str) -> u32 {
    let digest = Digest::of(name);
    FIRST_USER + u32::from(u16::from_be_bytes([digest.as_bytes()[0], digest.as_bytes()[1]]))
}

/// Changes the owner of the folder to the user. Existing content is the operator's responsibility.
fn give(folder: &Path, user: Option<u32>) -> Result<(), Failure> {
    let Some(user) = user else { return Ok(()) };
    let owner = fs::metadata(folder).map(|found| found.uid());
    match owner {
        Ok(owner) if owner == user => Ok(()),
        _ => chown(folder, Some(user), Some(user)).map_err(|error| {
            refused(format!("The folder {} cannot be assigned to its program: {error}.", folder.display()))
        }),
    }
}

/// Checks that another user can enter the parent folders. Only needed without bubblewrap.
fn reachable(folder: &Path) -> Result<(), Failure> {
    const OTHERS_MAY_ENTER: u32 = 0o001;
    let closed = folder
        .ancestors()
        .skip(1)
        .find(|above| fs::metadata(above).map_or(true, |found| found.mode() & OTHERS_MAY_ENTER == 0));
    closed.map_or(Ok(()), |closed| {
        let words = format!(
            "The user of the program cannot access {}. Use a folder that other users can access.",
            closed.display()
        );
        Err(refused(words))
    })
}

/// Builds the command that runs a program under bubblewrap. A hub that runs as root sets up the mounts with
/// its own privileges and drops them before the program starts. Therefore the folder may be in a place that
/// only the hub can enter.
///
/// A shell opens the seccomp filter. The innermost bubblewrap installs it last, because the setup needs
/// system calls that the filter denies.
fn walled(program: &SandboxedCommand, user: Option<u32>) -> Result<Command, String> {
    let mut command = Command::new("sh");
    let filter = seccomp::path()?;
    match &filter {
        Some(filter) => command.args(["-c", OPEN_FILTER, filter]),
        None => command.args(["-c", "exec \"$@\"", "sh"]),
    };
    let filtered = filter.is_some();
    command.arg("bwrap").args(bwrap_args::around(program, user.is_some(), filtered));
    if let Some(user) = user {
        command.args(setpriv(user)).args(bwrap_args::own_user_namespace(filtered));
    }
    command.args(limits(&program.limits)).arg(&program.command).args(&program.args);
    environment(&mut command, program, Path::new(INSIDE));
    Ok(command)
}

fn other_user(folder: &Path, user: u32, program: &SandboxedCommand) -> Command {
    let words = setpriv(user);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(limits(&program.limits)).arg(&program.command).args(&program.args);
    command.current_dir(folder);
    environment(&mut command, program, folder);
    command
}

fn bare(program: &SandboxedCommand, folder: &Path) -> Command {
    let words = limits(&program.limits);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg(&program.command).args(&program.args).current_dir(folder);
    environment(&mut command, program, folder);
    command
}

fn setpriv(user: u32) -> Vec<String> {
    let ids = [format!("--reuid={user}"), format!("--regid={user}")];
    let rest = ["--clear-groups", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"];
    ["setpriv".to_owned()].into_iter().chain(ids).chain(rest.map(str::to_owned)).collect()
}

/// Returns the command prefix that sets kernel limits and makes the program the first victim of the OOM
/// killer.
fn limits(limits: &Limits) -> Vec<String> {
    let Limits { memory_bytes, processes, open_files, cpu_seconds, file_bytes, total: _ } = limits;
    let words = format!(
        "choom -n 1000 -- prlimit --data={memory_bytes} --nproc={processes} --nofile={open_files} \
         --cpu={cpu_seconds} --fsize={file_bytes} --core=0 --"
    );
    words.split(' ').map(str::to_owned).collect()
}

fn environment(command: &mut Command, program: &SandboxedCommand, home: &Path) {
    command.env_clear().env("PATH", PATH).env("LANG", "C.UTF-8").env("TMPDIR", "/tmp").env("HOME", home);
    command.envs(&program.env);
}

fn probe() -> SandboxedCommand {
    SandboxedCommand {
        name: String::new(),
        command: "true".to_owned(),
        args: Vec::new(),
        env: BTreeMap::new(),
        working_dir: PathBuf::from("/usr"),
        read_only: Vec::new(),
        network: false,
        limits: Limits::default(),
    }
}

fn try_walls(as_root: bool) -> Result<(), String> {
    let mut command = walled(&probe(), as_root.then_some(FIRST_USER))?;
    match command.stdin(Stdio::null()).output() {
        Ok(found) if found.status.success() => Ok(()),
        Ok(found) => {
            let said = String::from_utf8_lossy(&found.stderr);
            Err(format!(
                "bubblewrap does not work here ({})",
                said.trim().lines().next().unwrap_or("no reason given")
            ))
        }
        Err(error) => Err(format!("bubblewrap cannot be started ({error})")),
    }
}

fn succeeds(mut command: Command) -> bool {
    command.stdin(Stdio::null()).output().is_ok_and(|found| found.status.success())
}

#[cfg(test)]
mod tests;
