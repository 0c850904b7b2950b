//! Results of `plexus doctor`, as text or JSON.

use std::io::Write as _;

use serde_json::json;

use crate::settings::SettingErrors;

/// The checks in the order in which they ran, each with its result in words.
#[derive(Default)]
pub struct Report(Vec<(&'static str, Result<String, String>)>);

impl Report {
    pub fn add(&mut self, check: &'static str, found: Result<String, String>) {
        self.0.push((check, found));
    }

    /// Adds each mistake in the settings as a failed check.
    pub fn add_errors(&mut self, error: &anyhow::Error) {
        match error.downcast_ref::<SettingErrors>() {
            Some(errors) => errors.iter().for_each(|error| self.add("settings", Err(error.to_owned()))),
            None => self.add("settings", Err(format!("{error:#}"))),
        }
    }

    /// Prints the report. The exit code is 0 if all checks passed, else 1.
    pub fn print(self, as_json: bool) -> anyhow::Result<u8> {
        let is_ok = self.0.iter().all(|(_, found)| found.is_ok());
        let mut out = std::io::stdout().lock();
        if as_json {
            let row = |(check, found): &(&str, Result<String, String>)| {
                let (Ok(text) | Err(text)) = found;
                json!({ "check": check, "ok": found.is_ok(), "text": text })
            };
            let checks: Vec<_> = self.0.iter().map(row).collect();
            writeln!(out, "{:#}", json!({ "ok": is_ok, "checks": checks }))?;
        } else {
            for (check, found) in &self.0 {
                let (mark, text) = match found {
                    Ok(text) => ("ok  ", text),
                    Err(text) => ("FAIL", text),
                };
                writeln!(out, "{mark}  {check:<12}  {text}")?;
            }
        }
        Ok(u8::from(!is_ok))
    }
}
