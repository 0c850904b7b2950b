//! `plexus agent run`: attaches a local program to a hub as an agent, over one outgoing connection.

use std::{
    io::{IsTerminal as _, Write as _},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, bail};
use clap::{Arg, ArgMatches, Command};
use plexus_domain::Address;
use plexus_runtime::{
    Connector,
    attached::{AttachedWorker, FrameQueue},
};
use serde_json::{Value, json};
use tokio::{
    signal::unix::{SignalKind, signal},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{
    backend::{self, AgentBackend},
    set,
};
use crate::{
    cli::{
        api_client::{self, HubClient},
        attach_client::{self, AttachEnd},
    },
    settings::Settings,
    telemetry,
};

/// Initial backoff before reconnecting; it doubles after each attempt.
const INITIAL_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(30);
/// Minimum duration of a connection that resets the backoff.
const GOOD: Duration = Duration::from_secs(60);

pub fn command() -> Command {
    let text = |id: &'static str| Arg::new(id).long(id).value_name("TEXT");
    let command = Command::new("run")
        .about("Attach a program on this machine to a hub as an agent, while it runs")
        .long_about(
            "Attach a program on this machine to a hub as an agent, while it runs.\n\nThe program needs no \
             public address: it opens one outgoing connection to the hub and reconnects when it breaks. If \
             the agent does not exist, a private agent is created. Without --hub the hub of this data folder \
             is used.",
        )
        .after_help(
            "Examples:\n  plexus agent run @ada/shout -- tr a-z A-Z\n  plexus agent run @ada/helper --protocol jsonl -- \
             python3 agent.py\n  plexus agent run @ada/helper --hub https://hub.example.org -- ./my-agent\n  plexus agent run \
             @ada/coder --protocol acp -- opencode acp\n  plexus agent run @ada/tide --url http://127.0.0.1:9999",
        )
        .arg(Arg::new("address").required(true).value_name("@OWNER/NAME").help("Address of the agent, or its \
            name alone"))
        .arg(text("title").help("Title of a newly created agent (default: its name)"))
        .arg(text("summary").help("One-line description of a newly created agent"))
        .args(backend::arguments());
    super::reach(command)
        .arg(
            Arg::new("as")
                .long("as")
                .value_name("NAME")
                .conflicts_with("hub")
                .help("Account that acts (default: the owner in the address)"),
        )
        .args(api_client::arguments())
}

/// Runs until interrupted, or until the hub rejects the program permanently.
pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    telemetry::start("plexus_program=info", "text")?;
    let (owner, name) = address(arguments)?;
    let acts = arguments.get_one::<String>("as").or(owner.as_ref()).map(String::as_str);
    let (hub, page) = HubClient::reached(settings, arguments, acts)?;
    let behind = AgentBackend::of(arguments).await?;
    let (address, was_there) = ensure(&hub, arguments, owner.as_deref(), &name, &behind).await?;
    let made = if was_there { "" } else { " was created. Its page" };
    say(&format!("{address}{made} is at {}", page.join(&address.to_string())?));
    let stop = CancellationToken::new();
    let ends = tokio::spawn(ends(stop.clone()));
    let ended = stay(&hub, &address, behind.connector, &stop).await;
    ends.abort();
    ended.map(|()| 0)
}

/// Keeps the program attached, reconnecting with exponential backoff.
async fn stay(
    hub: &HubClient,
    address: &Address,
    connector: Arc<dyn Connector>,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let mut wait = INITIAL_BACKOFF;
    loop {
        let since = Instant::now();
        let outbox = Arc::new(FrameQueue::default());
        let worker = AttachedWorker::new(connector.clone(), outbox.clone());
        match attach_client::attach(hub, address, worker, &outbox, stop).await {
            AttachEnd::Stopped => {
                say("Left.");
                return Ok(());
            }
            AttachEnd::ForGood(reason) => bail!("{reason}"),
            AttachEnd::Broken(reason) => {
                if since.elapsed() > GOOD {
                    wait = INITIAL_BACKOFF;
                }
                say(&format!("{reason}. Connecting again in {} s.", wait.as_secs()));
            }
        }
        if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
            return Ok(());
        }
        wait = MAX_BACKOFF.min(wait * 2);
    }
}

fn address(arguments: &ArgMatches) -> anyhow::Result<(Option<String>, String)> {
    let given = arguments.get_one::<String>("address").map(String::as_str).unwrap_or_default();
    match given.strip_prefix('@').unwrap_or(given).split_once('/') {
        Some((owner, name)) => Ok((Some(owner.to_owned()), name.to_owned())),
        None if given.starts_with('@') => {
            bail!("{given} is not an agent address; write it like @ada/helper")
        }
        None => Ok((None, given.to_owned())),
    }
}

/// Returns the agent's address and whether it existed before. Creates the agent if needed.
async fn ensure(
    hub: &HubClient,
    arguments: &ArgMatches,
    owner: Option<&str>,
    name: &str,
    behind: &AgentBackend,
) -> anyhow::Result<(Address, bool)> {
    let own = match owner {
        Some(owner) => owner.to_owned(),
        None => own_name(hub).await?,
    };
    if let Ok(found) = hub.get(&format!("agents/{own}/{name}")).await {
        return Ok((found["address"].as_str().unwrap_or_default().parse()?, true));
    }
    // The new agent belongs to the token's account, whatever the address names.
    if let Some(owner) = owner {
        let mine = own_name(hub).await?;
        if !mine.eq_ignore_ascii_case(owner) {
            bail!("the token belongs to @{mine} and cannot create an agent of @{owner}");
        }
    }
    let summary = behind.summary.as_deref().unwrap_or("A program on its owner's machine.");
    let title = behind.title.as_deref().unwrap_or(name);
    let mut body = json!({ "name": name, "attached": true, "title": title, "summary": summary });
    set(&mut body, arguments, ["title", "summary", "visibility", "access"]);
    let made: Value = hub.post("agents", &body).await?;
    let address = made["address"].as_str().unwrap_or_default().parse()?;
    Ok((address, false))
}

async fn own_name(hub: &HubClient) -> anyhow::Result<String> {
    let me = hub.get("account").await?;
    me["name"].as_str().map(str::to_owned).context("the hub did not return the account of this token")
}

/// Cancels `stop` on SIGINT or SIGTERM.
async fn ends(stop: CancellationToken) -> anyhow::Result<()> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    stop.cancel();
    Ok(())
}

/// Prints a status line to standard error, separate from the program's own output.
pub fn say(line: &str) {
    let mut err = std::io::stderr().lock();
    let mark = if err.is_terminal() { "\u{1b}[2mplexus\u{1b}[0m" } else { "plexus:" };
    let _ = writeln!(err, "{mark} {line}");
}
