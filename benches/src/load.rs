//! HTTP load from several connections, and its latencies.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use crate::{http::Connection, stats::percentile};

pub struct Measured {
    pub seconds: f64,
    /// Latencies in milliseconds, sorted.
    pub took: Vec<f64>,
    pub bytes: usize,
}

impl Measured {
    pub fn per_second(&self) -> f64 {
        self.took.len() as f64 / self.seconds
    }

    pub fn percentile(&self, percent: f64) -> f64 {
        percentile(&self.took, percent)
    }
}

/// Sends requests in a loop on each of `connections` for `time`, cycling through `requests`.
pub async fn steady(
    to: SocketAddr,
    connections: usize,
    time: Duration,
    requests: &[Vec<u8>],
) -> anyhow::Result<Measured> {
    let begun = Instant::now();
    let mut workers = Vec::new();
    for first in 0..connections {
        let requests = requests.to_vec();
        workers.push(tokio::spawn(async move { worker(to, begun + time, &requests, first).await }));
    }
    let (mut took, mut bytes) = (Vec::new(), 0);
    for worker in workers {
        let (mine, size) = worker.await??;
        took.extend(mine);
        bytes = size;
    }
    took.sort_by(f64::total_cmp);
    Ok(Measured { seconds: begun.elapsed().as_secs_f64(), took, bytes })
}

async fn worker(
    to: SocketAddr,
    until: Instant,
    requests: &[Vec<u8>],
    first: usize,
) -> anyhow::Result<(Vec<f64>, usize)> {
    let mut connection = Connection::open(to).await?;
    let (mut took, mut bytes) = (Vec::new(), 0);
    for request in requests.iter().cycle().skip(first * requests.len() / 64) {
        let begun = Instant::now();
        if begun >= until {
            break;
        }
        let (status, size) = connection.ask(request).await?;
        anyhow::ensure!(status == 200, "an answer has status {status}");
        took.push(begun.elapsed().as_secs_f64() * 1e3);
        bytes = size;
    }
    Ok((took, bytes))
}

/// Sends each request once, on one connection.
pub async fn each_once(to: SocketAddr, requests: &[Vec<u8>]) -> anyhow::Result<Measured> {
    let mut connection = Connection::open(to).await?;
    let begun = Instant::now();
    let (mut took, mut bytes) = (Vec::new(), 0);
    for request in requests {
        let begun = Instant::now();
        let (status, size) = connection.ask(request).await?;
        anyhow::ensure!(status == 200, "an answer has status {status}");
        took.push(begun.elapsed().as_secs_f64() * 1e3);
        bytes = size;
    }
    let seconds = begun.elapsed().as_secs_f64();
    took.sort_by(f64::total_cmp);
    Ok(Measured { seconds, took, bytes })
}

/// Result of streams that were read to their end.
pub struct Heard {
    /// Time to the first event of each stream.
    pub first: Measured,
    pub events: usize,
}

/// Reads one stream after the other on each of `connections` for `time`.
pub async fn streams(
    to: SocketAddr,
    connections: usize,
    time: Duration,
    request: &[u8],
) -> anyhow::Result<Heard> {
    let begun = Instant::now();
    let mut workers = Vec::new();
    for _ in 0..connections {
        let request = request.to_vec();
        workers.push(tokio::spawn(async move { listener(to, begun + time, &request).await }));
    }
    let (mut took, mut events) = (Vec::new(), 0);
    for worker in workers {
        let (mine, heard) = worker.await??;
        took.extend(mine);
        events += heard;
    }
    took.sort_by(f64::total_cmp);
    Ok(Heard { first: Measured { seconds: begun.elapsed().as_secs_f64(), took, bytes: 0 }, events })
}

async fn listener(to: SocketAddr, until: Instant, request: &[u8]) -> anyhow::Result<(Vec<f64>, usize)> {
    let mut connection = Connection::open(to).await?;
    let (mut took, mut events) = (Vec::new(), 0);
    while Instant::now() < until {
        let (first, heard) = connection.hear(request).await?;
        took.push(first);
        events += heard;
    }
    Ok((took, events))
}
