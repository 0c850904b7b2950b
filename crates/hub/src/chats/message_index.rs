//! Indexes the messages of earlier versions for the search over chats, in small steps.

use std::time::Duration;

use plexus_store::message_terms;

use crate::{Hub, Result};

/// Messages per transaction: few enough to block other writers for only a few milliseconds.
const STEP: u32 = 16;
const RETRY_INTERVAL: Duration = Duration::from_secs(30);

/// Indexes all messages that are not in the index, then ends. A failed step is retried.
pub(crate) async fn index_older_messages(hub: Hub) {
    let stop = hub.stop().clone();
    let mut indexed = 0;
    while !stop.is_cancelled() {
        match index_some(&hub).await {
            Ok(0) => break,
            Ok(count) => indexed += count,
            Err(error) => {
                tracing::warn!(%error, "message index: step failed; retrying");
                stop.run_until_cancelled(tokio::time::sleep(RETRY_INTERVAL)).await;
            }
        }
    }
    if indexed > 0 {
        tracing::info!(messages = indexed, "message index: older messages indexed");
    }
}

async fn index_some(hub: &Hub) -> Result<usize> {
    let found = message_terms::list_unindexed(&mut hub.store().read().await?, STEP).await?;
    if !found.is_empty() {
        let mut tx = hub.store().write_background().await?;
        message_terms::index(&mut tx, &found).await?;
        tx.commit().await?;
    }
    Ok(found.len())
}
