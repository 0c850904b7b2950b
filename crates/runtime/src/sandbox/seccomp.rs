//! Seccomp filter of programs: denies system calls that no program needs and that expose the kernel
//! (`EPERM`).
//!
//! A deny list with a default of allow (seccomp(2)), as classic BPF in the binary layout that `bwrap
//! --seccomp` reads.

use std::{
    fs::File,
    io::{self, Write as _},
    os::fd::{AsRawFd as _, OwnedFd},
    sync::OnceLock,
};

use rustix::fs::{MemfdFlags, memfd_create};

/// Offsets in `struct seccomp_data` (little-endian machines).
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;

const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const JUMP_IF_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const DENY: u32 = 0x0005_0000 | libc::EPERM as u32;
/// Error that makes the C library fall back to an older call, as on a kernel without this one.
const MISSING: u32 = 0x0005_0000 | libc::ENOSYS as u32;

/// Architecture constants from linux/audit.h. On other architectures programs run without a filter.
#[cfg(target_arch = "x86_64")]
const MACHINE: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const MACHINE: Option<u32> = Some(0xc000_00b7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const MACHINE: Option<u32> = None;

/// First number of the x32 ABI, which would bypass the list.
const X32: u32 = 0x4000_0000;

/// All `CLONE_NEW*` flags of clone(2) and unshare(2), except time namespaces, which only clone3 can create.
const NEW_NAMESPACES: u32 = 0x7e02_0000;

/// System calls that are denied regardless of their arguments.
const DENIED: [libc::c_long; 43] = [
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_move_pages,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Instruction of classic BPF (`struct sock_filter` of linux/filter.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Instruction {
    code: u16,
    /// Number of instructions to skip if the condition is true, and if it is false.
    jump_true: u8,
    jump_false: u8,
    value: u32,
}

const fn load(offset: u32) -> Instruction {
    Instruction { code: LOAD, jump_true: 0, jump_false: 0, value: offset }
}

const fn answer(value: u32) -> Instruction {
    Instruction { code: RETURN, jump_true: 0, jump_false: 0, value }
}

/// Creates an instruction that skips `skip` instructions unless the condition is true.
const fn unless(code: u16, value: u32, skip: u8) -> Instruction {
    Instruction { code, jump_true: 0, jump_false: skip, value }
}

fn number(call: libc::c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

/// Builds the filter for an architecture.
fn filter(machine: u32) -> Vec<Instruction> {
    let mut program = vec![
        load(ARCHITECTURE),
        Instruction { code: JUMP_IF_EQUAL, jump_true: 1, jump_false: 0, value: machine },
        answer(DENY),
        load(NUMBER),
        unless(JUMP_IF_AT_LEAST, X32, 1),
        answer(DENY),
    ];
    for call in DENIED {
        program.extend([unless(JUMP_IF_EQUAL, number(call), 1), answer(DENY)]);
    }
    // The flags of clone3 are in memory that a filter cannot read.
    program.extend([unless(JUMP_IF_EQUAL, number(libc::SYS_clone3), 1), answer(MISSING)]);
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        program.extend([
            unless(JUMP_IF_EQUAL, number(call), 4),
            load(FIRST_ARGUMENT),
            unless(JUMP_IF_ANY_BIT, NEW_NAMESPACES, 1),
            answer(DENY),
            answer(ALLOW),
        ]);
    }
    program.push(answer(ALLOW));
    program
}

fn bytes(program: &[Instruction]) -> Vec<u8> {
    let bytes = |one: &Instruction| {
        let mut bytes = [0; 8];
        bytes[..2].copy_from_slice(&one.code.to_ne_bytes());
        bytes[2] = one.jump_true;
        bytes[3] = one.jump_false;
        bytes[4..].copy_from_slice(&one.value.to_ne_bytes());
        bytes
    };
    program.iter().flat_map(bytes).collect()
}

/// Returns the path at which a child process can open the filter, or `None` on architectures without one.
pub(super) fn path() -> Result<Option<String>, String> {
    static FILE: OnceLock<Result<OwnedFd, String>> = OnceLock::new();
    let Some(machine) = MACHINE else { return Ok(None) };
    let file = FILE.get_or_init(|| {
        write(machine).map_err(|error| format!("the seccomp filter cannot be written ({error})"))
    });
    let file = file.as_ref().map_err(Clone::clone)?;
    Ok(Some(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd())))
}

/// Writes the filter to an in-memory file. It is close-on-exec; a child opens it by its path.
fn write(machine: u32) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("seccomp", MemfdFlags::CLOEXEC)?);
    file.write_all(&bytes(&filter(machine)))?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: u32 = 0xc000_003e;

    /// Interprets the filter for one call, as the kernel does (bpf(4)).
    fn run(program: &[Instruction], machine: u32, call: u32, argument: u32) -> u32 {
        let (mut at, mut held) = (0, 0);
        loop {
            let Instruction { code, jump_true, jump_false, value } = program[at];
            let holds = match code {
                RETURN => return value,
                LOAD => {
                    held = match value {
                        NUMBER => call,
                        ARCHITECTURE => machine,
                        FIRST_ARGUMENT => argument,
                        other => panic!("nothing lies at {other}"),
                    };
                    at += 1;
                    continue;
                }
                JUMP_IF_EQUAL => held == value,
                JUMP_IF_AT_LEAST => held >= value,
                JUMP_IF_ANY_BIT => held & value != 0,
                other => panic!("no instruction {other:#x}"),
            };
            at += 1 + usize::from(if holds { jump_true } else { jump_false });
        }
    }

    #[test]
    fn denied_calls_are_refused_and_others_are_not() {
        let program = filter(HERE);
        for call in DENIED {
            assert_eq!(run(&program, HERE, number(call), 0), DENY, "{call}");
        }
        for call in
            [libc::SYS_read, libc::SYS_execve, libc::SYS_openat, libc::SYS_futex, libc::SYS_exit_group]
        {
            assert_eq!(run(&program, HERE, number(call), u32::MAX), ALLOW, "{call}");
        }
        assert_eq!(run(&program, 0x4000_0003, number(libc::SYS_read), 0), DENY, "of another machine");
        assert_eq!(run(&program, HERE, X32 | number(libc::SYS_read), 0), DENY, "of the x32 ABI");
    }

    #[test]
    fn threads_and_processes_are_made_and_namespaces_are_not() {
        let program = filter(HERE);
        let (threads, fork, user, network) = (0x003d_0f00, 0x0120_0011, 0x1000_0000, 0x4000_0011);
        let clone = |flags| run(&program, HERE, number(libc::SYS_clone), flags);
        assert_eq!([threads, fork, user, network].map(clone), [ALLOW, ALLOW, DENY, DENY]);
        let unshare = |flags| run(&program, HERE, number(libc::SYS_unshare), flags);
        assert_eq!([0x400, user, network].map(unshare), [ALLOW, DENY, DENY]);
        assert_eq!(run(&program, HERE, number(libc::SYS_clone3), 0), MISSING);
    }
}
