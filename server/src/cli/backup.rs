//! `plexus backup`: writes an archive of the hub, also while it runs.

use std::{
    io::{IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use clap::{Arg, ArgAction, ArgMatches, Command};
use futures::TryStreamExt as _;
use plexus_app::components::format::{grouped, size};
use plexus_backup::{
    ArchiveFile, BackupAuthor, BackupContents, BackupManifest, HubStorage, TransferProgress,
};
use plexus_hub::{ClockRng, HubConfig, config::Secret};

use super::{api_client::HubClient, is_new};
use crate::{config::ServeConfig, settings::Settings};

pub fn command() -> Command {
    let file = Arg::new("file").required(true).value_name("FILE").value_parser(clap::value_parser!(PathBuf));
    let key = Arg::new("with-secret-key").long("with-secret-key").action(ArgAction::SetTrue);
    Command::new("backup")
        .about("Write the database and the files of the hub into one archive, also while the hub runs")
        .arg(file.help("New archive, for example plexus-2026-11-26.tar.gz"))
        .arg(
            key.help(
                "Include the secret key; anyone who reads the archive can then use all stored credentials",
            ),
        )
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let config = ServeConfig::folder(settings)?;
    let file: &PathBuf = arguments.get_one("file").context("FILE is missing")?;
    let contents = match arguments.get_flag("with-secret-key") {
        true => BackupContents::WithSecretKey,
        false => BackupContents::WithoutSecretKey,
    };
    ensure!(!file.exists(), "{} exists; choose another name, or remove it first", file.display());
    let hub = HubClient::serving(&config.data_dir, None)?;
    ensure!(
        hub.is_some() || !is_new(&config),
        "no hub has run on {} yet, so there is nothing to back up; name its folder with PLEXUS_DATA_DIR",
        config.data_dir.display()
    );
    let archive = ArchiveFile::create(file)?;
    match hub {
        Some(hub) => receive(&hub, contents, &archive).await?,
        None => write_stopped(&config, contents, &archive).await?,
    }
    let checked = archive.path().to_owned();
    let manifest = tokio::task::spawn_blocking(move || plexus_backup::verify(&checked)).await?;
    let manifest = manifest.context("the backup failed, see the log of the hub for the cause")?;
    let bytes = archive.publish()?;
    writeln!(std::io::stdout(), "{}", summary(file, &manifest, bytes, &config))?;
    Ok(0)
}

/// Returns where the hub of these settings stores its data.
pub fn storage(config: &HubConfig) -> HubStorage {
    HubStorage {
        database_url: config.database_url.as_ref().map(|url| Secret::reveal(url).to_owned()),
        data_dir: config.data_dir.clone(),
        files_dir: config.files_dir.clone(),
        secret_key_file: config.secret_key_file.clone(),
    }
}

/// Returns a callback that shows the progress on a terminal.
pub fn show_progress() -> impl FnMut(TransferProgress) + Send + 'static {
    let is_terminal = std::io::stderr().is_terminal();
    move |progress| {
        if is_terminal && progress.total > 0 {
            let end = if progress.done == progress.total { "\n" } else { "" };
            let (done, total) = (grouped(progress.done), grouped(progress.total));
            // Progress is a courtesy: a closed terminal must not end the command.
            let _ = write!(std::io::stderr(), "\r{}: {done} of {total} rows{end}", progress.table);
        }
    }
}

async fn receive(hub: &HubClient, contents: BackupContents, archive: &ArchiveFile) -> anyhow::Result<()> {
    let key = contents == BackupContents::WithSecretKey;
    let mut chunks = hub.read(&format!("operator/backup?secret_key={key}")).await?;
    let mut file = archive.writer()?;
    let broken = "the backup broke off; see the log of the hub for the cause";
    while let Some(chunk) = chunks.try_next().await.context(broken)? {
        file.write_all(&chunk).with_context(|| format!("writing {}", archive.path().display()))?;
    }
    Ok(())
}

async fn write_stopped(
    config: &HubConfig,
    contents: BackupContents,
    archive: &ArchiveFile,
) -> anyhow::Result<()> {
    let made_by = BackupAuthor { program: env!("CARGO_PKG_VERSION"), now: ClockRng::system().now() };
    let output = std::io::BufWriter::new(archive.writer()?);
    plexus_backup::write_stopped(&storage(config), made_by, contents, output, show_progress()).await?;
    Ok(())
}

fn summary(file: &Path, manifest: &BackupManifest, bytes: u64, config: &HubConfig) -> String {
    let mut text = format!(
        "Wrote and checked {}: {} rows, {} files, {}.",
        file.display(),
        grouped(manifest.rows()),
        grouped(manifest.files),
        size(bytes)
    );
    if !manifest.has_secret_key {
        text += &format!(
            "\nKeep a copy of {} in another place: without it the backup cannot be used.",
            config.secret_key_file.display()
        );
    }
    text
}
