//! `plexus restore`: restores an archive into an empty hub.

use std::{io::Write as _, path::PathBuf};

use anyhow::{Context as _, ensure};
use clap::{Arg, ArgMatches, Command};
use plexus_app::components::format::grouped;

use super::{
    api_client::HubClient,
    backup::{show_progress, storage},
};
use crate::{config::ServeConfig, settings::Settings};

pub fn command() -> Command {
    let file = Arg::new("file").required(true).value_name("FILE").value_parser(clap::value_parser!(PathBuf));
    Command::new("restore")
        .about("Restore an archive of `plexus backup` into an empty data folder or database")
        .arg(file.help("Archive of `plexus backup`"))
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let config = ServeConfig::folder(settings)?;
    let file: &PathBuf = arguments.get_one("file").context("FILE is missing")?;
    ensure!(
        HubClient::serving(&config.data_dir, None)?.is_none(),
        "a hub runs on {}; stop it, or restore into another folder with PLEXUS_DATA_DIR",
        config.data_dir.display()
    );
    let restored = plexus_backup::restore(file, &storage(&config), show_progress()).await?;
    let manifest = restored.manifest;
    let mut text = format!(
        "Restored {} rows and {} files of {} (made {} by Plexus {}).",
        grouped(manifest.rows()),
        grouped(restored.files),
        file.display(),
        manifest.created_at.to_rfc3339(),
        manifest.program
    );
    if !restored.has_secret_key {
        text += &format!(
            "\nThe archive holds no secret key. Copy the one of the hub to {} before you start it.",
            config.secret_key_file.display()
        );
    }
    writeln!(std::io::stdout(), "{text}")?;
    Ok(0)
}
