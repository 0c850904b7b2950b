//! Backups of a hub: one gzip-compressed tar archive with the database, the files and, on request, the secret key.
//!
//! [`write()`] copies a snapshot of the database, SQLite or Postgres, while the hub runs; [`verify()`] reads an archive
//! back; [`restore()`] fills an empty hub on either database; [`restore_for_test()`] tries that. Entries of an archive, in this order:
//!
//! | entry | content |
//! |---|---|
//! | `manifest.json` | [`BackupManifest`] |
//! | `plexus.sqlite3` | all tables, as a SQLite database |
//! | `secret.key` | the key that decrypts the stored secrets; only on request |
//! | `files/<SHA-256>` | the files of messages |

mod archive_file;
mod copy;
mod error;
mod hashing_reader;
mod manifest;
mod migrate;
mod read;
mod restore;
mod storage;
mod temporary_folder;
#[cfg(test)]
mod tests;
mod write;

pub use archive_file::ArchiveFile;
pub use copy::copy_database;
pub use error::BackupError;
pub use manifest::{BackupManifest, BackupTable};
pub use migrate::{copy_before_migration, migrate, schema_status};
pub use plexus_store::transfer::TransferProgress;
pub use plexus_store::{SchemaMigration, SchemaStatus};
pub use read::verify;
pub use restore::{RestoreSummary, restore, restore_for_test};
pub use storage::HubStorage;
pub use temporary_folder::{delete_leftovers, leftovers};
pub use write::{BackupAuthor, BackupContents, BackupSource, write, write_stopped};

/// Names of the entries of an archive.
mod entry {
    pub const MANIFEST: &str = "manifest.json";
    pub const DATABASE: &str = "plexus.sqlite3";
    pub const SECRET_KEY: &str = "secret.key";
    pub const FILES: &str = "files/";
}

/// Length of the secret key in bytes.
const SECRET_KEY_BYTES: u64 = 32;
