//! Confinement of a process that decodes a hostile file: it keeps its standard streams and its memory, nothing else.
//!
//! The kernel enforces it without another program and without privileges: limits, no capabilities, and a seccomp filter
//! that allows no file, no socket, no thread and no other program. Therefore it is the same on every system, also as root.

use std::{collections::BTreeMap, env::consts::ARCH};

use anyhow::Context as _;
use caps::CapSet;
use rlimit::{Resource, setrlimit};
use rustix::process::nice;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

/// Time and memory of a process.
pub struct ProcessLimits {
    /// Maximum memory in bytes, apart from the program itself (decompression bombs).
    pub memory_bytes: u64,
    pub cpu_seconds: u64,
}

/// The standard streams, and one that the standard library may open.
const MAX_OPEN_FILES: u64 = 4;
/// The hub answers requests before such a process goes on.
const NICENESS: i32 = 10;
/// System calls that read, write, and manage memory, and those with which a process ends.
const ALLOWED: [libc::c_long; 24] = [
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_yield,
    libc::SYS_sigaltstack,
    libc::SYS_tgkill,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Gives up every right that decoding does not need. After an error nothing may be decoded.
pub fn confine(limits: &ProcessLimits) -> anyhow::Result<()> {
    for (resource, limit) in [
        (Resource::DATA, limits.memory_bytes),
        (Resource::CPU, limits.cpu_seconds),
        (Resource::NOFILE, MAX_OPEN_FILES),
        (Resource::FSIZE, 0),
        (Resource::CORE, 0),
    ] {
        setrlimit(resource, limit, limit).with_context(|| format!("limit {}", resource.as_name()))?;
    }
    nice(NICENESS).context("niceness")?;
    drop_rights()
}

/// Drops the rights of this thread, the only one of the process.
fn drop_rights() -> anyhow::Result<()> {
    clear_capabilities()?;
    apply_filter(&filter()?).context("seccomp filter")
}

fn clear_capabilities() -> anyhow::Result<()> {
    for set in [CapSet::Ambient, CapSet::Effective, CapSet::Permitted, CapSet::Inheritable] {
        caps::clear(None, set).with_context(|| format!("capability set {set:?}"))?;
    }
    Ok(())
}

/// Other calls fail with `EPERM`. Installing the filter also sets `no_new_privs`.
fn filter() -> anyhow::Result<BpfProgram> {
    let rules: BTreeMap<_, _> = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    let deny = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let filter = SeccompFilter::new(rules, deny, SeccompAction::Allow, ARCH.try_into()?)?;
    Ok(filter.try_into()?)
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        net::TcpListener,
        process::Command,
        thread,
    };

    use super::*;

    /// In a thread of its own: a filter and capabilities belong to a thread. The limits belong to the process, and are
    /// those of `heavy_work` of the integration tests.
    #[test]
    fn a_confined_thread_opens_no_file_and_no_socket_and_starts_nothing() {
        let outcome = thread::spawn(|| {
            drop_rights().unwrap();
            let socket = TcpListener::bind("127.0.0.1:0").map(drop);
            let made = Command::new("true").spawn().map(drop);
            let read = fs::read("/proc/self/status").map(drop);
            let write = File::create("/tmp/plexus-confined").map(drop);
            let another = thread::Builder::new().spawn(|| ()).map(drop);
            let memory = vec![1_u8; 64 << 20];
            (
                memory.len(),
                [socket, made, read, write, another].map(|done| done.map_err(|error| error.kind())),
            )
        });
        let (memory, outcomes) = outcome.join().unwrap();
        assert_eq!(memory, 64 << 20);
        assert_eq!(outcomes, [Err(std::io::ErrorKind::PermissionDenied); 5]);
    }

    #[test]
    fn a_confined_thread_keeps_no_capability() {
        let kept = thread::spawn(|| {
            clear_capabilities().unwrap();
            let status = fs::read_to_string("/proc/thread-self/status").unwrap();
            let sets = status.lines().filter(|line| line.starts_with("CapEff") || line.starts_with("CapPrm"));
            sets.map(|line| line.split_whitespace().nth(1).unwrap_or_default().to_owned()).collect::<Vec<_>>()
        });
        assert_eq!(kept.join().unwrap(), ["0000000000000000"; 2]);
    }
}
