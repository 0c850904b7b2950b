//! Waits in the fair queue until a run is admitted, and publishes its position.

use std::time::Duration;

use plexus_domain::{RunState, chat_event::Event};
use plexus_runtime::Output as _;
use plexus_store::{chats, runs, runs::RunTransition};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::{RunJob, message_writer::MessageWriter};
use crate::{Hub, Result, chats::ChatChangeSet};

/// How often the position in the queue is published.
const TELLS: Duration = Duration::from_millis(500);
/// Retry delay for recording the start of a run, while the store is unavailable.
const PAUSE: Duration = Duration::from_millis(500);

/// Result of waiting in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdmissionOutcome {
    Came,
    /// The run was cancelled before its admission.
    Stopped,
    /// The run no longer belongs to this instance.
    ///
    /// Either the hub is shutting down and the next start resumes the run, or its chat was deleted.
    Gone,
}

/// Waits for admission and publishes the position meanwhile. Then records that the run has started.
pub(super) async fn wait_admission(
    hub: &Hub,
    job: &mut RunJob,
    speaker: &mut MessageWriter,
) -> AdmissionOutcome {
    let mut tick = interval(TELLS);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = job.slot.stop.cancelled() => return if hub.is_shutting_down() { AdmissionOutcome::Gone } else { AdmissionOutcome::Stopped },
            () = job.slot.wait_admission() => break,
            _ = tick.tick() => speaker.status(&in_line(job.slot.position())),
        }
    }
    speaker.status("");
    if job.state == RunState::Working {
        return AdmissionOutcome::Came;
    }
    begin(hub, job).await
}

fn in_line(position: Option<usize>) -> String {
    position.map_or_else(String::new, |number| format!("Queued (position {number})."))
}

async fn begin(hub: &Hub, job: &mut RunJob) -> AdmissionOutcome {
    loop {
        match written(hub, job).await {
            Ok(true) => {
                job.state = RunState::Working;
                return AdmissionOutcome::Came;
            }
            Ok(false) => return AdmissionOutcome::Gone,
            Err(error) => tracing::error!(run.id = %job.run, %error, "run start failed; will retry"),
        }
        let waited = tokio::select! {
            () = job.slot.stop.cancelled() => None,
            waited = hub.stop().run_until_cancelled(sleep(PAUSE)) => waited,
        };
        if waited.is_none() {
            return if hub.is_shutting_down() { AdmissionOutcome::Gone } else { AdmissionOutcome::Stopped };
        }
    }
}

/// Records that the run works. False if another instance has ended the run, or the chat was deleted.
async fn written(hub: &Hub, job: &RunJob) -> Result<bool> {
    let mut tx = hub.store().write().await?;
    let Some(chat) = chats::lock(&mut tx, job.chat).await? else { return Ok(false) };
    let mut change_set = ChatChangeSet::new(&chat);
    let (from, to, at) = (RunState::Queued, RunState::Working, hub.env().now());
    let step = RunTransition { from, to, at, failure: None, usage: None };
    if !runs::set_state_by(&mut tx, hub.process(), job.run, &step).await? {
        return Ok(false);
    }
    change_set.record(Event::RunUpdated { run: job.run, state: to, failure: None });
    change_set.commit(hub, tx).await?.publish(hub, None).await;
    Ok(true)
}
