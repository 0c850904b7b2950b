//! Webhook delivery worker: sends outbox rows in order per receiver, and retries with backoff.

use std::{collections::BTreeMap, panic::AssertUnwindSafe, time::Duration};

use futures::{FutureExt as _, StreamExt as _, stream};
use plexus_a2a::wire::{v1, v03};
use plexus_domain::{PushId, RunState, Timestamp, agent::A2aProtocol};
use plexus_runtime::{Secret, outbound::WebhookRequest};
use plexus_store::{Conn, agents, outbox, outbox::OutboxMessage, runs, webhooks};
use tokio_util::sync::CancellationToken;

use super::{
    WebhookConfig,
    enqueue::{KIND, RunStepNotice},
    manage,
};
use crate::{Error, Hub, Result, calls::task, supervise};

/// Outbox rows that one batch leases, and receivers that are called concurrently.
const BATCH: i64 = 128;
const AT_ONCE: usize = 16;
/// Lease of a batch: no other instance sends its rows meanwhile. Longer than the timeouts of its receivers.
const LEASE: Duration = Duration::from_mins(5);
/// First retry delay. Each further one is four times as long.
const PAUSE: Duration = Duration::from_secs(1);
/// Attempts per notification. The last one is at least 23 minutes after the first; then the row is deleted.
const MAX_ATTEMPTS: i64 = 7;
/// Poll interval, in case a wake-up was lost.
const POLL_INTERVAL: Duration = Duration::from_secs(30);

/// Runs the worker until `stop`.
pub(crate) async fn deliver_until(stop: CancellationToken, hub: Hub) {
    loop {
        let pause = match stop.run_until_cancelled(round(&hub)).await {
            None => return,
            Some(Ok(pause)) => pause,
            Some(Err(error)) => {
                tracing::warn!(%error, "webhook queue unreadable; will retry");
                POLL_INTERVAL
            }
        };
        let woken = tokio::time::timeout(pause, hub.webhook_work_available());
        if stop.run_until_cancelled(woken).await.is_none() {
            return;
        }
    }
}

/// Sends what is due. Returns how long there is nothing to do.
async fn round(hub: &Hub) -> Result<Duration> {
    loop {
        let due = next_due(hub).await?;
        if due > Duration::ZERO {
            return Ok(due.min(POLL_INTERVAL));
        }
        let mut tx = hub.store().write_background().await?;
        let now = hub.env().now();
        let messages = outbox::lease(&mut tx, KIND, now, now + LEASE, BATCH).await?;
        tx.commit().await?;
        if messages.is_empty() {
            // Another instance has leased the rows.
            return Ok(PAUSE);
        }
        // Group by receiver: each one receives its notifications in order.
        let mut by_target: BTreeMap<String, Vec<OutboxMessage>> = BTreeMap::new();
        for message in messages {
            by_target.entry(message.target.clone()).or_default().push(message);
        }
        stream::iter(by_target.into_values())
            .for_each_concurrent(AT_ONCE, |messages| to_one_guarded(hub, messages))
            .await;
    }
}

async fn next_due(hub: &Hub) -> Result<Duration> {
    let due = outbox::next_due(&mut hub.store().read().await?, KIND).await?;
    Ok(due.map_or(POLL_INTERVAL, |due| due.since(hub.env().now())))
}

/// Contains a panic about one receiver, so that the other receivers are served.
async fn to_one_guarded(hub: &Hub, messages: Vec<OutboxMessage>) {
    if let Err(panic) = AssertUnwindSafe(deliver_to_receiver(hub, messages)).catch_unwind().await {
        let error = supervise::cause(panic.as_ref());
        tracing::error!(error, "webhook delivery panicked; retry when the lease expires");
    }
}

/// Sends the rows of one receiver in order. A failure postpones all later rows as well (ordering), however often
/// they were leased. A row that is given up does not: the next one is sent.
async fn deliver_to_receiver(hub: &Hub, mut messages: Vec<OutboxMessage>) {
    messages.sort_by_key(|message| message.id);
    let mut messages = messages.into_iter().peekable();
    let mut due = match messages.peek() {
        Some(first) => outstanding(hub, first).await,
        None => return,
    };
    for message in messages {
        if due.is_none() {
            due = send_or_schedule(hub, &message).await;
        }
        match due {
            Some(due) => note(postpone(hub, &message, due).await),
            None => note(delete_row(hub, &message).await),
        }
    }
}

/// Sends a row. Returns when it is to be sent again, or `None` if it was sent or is given up.
async fn send_or_schedule(hub: &Hub, message: &OutboxMessage) -> Option<Timestamp> {
    match send(hub, message).await {
        Ok(()) => None,
        Err(error) if message.attempts >= MAX_ATTEMPTS => {
            tracing::info!(%error, id = %message.id, attempts = message.attempts, "webhook delivery failed permanently");
            None
        }
        Err(error) => {
            tracing::debug!(%error, id = %message.id, "webhook delivery failed; will retry");
            Some(hub.env().now() + retry_delay(message))
        }
    }
}

