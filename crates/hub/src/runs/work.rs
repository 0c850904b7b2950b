//! The worker of a run.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt as _;
use plexus_domain::{
    RunState,
    run::{Failure, FailureClass},
};
use plexus_runtime::{End, Limits, Request, perform};

use super::{Job, connect, finish, finish::Outcome, output::Speaker, request};
use crate::{Error, Hub, listings::seen_alive, live::Topic};

/// Begins to work on runs that are committed.
pub(crate) fn spawn(hub: &Hub, jobs: Vec<Job>) {
    for job in jobs {
        let hub = hub.clone();
        // The message is open before its first reader can ask for it.
        let channel = Arc::new(hub.live().channels.hold(Topic::Chat(job.chat)));
        let writing = hub.live().begin(job.chat, job.message);
        let speaker = Speaker::new(writing, channel);
        let tasks = hub.tasks().clone();
        tasks.spawn(async move {
            work(&hub, &job, speaker).await;
        });
    }
}

async fn work(hub: &Hub, job: &Job, mut speaker: Speaker) {
    metrics::counter!("plexus_runs_started_total").increment(1);
    let answer = AssertUnwindSafe(answer(hub, job, &mut speaker)).catch_unwind().await;
    let end = answer.unwrap_or_else(|_| {
        tracing::error!(run = %job.run, "a run panicked");
        Err(Failure::new(
            FailureClass::Internal,
            "The hub made a mistake while this was being answered. Try again.",
        ))
    });
    let outcome = Outcome::new(end, hub.is_closing());
    let answered = outcome.state == RunState::Completed;
    finish::finish(hub, job, &mut speaker, outcome).await;
    hub.live().end(job.message);
    if answered && let Err(error) = seen_alive(hub, job.agent.id).await {
        tracing::warn!(%error, "an agent that answered could not be noted as online");
    }
}

async fn answer(hub: &Hub, job: &Job, speaker: &mut Speaker) -> Result<End, Failure> {
    let connector = connect::connector(hub, job).await.map_err(said)?;
    let (turns, remote) = request::conversation(hub, job).await.map_err(said)?;
    let given = hub.config().limits;
    let limits = Limits {
        max_answer_bytes: given.max_answer_bytes,
        max_file_bytes: given.max_file_bytes,
        first_byte: given.idle,
        idle: given.idle,
        whole: given.whole,
    };
    let request = Request { run: job.run, turns, remote, limits };
    perform(connector.as_ref(), request, speaker, &job.place.stop).await
}

/// A refusal is said in the answer; a fault is logged and said as one.
fn said(error: Error) -> Failure {
    match error {
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
