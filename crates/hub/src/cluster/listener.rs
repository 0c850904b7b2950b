//! Listener for cluster notifications from other instances.

use std::time::Duration;

use plexus_domain::AccountId;
use plexus_store::{accounts as account_rows, agents, notify::Listener};
use tokio::time::{sleep, timeout};

use super::{
    heartbeat::{self, DEAD},
    met,
};
use crate::{
    Error, Hub, Result,
    bus::{AccessChange, ClusterNotice, NoticePayload},
    caller, chats, federation,
    streaming::{FrameKind, StreamFrame, Topic, on_remote_presence},
};

/// Reconnect delay after the connection was lost.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs the listener until the hub stops, reconnecting after errors.
pub(super) async fn run_listener(hub: Hub) {
    let mut again = false;
    loop {
        match hub.stop().run_until_cancelled(receive_until_error(&hub, again)).await {
            None | Some(Ok(())) => return,
            Some(Err(error)) => tracing::warn!(%error, "cluster notification listener disconnected"),
        }
        again = true;
        if hub.stop().run_until_cancelled(sleep(PAUSE)).await.is_none() {
            return;
        }
    }
}

/// Listens on one connection until an error. Returns at once if the store has no notifications (SQLite).
async fn receive_until_error(hub: &Hub, again: bool) -> Result<()> {
    let Some(mut listener) = hub.store().listen().await? else { return Ok(()) };
    // Notifications before this moment were missed: resync.
    resync_all(hub);
    if again {
        hub.federation().begin_anew();
    }
    hub.cluster_notifier().say(ClusterNotice::Alive);
    loop {
        let words = next(&mut listener).await?;
        match NoticePayload::read(&words) {
            Some(words) if words.from == hub.process() => {}
            Some(words) => dispatch(hub, words),
            None => tracing::warn!("cluster notification ignored: unknown sender or other Plexus version"),
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

fn dispatch(hub: &Hub, words: NoticePayload) {
    met(hub, true);
    for notice in words.said {
        match notice {
            ClusterNotice::Alive => {}
            ClusterNotice::Everything => resync_all(hub),
            ClusterNotice::Chat(chat) => hub.mirror().on_chat_changed(chat),
            ClusterNotice::Text(chat) => hub.mirror().on_text_journaled(chat, words.from),
            ClusterNotice::Chats(account) => {
                hub.live()
                    .channels
                    .publish(Topic::Account(account), StreamFrame::new(FrameKind::ChatListChanged));
            }
            ClusterNotice::Access(touched) => {
                hub.live().access.on_remote_change(touched);
                if let AccessChange::Agent(agent) = touched {
                    let own = hub.clone();
                    later(hub, async move { crate::agents::cancel_revoked_runs(&own, agent).await });
                }
            }
            ClusterNotice::Stop(run) => _ = hub.run_registry().stop(run),
            ClusterNotice::Left(account) => {
                let own = hub.clone();
                later(hub, async move { left(&own, account).await });
            }
            ClusterNotice::Rules(list) => {
                let own = hub.clone();
                later(hub, async move { federation::reload(&own, list).await });
            }
            ClusterNotice::Withdrawn(agent) => hub.attachments().close(agent),
            ClusterNotice::Presence { chat, name, is_open } => on_remote_presence(hub, chat, &name, is_open),
            ClusterNotice::Typing { chat, name } => chats::publish_typing(hub, chat, name),
            ClusterNotice::Decided => hub.wake_approval_waiters().notify_waiters(),
            ClusterNotice::Listings => hub.on_remote_listing_change(),
        }
    }
}

/// Resyncs everything that other instances may have changed.
fn resync_all(hub: &Hub) {
    hub.mirror().resync_all();
    hub.live().access.on_remote_change(AccessChange::Anything);
    hub.wake_approval_waiters().notify_waiters();
    hub.on_remote_listing_change();
    let own = hub.clone();
    later(hub, async move {
        heartbeat::stop_what_was_asked(&own).await?;
        left_meanwhile(&own).await?;
        federation::reload(&own, None).await
    });
}

/// Handle it in the background, so that the listener is not blocked.
fn later(hub: &Hub, what: impl Future<Output = Result<()>> + Send + 'static) {
    hub.spawn_once("notification handling", async move {
        if let Err(error) = what.await {
            tracing::warn!(%error, "cluster notification could not be handled");
        }
    });
}

/// Cancels the runs of accounts that lost access without a notification.
async fn left_meanwhile(hub: &Hub) -> Result<()> {
    for account in hub.run_registry().accounts() {
        let active = caller::find_person(&mut hub.store().read().await?, account).await?;
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
    hub.run_registry().cancel_account(account, &agents);
    Ok(())
}
