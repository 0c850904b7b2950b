//! Where a hub stores its data.

use std::path::PathBuf;

use plexus_store::{OpenError, Store, StoreConfig};

/// Locations of a hub's data.
#[derive(Clone)]
pub struct HubStorage {
    /// URL of a Postgres database; none is SQLite in the data folder.
    pub database_url: Option<String>,
    pub data_dir: PathBuf,
    /// Folder for the files of messages.
    pub files_dir: PathBuf,
    pub secret_key_file: PathBuf,
}

impl HubStorage {
    /// Opens the database, creating it if it is missing, and migrates its schema.
    pub(crate) async fn open(&self) -> Result<Store, OpenError> {
        Store::open(&StoreConfig::parse(self.database_url.as_deref(), &self.data_dir)?).await
    }
}
