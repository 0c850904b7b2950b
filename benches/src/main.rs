//! `bench`: benchmarks of a hub in its own process, with a baseline or a competitor measured in the same run.
//!
//! Client, hub and baseline share the machine: ratios are the result, absolute numbers are lower bounds.

mod a2a;
mod a2a_sdk_servers;
mod background_writes;
mod backups;
mod baseline_proxy;
mod chat_history;
mod client;
mod concurrent_load;
mod http;
mod hub;
mod listings;
mod litellm;
mod load;
mod model_relay;
mod model_server;
mod pages;
mod postgres_fts;
mod process;
mod queue;
mod repetition;
mod scripted_model;
mod search;
mod startup;
mod stats;
mod streams;
mod subprocess;
mod team_formation;
mod teams;
mod token_client;
mod tokens;
mod users;

use std::{path::Path, process::ExitCode};

const USAGE: &str = "\
bench [start] [pages] [search] [relay] [streams] [queue] [a2a] [teams] [formation]: which benches to run; all unless named.
bench backups: backup and restore of 100,000 agents and PLEXUS_BENCH_MESSAGES messages (1,000,000); takes half an hour.
bench interop LITELLM: the relay beside LiteLLM's proxy, the program at that path; `make interop` installs it.
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
        [server] if server == "upstream" => in_runtime(model_server::serve()),
        [server, upstream] if server == "floor" => match upstream.parse() {
            Ok(upstream) => in_runtime(baseline_proxy::serve(upstream)),
            Err(_) => return say_usage(),
        },
        [interop, litellm] if interop == "interop" => in_runtime(litellm::run(Path::new(litellm), rounds)),
        [backups] if backups == "backups" => in_runtime(backups::run()),
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
            "start" => startup::run().await?,
            "pages" => pages::run().await?,
            "search" => search::run().await?,
            "relay" => model_relay::run(rounds).await?,
            "streams" => streams::run().await?,
            "queue" => queue::run().await?,
            "a2a" => a2a::run().await?,
            "teams" => teams::run().await?,
            _ => team_formation::run()?,
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
