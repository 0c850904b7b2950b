//! `plexus serve`: runs the hub until it is stopped.

use clap::Command;

use super::variable_names;
use crate::{
    config::ServeConfig,
    serve,
    settings::{Settings, unknown_variables},
    telemetry,
};

pub fn command() -> Command {
    Command::new("serve").about("Serve the hub")
}

pub async fn run(settings: Settings) -> anyhow::Result<u8> {
    let config = ServeConfig::from_settings(&settings)?;
    telemetry::start(settings.text("log").unwrap_or("info"), settings.text("log_format").unwrap_or("text"))?;
    for warning in unknown_variables(variable_names()) {
        tracing::warn!("setting: {warning}");
    }
    let running = serve::start(config).await?;
    running.print_startup().await?;
    running.run_until_signal().await?;
    running.stop().await?;
    Ok(0)
}
