//! Memory limit for a program and its children. The kernel limits only each process; this sums up all of them
//! and needs no privileges.

use std::{fs, time::Duration};

use rustix::process::Pid;

/// Poll interval.
const INTERVAL: Duration = Duration::from_millis(250);
/// Maximum processes that are counted.
const MAX_ITEMS: usize = 4_096;

/// Polls until `leader` and its descendants together hold more than `most` bytes, and returns true. Returns
/// false once the leader has exited.
pub(super) async fn grows_beyond(leader: Pid, most: u64) -> bool {
    loop {
        tokio::time::sleep(INTERVAL).await;
        match held(leader) {
            None => return false,
            Some(bytes) if bytes > most => return true,
            Some(_) => {}
        }
    }
}

/// Returns anonymous and shared memory of a process and its descendants, in bytes. `None` once the process
/// has exited.
fn held(leader: Pid) -> Option<u64> {
    own(leader.as_raw_nonzero().get())?;
    let all = processes(leader).into_iter();
    Some(all.fold(0, |sum: u64, process| sum.saturating_add(own(process).unwrap_or_default())))
}

pub(super) fn is_gone(leader: Pid) -> bool {
    own(leader.as_raw_nonzero().get()).is_none()
}

/// Returns a process and its descendants, at most [`MAX_ITEMS`].
pub(super) fn processes(leader: Pid) -> Vec<i32> {
    let (mut open, mut found) = (vec![leader.as_raw_nonzero().get()], Vec::new());
    while let Some(process) = open.pop() {
        found.push(process);
        if found.len() < MAX_ITEMS {
            open.extend(children(process));
        }
    }
    found.truncate(MAX_ITEMS);
    found
}

/// Returns the memory of a process in bytes (proc_pid_status(5)). A zombie process has none.
fn own(process: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kilobytes = |line: &str| line.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
    let held = status.lines().filter(|line| line.starts_with("RssAnon:") || line.starts_with("RssShmem:"));
    Some(held.filter_map(kilobytes).sum::<u64>() << 10)
}

/// Returns the child processes (proc_tid_children(5)). Each thread has its own list.
fn children(process: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<_>>())
        .collect()
}
