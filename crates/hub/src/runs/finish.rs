//! Ends a run: parts, states and events in one transaction, retried with backoff until the store accepts it.

use std::time::Duration;

use plexus_domain::{
    Error as Refusal, RunState,
    chat_event::Event,
    message::{Message, MessageState},
    run::{Failure, FailureClass},
};
use plexus_runtime::RunEnd;
use plexus_store::{chats, messages, runs, runs::RunTransition};

use super::{RunJob, message_writer::MessageWriter};
use crate::{
    Error, Hub, Result,
    blobs::NewBlob,
    chats::{ChatChangeSet, mentioned_by, request_title},
    message_views, model_usage, quotas,
    views::{MessageView, RunView},
};

/// Final state of a run.
pub struct RunOutcome {
    pub state: RunState,
    pub failure: Option<Failure>,
    /// True if the answer was cut at a length limit.
    pub is_truncated: bool,
}

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_BACKOFF: Duration = Duration::from_secs(5);
/// Faults after which the answer is dropped. A busy store causes refusals, which are retried
/// without limit.
const FAULTS: u32 = 6;

impl RunOutcome {
    /// Derives the outcome. `closing`: the hub is shutting down, so a stop counts as an interruption.
    pub fn new(end: Result<RunEnd, Failure>, closing: bool) -> Self {
        let is_truncated = matches!(end, Ok(RunEnd::Truncated));
        let (state, failure) = match end {
            Ok(RunEnd::Completed | RunEnd::Truncated) => (RunState::Completed, None),
            Ok(RunEnd::InputRequired) => (RunState::InputRequired, None),
            Ok(RunEnd::AuthRequired) => (RunState::AuthRequired, None),
            Ok(RunEnd::Stopped) if closing => (RunState::Failed, Some(interrupted())),
            Ok(RunEnd::Stopped) => (RunState::Stopped, None),
            Ok(RunEnd::Rejected { reason }) => {
                (RunState::Rejected, Some(Failure::new(FailureClass::Refused, reason)))
            }
            Err(failure) => (RunState::Failed, Some(failure)),
        };
        Self { state, failure, is_truncated }
    }

    const fn message_state(&self) -> MessageState {
        match self.state {
            RunState::Stopped => MessageState::Stopped,
            RunState::Failed | RunState::Rejected => MessageState::Failed,
            _ => MessageState::Done,
        }
    }
}

pub(super) fn interrupted() -> Failure {
    let words = "The hub stopped during this answer. The partial answer is saved; retry to ask again.";
    Failure::new(FailureClass::Interrupted, words)
}

fn not_kept() -> Failure {
    let words =
        "The hub could not save this answer (logged). Try again; if it persists, contact the operator.";
    Failure::new(FailureClass::Internal, words)
}

/// Stores the answer. While the store is unavailable, the text stays in memory and in the journal, and this
/// retries.
pub(super) async fn finish(hub: &Hub, job: &RunJob, speaker: &mut MessageWriter, outcome: RunOutcome) {
    let (mut pause, mut faults) = (FIRST_PAUSE, 0);
    let mut outcome = fit(hub, job, speaker, outcome).await;
    let mut files = speaker.take_files();
    loop {
        match keep(hub, job, speaker, &files, &outcome).await {
            Ok(()) => {
                let state = outcome.state.as_str();
                metrics::counter!("plexus_runs_finished_total", "state" => state).increment(1);
                break;
            }
            // The store is full or away.
            Err(Error::Refused(refusal @ Refusal::Unavailable { .. })) => {
                tracing::warn!(run.id = %job.run, error = %refusal, "saving the answer failed; retrying");
            }
            Err(error) => {
                tracing::error!(run.id = %job.run, error = format!("{error:#}"), "saving the answer failed");
                faults += 1;
                // A permanent fault must not hold the run and its slot forever.
                if faults == FAULTS {
                    outcome = RunOutcome { state: RunState::Failed, failure: Some(not_kept()), ..outcome };
                    files.clear();
                    speaker.forget();
                }
            }
        }
        if hub.stop().run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            // The next start finds the run unfinished, and its text in the journal.
            break;
        }
        pause = (pause * 2).min(MAX_BACKOFF);
    }
}

