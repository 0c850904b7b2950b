//! What the hub says about itself: log lines with request ids and never the text of a message.

use std::io::IsTerminal as _;

use tracing_subscriber::{EnvFilter, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// `filter` as in `info,plexus_hub=debug`; `format` is `json` or anything else for people.
pub fn start(filter: &str, format: &str) -> anyhow::Result<()> {
    let filter =
        EnvFilter::try_new(filter).map_err(|error| anyhow::anyhow!("log = \"{filter}\": {error}"))?;
    let registry = tracing_subscriber::registry().with(filter);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    if format == "json" {
        registry.with(lines.json().flatten_event(true)).try_init()?;
    } else {
        registry.with(lines.with_target(false)).try_init()?;
    }
    Ok(())
}
