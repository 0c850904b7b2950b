//! Resumes runs that were still queued, or waiting for a team, when their instance died.
//!
//! Nothing was produced yet, so they can be restarted safely.

use plexus_domain::{
    Principal, RunState,
    agent::{Builtin, Connector},
    message::MessageState,
};
use plexus_runtime::RemoteConversation;
use plexus_store::{
    Conn, Tx, agent_versions, messages, messages::MessageHeader, principals, runs, runs::Run,
};

use super::{
    RunJob,
    create::{VisibleHistory, share, visible_messages},
    registry::RunInfo,
    worker::spawn_workers,
};
use crate::{
    Hub, Result,
    agents::resolve_callable_by_principal,
    caller::{self, RemoteUser, Requester},
    federation,
};

/// Returns whether the run can be resumed. A team that a run waits for continues independently.
pub(super) async fn is_resumable(conn: &mut Conn, run: &Run) -> Result<bool> {
    if run.state == RunState::Queued {
        return Ok(true);
    }
    let version = agent_versions::find(conn, run.version).await?;
    Ok(run.remote_task.is_some() && version.is_some_and(|version| is_front_agent(&version.connector)))
}

/// Returns whether the agent reports the teams that it forms as remote tasks.
pub(super) const fn is_front_agent(connector: &Connector) -> bool {
    matches!(connector, Connector::Builtin { program: Builtin::Guide })
}

/// Resumes a run. Returns false if that is impossible, because the requester or the agent is gone.
pub(super) async fn resume(hub: &Hub, run: &Run) -> Result<bool> {
    let mut tx = hub.store().write().await?;
    if !runs::claim(&mut tx, run.id, run.instance, hub.process()).await? {
        // Another instance took the run over first.
        return Ok(true);
    }
    let Some(job) = again(hub, &mut tx, run).await? else { return Ok(false) };
    tx.commit().await?;
    tracing::info!(run = %run.id, "queued run resumed");
    drop(spawn_workers(hub, vec![job]));
    Ok(true)
}

async fn again(hub: &Hub, tx: &mut Tx, run: &Run) -> Result<Option<RunJob>> {
    let Some(requester) = requester(tx, run).await? else { return Ok(None) };
    // The remote hub may have been blocked while this hub was down.
    if let Some(remote_user) = &requester.remote_user
        && federation::ensure_not_blocked(hub, tx, remote_user.hub).await.is_err()
    {
        return Ok(None);
    }
    let headers = messages::list_by_run(tx, run.id).await?;
    let Some(open) = headers.iter().find(|header| header.state == MessageState::Open) else {
        return Ok(None);
    };
    let (Some(question), Some(version)) = (open.parent, agent_versions::find(tx, run.version).await?) else {
        return Ok(None);
    };
    let Some(answer) = messages::load(tx, &[open.id]).await?.pop() else { return Ok(None) };
    // The requester may have lost access to the agent.
    let Ok(reached) = resolve_callable_by_principal(tx, &requester, answer.author).await else {
        return Ok(None);
    };
    let tree = messages::list_by_chat(tx, run.chat).await?;
    let (who, from) = (requester.who(), requester.home());
    let about = RunInfo { run: run.id, chat: run.chat, who, from, agent: run.agent, home: reached.agent.hub };
    // No queue limit: the run was already admitted before the restart.
    let share = plexus_domain::fair_scheduler::CallerQuota { waiting: usize::MAX, ..share(hub, &requester) };
    Ok(Some(RunJob {
        run: run.id,
        chat: run.chat,
        question,
        called: None,
        queued: run.queued_at,
        state: run.state,
        answer,
        agent: reached.agent,
        version,
        requester,
        history: VisibleHistory::Unread(visible_messages(tree.iter().map(MessageHeader::by), question)),
        task: run.remote_task.clone().map(|task| RemoteConversation { task: Some(task), context: None }),
        until: None,
        options: run.call_options(),
        slot: hub.run_registry().acquire_slot(about, share)?,
    }))
}

/// Returns the requester of a run, if it may still make requests.
pub(super) async fn requester(conn: &mut Conn, run: &Run) -> Result<Option<Requester>> {
    let principal = run.caller;
    Ok(match principals::find(conn, principal).await? {
        Some(Principal::Account { account }) => {
            caller::find_person(conn, account).await?.as_ref().map(Requester::from)
        }
        // Probation status is not known here; treat the user as on probation. At worst the run is scheduled
        // one slot later.
        Some(Principal::Remote { hub, pseudonym }) => {
            Some(Requester::remote_user(principal, RemoteUser { hub, pseudonym, is_newcomer: true }))
        }
        Some(Principal::Anonymous) => Some(Requester::anonymous(principal)),
        _ => None,
    })
}
