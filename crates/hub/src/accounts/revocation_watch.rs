//! Ends long-lived connections when their caller loses access.

use std::{future, time::Duration};

use plexus_domain::AccountId;
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::timeout,
};

use super::sessions::still_lets_in;
use crate::{Caller, Hub, bus::AccessChange};

/// Poll interval, which detects expiry when no access change is published.
const POLL_INTERVAL: Duration = Duration::from_secs(15);

/// Returns whether the caller is still authorized. Fails closed: false while the store is unavailable.
pub async fn is_still_authorized(hub: &Hub, caller: &Caller) -> bool {
    let looked = async { still_lets_in(hub, &mut hub.store().read().await?, caller).await };
    looked.await.unwrap_or_else(|error: crate::Error| {
        tracing::warn!(%error, "authorization re-check failed; access denied");
        false
    })
}

/// Resolves when the caller loses access. Never resolves for callers without an account.
pub async fn wait_until_revoked(hub: &Hub, caller: &Caller) {
    let Some(person) = &caller.person else { return future::pending().await };
    let mut touched = hub.live().access.watch();
    while is_still_authorized(hub, caller).await {
        // Re-check the store after a notification or a timeout.
        let _ = timeout(POLL_INTERVAL, until_touched(&mut touched, person.account)).await;
    }
}

/// Waits for an access change that may concern the account. A missed notification may concern any account.
async fn until_touched(touched: &mut Receiver<AccessChange>, account: AccountId) {
    loop {
        match touched.recv().await {
            Ok(AccessChange::Account(one)) if one == account => return,
            Ok(AccessChange::Anything) | Err(RecvError::Lagged(_)) => return,
            Ok(_) => {}
            Err(RecvError::Closed) => return future::pending().await,
        }
    }
}
