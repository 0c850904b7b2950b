//! Search benchmark over HTTP: 600 queries of one to three words over generated listings. Compared with
//! Postgres full text search on the same listings and queries.

use std::{path::Path, time::Duration};

use crate::{
    http::get,
    hub::Hub,
    listings::{self, Words},
    load::{self, Measured},
    postgres_fts, print,
    startup::until_whole,
};

const LISTINGS: usize = 100_000;
const QUERIES: usize = 600;
const CONNECTIONS: usize = 64;
const TIME: Duration = Duration::from_secs(5);

const API: &str = "/api/v1/agents?limit=10&q=";
const API_FACETS: &str = "/api/v1/agents?limit=10&facets=true&q=";
const PAGE: &str = "/agents?q=";

pub async fn run() -> anyhow::Result<()> {
    let folder = listings::folder(LISTINGS).await?;
    let index = folder.path().join("index");
    let hub = Hub::start(folder).await?;
    let built = until_whole(&hub).await?;
    print(&format!(
        "\nSearch, {LISTINGS} listings: the first start built the index in {:.1} s, {:.1} MB",
        built.as_secs_f64(),
        megabytes(&index)?
    ));
    let mut words = Words::new(7);
    let queries: Vec<String> = (0..QUERIES).map(|_| words.query()).collect();
    alone(&hub, &queries).await?;
    crowded(&hub, &queries).await
}

/// Runs each query once on one connection.
async fn alone(hub: &Hub, queries: &[String]) -> anyhow::Result<()> {
    let unfinished: Vec<String> = queries.iter().map(|query| query[..query.len() - 2].to_owned()).collect();
    let slips: Vec<String> = queries.iter().map(|query| slip(query)).collect();
    print(&format!("\n{QUERIES} queries over HTTP on one connection"));
    print("| what | p50 ms | p90 | p99 | queries/s |");
    print("|---|---|---|---|---|");
    for (what, path, queries) in [
        ("page of 20 with facets", PAGE, queries),
        ("API, top 10 with facets", API_FACETS, queries),
        ("API, top 10", API, queries),
        ("API, top 10, last word unfinished", API, &unfinished),
        ("API, top 10, one letter wrong", API, &slips),
    ] {
        let requests = requests(hub, path, queries);
        load::each_once(hub.address, &requests[..QUERIES / 10]).await?;
        row(what, &load::each_once(hub.address, &requests).await?);
    }
    match postgres_fts::Postgres::build(LISTINGS).await? {
        Some(mut postgres) => {
            row("Postgres full text, top 10, no HTTP", &postgres.search(queries).await?);
            print(&format!("({})", postgres.made));
            postgres.end().await
        }
        None => {
            print("Postgres full text: skipped, PLEXUS_TEST_POSTGRES names no cluster (run scripts/bench)");
            Ok(())
        }
    }
}

/// Runs different queries on many connections; the hub has no result cache.
async fn crowded(hub: &Hub, queries: &[String]) -> anyhow::Result<()> {
    print(&format!("\n{QUERIES} different searches, {CONNECTIONS} connections, {} s each", TIME.as_secs()));
    print("| what | searches/s | p50 ms | p99 ms |");
    print("|---|---|---|---|");
    for (what, path) in
        [("API, top 10", API), ("API, top 10 with facets", API_FACETS), ("page of 20 with facets", PAGE)]
    {
        let measured = load::steady(hub.address, CONNECTIONS, TIME, &requests(hub, path, queries)).await?;
        print(&format!(
            "| {what} | {:.0} | {:.1} | {:.1} |",
            measured.per_second(),
            measured.percentile(50.0),
            measured.percentile(99.0)
        ));
    }
    Ok(())
}

fn requests(hub: &Hub, path: &str, queries: &[String]) -> Vec<Vec<u8>> {
    queries.iter().map(|query| get(hub.address, &format!("{path}{}", query.replace(' ', "+")))).collect()
}

fn row(what: &str, measured: &Measured) {
    print(&format!(
        "| {what} | {:.2} | {:.2} | {:.2} | {:.0} |",
        measured.percentile(50.0),
        measured.percentile(90.0),
        measured.percentile(99.0),
        measured.per_second()
    ));
}

/// Replaces a letter in the middle of the longest word.
fn slip(query: &str) -> String {
    let longest = query.split(' ').max_by_key(|word| word.len()).unwrap_or_default();
    let (left, right) = longest.split_at(longest.len() / 2);
    query.replace(longest, &format!("{left}q{}", &right[1..]))
}

fn megabytes(folder: &Path) -> anyhow::Result<f64> {
    let mut bytes = 0.0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        bytes += if meta.is_dir() { megabytes(&entry.path())? } else { meta.len() as f64 / 1e6 };
    }
    Ok(bytes)
}
