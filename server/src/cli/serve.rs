//! `plexus serve`: runs the hub until it is stopped.

use clap::Command;

use crate::{config::ServeConfig, serve, settings::Settings, telemetry};

pub fn command() -> Command {
    Command::new("serve").about("Serve the hub")
}

pub async fn run(settings: Settings) -> anyhow::Result<u8> {
    telemetry::start(settings.text("log").unwrap_or("info"), settings.text("log_format").unwrap_or("text"))?;
    let running = serve::start(ServeConfig::from_settings(&settings)?).await?;
    running.print_startup().await?;
    serve::until_signal().await?;
    running.stop().await?;
    Ok(0)
}