/// Returns when an earlier, undelivered row of the same receiver is due; that row has to be sent first.
async fn outstanding(hub: &Hub, first: &OutboxMessage) -> Option<Timestamp> {
    let earlier = async { Ok(outbox::earliest_pending_before(&mut hub.store().read().await?, first).await?) };
    earlier.await.unwrap_or_else(|error: Error| {
        tracing::warn!(%error, "webhook queue unreadable; will retry");
        Some(hub.env().now() + PAUSE)
    })
}

fn retry_delay(message: &OutboxMessage) -> Duration {
    PAUSE * 4_u32.saturating_pow(u32::try_from(message.attempts - 1).unwrap_or(0))
}

async fn delete_row(hub: &Hub, message: &OutboxMessage) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    outbox::delete(&mut tx, message).await?;
    Ok(tx.commit().await?)
}

async fn postpone(hub: &Hub, message: &OutboxMessage, due: Timestamp) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    outbox::retry(&mut tx, message, due).await?;
    Ok(tx.commit().await?)
}

/// Logs a failed write to the outbox. The row is sent again when its lease expires.
fn note(done: Result<()>) {
    if let Err(error) = done {
        tracing::warn!(%error, "webhook outbox update failed; the notification may be sent twice");
    }
}

/// Sends one notification. Succeeds without sending if the task or the webhook was deleted.
async fn send(hub: &Hub, message: &OutboxMessage) -> Result<()> {
    let step: RunStepNotice = serde_json::from_slice(&message.payload).map_err(Error::fault)?;
    let mut conn = hub.store().snapshot().await?;
    let id: PushId = message.target.parse()?;
    let Some(row) = webhooks::find(&mut conn, id).await? else { return Ok(()) };
    let hook = manage::open(hub, &row)?;
    let Some(body) = payload(hub, &mut conn, &hook, step).await? else { return Ok(()) };
    drop(conn);
    let media_type = match hook.protocol() {
        A2aProtocol::V1 => "application/a2a+json",
        A2aProtocol::V03 => "application/json",
    };
    let notice = WebhookRequest {
        media_type,
        authorization: hook.authorization().map(Secret::new),
        token: hook.token().map(|token| Secret::new(token.to_owned())),
        body: body.into(),
    };
    let sent = hub.outbound().webhooks().notify(hook.url(), notice).await;
    sent.map_err(|failure| Error::fault(anyhow::anyhow!(failure.message)))
}

/// Builds the body: the whole task when it has ended or waits, else its state or status text. Version 0.3 always
/// gets the task.
async fn payload(
    hub: &Hub,
    conn: &mut Conn,
    hook: &WebhookConfig,
    step: RunStepNotice,
) -> Result<Option<Vec<u8>>> {
    let Some(run) = runs::find(conn, step.run).await? else { return Ok(None) };
    let Some(agent) = agents::find(conn, run.agent).await? else { return Ok(None) };
    let address = agent.address();
    let now = task::load(hub, conn, run).await?;
    let mut whole = now.as_run().to_task(&|blob| task::file_url(hub, &address, step.run, blob));
    let progress = step.line.as_ref().map(|line| {
        let number = u64::try_from(step.at.millis()).unwrap_or_default();
        plexus_a2a::task::progress(step.run, &now.context, step.at, number, line)
    });
    if let Some(progress) = &progress
        && now.state == RunState::Working
    {
        whole.status = progress.status.clone();
    }
    let body = match (hook.protocol(), progress) {
        (A2aProtocol::V03, _) => serde_json::to_vec(&v03::Event::from(v1::SendMessageResponse::Task(whole))),
        (A2aProtocol::V1, Some(progress)) => serde_json::to_vec(&v1::StreamResponse::StatusUpdate(progress)),
        (A2aProtocol::V1, None) if step.state.is_terminal() || step.state.is_waiting() => {
            serde_json::to_vec(&v1::StreamResponse::Task(whole))
        }
        (A2aProtocol::V1, None) => {
            serde_json::to_vec(&v1::StreamResponse::StatusUpdate(v1::TaskStatusUpdateEvent {
                task_id: whole.id,
                context_id: whole.context_id.unwrap_or_default(),
                status: v1::TaskStatus {
                    state: step.state.into(),
                    message: None,
                    timestamp: Some(step.at.to_rfc3339()),
                },
                metadata: None,
            }))
        }
    };
    Ok(Some(body.map_err(Error::fault)?))
}
