//! Concurrent load: many clients at once, and the measured result.

use std::time::{Duration, Instant};

use tokio::{task::JoinSet, time::sleep};

use crate::{
    model_server::Script,
    process,
    stats::{percentile, sorted},
    token_client::Line,
    tokens::Heard,
};

/// Load of each client.
#[derive(Clone, Copy)]
pub struct Load {
    pub streams: usize,
    /// Consecutive questions per client.
    pub each: usize,
    pub script: Script,
}

/// Result of a round: latencies in milliseconds, and the CPU time of the measured process.
pub struct Round {
    pub first: Vec<f64>,
    pub later: Vec<f64>,
    pub tokens: usize,
    pub seconds: f64,
    pub cpu: Duration,
}

impl Round {
    pub fn percentiles(&self) -> [f64; 4] {
        let of = |values: &[f64]| [percentile(values, 50.0), percentile(values, 99.0)];
        let ([a, b], [c, d]) = (of(&self.first), of(&self.later));
        [a, b, c, d]
    }

    pub fn cpu_micros_per_token(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.tokens as f64
    }

    pub fn tokens_per_second(&self) -> f64 {
        self.tokens as f64 / self.seconds
    }
}

/// Sends the questions of all clients and measures the CPU time of `process`. The start times of the clients
/// are spread over the duration of one answer.
pub async fn ask(lines: Vec<Line>, load: Load, process: u32) -> anyhow::Result<Round> {
    let (before, begun) = (process::cpu(process)?, Instant::now());
    let mut asking = JoinSet::new();
    for (n, mut line) in lines.into_iter().enumerate() {
        let wait = load.script.takes().mul_f64(n as f64 / load.streams as f64);
        asking.spawn(async move {
            sleep(wait).await;
            let mut heard = Vec::new();
            for _ in 0..load.each {
                heard.push(line.ask(load.script).await?);
            }
            anyhow::Ok(heard)
        });
    }
    let mut heard: Vec<Heard> = Vec::new();
    while let Some(asked) = asking.join_next().await {
        heard.extend(asked??);
    }
    Ok(Round {
        seconds: begun.elapsed().as_secs_f64(),
        cpu: process::cpu(process)?.saturating_sub(before),
        tokens: heard.iter().map(|one| one.count).sum(),
        first: sorted(heard.iter().map(|one| one.first)),
        later: sorted(heard.iter().flat_map(|one| one.later.iter().copied())),
    })
}
