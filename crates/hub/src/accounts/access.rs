//! Whether callers who stay connected are still let in.

use std::{future, time::Duration};

use plexus_domain::AccountId;
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::timeout,
};

use super::sessions::still_lets_in;
use crate::{Caller, Hub, live::Touched};

/// What ends by the clock is noticed this late where nobody asks for anything.
const LOOK_EVERY: Duration = Duration::from_secs(15);

/// Whether the caller may still ask for something. While the store cannot be read, nobody may.
pub async fn lets_in(hub: &Hub, caller: &Caller) -> bool {
    let looked = async { still_lets_in(hub, &mut hub.store().read().await?, caller).await };
    looked.await.unwrap_or_else(|error: crate::Error| {
        tracing::warn!(%error, "whether a caller is still let in is not known");
        false
    })
}

/// Waits until a caller is let in no longer. Somebody without an account was never let in, and waits for ever.
pub async fn until_shut_out(hub: &Hub, caller: &Caller) {
    let Some(person) = &caller.person else { return future::pending().await };
    let mut touched = hub.live().access.watch();
    while lets_in(hub, caller).await {
        // However it ends, the store is looked at.
        let _ = timeout(LOOK_EVERY, until_touched(&mut touched, person.account)).await;
    }
}

/// News that was missed may have been about anybody.
async fn until_touched(touched: &mut Receiver<Touched>, account: AccountId) {
    loop {
        match touched.recv().await {
            Ok(Touched::Account(one)) if one == account => return,
            Ok(Touched::Anything) | Err(RecvError::Lagged(_)) => return,
            Ok(_) => {}
            Err(RecvError::Closed) => return future::pending().await,
        }
    }
}
