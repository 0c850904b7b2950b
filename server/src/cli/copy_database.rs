//! `plexus copy-database`: moves a hub between SQLite and Postgres.

use std::{io::Write as _, path::PathBuf};

use anyhow::{Context as _, ensure};
use clap::{Arg, ArgMatches, Command};
use plexus_app::components::format::grouped;
use plexus_backup::HubStorage;

use super::{
    api_client::HubClient,
    backup::{show_progress, storage},
    is_new,
};
use crate::{config::ServeConfig, settings::Settings};

pub fn command() -> Command {
    let postgres = Arg::new("to-postgres").long("to-postgres").value_name("URL");
    let sqlite = Arg::new("to-sqlite").long("to-sqlite").value_name("FOLDER");
    Command::new("copy-database")
        .about("Copy the database of a stopped hub into an empty database of the other kind")
        .arg(postgres.help("URL of an empty Postgres database").conflicts_with("to-sqlite"))
        .arg(
            sqlite
                .help("Data folder without a database")
                .value_parser(clap::value_parser!(PathBuf))
                .required_unless_present("to-postgres"),
        )
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let config = ServeConfig::folder(settings)?;
    ensure!(
        HubClient::serving(&config.data_dir, None)?.is_none(),
        "a hub runs on {}; stop it first, else the copy would lack what it writes meanwhile",
        config.data_dir.display()
    );
    ensure!(!is_new(&config), "no hub has run on {} yet: nothing to copy", config.data_dir.display());
    let from = storage(&config);
    let (to, next) = target(arguments, &from)?;
    let tables = plexus_backup::copy_database(&from, &to, show_progress()).await?;
    let rows: u64 = tables.iter().map(|table| table.rows).sum();
    writeln!(
        std::io::stdout(),
        "Copied {} rows of {} tables and compared them. The source is unchanged.\n{next}",
        grouped(rows),
        tables.len()
    )?;
    Ok(0)
}

/// Returns the target, and what the operator does next.
fn target(arguments: &ArgMatches, from: &HubStorage) -> anyhow::Result<(HubStorage, String)> {
    if let Some(url) = arguments.get_one::<String>("to-postgres") {
        let to = HubStorage { database_url: Some(url.clone()), ..from.clone() };
        return Ok((to, "Set DATABASE_URL to the new database, and start the hub.".to_owned()));
    }
    let folder: &PathBuf = arguments.get_one("to-sqlite").context("name a target")?;
    let to = HubStorage { database_url: None, data_dir: folder.clone(), ..from.clone() };
    let next = format!(
        "Unset DATABASE_URL, set PLEXUS_DATA_DIR={}, and start the hub. Copy {} and the folder {} there, unless \
         settings name their places.",
        folder.display(),
        from.secret_key_file.display(),
        from.files_dir.display()
    );
    Ok((to, next))
}
