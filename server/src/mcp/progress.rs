//! Progress notifications for callers that sent a progress token.

use rmcp::{
    Peer, RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::RequestContext,
};

pub struct Progress {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
}

impl Progress {
    pub fn of(request: &RequestContext<RoleServer>) -> Self {
        Self { peer: request.peer.clone(), token: request.meta.get_progress_token() }
    }

    pub const fn is_wanted(&self) -> bool {
        self.token.is_some()
    }

    /// Sends a notification. `so_far` must increase; `words` is the new text.
    pub async fn tell(&self, so_far: usize, words: String) {
        let Some(token) = self.token.clone() else { return };
        #[expect(
            clippy::cast_precision_loss,
            reason = "no answer has as many bytes as a float counts exactly"
        )]
        let mut progress = ProgressNotificationParam::new(token, so_far as f64);
        if !words.is_empty() {
            progress = progress.with_message(words);
        }
        // A disconnected caller is detected by the cancellation token of its request.
        if let Err(error) = self.peer.notify_progress(progress).await {
            tracing::debug!(%error, "progress notification not sent");
        }
    }
}
