//! Cancels runs.

use std::time::Duration;

use plexus_domain::{
    AccountId, ChatId, Error as Refusal, RunId, RunState, agent::Connector, chat_event::Event,
};
use plexus_runtime::{Connector as _, RemoteConversation};
use plexus_store::{
    Tx, agent_versions, agents, runs,
    runs::{Run, RunTransition},
};

use super::{
    connectors::{self, RunParties},
    resume::requester,
};
use crate::{
    Caller, Hub, Result,
    bus::ClusterNotice,
    caller::Scope,
    chats::{self, ChatChangeSet},
};

/// How long a deletion waits for the chat's runs to end.
const TIMEOUT: Duration = Duration::from_secs(6);

/// Cancels a run in one of the caller's chats. Its text is stored. A run that has ended already is no error.
pub async fn stop(hub: &Hub, caller: &Caller, run: RunId) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let gone = || Refusal::not_found("Run not found.");
    let mut conn = hub.store().read().await?;
    let found = runs::find(&mut conn, run).await?.ok_or_else(gone)?;
    let member = chats::membership_or(&mut conn, person, found.chat, gone).await?;
    if found.caller != person.principal {
        let words = "Only the user whose message started this answer or the owner of the chat can stop it.";
        chats::check_owner(&member, words)?;
    }
    drop(conn);
    cancel(hub, &found, Some(person.account)).await
}

/// Cancels a run without authorisation: the caller of this function did that before.
pub(crate) async fn cancel(hub: &Hub, run: &Run, account: Option<AccountId>) -> Result<()> {
    if hub.run_registry().stop(run.id) || run.state.is_terminal() {
        return Ok(());
    }
    if !run.state.is_waiting() {
        return request_remote_cancel(hub, std::slice::from_ref(run)).await;
    }
    let mut tx = hub.store().write().await?;
    match stop_waiting(hub, &mut tx, run).await? {
        Some(change_set) => {
            change_set.commit(hub, tx).await?.publish(hub, account).await;
            notify_agent_cancelled(hub, run);
        }
        None => {
            drop(tx);
            stop_what_went_on(hub, run).await?;
        }
    }
    Ok(())
}

/// Cancels a run that was resumed by a reply while it was being cancelled.
async fn stop_what_went_on(hub: &Hub, run: &Run) -> Result<()> {
    if hub.run_registry().stop(run.id) {
        return Ok(());
    }
    match runs::find(&mut hub.store().read().await?, run.id).await? {
        Some(now) => request_remote_cancel(hub, &[now]).await,
        None => Ok(()),
    }
}

/// Cancels the task of a waiting run at its agent, in the background. The agent's response is ignored.
fn notify_agent_cancelled(hub: &Hub, run: &Run) {
    if run.remote_task.is_none() {
        return;
    }
    let (hub, run) = (hub.clone(), run.clone());
    hub.clone().spawn_once("agent cancellation", async move {
        if let Err(error) = tell_agent(&hub, &run).await {
            tracing::info!(run = %run.id, %error, "agent cancellation failed");
        }
    });
}

async fn tell_agent(hub: &Hub, run: &Run) -> Result<()> {
    let mut conn = hub.store().read().await?;
    let requester = requester(&mut conn, run).await?;
    let agent = agents::find(&mut conn, run.agent).await?;
    let version = agent_versions::find(&mut conn, run.version).await?;
    drop(conn);
    let (Some(requester), Some(agent), Some(version)) = (requester, agent, version) else { return Ok(()) };
    if !matches!(version.connector, Connector::A2a { .. }) {
        return Ok(());
    }
    let a2a =
        connectors::a2a(hub, RunParties { requester: &requester, agent: &agent, version: &version }).await?;
    a2a.give_up(&RemoteConversation { task: run.remote_task.clone(), context: run.remote_context.clone() })
        .await;
    Ok(())
}

/// Marks a run as stopped that waits for input and has no worker. None if it has been resumed meanwhile.
async fn stop_waiting(hub: &Hub, tx: &mut Tx, run: &Run) -> Result<Option<ChatChangeSet>> {
    let chat = plexus_store::chats::lock(tx, run.chat)
        .await?
        .ok_or_else(|| Refusal::not_found("The chat was deleted."))?;
    let mut change_set = ChatChangeSet::new(&chat);
    let step = RunTransition {
        from: run.state,
        to: RunState::Stopped,
        at: hub.env().now(),
        failure: None,
        usage: None,
    };
    if !runs::set_state(tx, run.id, &step).await? {
        return Ok(None);
    }
    change_set.record(Event::RunUpdated { run: run.id, state: RunState::Stopped, failure: None });
    Ok(Some(change_set))
}

/// Requests cancellation from other instances, for the runs that they work on.
async fn request_remote_cancel(hub: &Hub, all: &[Run]) -> Result<()> {
    let goes_on = |run: &&Run| matches!(run.state, RunState::Queued | RunState::Working);
    let theirs = all.iter().filter(goes_on).filter(|run| run.instance != Some(hub.process()));
    let theirs: Vec<RunId> = theirs.map(|run| run.id).collect();
    if theirs.is_empty() {
        return Ok(());
    }
    let mut tx = hub.store().write().await?;
    for run in &theirs {
        runs::request_cancel(&mut tx, *run).await?;
    }
    tx.commit().await?;
    for run in theirs {
        hub.cluster_notifier().enqueue(ClusterNotice::Stop(run));
    }
    Ok(())
}

/// Cancels all runs of a chat, and waits for those of this instance.
pub(crate) async fn stop_chat(hub: &Hub, chat: ChatId) {
    if hub.cluster_notifier().has_peers()
        && let Err(error) = stop_chat_elsewhere(hub, chat).await
    {
        tracing::warn!(%chat, %error, "could not cancel the runs of other instances in a chat");
    }
    let runs = hub.run_registry().runs_of_chat(chat);
    end_all(hub, &runs).await;
}

async fn stop_chat_elsewhere(hub: &Hub, chat: ChatId) -> Result<()> {
    let all = runs::list_by_chat(&mut hub.store().read().await?, chat).await?;
    request_remote_cancel(hub, &all).await
}

/// Cancels all runs of this instance, because the hub is shutting down.
pub(crate) async fn stop_all(hub: &Hub) {
    hub.begin_shutdown();
    end_all(hub, &hub.run_registry().all()).await;
}

async fn end_all(hub: &Hub, ending: &[RunId]) {
    for run in ending {
        hub.run_registry().stop(*run);
    }
    let ended = async {
        while ending.iter().any(|run| hub.run_registry().has(*run)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    if tokio::time::timeout(TIMEOUT, ended).await.is_err() {
        tracing::warn!("runs still active at the shutdown timeout; the next start ends them");
    }
}
