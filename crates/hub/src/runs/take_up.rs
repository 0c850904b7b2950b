//! Resumes runs that were still queued, or waiting for a team, when their instance died.
//!
//! Nothing was produced yet, so they can be restarted safely.

use plexus_domain::{
    Principal, RunState,
    agent::{Builtin, Connector},
    message::MessageState,
};
use plexus_runtime::Remote;
use plexus_store::{Conn, Tx, messages, messages::Header, principals, runs, runs::Run, versions};

use super::{
    Job,
    begin::{History, seen, share},
    running::About,
    work::spawn,
};
use crate::{
    Hub, Result, accounts,
    agents::reach_again,
    caller::{Asker, Guest},
    federation,
};

/// Returns whether the run can be resumed. A team that a run waits for continues independently.
pub(super) async fn waits(conn: &mut Conn, run: &Run) -> Result<bool> {
    if run.state == RunState::Queued {
        return Ok(true);
    }
    let version = versions::find(conn, run.version).await?;
    Ok(run.remote_task.is_some() && version.is_some_and(|version| forms_teams(&version.connector)))
}

/// Returns whether the agent reports the teams that it forms as remote tasks.
pub(super) const fn forms_teams(connector: &Connector) -> bool {
    matches!(connector, Connector::Builtin { program: Builtin::Guide })
}

/// Resumes a run. Returns false if that is impossible, because the requester or the agent is gone.
pub(super) async fn take_up(hub: &Hub, run: &Run) -> Result<bool> {
    let mut tx = hub.store().write().await?;
    if !runs::take_over(&mut tx, run.id, run.process, hub.process()).await? {
        // Another instance took the run over first.
        return Ok(true);
    }
    let Some(job) = again(hub, &mut tx, run).await? else { return Ok(false) };
    tx.commit().await?;
    tracing::info!(run = %run.id, "a run that waited waits again");
    drop(spawn(hub, vec![job]));
    Ok(true)
}

async fn again(hub: &Hub, tx: &mut Tx, run: &Run) -> Result<Option<Job>> {
    let Some(asker) = asker(tx, run).await? else { return Ok(None) };
    // The remote hub may have been blocked while this hub was down.
    if let Some(guest) = &asker.guest
        && federation::still_lets_in(hub, tx, guest.hub).await.is_err()
    {
        return Ok(None);
    }
    let headers = messages::list_by_run(tx, run.id).await?;
    let Some(open) = headers.iter().find(|header| header.state == MessageState::Open) else {
        return Ok(None);
    };
    let (Some(question), Some(version)) = (open.parent, versions::find(tx, run.version).await?) else {
        return Ok(None);
    };
    let Some(answer) = messages::load(tx, &[open.id]).await?.pop() else { return Ok(None) };
    // The requester may have lost access to the agent.
    let Ok(reached) = reach_again(tx, &asker, answer.author).await else { return Ok(None) };
    let tree = messages::list_by_chat(tx, run.chat).await?;
    let (who, from) = (asker.who(), asker.home());
    let about = About { run: run.id, chat: run.chat, who, from, agent: run.agent, home: reached.agent.hub };
    // No queue limit: the run was already admitted before the restart.
    let share = plexus_domain::schedule::Share { waiting: usize::MAX, ..share(hub, &asker) };
    Ok(Some(Job {
        run: run.id,
        chat: run.chat,
        question,
        called: None,
        queued: run.queued,
        state: run.state,
        answer,
        agent: reached.agent,
        version,
        asker,
        history: History::Unread(seen(tree.iter().map(Header::by), question)),
        task: run.remote_task.clone().map(|task| Remote { task: Some(task), context: None }),
        until: None,
        place: hub.running().enter(about, share)?,
    }))
}

/// Returns the requester of a run, if it may still make requests.
pub(super) async fn asker(conn: &mut Conn, run: &Run) -> Result<Option<Asker>> {
    let principal = run.caller;
    Ok(match principals::find(conn, principal).await? {
        Some(Principal::Account { account }) => {
            accounts::person(conn, account).await?.as_ref().map(Asker::from)
        }
        // Probation status is not known here; treat the user as on probation. At worst the run is scheduled
        // one slot later.
        Some(Principal::Remote { hub, pseudonym }) => {
            Some(Asker::guest(principal, Guest { hub, pseudonym, is_newcomer: true }))
        }
        Some(Principal::Anonymous) => Some(Asker::stranger(principal)),
        _ => None,
    })
}
