//! Manifest of an archive: who made it, and what it must contain.

use plexus_domain::{Digest, Timestamp};
use plexus_store::transfer::TableDigest;
use serde::{Deserialize, Serialize};

use crate::BackupError;

/// Version of the archive format.
pub(crate) const FORMAT: u32 = 1;
/// Upper bound of the manifest in bytes.
pub(crate) const MAX_MANIFEST: u64 = 1 << 20;

/// First entry of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupManifest {
    /// Version of the archive format, 1.
    pub format: u32,
    /// Version of the Plexus that wrote the archive.
    pub program: String,
    /// Number of the newest migration in the database.
    pub schema: i64,
    /// Milliseconds since 1970 (UTC).
    pub created_at: Timestamp,
    pub tables: Vec<BackupTable>,
    pub database_sha256: Digest,
    pub database_bytes: u64,
    /// Number of files that the messages refer to.
    pub files: u64,
    pub has_secret_key: bool,
}

/// Row count and digest of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupTable {
    pub name: String,
    pub rows: u64,
    /// XOR of the SHA-256 digests of all rows.
    pub digest: Digest,
}

impl From<&TableDigest> for BackupTable {
    fn from(table: &TableDigest) -> Self {
        Self { name: table.table.to_owned(), rows: table.rows, digest: table.digest }
    }
}

impl BackupManifest {
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Parses a manifest, and checks that this version of Plexus can read the archive.
    pub(crate) fn parse(json: &[u8]) -> Result<Self, BackupError> {
        /// The part of a manifest that stays the same in all formats.
        #[derive(Deserialize)]
        struct Header {
            format: u32,
            program: String,
            schema: i64,
        }
        let wrong = |error: serde_json::Error| BackupError::NotABackup(format!("its manifest: {error}"));
        let header: Header = serde_json::from_slice(json).map_err(wrong)?;
        let known = plexus_store::schema_version();
        if header.format > FORMAT || header.schema > known {
            return Err(BackupError::Newer { program: header.program, schema: header.schema, known });
        }
        serde_json::from_slice(json).map_err(wrong)
    }
}
