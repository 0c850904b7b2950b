//! Logging: log lines carry request ids and never the text of a message.

use std::io::IsTerminal as _;

use anyhow::{Context as _, bail};
use tracing::{Metadata, level_filters::LevelFilter};
use tracing_subscriber::{
    EnvFilter, filter::filter_fn, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

use crate::settings::SettingErrors;

/// Crates that log user content: single characters of a text, bodies of requests. Only their warnings and
/// errors are logged, whatever the filter.
const CONTENT_LOGGERS: [&str; 7] =
    ["html5ever", "markup5ever", "rmcp", "tungstenite", "tokio_tungstenite", "h2", "hyper"];

/// Installs the log subscriber, which writes to standard error.
///
/// `log` is a tracing directive such as `info,plexus_hub=debug`. A level alone that is more verbose than `info`
/// applies to the hub's own crates only. `log_format` is `text` or `json`.
pub fn start(log: &str, log_format: &str) -> anyhow::Result<()> {
    let (filter, format) = (filter(log)?, format(log_format)?);
    let registry = tracing_subscriber::registry().with(filter).with(filter_fn(holds_no_content));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    if format == Format::Json {
        registry.with(lines.json().flatten_event(true)).try_init()?;
    } else {
        registry.with(lines.with_target(false)).try_init()?;
    }
    Ok(())
}

/// Checks the settings of the log without installing it.
pub fn check(log: &str, log_format: &str) -> anyhow::Result<()> {
    let mut errors = SettingErrors::default();
    errors.or(filter(log).map(drop), ());
    errors.or(format(log_format).map(drop), ());
    errors.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Json,
}

fn format(text: &str) -> anyhow::Result<Format> {
    match text {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        other => bail!("log_format = \"{other}\" is neither text nor json"),
    }
}

fn filter(text: &str) -> anyhow::Result<EnvFilter> {
    EnvFilter::try_new(own_crates_only(text)).with_context(|| {
        format!(
            "log = \"{text}\" is neither a level (error, warn, info, debug, trace) nor a list such as \
             info,plexus_hub=debug"
        )
    })
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
