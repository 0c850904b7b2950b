//! `bench`: benchmarks of a hub in its own process, with a baseline or a competitor measured in the same run.
//!
//! Client, hub and baseline share the machine: ratios are the result, absolute numbers are lower bounds.

mod a2a;
mod client;
mod crowd;
mod floor;
mod formation;
mod http;
mod hub;
mod line;
mod listings;
mod load;
mod pages;
mod part;
mod peer;
mod peers;
mod people;
mod process;
mod queue;
mod relay;
mod repeats;
mod scripted;
mod sdk;
mod search;
mod start;
mod stats;
mod streams;
mod teams;
mod tokens;
mod upstream;
mod writer;

use std::{path::Path, process::ExitCode};

const USAGE: &str = "\
bench [start] [pages] [search] [relay] [streams] [queue] [a2a] [teams] [formation]: which benches to run; all unless named.
bench peers LITELLM: the relay beside LiteLLM's proxy, the program at that path; `make peers` installs it.
PLEXUS_BENCH_BINARY names the hub (target/release/plexus), PLEXUS_BENCH_ROUNDS how often a relay is measured (3),
PLEXUS_BENCH_AGENTS among how many agents members are chosen.";
const BENCHES: [&str; 9] =
    ["start", "pages", "search", "relay", "streams", "queue", "a2a", "teams", "formation"];

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let Ok(rounds) = std::env::var("PLEXUS_BENCH_ROUNDS").map_or(Ok(3), |rounds| rounds.parse()) else {
        return say_usage();
    };
    let ended = match named.as_slice() {
        [server] if server == "upstream" => in_runtime(upstream::serve()),
        [server, upstream] if server == "floor" => match upstream.parse() {
            Ok(upstream) => in_runtime(floor::serve(upstream)),
            Err(_) => return say_usage(),
        },
        [peers, litellm] if peers == "peers" => in_runtime(peers::run(Path::new(litellm), rounds)),
        [] => in_runtime(run(&BENCHES, rounds)),
        _ => {
            let named: Vec<&str> = named.iter().map(String::as_str).collect();
            if !named.iter().all(|name| BENCHES.contains(name)) {
                return say_usage();
            }
            in_runtime(run(&named, rounds))
        }
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print(&format!("bench: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn in_runtime(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(work)
}

async fn run(named: &[&str], rounds: usize) -> anyhow::Result<()> {
    for name in named {
        match *name {
            "start" => start::run().await?,
            "pages" => pages::run().await?,
            "search" => search::run().await?,
            "relay" => relay::run(rounds).await?,
            "streams" => streams::run().await?,
            "queue" => queue::run().await?,
            "a2a" => a2a::run().await?,
            "teams" => teams::run().await?,
            _ => formation::run()?,
        }
    }
    Ok(())
}

fn say_usage() -> ExitCode {
    print(USAGE);
    ExitCode::from(2)
}

#[expect(clippy::print_stdout, reason = "a bench is there to print its table")]
pub fn print(line: &str) {
    println!("{line}");
}
