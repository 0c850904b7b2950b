//! Errors of use cases: a refusal to be shown to the user, or an internal fault.

use plexus_domain::Error as Refusal;

/// Error of a use case. A refusal may be shown as it is; a fault is logged once by the edge and never sent.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("{0:#}")]
    Fault(anyhow::Error),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn fault(error: impl Into<anyhow::Error>) -> Self {
        Self::Fault(error.into())
    }
}

/// An unavailable store becomes a refusal that is shown to the user; any other store error is a fault.
impl From<plexus_store::Error> for Error {
    fn from(error: plexus_store::Error) -> Self {
        if error.is_unavailable() {
            tracing::warn!(%error, "store unavailable");
            return Self::Refused(Refusal::unavailable(
                "The store is unavailable. Accepted data is safe; try again in a minute.",
            ));
        }
        Self::fault(error)
    }
}

impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Self {
        Self::Fault(error)
    }
}

/// Converts a uniqueness conflict reported by the store into `refusal`.
pub(crate) fn conflict<T>(result: plexus_store::Result<T>, refusal: impl FnOnce() -> Refusal) -> Result<T> {
    result.map_err(|error| if error.is_conflict() { refusal().into() } else { error.into() })
}
