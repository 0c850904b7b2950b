//! The worker that executes one run.

use std::{panic::AssertUnwindSafe, pin::pin, sync::Arc, task::Poll, time::Duration};

use futures::{
    FutureExt as _,
    future::{Either, select},
    poll,
};
use plexus_domain::{
    Error as Refusal, RunState,
    run::{Failure, FailureClass},
};
use plexus_runtime::{Connector, ConnectorLimits, RunEnd, RunRequest, run_connector};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    RunJob,
    admission::{self, AdmissionOutcome},
    approvals, connectors, conversation,
    create::VisibleHistory,
    finish,
    finish::RunOutcome,
    message_writer::MessageWriter,
    recover, resume,
};
use crate::{Error, Hub, calls::webhooks, listings::mark_online, streaming::Topic, supervise};

/// Spawns workers for committed runs.
///
/// Output is held back until the returned guard is dropped, so that subscribers see the "run started" event
/// first. Connectors that call a remote service first may send their request before that.
#[must_use]
pub(crate) fn spawn_workers(hub: &Hub, jobs: Vec<RunJob>) -> DropGuard {
    let told = CancellationToken::new();
    for job in jobs {
        let (hub, told) = (hub.clone(), told.clone());
        // Open the message before the run is published, so that every subscriber finds it.
        let channel = Arc::new(hub.live().channels.acquire(Topic::Chat(job.chat)));
        let writing = hub.live().open_message(job.chat, job.answer.id);
        let speaker = MessageWriter::new(writing, channel);
        let tasks = hub.tasks().clone();
        let (run, message) = (job.run, job.answer.id);
        tasks.spawn(async move {
            let done = AssertUnwindSafe(work(&hub, job, speaker, told)).catch_unwind().await;
            if let Err(panic) = done {
                tracing::error!(run.id = %run, error = supervise::cause(panic.as_ref()), "run panicked");
                recover::end_panicked(&hub, run).await;
                hub.live().close_message(message);
            }
        });
    }
    told.drop_guard()
}

/// Short-lived futures are boxed here and below, so that the future of a waiting run stays small.
async fn work(hub: &Hub, mut job: RunJob, mut speaker: MessageWriter, told: CancellationToken) {
    if job.slot.is_queued() || job.state == RunState::Queued {
        told.cancelled().await;
        match Box::pin(admission::wait_admission(hub, &mut job, &mut speaker)).await {
            AdmissionOutcome::Came => {}
            AdmissionOutcome::Stopped => {
                let stopped = RunOutcome::new(Ok(RunEnd::Stopped), false);
                Box::pin(finish::finish(hub, &job, &mut speaker, stopped)).await;
                return hub.live().close_message(job.answer.id);
            }
            AdmissionOutcome::Gone => return hub.live().close_message(job.answer.id),
        }
    }
    let history = std::mem::replace(&mut job.history, VisibleHistory::Unread(Vec::new()));
    let job = &job;
    metrics::counter!("plexus_runs_started_total").increment(1);
    let answer = AssertUnwindSafe(answer(hub, job, history, &mut speaker, &told)).catch_unwind().await;
    // Also hold back a failure that occurred before any output.
    told.cancelled().await;
    let end = answer.unwrap_or_else(|panic| {
        tracing::error!(run.id = %job.run, error = supervise::cause(panic.as_ref()), "run panicked");
        Err(Failure::new(FailureClass::Internal, "Internal error while answering. Try again."))
    });
    if hub.is_shutting_down() && matches!(end, Ok(RunEnd::Stopped)) && waits_elsewhere(job, &speaker) {
        // The next start resumes the run.
        return hub.live().close_message(job.answer.id);
    }
    let end = end.map_err(|failure| name_agent(job, failure));
    let outcome = RunOutcome::new(end, hub.is_shutting_down());
    let answered = outcome.state == RunState::Completed;
    Box::pin(finish::finish(hub, job, &mut speaker, outcome)).await;
    hub.live().close_message(job.answer.id);
    if answered && let Err(error) = Box::pin(mark_online(hub, job.agent.id)).await {
        tracing::warn!(%error, "agent status: online not recorded");
    }
}

/// Adds the agent to the failure of a connection, with what its user can do.
fn name_agent(job: &RunJob, failure: Failure) -> Failure {
    let address = job.agent.address().to_string();
    if failure.class != FailureClass::Unreachable || failure.message.contains(&address) {
        return failure;
    }
    let words = format!(
        "{address} is not reachable right now. Try again later, or tell its owner: {}",
        failure.message
    );
    Failure::new(failure.class, words)
}

/// Returns whether the run waits for a team, which continues independently.
fn waits_elsewhere(job: &RunJob, speaker: &MessageWriter) -> bool {
    resume::is_front_agent(&job.version.connector) && speaker.remote.is_some()
}

async fn answer(
    hub: &Hub,
    job: &RunJob,
    history: VisibleHistory,
    speaker: &mut MessageWriter,
    told: &CancellationToken,
) -> Result<RunEnd, Failure> {
    let (connector, request) = Box::pin(prepare(hub, job, history)).await.map_err(as_failure)?;
    let lines = speaker.status_lines();
    let mut answering = pin!(run_connector(connector.as_ref(), request, speaker, &job.slot.stop));
    if job.version.connector.waits_before_output()
        && let Poll::Ready(end) = poll!(&mut answering)
    {
        return end;
    }
    told.cancelled().await;
    let reporting = Box::pin(webhooks::report_status(hub, job.run, lines));
    match select(answering, reporting).await {
        Either::Left((end, _)) => end,
        Either::Right(((), answering)) => answering.await,
    }
}

async fn prepare(
    hub: &Hub,
    job: &RunJob,
    history: VisibleHistory,
) -> Result<(Arc<dyn Connector>, RunRequest), Error> {
    let (turns, remote) = conversation::build_turns(hub, job, history).await?;
    let connector = connectors::connector(hub, job, &turns).await?;
    let files = conversation::files(hub, job, &turns).await?;
    let given = hub.config().limits;
    let limits = ConnectorLimits {
        max_answer_bytes: given.max_answer_bytes,
        max_file_bytes: given.max_file_bytes,
        idle: given.idle,
        whole: time_left(hub, job).map_or(given.whole, |left| left.min(given.whole)),
    };
    let approval_policy = approvals::approval_policy(hub, job).await?;
    Ok((
        connector,
        RunRequest {
            run: job.run,
            turns,
            files,
            called: job.called.clone(),
            remote,
            limits,
            approval_policy,
            options: job.options.clone(),
        },
    ))
}

/// Returns the time until the caller stops waiting, if that is known.
fn time_left(hub: &Hub, job: &RunJob) -> Option<Duration> {
    Some(job.until?.since(hub.env().now()))
}

/// Shows a refusal as it is; logs a fault and shows a generic message.
fn as_failure(error: Error) -> Failure {
    match error {
        Error::Refused(refusal @ Refusal::Unavailable { .. }) => {
            Failure::new(FailureClass::Unreachable, refusal.to_string())
        }
        Error::Refused(refusal @ Refusal::RateLimited { .. }) => {
            Failure::new(FailureClass::Budget, refusal.to_string())
        }
        Error::Refused(refusal) => Failure::new(FailureClass::Policy, refusal.to_string()),
        Error::Fault(fault) => {
            tracing::error!(error = format!("{fault:#}"), "run start failed");
            Failure::new(FailureClass::Internal, "Internal error while calling the agent. Try again.")
        }
    }
}
