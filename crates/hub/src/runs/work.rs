//! The worker that executes one run.

use std::{panic::AssertUnwindSafe, pin::pin, sync::Arc, task::Poll, time::Duration};

use futures::{FutureExt as _, poll};
use plexus_domain::{
    Error as Refusal, RunState,
    run::{Failure, FailureClass},
};
use plexus_runtime::{Connector, End, Limits, Request, perform};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    Job, approve,
    begin::History,
    connect, finish,
    finish::Outcome,
    output::Speaker,
    recover, request, take_up,
    turn::{self, Turn},
};
use crate::{Error, Hub, listings::seen_alive, live::Topic, supervise};

/// Spawns workers for committed runs.
///
/// Output is held back until the returned guard is dropped, so that subscribers see the "run started" event
/// first. Connectors that call a remote service first may send their request before that.
#[must_use]
pub(crate) fn spawn(hub: &Hub, jobs: Vec<Job>) -> DropGuard {
    let told = CancellationToken::new();
    for job in jobs {
        let (hub, told) = (hub.clone(), told.clone());
        // Open the message before the run is published, so that every subscriber finds it.
        let channel = Arc::new(hub.live().channels.hold(Topic::Chat(job.chat)));
        let writing = hub.live().begin(job.chat, job.answer.id);
        let speaker = Speaker::new(writing, channel);
        let tasks = hub.tasks().clone();
        let (run, message) = (job.run, job.answer.id);
        tasks.spawn(async move {
            let done = AssertUnwindSafe(work(&hub, job, speaker, told)).catch_unwind().await;
            if let Err(panic) = done {
                tracing::error!(run.id = %run, error = supervise::cause(panic.as_ref()), "run panicked");
                recover::end_panicked(&hub, run).await;
                hub.live().end(message);
            }
        });
    }
    told.drop_guard()
}

/// Short-lived futures are boxed here and below, so that the future of a waiting run stays small.
async fn work(hub: &Hub, mut job: Job, mut speaker: Speaker, told: CancellationToken) {
    if job.place.waits() || job.state == RunState::Queued {
        told.cancelled().await;
        match Box::pin(turn::wait(hub, &mut job, &mut speaker)).await {
            Turn::Came => {}
            Turn::Stopped => {
                let stopped = Outcome::new(Ok(End::Stopped), false);
                Box::pin(finish::finish(hub, &job, &mut speaker, stopped)).await;
                return hub.live().end(job.answer.id);
            }
            Turn::Gone => return hub.live().end(job.answer.id),
        }
    }
    let history = std::mem::replace(&mut job.history, History::Unread(Vec::new()));
    let job = &job;
    metrics::counter!("plexus_runs_started_total").increment(1);
    let answer = AssertUnwindSafe(answer(hub, job, history, &mut speaker, &told)).catch_unwind().await;
    // Also hold back a failure that occurred before any output.
    told.cancelled().await;
    let end = answer.unwrap_or_else(|panic| {
        tracing::error!(run.id = %job.run, error = supervise::cause(panic.as_ref()), "run panicked");
        Err(Failure::new(
            FailureClass::Internal,
            "The hub made a mistake while this was being answered. Try again.",
        ))
    });
    if hub.is_closing() && matches!(end, Ok(End::Stopped)) && waits_elsewhere(job, &speaker) {
        // The next start resumes the run.
        return hub.live().end(job.answer.id);
    }
    let outcome = Outcome::new(end, hub.is_closing());
    let answered = outcome.state == RunState::Completed;
    Box::pin(finish::finish(hub, job, &mut speaker, outcome)).await;
    hub.live().end(job.answer.id);
    if answered && let Err(error) = Box::pin(seen_alive(hub, job.agent.id)).await {
        tracing::warn!(%error, "an agent that answered could not be noted as online");
    }
}

/// Returns whether the run waits for a team, which continues independently.
fn waits_elsewhere(job: &Job, speaker: &Speaker) -> bool {
    take_up::forms_teams(&job.version.connector) && speaker.remote.is_some()
}

async fn answer(
    hub: &Hub,
    job: &Job,
    history: History,
    speaker: &mut Speaker,
    told: &CancellationToken,
) -> Result<End, Failure> {
    let (connector, request) = Box::pin(prepare(hub, job, history)).await.map_err(as_failure)?;
    let mut answering = pin!(perform(connector.as_ref(), request, speaker, &job.place.stop));
    if job.version.connector.asks_first()
        && let Poll::Ready(end) = poll!(&mut answering)
    {
        return end;
    }
    told.cancelled().await;
    answering.await
}

async fn prepare(hub: &Hub, job: &Job, history: History) -> Result<(Arc<dyn Connector>, Request), Error> {
    let connector = connect::connector(hub, job).await?;
    let (turns, remote) = request::conversation(hub, job, history).await?;
    let files = request::files(hub, job, &turns).await?;
    let given = hub.config().limits;
    let limits = Limits {
        max_answer_bytes: given.max_answer_bytes,
        max_file_bytes: given.max_file_bytes,
        first_byte: given.idle,
        idle: given.idle,
        whole: time_left(hub, job).map_or(given.whole, |left| left.min(given.whole)),
    };
    let leave = approve::leave(hub, job).await?;
    Ok((connector, Request { run: job.run, turns, files, called: job.called.clone(), remote, limits, leave }))
}

/// Returns the time until the caller stops waiting, if that is known.
fn time_left(hub: &Hub, job: &Job) -> Option<Duration> {
    Some(job.until?.since(hub.env().now()))
}

/// Shows a refusal as it is; logs a fault and shows a generic message.
fn as_failure(error: Error) -> Failure {
    match error {
        Error::Refused(refusal @ Refusal::Unavailable { .. }) => {
            Failure::new(FailureClass::Unreachable, refusal.to_string())
        }
        Error::Refused(refusal) => Failure::new(FailureClass::Policy, refusal.to_string()),
        Error::Fault(fault) => {
            tracing::error!(error = format!("{fault:#}"), "a run could not begin");
            Failure::new(
                FailureClass::Internal,
                "The hub made a mistake while it asked the agent. Try again.",
            )
        }
    }
}
