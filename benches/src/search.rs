//! Search over HTTP: 600 queries of one to three words over generated listings, on one connection.

use crate::{
    http::get,
    hub::Hub,
    listings::{self, Words},
    load, print,
};

const LISTINGS: usize = 100_000;
const QUERIES: usize = 600;

pub async fn run() -> anyhow::Result<()> {
    let hub = Hub::start(listings::folder(LISTINGS).await?).await?;
    print(&format!("\nSearch over HTTP, {LISTINGS} listings, {QUERIES} queries, one connection, top 20"));
    print(&format!("(the first start built the index in {:.1} s)", hub.started_in.as_secs_f64()));
    print("| what | p50 ms | p90 | p99 | queries/s |");
    print("|---|---|---|---|---|");
    let mut words = Words::new(7);
    let requests: Vec<_> =
        (0..QUERIES).map(|_| get(hub.address, &format!("/agents?q={}", words.query()))).collect();
    load::each_once(hub.address, &requests[..20]).await?;
    let measured = load::each_once(hub.address, &requests).await?;
    print(&format!(
        "| page with facets | {:.2} | {:.2} | {:.2} | {:.0} |",
        measured.percentile(50.0),
        measured.percentile(90.0),
        measured.percentile(99.0),
        measured.per_second()
    ));
    Ok(())
}
