//! Startup benchmark: time to the first page with 10,000 agents, and the idle memory.

use std::time::{Duration, Instant};

use crate::{
    http::{Connection, get},
    hub::Hub,
    listings, print,
};

const LISTINGS: usize = 10_000;
const QUIET: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(600);

pub async fn run() -> anyhow::Result<()> {
    let folder = listings::folder(LISTINGS).await?;
    print(&format!("\nStart with {LISTINGS} agents"));
    print("| start | first page after ms | everything is found after ms | memory idle MiB |");
    print("|---|---|---|---|");
    let path = folder.path().to_owned();
    let first = Hub::start(folder).await?;
    row("first, building the index", &first).await?;
    let copy = listings::copy_of(&path)?;
    drop(first);
    row("again", &Hub::start(copy).await?).await
}

async fn row(start: &str, hub: &Hub) -> anyhow::Result<()> {
    let whole = hub.started_in + until_whole(hub).await?;
    tokio::time::sleep(QUIET).await;
    print(&format!(
        "| {start} | {:.0} | {:.0} | {:.0} |",
        hub.started_in.as_secs_f64() * 1e3,
        whole.as_secs_f64() * 1e3,
        hub.memory_mib()?
    ));
    Ok(())
}

/// Returns the time from now until the search index is complete.
pub async fn until_whole(hub: &Hub) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let mut connection = Connection::open(hub.address).await?;
    let ready = get(hub.address, "/readyz");
    while connection.ask(&ready).await?.0 != 200 {
        anyhow::ensure!(begun.elapsed() < TIMEOUT, "the hub was not ready in time");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(begun.elapsed())
}
