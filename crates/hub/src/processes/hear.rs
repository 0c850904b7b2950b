//! Listener for cluster notifications from other instances.

use std::time::Duration;

use plexus_domain::AccountId;
use plexus_store::{accounts as account_rows, agents, signals::Listener};
use tokio::time::{sleep, timeout};

use super::{
    hint::{Hint, Words},
    life::{self, DEAD},
    met,
};
use crate::{
    Error, Hub, Result, accounts, federation,
    live::{Frame, FrameKind, Topic, Touched},
};

/// Reconnect delay after the connection was lost.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs the listener until the hub stops, reconnecting after errors.
pub(super) async fn keep_hearing(hub: Hub) {
    let mut again = false;
    loop {
        match hub.stop().run_until_cancelled(hear(&hub, again)).await {
            None | Some(Ok(())) => return,
            Some(Err(error)) => tracing::warn!(%error, "other processes are not heard for the moment"),
        }
        again = true;
        if hub.stop().run_until_cancelled(sleep(PAUSE)).await.is_none() {
            return;
        }
    }
}

/// Listens on one connection until an error. Returns at once if the store has no notifications (SQLite).
async fn hear(hub: &Hub, again: bool) -> Result<()> {
    let Some(mut listener) = hub.store().listen().await? else { return Ok(()) };
    // Notifications before this moment were missed: resync.
    everything(hub);
    if again {
        hub.federation().begin_anew();
    }
    hub.hints().say(Hint::Alive);
    loop {
        let words = next(&mut listener).await?;
        match Words::read(&words) {
            Some(words) if words.from == hub.process() => {}
            Some(words) => take(hub, words),
            None => tracing::warn!("somebody else signals on this database, or another version of Plexus"),
        }
    }
}

/// Returns the next notification; an error if none arrives within the failure detection time. An instance
/// receives its own heartbeats, so silence means a lost connection.
async fn next(listener: &mut Listener) -> Result<String> {
    match timeout(DEAD, listener.next()).await {
        Ok(words) => Ok(words?),
        Err(_) => Err(Error::Fault(anyhow::anyhow!("nothing was heard for {} s", DEAD.as_secs()))),
    }
}

fn take(hub: &Hub, words: Words) {
    met(hub, true);
    for hint in words.said {
        match hint {
            Hint::Alive => {}
            Hint::Everything => everything(hub),
            Hint::Chat(chat) => hub.mirror().moved(chat),
            Hint::Text(chat) => hub.mirror().said(chat, words.from),
            Hint::Chats(account) => {
                hub.live().channels.tell(Topic::Account(account), Frame::new(FrameKind::ChatsChanged));
            }
            Hint::Access(touched) => hub.live().access.hear(touched),
            Hint::Stop(run) => _ = hub.running().stop(run),
            Hint::Left(account) => {
                let own = hub.clone();
                later(hub, async move { left(&own, account).await });
            }
            Hint::Rules(list) => {
                let own = hub.clone();
                later(hub, async move { federation::heed(&own, list).await });
            }
            Hint::Withdrawn(agent) => hub.attachments().close(agent),
            Hint::Decided => hub.decided().notify_waiters(),
            Hint::Listings => hub.listings_moved(),
        }
    }
}

/// Resyncs everything that other instances may have changed.
fn everything(hub: &Hub) {
    hub.mirror().everything();
    hub.live().access.hear(Touched::Anything);
    hub.decided().notify_waiters();
    hub.listings_moved();
    let own = hub.clone();
    later(hub, async move {
        life::stop_what_was_asked(&own).await?;
        left_meanwhile(&own).await?;
        federation::heed(&own, None).await
    });
}

/// Handle it in the background, so that the listener is not blocked.
fn later(hub: &Hub, what: impl Future<Output = Result<()>> + Send + 'static) {
    hub.spawn_once("notification handling", async move {
        if let Err(error) = what.await {
            tracing::warn!(%error, "what another process said was not heeded");
        }
    });
}

/// Cancels the runs of accounts that lost access without a notification.
async fn left_meanwhile(hub: &Hub) -> Result<()> {
    for account in hub.running().accounts() {
        let active = accounts::person(&mut hub.store().read().await?, account).await?;
        if active.is_none() {
            left(hub, account).await?;
        }
    }
    Ok(())
}

/// Cancels the runs of a suspended account and of its agents.
async fn left(hub: &Hub, account: AccountId) -> Result<()> {
    let mut conn = hub.store().read().await?;
    let Some(found) = account_rows::find(&mut conn, account).await? else { return Ok(()) };
    let agents = agents::list_by_namespace(&mut conn, found.namespace).await?;
    let agents: Vec<_> = agents.into_iter().map(|agent| agent.id).collect();
    hub.running().stop_of(account, &agents);
    Ok(())
}
