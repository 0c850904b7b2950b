//! Prometheus metrics, served on a listener of their own.

use std::time::Duration;

use axum::{Router, routing::get};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use plexus_hub::Hub;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Histogram buckets in seconds: from a message between nearby hubs to an hour of catching up.
const BUCKETS: [f64; 12] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_600.0];
const UPKEEP_INTERVAL: Duration = Duration::from_secs(60);

/// Installs the metrics recorder and returns the `/metrics` router. May be called once per process.
pub fn router() -> anyhow::Result<(Router, PrometheusHandle)> {
    let recorder: PrometheusHandle = PrometheusBuilder::new().set_buckets(&BUCKETS)?.install_recorder()?;
    let shown = recorder.clone();
    Ok((Router::new().route("/metrics", get(move || async move { shown.render() })), recorder))
}

/// Spawns the periodic upkeep of histograms, until `stop` is cancelled.
pub fn spawn_upkeep(hub: &Hub, recorder: PrometheusHandle, stop: &CancellationToken) -> JoinHandle<()> {
    let (hub, stop) = (hub.clone(), stop.clone());
    tokio::spawn(async move {
        let tidy = |_| drain_histograms(recorder.clone(), stop.clone());
        hub.supervise_until("metrics upkeep", &stop, tidy).await;
    })
}

/// Drains collected samples into buckets. Without it, samples accumulate in memory until the next scrape.
async fn drain_histograms(recorder: PrometheusHandle, stop: CancellationToken) {
    while stop.run_until_cancelled(tokio::time::sleep(UPKEEP_INTERVAL)).await.is_some() {
        recorder.run_upkeep();
    }
}