/// Enforces the quota of the owner of the chat: drops the files first, then the whole answer. The run fails in both
/// cases.
async fn fit(hub: &Hub, job: &RunJob, speaker: &mut MessageWriter, outcome: RunOutcome) -> RunOutcome {
    let mut why = None;
    if let Err(refusal) = quotas::check_files(hub, &job.requester, speaker.file_bytes()) {
        speaker.drop_files();
        why = Some(refusal);
    }
    let fits = quotas::check_answer(hub, &job.requester, job.chat, &speaker.so_far()).await;
    if let Err(Error::Refused(refusal @ Refusal::OverQuota { .. })) = fits {
        speaker.drop_files();
        if quotas::check_answer(hub, &job.requester, job.chat, &speaker.so_far()).await.is_err() {
            speaker.forget();
        }
        why = Some(refusal);
    }
    let Some(refusal) = why else { return outcome };
    let words = format!("Parts of the answer were not saved. {refusal}");
    RunOutcome {
        state: RunState::Failed,
        failure: Some(Failure::new(FailureClass::Budget, words)),
        ..outcome
    }
}

async fn keep(
    hub: &Hub,
    job: &RunJob,
    speaker: &MessageWriter,
    files: &[NewBlob],
    outcome: &RunOutcome,
) -> Result<()> {
    let now = hub.env().now();
    let kept = hub.blobs().write(files).await?;
    let mut tx = hub.store().write().await?;
    // The chat may have been deleted meanwhile; then there is nothing to store.
    let Some(chat) = chats::lock(&mut tx, job.chat).await? else { return Ok(()) };
    let mut change_set = ChatChangeSet::new(&chat);
    kept.record(&mut tx).await?;
    let (parts, attributes) = (speaker.parts(), speaker.attributes.clone());
    let message = Message { state: outcome.message_state(), parts, attributes, ..job.answer.clone() };
    let (failure, usage) = (outcome.failure.as_ref(), Some(speaker.usage));
    let step = RunTransition { from: job.state, to: outcome.state, at: now, failure, usage };
    if !runs::set_state_by(&mut tx, hub.process(), job.run, &step).await? {
        // Another instance declared this one dead and ended the run. Its result stands.
        return Ok(());
    }
    model_usage::record(&mut tx, job.requester.account(), Some(job.agent.id), &speaker.model_usage, now)
        .await?;
    if let Some(remote) = &speaker.remote {
        runs::set_remote(&mut tx, job.run, remote.task.as_deref(), remote.context.as_deref()).await?;
    }
    if outcome.is_truncated {
        runs::set_truncated(&mut tx, job.run).await?;
    }
    let run = RunView {
        is_truncated: outcome.is_truncated,
        failure: outcome.failure.clone(),
        usage: speaker.usage,
        ended: outcome.state.is_terminal().then_some(now),
        ..RunView::begun(job.run, job.requester.principal, outcome.state, job.queued)
    };
    let alternatives = messages::list_alternatives(&mut tx, job.question, message.lane).await?;
    let (author, open) = (message_views::author(&mut tx, job.answer.author).await?, Vec::new());
    let mentioned = mentioned_by(&mut tx, &chat, &message).await?;
    change_set.end(MessageView {
        message,
        author,
        run: Some(run),
        alternatives,
        open,
        status: None,
        mentioned,
    });
    let failure = outcome.failure.clone();
    change_set.record(Event::RunUpdated { run: job.run, state: outcome.state, failure });
    let committed = change_set.commit(hub, tx).await?;
    job.slot.release();
    committed.publish(hub, job.requester.account()).await;
    if outcome.state == RunState::Completed {
        request_title(hub, &job.requester, job.chat, job.question, &speaker.parts());
    }
    Ok(())
}
