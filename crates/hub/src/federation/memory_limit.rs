//! Limit of the process memory for connections of other hubs.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// The least limit, in bytes: a hub with a large search index needs that much without any connection.
const MIN: u64 = 1 << 30;

/// Returns the resident memory of the process, in bytes, above which the hub refuses connections of other hubs: half of the
/// memory of the machine, or of the container (cgroup) if that has less.
pub fn memory_limit() -> usize {
    let memory = MemoryRefreshKind::nothing().with_ram();
    let system = System::new_with_specifics(RefreshKind::nothing().with_memory(memory));
    limit_of(system.total_memory(), system.cgroup_limits().map(|limits| limits.total_memory))
}

fn limit_of(machine: u64, container: Option<u64>) -> usize {
    let available = container.map_or(machine, |container| container.min(machine));
    usize::try_from((available / 2).max(MIN)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_half_of_the_available_memory() {
        const GIB: u64 = 1 << 30;
        assert_eq!(limit_of(16 * GIB, None), 8 << 30);
        assert_eq!(limit_of(16 * GIB, Some(4 * GIB)), 2 << 30);
        assert_eq!(limit_of(16 * GIB, Some(u64::MAX)), 8 << 30, "a container without a limit");
        assert_eq!(limit_of(GIB, None), 1 << 30);
        assert!(memory_limit() >= 1 << 30);
    }
}
