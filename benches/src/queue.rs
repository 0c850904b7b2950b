//! Queue benchmark: a thousand runs at once on a hub with a hundred agents. Measures memory per run and
//! fairness.

use std::time::Duration;

use tokio::task::JoinSet;

use crate::{
    client::Target,
    hub::Hub,
    model_relay,
    model_server::{Script, Upstream},
    print,
    stats::median,
    streams::{Memory, at_once, held},
    tokens, users,
};

const AGENTS: usize = 100;
/// Requests of the flooding caller to each agent, sent before those of all other callers.
const FLOOD: usize = 6;
/// Callers with one request to each agent.
const OTHERS: usize = 4;
const RUNS: usize = AGENTS * (FLOOD + OTHERS);
const SCRIPT: Script = Script { tokens: 40, every: Duration::from_millis(100) };

pub async fn run() -> anyhow::Result<()> {
    print(&format!(
        "\n{RUNS} runs at once, {AGENTS} agents; one caller asks each {FLOOD} times before {OTHERS} others ask it once"
    ));
    print("| what | at work at once | failed | MiB before | MiB at most | KiB each | |");
    print("|---|---|---|---|---|---|---|");
    let all = round("all at work", FLOOD + OTHERS).await?;
    let two = round("two of each agent at work, the rest waiting", 2).await?;
    print("\n| what | first word of the flood, median s | of its last ask of each agent | of the others |");
    print("|---|---|---|---|");
    all.row("all at work");
    two.row("two of each agent at work");
    Ok(())
}

/// Waiting times until the first token, in seconds.
struct Begun {
    flood: Vec<f64>,
    /// Last request of the flooding caller to each agent.
    last: Vec<f64>,
    others: Vec<f64>,
}

impl Begun {
    fn row(self, what: &str) {
        let [flood, last, others] = [self.flood, self.last, self.others].map(median);
        print(&format!("| {what} | {flood:.1} | {last:.1} | {others:.1} |"));
    }
}

async fn round(what: &str, per_agent: usize) -> anyhow::Result<Begun> {
    let upstream = Upstream::start()?;
    let mut settings = model_relay::settings(&upstream);
    settings.push(("PLEXUS_MAX_RUNS_PER_AGENT", per_agent.to_string()));
    settings.push(("PLEXUS_MAX_RUNS_PER_ACCOUNT", RUNS.to_string()));
    settings.push(("PLEXUS_MAX_QUEUED_RUNS_PER_ACCOUNT", RUNS.to_string()));
    let hub = Hub::with_settings(tempfile::tempdir()?, settings).await?;
    let people = users::sign_up(&hub, 1 + OTHERS).await?;
    let mut agents = Vec::new();
    for n in 0..AGENTS {
        agents.push(users::publish_named(&people[0], &format!("relay-{n}")).await?);
    }
    let hub = hub.again().await?;
    let people: Vec<Target> = people.into_iter().map(|one| Target { address: hub.address, ..one }).collect();
    let memory = Memory::watch(hub.id())?;
    let mut asking = JoinSet::new();
    for turn in 0..FLOOD + OTHERS {
        let person = turn.saturating_sub(FLOOD - 1);
        for agent in &agents {
            let (target, agent) = (people[person].clone(), agent.clone());
            asking.spawn(async move {
                let asked = tokens::now();
                held(target, &agent, SCRIPT).await.map(|span| (turn, asked, span))
            });
        }
    }
    let (mut spans, mut failed) = (Vec::new(), 0);
    let mut begun = Begun { flood: Vec::new(), last: Vec::new(), others: Vec::new() };
    while let Some(ended) = asking.join_next().await {
        let Ok((turn, asked, span)) = ended? else {
            failed += 1;
            continue;
        };
        spans.push(span);
        let waited = span.0.saturating_sub(asked) as f64 / 1e6;
        match turn {
            turn if turn >= FLOOD => begun.others.push(waited),
            turn => {
                begun.flood.push(waited);
                if turn + 1 == FLOOD {
                    begun.last.push(waited);
                }
            }
        }
    }
    memory.row(what, at_once(&spans), failed, RUNS, None);
    anyhow::ensure!(failed == 0, "{failed} runs were lost");
    Ok(begun)
}
