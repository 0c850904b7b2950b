//! Cancel-on-drop guard for a run, for protocols whose clients cancel by disconnecting (OpenAI API).

use plexus_domain::RunId;
use tokio::runtime::Handle;

use super::{AuthorizedAgent, cancel};
use crate::Hub;

/// Cancels the run when dropped, unless disarmed.
pub struct CancelOnDrop(Option<(Hub, AuthorizedAgent, RunId)>);

impl CancelOnDrop {
    pub fn new(hub: &Hub, authorized: &AuthorizedAgent, run: RunId) -> Self {
        Self(Some((hub.clone(), authorized.clone(), run)))
    }

    /// Disarms the guard: the run has ended, or it may continue without the client.
    pub fn disarm(&mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let (Some((hub, authorized, run)), Ok(runtime)) = (self.0.take(), Handle::try_current()) else {
            return;
        };
        runtime.spawn(async move {
            if let Err(error) = cancel(&hub, &authorized, run).await {
                tracing::debug!(run.id = %run, %error, "could not cancel run after caller disconnected");
            }
        });
    }
}
