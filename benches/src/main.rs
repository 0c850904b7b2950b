//! `bench`: speed of a hub that runs as its own process, with a floor or a peer measured in the same run.
//!
//! Client, hub and floor share the machine, so the ratios are the result and the absolute numbers a lower bound.

mod http;
mod hub;
mod listings;
mod load;
mod pages;
mod peer;
mod search;
mod start;

use std::process::ExitCode;

const USAGE: &str = "bench [pages] [search] [start]: which benches to run; all unless named. \
                     PLEXUS_BENCH_BINARY names the hub (target/release/plexus).";

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|given| given == name);
    if named.iter().any(|name| !["pages", "search", "start"].contains(&name.as_str())) {
        return say_usage();
    }
    match run(&wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print(&format!("bench: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(wanted: &dyn Fn(&str) -> bool) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        if wanted("start") {
            start::run().await?;
        }
        if wanted("pages") {
            pages::run().await?;
        }
        if wanted("search") {
            search::run().await?;
        }
        Ok(())
    })
}

fn say_usage() -> ExitCode {
    print(USAGE);
    ExitCode::from(2)
}

#[expect(clippy::print_stdout, reason = "a bench is there to print its table")]
pub fn print(line: &str) {
    println!("{line}");
}
