//! Recovers the runs of dead instances.
//!
//! They end as failed, with the text and approvals so far. Runs that were only queued or waiting for a team
//! are resumed.

use plexus_domain::{Part, PartBody, ProcessId, RunId, RunState, chat_event::Event, message::MessageState};
use plexus_store::{
    chats, messages, processes, runs,
    runs::{Run, RunTransition},
    stream_journal,
};

use super::{approvals, finish::interrupted, resume};
use crate::{Hub, Result, chats::ChatChangeSet, message_views::replay_journal};

/// Recovers the runs of these instances, and orphaned runs whose instance has no row any more.
pub(crate) async fn recover(hub: &Hub, gone: &[ProcessId]) -> Result<()> {
    for process in gone {
        let left = runs::list_unfinished(&mut hub.store().read().await?, *process).await?;
        end_or_take_up(hub, &left).await?;
        let mut tx = hub.store().write().await?;
        stream_journal::delete_by_process(&mut tx, *process).await?;
        processes::delete(&mut tx, *process).await?;
        tx.commit().await?;
    }
    let left = runs::list_orphaned(&mut hub.store().read().await?).await?;
    end_or_take_up(hub, &left).await
}

/// Ends a run of this instance whose worker panicked at its start or end.
pub(super) async fn end_panicked(hub: &Hub, run: RunId) {
    let ended = async {
        let found = runs::find(&mut hub.store().read().await?, run).await?;
        match found.filter(|run| !run.state.is_terminal()) {
            Some(run) => end(hub, &run).await,
            None => Ok(()),
        }
    };
    if let Err(error) = ended.await {
        tracing::error!(run.id = %run, %error, "panicked run not ended; the next start ends it");
    }
}

async fn end_or_take_up(hub: &Hub, left: &[Run]) -> Result<()> {
    for run in left {
        let waits = resume::is_resumable(&mut hub.store().read().await?, run).await?;
        if !waits || !Box::pin(resume::resume(hub, run)).await? {
            end(hub, run).await?;
        }
    }
    Ok(())
}

async fn end(hub: &Hub, run: &Run) -> Result<()> {
    let failure = interrupted();
    let mut tx = hub.store().write().await?;
    let Some(chat) = chats::lock(&mut tx, run.chat).await? else { return Ok(()) };
    let mut change_set = ChatChangeSet::new(&chat);
    let (at, failure_of) = (hub.env().now(), Some(&failure));
    let step = RunTransition { from: run.state, to: RunState::Failed, at, failure: failure_of, usage: None };
    // Compare and set by instance: another instance may have taken the run over since it was found.
    let is_ended = match run.instance {
        Some(process) => runs::set_state_by(&mut tx, process, run.id, &step).await?,
        None => runs::set_state(&mut tx, run.id, &step).await?,
    };
    if !is_ended {
        return Ok(());
    }
    change_set.record(Event::RunUpdated { run: run.id, state: RunState::Failed, failure: Some(failure) });
    for message in messages::list_by_run(&mut tx, run.id).await? {
        if message.state != MessageState::Open {
            continue;
        }
        // Files were not stored, and other parts are journaled only when several instances run.
        let is_text = |part: &Part| matches!(part.content, PartBody::Text { .. });
        let texts = replay_journal(&mut tx, message.id, run).await?.parts().into_iter().filter(is_text);
        let asked = approvals::asked(&mut tx, run.id).await?;
        let parts: Vec<Part> = texts.chain(asked).collect();
        messages::finish(&mut tx, message.id, MessageState::Failed, &parts).await?;
        change_set.record(Event::MessageCompleted { message: message.id, state: MessageState::Failed });
    }
    change_set.commit(hub, tx).await?.publish(hub, None).await;
    // Subscribers on this instance may see a mirrored copy of the message.
    hub.mirror().on_chat_changed(run.chat);
    tracing::info!(run = %run.id, "interrupted run ended");
    Ok(())
}
