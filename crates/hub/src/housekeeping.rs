//! What is done from time to time, and at each start: whatever a while ago was no longer needed goes.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::{Hub, Result, accounts, blobs, chats, oauth};

const EVERY: Duration = Duration::from_secs(3_600);

/// Tidies at once, then every hour. What fails is tried again at the next time.
pub(crate) async fn keep_house_until(stop: CancellationToken, hub: &Hub) {
    let mut tick = tokio::time::interval(EVERY);
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        note("tidying", tidy(hub).await);
    }
}

/// One round.
pub(crate) async fn tidy(hub: &Hub) -> Result<()> {
    accounts::erase_those_who_left(hub).await?;
    oauth::forget_expired(hub).await?;
    let chats = chats::sweep_expired(hub).await?;
    if chats > 0 {
        tracing::info!(chats, "chats of programs that were kept long enough are deleted");
    }
    blobs::sweep_strays(hub).await?;
    let files = blobs::sweep(hub).await?;
    if files > 0 {
        tracing::info!(files, "files that nothing shows any more are deleted");
    }
    Ok(())
}

fn note(what: &str, done: Result<()>) {
    if let Err(error) = done {
        tracing::warn!(%error, what, "housekeeping did not finish");
    }
}
