//! Runs that waited when their process ended, for their turn or for a team: they have lost nothing, and wait again here.

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

/// Whether it only waits. A team that a run waits for goes on by itself.
pub(super) async fn waits(conn: &mut Conn, run: &Run) -> Result<bool> {
    if run.state == RunState::Queued {
        return Ok(true);
    }
    let version = versions::find(conn, run.version).await?;
    Ok(run.remote_task.is_some() && version.is_some_and(|version| forms_teams(&version.connector)))
}

/// Whether an agent tells of teams that it forms as of tasks elsewhere.
pub(super) const fn forms_teams(connector: &Connector) -> bool {
    matches!(connector, Connector::Builtin { program: Builtin::Guide })
}

/// Takes a run up again. False when it cannot be: whoever asked, or the agent, is not there any more.
pub(super) async fn take_up(hub: &Hub, run: &Run) -> Result<bool> {
    let mut tx = hub.store().write().await?;
    if !runs::take_over(&mut tx, run.id, run.process, hub.process()).await? {
        // Another process was first.
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
    // A rule may have come while the hub was down.
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
    // Who may not ask any more is not answered.
    let Ok(reached) = reach_again(tx, &asker, answer.author).await else { return Ok(None) };
    let tree = messages::list_by_chat(tx, run.chat).await?;
    let (who, from) = (asker.who(), asker.home());
    let about = About { run: run.id, chat: run.chat, who, from, agent: run.agent, home: reached.agent.hub };
    // It was let in before.
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

/// Whoever asked for it, if they may still ask for anything.
pub(super) async fn asker(conn: &mut Conn, run: &Run) -> Result<Option<Asker>> {
    let principal = run.caller;
    Ok(match principals::find(conn, principal).await? {
        Some(Principal::Account { account }) => {
            accounts::person(conn, account).await?.as_ref().map(Asker::from)
        }
        // Whoever waited over a restart waits among the newcomers: it costs a turn at most.
        Some(Principal::Remote { hub, pseudonym }) => {
            Some(Asker::guest(principal, Guest { hub, pseudonym, is_newcomer: true }))
        }
        Some(Principal::Anonymous) => Some(Asker::stranger(principal)),
        _ => None,
    })
}
