//! Resource usage of a process and its children, from `/proc` (proc(5)).

use std::{fs, time::Duration};

use anyhow::Context as _;

/// Unit of CPU time in `/proc`: hundredths of a second, rounded down from nanoseconds.
const TICK: Duration = Duration::from_millis(10);

/// Returns the resident memory of one process in KiB.
pub fn memory_kib(process: u32) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse()?)
}

/// Returns the CPU time of a process and all its descendants, user and system.
pub fn cpu(process: u32) -> anyhow::Result<Duration> {
    let own = ticks(process)?;
    let below = children(process).into_iter().filter_map(|child| cpu(child).ok());
    Ok(below.fold(TICK * own, |sum, one| sum + one))
}

/// Returns fields 14 and 15 of `stat`, counted behind the program name, which is in brackets.
fn ticks(process: u32) -> anyhow::Result<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, rest) = stat.rsplit_once(')').context("no name in stat")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let field = |at: usize| anyhow::Ok(fields.get(at).context("stat is short")?.parse::<u32>()?);
    Ok(field(11)? + field(12)?)
}

fn children(process: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_memory_and_time() {
        let own = std::process::id();
        let before = cpu(own).unwrap();
        let mut sum = 0_u64;
        while cpu(own).unwrap() == before {
            sum = std::hint::black_box((0..100_000).fold(sum, u64::wrapping_add));
        }
        assert!(memory_kib(own).unwrap() > 100.0);
    }
}
