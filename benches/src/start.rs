//! From starting the process to the first page, with 10,000 agents, and the memory it then holds.

use std::time::Duration;

use crate::{hub::Hub, listings, print};

const LISTINGS: usize = 10_000;
const QUIET: Duration = Duration::from_secs(5);

pub async fn run() -> anyhow::Result<()> {
    let folder = listings::folder(LISTINGS).await?;
    print(&format!("\nStart with {LISTINGS} agents"));
    print("| start | first page after ms | memory idle MiB |");
    print("|---|---|---|");
    let path = folder.path().to_owned();
    let first = Hub::start(folder).await?;
    tokio::time::sleep(QUIET).await;
    print(&format!(
        "| first (builds the index) | {:.0} | {:.0} |",
        first.started_in.as_secs_f64() * 1e3,
        first.memory_mib()?
    ));
    let copy = listings::copy_of(&path)?;
    drop(first);
    let again = Hub::start(copy).await?;
    tokio::time::sleep(QUIET).await;
    print(&format!("| again | {:.0} | {:.0} |", again.started_in.as_secs_f64() * 1e3, again.memory_mib()?));
    Ok(())
}
