//! What a process leaves when it dies: runs that nobody works on. They end as failed, with what had been said and asked;
//! those that only waited wait again.

use std::time::Duration;

use plexus_domain::{Part, RunState, event::Event, message::MessageState};
use plexus_store::{
    chats, messages, processes, runs,
    runs::{Run, Step},
    text_log,
};
use tokio_util::sync::CancellationToken;

use super::{approve, finish::interrupted, take_up};
use crate::{Hub, Result, chats::Telling, views::logged_texts};

const BEAT: Duration = Duration::from_secs(5);
/// A process that gave no sign of life for this long is dead.
const DEAD: Duration = Duration::from_secs(15);

/// Ends the runs of processes that are gone.
pub(crate) async fn recover(hub: &Hub) -> Result<()> {
    // A folder has one process, and its lock is ours: whoever was here before is gone, however late its last beat.
    let silent_since = match hub.store().is_postgres() {
        true => hub.env().now() - DEAD,
        false => hub.env().now() + BEAT,
    };
    let mut conn = hub.store().read().await?;
    let orphans = runs::list_orphaned(&mut conn, silent_since).await?;
    let dead = processes::list_dead(&mut conn, silent_since).await?;
    drop(conn);
    for run in orphans.iter().filter(|run| run.process != Some(hub.process())) {
        let waits = take_up::waits(&mut hub.store().read().await?, run).await?;
        if !waits || !Box::pin(take_up::take_up(hub, run)).await? {
            end(hub, run).await?;
        }
    }
    for process in dead.iter().filter(|process| process.id != hub.process()) {
        let mut tx = hub.store().write().await?;
        text_log::delete_by_process(&mut tx, process.id).await?;
        processes::delete(&mut tx, process.id).await?;
        tx.commit().await?;
    }
    Ok(())
}

async fn end(hub: &Hub, run: &Run) -> Result<()> {
    let failure = interrupted();
    let mut tx = hub.store().write().await?;
    let Some(chat) = chats::lock(&mut tx, run.chat).await? else { return Ok(()) };
    let mut telling = Telling::new(&chat);
    let (at, failure_of) = (hub.env().now(), Some(&failure));
    let step = Step { from: run.state, to: RunState::Failed, at, failure: failure_of, usage: None };
    if !runs::set_state(&mut tx, run.id, &step).await? {
        return Ok(());
    }
    telling.record(Event::Run { run: run.id, state: RunState::Failed, failure: Some(failure) });
    for message in messages::list_by_run(&mut tx, run.id).await? {
        if message.state != MessageState::Open {
            continue;
        }
        let pieces = match run.process {
            Some(process) => text_log::list_by_message(&mut tx, process, message.id).await?,
            None => Vec::new(),
        };
        let texts = logged_texts(pieces).into_iter().filter(|text| !text.is_empty());
        let asked = approve::asked(&mut tx, run.id).await?;
        let parts: Vec<Part> = texts.map(Part::text).chain(asked).collect();
        messages::finish(&mut tx, message.id, MessageState::Failed, &parts).await?;
        telling.record(Event::Ended { message: message.id, state: MessageState::Failed });
    }
    telling.commit(hub, tx).await?.tell(hub, None).await;
    tracing::info!(run = %run.id, "a run that was interrupted has ended");
    Ok(())
}

/// Gives signs of life, and looks after those who give none.
pub(crate) async fn beat_until(stop: CancellationToken, hub: &Hub) {
    let mut tick = tokio::time::interval(BEAT);
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        if let Err(error) = beat(hub).await {
            tracing::warn!(%error, "the heartbeat was not written");
        }
    }
}

async fn beat(hub: &Hub) -> Result<()> {
    let mut tx = hub.store().write_bulk().await?;
    processes::beat(&mut tx, hub.process(), hub.env().now()).await?;
    tx.commit().await?;
    if hub.store().is_postgres() {
        recover(hub).await?;
    }
    Ok(())
}
