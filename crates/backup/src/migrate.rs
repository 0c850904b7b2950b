//! Migration of a stopped hub's database, after a copy of it as it was.

use std::{
    io,
    path::{Path, PathBuf},
    process::Stdio,
};

use percent_encoding::percent_decode_str;
use plexus_domain::Timestamp;
use plexus_store::{OpenError, SchemaStatus, StoreConfig, StoreUrl, permissions::create_closed_folder};
use tokio::process::Command;
use url::Url;

use crate::{ArchiveFile, BackupError, HubStorage};

/// Longest error text of `pg_dump` that is passed on, in bytes.
const MAX_STDERR: usize = 2_000;

/// Reads which migrations the database has, without changing it.
pub async fn schema_status(storage: &HubStorage) -> Result<SchemaStatus, BackupError> {
    Ok(SchemaStatus::read(&config(storage)?).await?)
}

/// Runs the pending migrations. No hub of an older version may run on the database.
pub async fn migrate(storage: &HubStorage) -> Result<(), BackupError> {
    storage.open().await?.close().await;
    Ok(())
}

/// Copies the database with the schema that it has into a new file of the folder, and returns its path: a SQLite file,
/// or for Postgres a dump in the custom format of `pg_dump`, which has to be installed.
///
/// Unlike [`crate::write()`] this does not need the schema of this version. The copy holds no files of messages and no
/// secret key, which migrations do not change.
pub async fn copy_before_migration(
    storage: &HubStorage,
    folder: &Path,
    schema: i64,
    now: Timestamp,
) -> Result<PathBuf, BackupError> {
    let config = config(storage)?;
    create_closed_folder(folder).map_err(BackupError::file(folder))?;
    let name = format!("plexus-schema-{schema:04}-{}", now.to_file_name());
    match &config.url {
        StoreUrl::Sqlite { folder: data } => {
            let file = new_file(folder, &name, "sqlite3")?;
            plexus_store::copy_sqlite(&config, data, file.path()).await?;
            publish(file)
        }
        StoreUrl::Postgres { url } => {
            let file = new_file(folder, &name, "pgdump")?;
            dump(url, file.path()).await?;
            publish(file)
        }
    }
}

/// Creates an empty file that other users of the machine cannot read, and that has its name only when it is complete. A
/// copy made in the same second keeps its name, and the new one gets a number.
fn new_file(folder: &Path, name: &str, extension: &str) -> Result<ArchiveFile, BackupError> {
    let mut file = folder.join(format!("{name}.{extension}"));
    let mut number = 2_u32;
    while file.exists() {
        file = folder.join(format!("{name}-{number}.{extension}"));
        number += 1;
    }
    ArchiveFile::create(&file)
}

fn publish(file: ArchiveFile) -> Result<PathBuf, BackupError> {
    let path = file.target().to_owned();
    file.publish()?;
    Ok(path)
}

fn config(storage: &HubStorage) -> Result<StoreConfig, OpenError> {
    StoreConfig::parse(storage.database_url.as_deref(), &storage.data_dir)
}

/// Runs `pg_dump`. The password is passed in its environment, since other users of the machine can read arguments.
async fn dump(url: &Url, file: &Path) -> Result<(), BackupError> {
    let failed = |cause: String| BackupError::PostgresDump { cause };
    let password = url.password().map(|text| percent_decode_str(text).collect::<Vec<u8>>());
    let mut address = url.clone();
    address.set_password(None).map_err(|()| failed("the database URL names no host".to_owned()))?;
    let mut command = Command::new("pg_dump");
    command
        .args(["--format=custom", "--no-password", "--file"])
        .arg(file)
        .arg("--dbname")
        .arg(address.as_str());
    command.stdin(Stdio::null()).kill_on_drop(true);
    if let Some(password) = password {
        let password =
            String::from_utf8(password).map_err(|_| failed("the password is not UTF-8".to_owned()))?;
        command.env("PGPASSWORD", password);
    }
    let output = command.output().await.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => failed("pg_dump is not installed".to_owned()),
        _ => failed(error.to_string()),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr[..output.stderr.len().min(MAX_STDERR)]).into_owned();
    Err(failed(format!("pg_dump: {}", text.trim())))
}
