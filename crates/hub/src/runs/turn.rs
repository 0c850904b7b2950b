//! Waiting for a run's turn, and telling where it stands.

use std::time::Duration;

use plexus_domain::{RunState, event::Event};
use plexus_runtime::Output as _;
use plexus_store::{chats, runs, runs::Step};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::{Job, output::Speaker};
use crate::{Hub, Result, chats::Telling};

/// How often a place in the line is looked up.
const TELLS: Duration = Duration::from_millis(500);
/// Between two attempts to write that a run begins, while the store refuses.
const PAUSE: Duration = Duration::from_millis(500);

/// What came of the waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Came,
    /// Somebody ended the run before its turn.
    Stopped,
    /// It is not for this process any more: the hub ends and the next start takes it up, or its chat is gone.
    Gone,
}

/// Waits, and tells readers how many are before it. When it may begin, its row says so.
pub(super) async fn wait(hub: &Hub, job: &mut Job, speaker: &mut Speaker) -> Turn {
    let mut tick = interval(TELLS);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = job.place.stop.cancelled() => return if hub.is_closing() { Turn::Gone } else { Turn::Stopped },
            () = job.place.turn() => break,
            _ = tick.tick() => speaker.status(&in_line(job.place.position())),
        }
    }
    speaker.status("");
    if job.state == RunState::Working {
        return Turn::Came;
    }
    begin(hub, job).await
}

fn in_line(position: Option<usize>) -> String {
    position.map_or_else(String::new, |number| format!("Waits for its turn: number {number} in line."))
}

async fn begin(hub: &Hub, job: &mut Job) -> Turn {
    loop {
        match written(hub, job).await {
            Ok(true) => {
                job.state = RunState::Working;
                return Turn::Came;
            }
            Ok(false) => return Turn::Gone,
            Err(error) => tracing::error!(run = %job.run, %error, "a run waits to be begun"),
        }
        let waited = tokio::select! {
            () = job.place.stop.cancelled() => None,
            waited = hub.stop().run_until_cancelled(sleep(PAUSE)) => waited,
        };
        if waited.is_none() {
            return if hub.is_closing() { Turn::Gone } else { Turn::Stopped };
        }
    }
}

/// False when somebody else has ended the run, or its chat is gone.
async fn written(hub: &Hub, job: &Job) -> Result<bool> {
    let mut tx = hub.store().write().await?;
    let Some(chat) = chats::lock(&mut tx, job.chat).await? else { return Ok(false) };
    let mut telling = Telling::new(&chat);
    let (from, to, at) = (RunState::Queued, RunState::Working, hub.env().now());
    let step = Step { from, to, at, failure: None, usage: None };
    if !runs::set_state_by(&mut tx, hub.process(), job.run, &step).await? {
        return Ok(false);
    }
    telling.record(Event::Run { run: job.run, state: to, failure: None });
    telling.commit(hub, tx).await?.tell(hub, None).await;
    Ok(true)
}
