//! `plexus migrate`: migrates the database of a stopped hub to the schema of this version, after a copy of it.

use std::{
    fmt::Write as _,
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use clap::{Arg, ArgAction, ArgMatches, Command};
use plexus_backup::{HubStorage, SchemaStatus};
use plexus_hub::{ClockRng, HubConfig};

use super::{api_client::HubClient, backup::storage, is_new};
use crate::{config::ServeConfig, settings::Settings};

/// Exit code of `--check` if migrations are pending.
const PENDING: u8 = 3;

pub fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new("migrate")
        .about("Copy the database of a stopped hub, then migrate it to the schema of this version")
        .arg(flag("check").help("Only list the pending migrations; exit code 3 if there are any"))
        .arg(flag("no-backup").help("Migrate without a copy of the database").conflicts_with("check"))
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let config = ServeConfig::folder(settings)?;
    ensure!(
        !is_new(&config),
        "no hub has run on {} yet, so there is nothing to migrate; name its folder with PLEXUS_DATA_DIR",
        config.data_dir.display()
    );
    let storage = storage(&config);
    let status = plexus_backup::schema_status(&storage).await?;
    if status.pending.is_empty() {
        let newest = status.newest.map(|newest| format!(" It has migration {newest}.")).unwrap_or_default();
        writeln!(std::io::stdout(), "The database is up to date.{newest}")?;
        return Ok(0);
    }
    write!(std::io::stdout(), "{}", listed(&status))?;
    if arguments.get_flag("check") {
        return Ok(PENDING);
    }
    ensure!(
        HubClient::serving(&config.data_dir, None)?.is_none(),
        "a hub runs on {}; stop it first",
        config.data_dir.display()
    );
    let copy = match arguments.get_flag("no-backup") {
        true => None,
        false => copy(&config, &storage, &status).await?,
    };
    plexus_backup::migrate(&storage).await.with_context(|| match &copy {
        Some(copy) => format!("the database was not migrated; {} is a copy of it as it was", copy.display()),
        None => "the database was not migrated".to_owned(),
    })?;
    writeln!(
        std::io::stdout(),
        "Migrated the database.{}",
        copy.map(|copy| undo(&config, &copy)).unwrap_or_default()
    )?;
    Ok(0)
}

fn listed(status: &SchemaStatus) -> String {
    let mut text = String::from("Pending migrations:\n");
    for migration in &status.pending {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {migration}");
    }
    text
}

/// Copies the database into the folder of scheduled backups, else into the data folder. An empty one is not copied.
async fn copy(
    config: &HubConfig,
    storage: &HubStorage,
    status: &SchemaStatus,
) -> anyhow::Result<Option<PathBuf>> {
    let Some(newest) = &status.newest else { return Ok(None) };
    let own = config.data_dir.join("backups");
    let folder = config.backups.as_ref().map_or(own.as_path(), |schedule| schedule.folder.0.as_path());
    let now = ClockRng::system().now();
    let copied = plexus_backup::copy_before_migration(storage, folder, newest.version, now).await;
    let copy = copied.with_context(|| {
        format!(
            "the database was not copied to {}, so it was not migrated; make a backup in another way, and run \
             plexus migrate --no-backup",
            folder.display()
        )
    })?;
    writeln!(std::io::stdout(), "Copied the database to {}.", copy.display())?;
    Ok(Some(copy))
}

/// Says how the migration is undone.
fn undo(config: &HubConfig, copy: &Path) -> String {
    let (copy, database) = (copy.display(), config.data_dir.join("plexus.sqlite3"));
    match &config.database_url {
        None => format!(
            " To go back to the older version, stop the hub and copy {copy} over {}.",
            database.display()
        ),
        Some(_) => {
            format!(
                " To go back to the older version, stop the hub and run pg_restore --clean --dbname DATABASE {copy}."
            )
        }
    }
}
