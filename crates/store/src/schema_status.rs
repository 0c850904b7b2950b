//! State of a database's schema: the migrations that it has, and those that it lacks.

use std::{
    fmt,
    fs::File,
    path::{Path, PathBuf},
};

use sqlx::migrate::Migrator;

use crate::{OpenError, StoreConfig, StoreUrl, postgres, sqlite};

/// A migration, displayed by its number and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaMigration {
    pub version: i64,
    pub name: String,
}

impl fmt::Display for SchemaMigration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04} ({})", self.version, self.name)
    }
}

/// Migrations of a database, beside those of this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaStatus {
    /// The newest migration of the database; `None` for one that is empty or missing.
    pub newest: Option<SchemaMigration>,
    /// Migrations that opening the database would run, oldest first.
    pub pending: Vec<SchemaMigration>,
}

impl SchemaStatus {
    /// Reads the state of a database without changing it, also while a hub uses it. A newer schema is refused with
    /// [`OpenError::NewerSchema`].
    pub async fn read(config: &StoreConfig) -> Result<Self, OpenError> {
        match &config.url {
            StoreUrl::Sqlite { folder } => sqlite::schema_status(config, folder).await,
            StoreUrl::Postgres { .. } => postgres::schema_status(config).await,
        }
    }

    /// Compares the migrations of a database with those of this program.
    pub(crate) fn compare(applied: Vec<(i64, String)>, known: &Migrator) -> Result<Self, OpenError> {
        let latest = known.iter().map(|migration| migration.version).max().unwrap_or(0);
        let mut pending: Vec<SchemaMigration> = known
            .iter()
            .filter(|migration| applied.iter().all(|(version, _)| *version != migration.version))
            .map(|migration| SchemaMigration {
                version: migration.version,
                name: migration.description.to_string(),
            })
            .collect();
        pending.sort_by_key(|migration| migration.version);
        let newest = applied.into_iter().map(|(version, name)| SchemaMigration { version, name });
        let newest = newest.max_by_key(|migration| migration.version);
        match newest {
            Some(found) if found.version > latest => Err(OpenError::NewerSchema { found, known: latest }),
            newest => Ok(Self { newest, pending }),
        }
    }
}

/// Statement that lists the migrations of a database.
pub(crate) const APPLIED: &str =
    "select version, description from _sqlx_migrations where success order by version";

/// Copies the database of a stopped hub on SQLite into an empty file, with the schema that it has. The folder stays
/// locked meanwhile; the file is synced, and removed after an error.
pub async fn copy_sqlite(config: &StoreConfig, folder: &Path, target: &Path) -> Result<(), OpenError> {
    let copied = sqlite::copy(config, folder, target).await;
    let synced = copied.and_then(|()| {
        let in_folder = |source| OpenError::Folder { folder: parent(target), source };
        File::open(target).and_then(|file| file.sync_all()).map_err(in_folder)
    });
    if synced.is_err()
        && let Err(error) = std::fs::remove_file(target)
    {
        tracing::debug!(%error, "database copy: incomplete file not removed");
    }
    synced
}

fn parent(file: &Path) -> PathBuf {
    file.parent().unwrap_or(file).to_owned()
}
