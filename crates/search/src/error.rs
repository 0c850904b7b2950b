//! Errors of the index: disk, engine or listing source.

use std::{io, path::PathBuf};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error of an index operation.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the search index cannot use {path}: {source}")]
    Folder { path: PathBuf, source: io::Error },
    #[error("the search index failed: {0}")]
    Engine(#[from] tantivy::TantivyError),
    #[error("a listing in the search index cannot be read: {0}")]
    Row(#[from] serde_json::Error),
    /// The source of the listings failed during a rebuild.
    #[error("the listings for the search index could not be read: {0}")]
    Source(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    pub(crate) fn folder(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Folder { path, source }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Engine(error.into())
    }
}
