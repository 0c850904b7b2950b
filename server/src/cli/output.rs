//! Output of commands: JSON for programs, or text for people.

use std::io::Write as _;

use serde::Serialize;

/// Prints a result to standard output: as indented JSON, or as the text that `text` returns.
pub fn print<T: Serialize + ?Sized>(
    result: &T,
    as_json: bool,
    text: impl FnOnce(&T) -> String,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match as_json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(result)?)?,
        false => write!(out, "{}", text(result))?,
    }
    Ok(())
}
