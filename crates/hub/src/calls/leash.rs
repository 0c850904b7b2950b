//! Cancel-on-drop guard for a run, for protocols whose clients cancel by disconnecting (OpenAI API).

use plexus_domain::RunId;
use tokio::runtime::Handle;

use super::{Door, cancel};
use crate::Hub;

/// Cancels the run when dropped, unless disarmed.
pub struct Leash(Option<(Hub, Door, RunId)>);

impl Leash {
    pub fn new(hub: &Hub, door: &Door, run: RunId) -> Self {
        Self(Some((hub.clone(), door.clone(), run)))
    }

    /// Disarms the guard: the run has ended, or it may continue without the client.
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
