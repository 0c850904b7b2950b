//! Telling a caller how far its request is, where it gave a token for that.

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

    /// `so_far` goes up; the words are what is new.
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
        // A caller that is gone is noticed by its token, not here.
        if let Err(error) = self.peer.notify_progress(progress).await {
            tracing::debug!(%error, "progress was not told");
        }
    }
}
