//! Housekeeping: purges expired data at startup and every hour.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures::{FutureExt as _, future::BoxFuture};
use tokio_util::sync::CancellationToken;

use crate::{
    Error, Hub, Result, account_erasure, agents, audit, blobs, chats, listings, oauth_server, supervise,
    uploads,
};

const INTERVAL: Duration = Duration::from_secs(3_600);

/// One housekeeping task, isolated from failures of the other tasks.
struct Chore {
    name: &'static str,
    /// Returns the number of items that were removed.
    run: for<'a> fn(&'a Hub) -> BoxFuture<'a, Result<u64>>,
}

/// The order matters: files are deleted after the chats and uploads that showed them.
const CHORES: [Chore; 13] = [
    Chore { name: "account erasure", run: |hub| Box::pin(account_erasure::erase_deleted_accounts(hub)) },
    Chore { name: "content of deleted agents", run: |hub| Box::pin(agents::delete_content(hub)) },
    Chore {
        name: "expired authorizations",
        run: |hub| Box::pin(async { oauth_server::forget_expired(hub).await.map(|()| 0) }),
    },
    Chore { name: "expired chats", run: |hub| Box::pin(async { count(chats::sweep_expired(hub).await) }) },
    Chore { name: "unsent files", run: |hub| Box::pin(uploads::delete_expired(hub)) },
    Chore { name: "secrets of share links", run: |hub| Box::pin(chats::seal_share_links(hub)) },
    Chore {
        name: "expired share links",
        run: |hub| Box::pin(async { chats::sweep_expired_share_links(hub).await }),
    },
    Chore {
        name: "expired invitations to chats",
        run: |hub| Box::pin(async { chats::sweep_expired_invitations(hub).await }),
    },
    Chore { name: "old failed sign-ins", run: |hub| Box::pin(audit::delete_old_failures(hub)) },
    Chore {
        name: "stray files",
        run: |hub| Box::pin(async { blobs::delete_orphaned_files(hub).await.map(|()| 0) }),
    },
    Chore {
        name: "unused files",
        run: |hub| Box::pin(async { count(blobs::delete_unreferenced(hub).await) }),
    },
    Chore { name: "deleted listings in the index", run: |hub| Box::pin(listings::purge_index(hub)) },
    // Last, because it releases the space of what the other chores deleted.
    Chore { name: "free database pages", run: |hub| Box::pin(async { Ok(hub.store().shrink().await?) }) },
];

/// Runs housekeeping at once and then every hour, until `stop`. A failed chore is retried in the next pass.
pub(crate) async fn run_housekeeping(stop: CancellationToken, hub: Hub) {
    let mut tick = tokio::time::interval(INTERVAL);
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        // Each failure is logged where it happens.
        let _ = housekeep_once(&hub).await;
    }
}

/// Runs all chores once and returns the first error. A chore that fails or panics does not stop the others.
pub(crate) async fn housekeep_once(hub: &Hub) -> Result<()> {
    let mut outcome = Ok(());
    for chore in CHORES {
        match run(hub, &chore).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(chore = chore.name, removed, "housekeeping: done"),
            Err(error) => {
                tracing::warn!(chore = chore.name, %error, "housekeeping: chore failed, next try in an hour");
                outcome = outcome.and(Err(error));
            }
        }
    }
    outcome
}

async fn run(hub: &Hub, chore: &Chore) -> Result<u64> {
    let work = async {
        tokio::select! {
            biased;
            never = hub.env().faults().strike(chore.name) => match never {},
            done = (chore.run)(hub) => done,
        }
    };
    let done = AssertUnwindSafe(work).catch_unwind().await;
    done.unwrap_or_else(|panic| {
        let cause = supervise::cause(panic.as_ref());
        Err(Error::Fault(anyhow::anyhow!("{} panicked: {cause}", chore.name)))
    })
}

fn count<N: TryInto<u64>>(removed: Result<N>) -> Result<u64> {
    removed.map(|removed| removed.try_into().unwrap_or(u64::MAX))
}
