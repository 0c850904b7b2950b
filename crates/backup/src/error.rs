//! Errors of writing, reading and restoring a backup.

use std::{io, path::PathBuf};

use plexus_store::{OpenError, transfer::TransferError};

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("the archive cannot be written: {0}")]
    Output(#[source] io::Error),
    #[error("the archive is incomplete or damaged ({0}); use another backup")]
    Damaged(#[source] io::Error),
    #[error("this is not a Plexus backup: {0}")]
    NotABackup(String),
    #[error(
        "the backup was made by Plexus {program} with database schema {schema}; this version knows schemas up to {known}. Restore it with Plexus {program} or a newer version"
    )]
    Newer { program: String, schema: i64, known: i64 },
    #[error("{path} is the secret key of another hub; move it away, or restore into another data folder")]
    OtherSecretKey { path: PathBuf },
    #[error("the Postgres database was not dumped: {cause}")]
    PostgresDump { cause: String },
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Transfer(#[from] TransferError),
    #[error(transparent)]
    Store(#[from] plexus_store::Error),
    #[error("the backup task failed: {0}")]
    Task(#[from] tokio::task::JoinError),
}

impl BackupError {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
