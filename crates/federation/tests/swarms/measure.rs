//! Memory and latency measurements.

use std::{fs, time::Duration};

/// Returns the resident memory of this process, in MiB.
pub fn memory() -> usize {
    memory_of("self")
}

/// Returns the resident memory of a process (proc(5), `statm`), in MiB.
pub fn memory_of(process: &str) -> usize {
    const PAGE: usize = 4_096;
    let text = fs::read_to_string(format!("/proc/{process}/statm")).unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * PAGE / (1024 * 1024)
}

/// Formats "p50 / p99 / maximum", in milliseconds.
pub fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |part| percentile(&times, part).as_secs_f64() * 1e3;
    format!("{:.1} / {:.1} / {:.1} ms", at(50), at(99), at(100))
}

/// Returns a percentile of sorted times.
pub fn percentile(times: &[Duration], part: usize) -> Duration {
    times[(times.len() - 1) * part / 100]
}

#[expect(clippy::print_stdout, reason = "what was measured")]
pub fn say(line: &str) {
    println!("{line}");
}
