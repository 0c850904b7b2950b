//! How much memory a program and all that it started hold. The kernel limits each process; this is for all together,
//! and needs no rights.

use std::{fs, time::Duration};

use rustix::process::Pid;

/// How often is looked.
const EVERY: Duration = Duration::from_millis(250);
/// More processes than this are not looked through.
const MOST: usize = 4_096;

/// Waits until `leader` and all below it together hold more than `most` bytes: true; or until it is gone.
pub(super) async fn grows_beyond(leader: Pid, most: u64) -> bool {
    loop {
        tokio::time::sleep(EVERY).await;
        match held(leader) {
            None => return false,
            Some(bytes) if bytes > most => return true,
            Some(_) => {}
        }
    }
}

/// Anonymous and shared memory of a process and all below it, in bytes; none once it is gone.
fn held(leader: Pid) -> Option<u64> {
    own(leader.as_raw_nonzero().get())?;
    let all = processes(leader).into_iter();
    Some(all.fold(0, |sum: u64, process| sum.saturating_add(own(process).unwrap_or_default())))
}

pub(super) fn is_gone(leader: Pid) -> bool {
    own(leader.as_raw_nonzero().get()).is_none()
}

/// A process and all below it, at most [`MOST`].
pub(super) fn processes(leader: Pid) -> Vec<i32> {
    let (mut open, mut found) = (vec![leader.as_raw_nonzero().get()], Vec::new());
    while let Some(process) = open.pop() {
        found.push(process);
        if found.len() < MOST {
            open.extend(children(process));
        }
    }
    found.truncate(MOST);
    found
}

/// (proc_pid_status(5)) A process that has ended and is not waited for has no memory.
fn own(process: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kilobytes = |line: &str| line.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
    let held = status.lines().filter(|line| line.starts_with("RssAnon:") || line.starts_with("RssShmem:"));
    Some(held.filter_map(kilobytes).sum::<u64>() << 10)
}

/// (proc_tid_children(5)) Each thread has its own.
fn children(process: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<_>>())
        .collect()
}
