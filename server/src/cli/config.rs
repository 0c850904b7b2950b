//! `plexus config`: prints every setting, its value and its source.

use std::io::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::json;

use crate::settings::Settings;

pub fn command() -> Command {
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON");
    Command::new("config").about("Show all settings with their values and sources").arg(json)
}

pub fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let table = settings.table();
    let mut out = std::io::stdout().lock();
    if arguments.get_flag("json") {
        let rows = table.iter().map(|(setting, value, source)| {
            json!({ "key": setting.key, "variable": setting.variable, "value": value, "source": source.to_string(),
                    "default": setting.default, "secret": setting.secret, "help": setting.help })
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&rows.collect::<Vec<_>>())?)?;
        return Ok(0);
    }
    for (setting, value, source) in table {
        writeln!(out, "{:<30} {value}  ({source})", setting.variable)?;
        writeln!(out, "{:<30} {}", "", setting.help)?;
    }
    Ok(0)
}
