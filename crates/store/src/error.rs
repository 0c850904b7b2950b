//! Errors of the store, classified by what the caller can do about them.

use std::path::PathBuf;

use sqlx::error::{DatabaseError, ErrorKind};

use crate::{schema_status::SchemaMigration, sqlite_driver::SqliteError};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The write violates a unique or foreign key constraint: a value is taken, or a referenced row is
    /// missing.
    #[error("conflict with stored data: {0}")]
    Conflict(#[source] sqlx::Error),
    /// Transient failure, worth a retry: connection lost, disk full, too many waiting callers.
    #[error("the store is unavailable: {0}")]
    Unavailable(#[source] sqlx::Error),
    /// A row holds data that this program did not write.
    #[error("unreadable data in the store: {0}")]
    Corrupt(#[source] sqlx::Error),
    /// Any other failure: a bug in this program.
    #[error("the store refused: {0}")]
    Other(#[source] sqlx::Error),
}

impl Error {
    /// Returns whether a retry may succeed.
    pub const fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }

    pub const fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }

    pub(crate) fn other(message: impl Into<String>) -> Self {
        Self::Other(sqlx::Error::InvalidArgument(message.into()))
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::Conflict(sqlx::Error::InvalidArgument(message.into()))
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error as E;
        match &error {
            E::Database(database) => match kind(database.as_ref()) {
                Kind::Conflict => Self::Conflict(error),
                Kind::Unavailable => Self::Unavailable(error),
                Kind::Corrupt => Self::Corrupt(error),
                Kind::Other => Self::Other(error),
            },
            E::Io(_) | E::Tls(_) | E::PoolTimedOut | E::PoolClosed | E::WorkerCrashed | E::BeginFailed => {
                Self::Unavailable(error)
            }
            // Postgres may close a connection between two messages. The driver then reports a protocol error.
            E::Protocol(_) => Self::Unavailable(error),
            E::ColumnDecode { .. } | E::Decode(_) => Self::Corrupt(error),
            _ => Self::Other(error),
        }
    }
}

enum Kind {
    Conflict,
    Unavailable,
    Corrupt,
    Other,
}

fn kind(error: &dyn DatabaseError) -> Kind {
    if matches!(error.kind(), ErrorKind::UniqueViolation | ErrorKind::ForeignKeyViolation) {
        return Kind::Conflict;
    }
    let code = error.code().unwrap_or_default();
    // Migrations run on the SQLite driver of sqlx.
    let is_sqlite = error.try_downcast_ref::<SqliteError>().is_some()
        || error.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some();
    if is_sqlite { sqlite_kind(code.parse().unwrap_or(0)) } else { postgres_kind(&code) }
}

/// Classifies by the primary result code (<https://www.sqlite.org/rescode.html>), the low byte of the
/// extended one.
const fn sqlite_kind(code: i32) -> Kind {
    match code & 0xff {
        // BUSY, LOCKED, IOERR, FULL, CANTOPEN
        5 | 6 | 10 | 13 | 14 => Kind::Unavailable,
        // CORRUPT, NOTADB
        11 | 26 => Kind::Corrupt,
        _ => Kind::Other,
    }
}

/// Classifies by SQLSTATE (Postgres manual, appendix A).
fn postgres_kind(code: &str) -> Kind {
    /// Serialization failure, deadlock, lock not available, query cancelled, I/O error.
    const RETRYABLE: [&str; 5] = ["40001", "40P01", "55P03", "57014", "58030"];
    /// Connection exceptions, insufficient resources, server shutdown.
    const RETRYABLE_CLASSES: [&str; 3] = ["08", "53", "57P"];
    if RETRYABLE.contains(&code) || RETRYABLE_CLASSES.iter().any(|class| code.starts_with(class)) {
        Kind::Unavailable
    } else if code.starts_with("XX") {
        Kind::Corrupt
    } else {
        Kind::Other
    }
}

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("DATABASE_URL is not a valid database URL: {0}")]
    Url(String),
    #[error(
        "another Plexus process uses the data folder {}; stop it, or choose another folder with PLEXUS_DATA_DIR",
        folder.display()
    )]
    InUse { folder: PathBuf },
    #[error("the data folder {} cannot be used: {source}", folder.display())]
    Folder { folder: PathBuf, source: std::io::Error },
    #[error(
        "the database has migration {found} of a newer Plexus; this one knows the migrations up to {known:04}. Install the \
         newer version again, or restore a backup from before the upgrade"
    )]
    NewerSchema { found: SchemaMigration, known: i64 },
    #[error("the migrations of the database do not match those of this version of Plexus: {0}")]
    Migration(#[source] sqlx::migrate::MigrateError),
    #[error("the database at {at} cannot be reached: {source}")]
    Database { at: String, source: Error },
    #[error(
        "a connection pooler answers at {at} and gives each transaction another session, such as pgbouncer in transaction \
         mode; Plexus has a pool of its own and keeps sessions, so name Postgres itself in DATABASE_URL: {source}"
    )]
    Pooler { at: String, source: sqlx::Error },
}
