//! Runs whose callers are expected to end them by hanging up.

use plexus_domain::RunId;
use tokio::runtime::Handle;

use super::{Door, cancel};
use crate::Hub;

/// Ends a run when it is dropped, unless it was let go.
pub struct Leash(Option<(Hub, Door, RunId)>);

impl Leash {
    pub fn new(hub: &Hub, door: &Door, run: RunId) -> Self {
        Self(Some((hub.clone(), door.clone(), run)))
    }

    /// Nobody works on the run any more, or it may go on alone.
    pub fn let_go(&mut self) {
        self.0 = None;
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        let (Some((hub, door, run)), Ok(runtime)) = (self.0.take(), Handle::try_current()) else { return };
        runtime.spawn(async move {
            if let Err(error) = cancel(&hub, &door, run).await {
                tracing::debug!(%error, %run, "a run whose caller hung up was not ended");
            }
        });
    }
}
