//! Limit of the process memory for connections of other hubs.

use std::fs;

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Minimum limit, in bytes: a hub with a large search index needs that much without any connection.
const MIN: u64 = 1 << 30;

/// Returns the resident memory of the process, in bytes, above which the hub refuses connections of other hubs: half of the
/// memory of the machine, of the container or of the systemd service, whichever is least.
pub fn memory_limit() -> usize {
    let memory = MemoryRefreshKind::nothing().with_ram();
    let system = System::new_with_specifics(RefreshKind::nothing().with_memory(memory));
    let container = system.cgroup_limits().map(|limits| limits.total_memory);
    limit_of(system.total_memory(), [container, service_memory()])
}

/// Returns the limit of the control group of this process (cgroup v2, `memory.max`), such as `MemoryMax=` of a service.
fn service_memory() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    fs::read_to_string(format!("/sys/fs/cgroup{group}/memory.max")).ok()?.trim().parse().ok()
}

fn limit_of(machine: u64, limits: [Option<u64>; 2]) -> usize {
    let available = limits.into_iter().flatten().fold(machine, u64::min);
    usize::try_from((available / 2).max(MIN)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_half_of_the_available_memory() {
        const GIB: u64 = 1 << 30;
        assert_eq!(limit_of(16 * GIB, [None, None]), 8 << 30);
        assert_eq!(limit_of(16 * GIB, [Some(4 * GIB), None]), 2 << 30);
        assert_eq!(limit_of(16 * GIB, [Some(u64::MAX), Some(6 * GIB)]), 3 << 30);
        assert_eq!(limit_of(GIB, [None, None]), 1 << 30);
        assert!(memory_limit() >= 1 << 30);
    }
}
