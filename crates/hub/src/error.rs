//! What a use case may answer besides its result: a refusal in words for people, or a fault of the hub.

use plexus_domain::Error as Refusal;

/// [`Error::Refused`] may be shown as it is; [`Error::Fault`] is logged once at the edge and never sent.
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

/// A store that does not answer now is said to people; anything else it says is a fault.
impl From<plexus_store::Error> for Error {
    fn from(error: plexus_store::Error) -> Self {
        if error.is_unavailable() {
            tracing::warn!(%error, "the store refuses for now");
            return Self::Refused(Refusal::unavailable(
                "The hub cannot write or read its data at the moment. What was accepted before is safe; try again in a minute.",
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

/// Answers `refusal` where the store found a contradiction.
pub(crate) fn conflict<T>(result: plexus_store::Result<T>, refusal: impl FnOnce() -> Refusal) -> Result<T> {
    result.map_err(|error| if error.is_conflict() { refusal().into() } else { error.into() })
}
