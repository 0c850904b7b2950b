//! Logging: log lines carry request ids and never the text of a message.

use std::io::IsTerminal as _;

use anyhow::Context as _;
use tracing::{Metadata, level_filters::LevelFilter};
use tracing_subscriber::{
    EnvFilter, filter::filter_fn, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

/// Crates that log user content: single characters of a text, bodies of requests. Only their warnings and
/// errors are logged, whatever the filter.
const CONTENT_LOGGERS: [&str; 7] =
    ["html5ever", "markup5ever", "rmcp", "tungstenite", "tokio_tungstenite", "h2", "hyper"];

/// Installs the log subscriber, which writes to standard error.
///
/// `filter` is a tracing directive such as `info,plexus_hub=debug`. A level alone that is more verbose than
/// `info` applies to the hub's own crates only. `format` is `json`; anything else gives human-readable lines.
pub fn start(filter: &str, format: &str) -> anyhow::Result<()> {
    let filter = own_crates_only(filter);
    let filter = EnvFilter::try_new(&filter).with_context(|| format!("log = \"{filter}\""))?;
    let registry = tracing_subscriber::registry().with(filter).with(filter_fn(holds_no_content));
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

/// Rewrites a plain `debug` or `trace` to `info,plexus=debug`, because the output of libraries would flood
/// the log.
fn own_crates_only(filter: &str) -> String {
    let narrowed = filter.split(',').map(|directive| match directive.trim().parse::<LevelFilter>() {
        Ok(level) if level > LevelFilter::INFO => format!("info,plexus={level}"),
        _ => directive.to_owned(),
    });
    narrowed.collect::<Vec<_>>().join(",")
}

fn holds_no_content(metadata: &Metadata<'_>) -> bool {
    let crate_name = metadata.target().split("::").next().unwrap_or_default();
    *metadata.level() <= LevelFilter::WARN || !CONTENT_LOGGERS.contains(&crate_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_alone_is_meant_for_the_hub() {
        assert_eq!(own_crates_only("info"), "info");
        assert_eq!(own_crates_only("debug"), "info,plexus=debug");
        assert_eq!(own_crates_only("warn,plexus_hub=debug"), "warn,plexus_hub=debug");
        assert_eq!(own_crates_only("trace,libp2p=debug"), "info,plexus=trace,libp2p=debug");
    }
}
