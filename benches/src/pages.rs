//! Throughput of signed-out pages at 64 connections, compared with a bare axum response of the same size.

use std::{net::SocketAddr, time::Duration};

use axum::{Router, routing::get as route};
use tokio::net::TcpListener;

use crate::{http::get, hub::Hub, listings, load, print};

const CONNECTIONS: usize = 64;
const TIME: Duration = Duration::from_secs(5);
const LISTINGS: usize = 1_000;

pub async fn run() -> anyhow::Result<()> {
    let hub = Hub::start(listings::folder(LISTINGS).await?).await?;
    print(&format!("\nSigned-out pages, {CONNECTIONS} connections, {} s each", TIME.as_secs()));
    print("| page | KB | requests/s | p50 ms | p99 ms | of a bare axum answer |");
    print("|---|---|---|---|---|---|");
    for path in ["/@plexus/calc", "/agents", "/"] {
        let page = load::steady(hub.address, CONNECTIONS, TIME, &[get(hub.address, path)]).await?;
        let floor = bare(page.bytes).await?;
        print(&format!(
            "| `{path}` | {:.1} | {:.0} | {:.2} | {:.2} | {:.0} % of {:.0} |",
            page.bytes as f64 / 1024.0,
            page.per_second(),
            page.percentile(50.0),
            page.percentile(99.0),
            100.0 * page.per_second() / floor.per_second(),
            floor.per_second()
        ));
    }
    Ok(())
}

/// Measures an axum server that only returns `bytes` bytes of HTML.
async fn bare(bytes: usize) -> anyhow::Result<load::Measured> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address: SocketAddr = listener.local_addr()?;
    let body: &'static str = Box::leak("x".repeat(bytes).into_boxed_str());
    let router = Router::new().route("/", route(move || async move { axum::response::Html(body) }));
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let measured = load::steady(address, CONNECTIONS, TIME, &[get(address, "/")]).await;
    server.abort();
    measured
}
