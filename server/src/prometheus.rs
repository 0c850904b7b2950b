//! Numbers for Prometheus, on a listener of their own.

use axum::{Router, routing::get};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// Starts counting. Once per process.
pub fn router() -> anyhow::Result<Router> {
    let recorder: PrometheusHandle = PrometheusBuilder::new().install_recorder()?;
    Ok(Router::new().route("/metrics", get(move || async move { recorder.render() })))
}
