//! Enqueues webhook notifications: of a state change in its transaction (transactional outbox), of status text on its
//! own.

use std::time::Duration;

use plexus_domain::{OutboxId, RunId, RunState, Timestamp, chat_event::Event};
use plexus_store::{Tx, outbox, outbox::OutboxMessage, webhooks};
use serde::{Deserialize, Serialize};
use tokio::{sync::watch, time::sleep};

use crate::{Error, Hub, Result};

/// Kind of webhook rows in the outbox.
pub(super) const KIND: &str = "push";

/// Minimum interval between notifications of the status text of a run. What changes in between is left out.
const STATUS_INTERVAL: Duration = Duration::from_secs(1);

/// The state change of a run that a notification reports.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RunStepNotice {
    pub run: RunId,
    pub state: RunState,
    pub at: Timestamp,
    /// Status text of the agent. `None`: the state changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
}

/// Inserts an outbox row for each webhook of each run that changed its state.
///
/// `may_have` filters runs that can have webhooks. Returns whether any row was inserted.
pub(crate) async fn enqueue(
    hub: &Hub,
    tx: &mut Tx,
    events: &[(i64, Event)],
    may_have: impl Fn(RunId) -> bool,
) -> Result<bool> {
    let mut any = false;
    let at = hub.env().now();
    for (_, event) in events {
        let Event::RunUpdated { run, state, .. } = event else { continue };
        if !may_have(*run) {
            continue;
        }
        any |= insert(hub, tx, RunStepNotice { run: *run, state: *state, at, line: None }).await?;
    }
    Ok(any)
}

/// Inserts a row for each webhook of the run. Returns whether it has any.
async fn insert(hub: &Hub, tx: &mut Tx, step: RunStepNotice) -> Result<bool> {
    let hooks = webhooks::list_by_run(tx, step.run).await?;
    for hook in &hooks {
        let message = OutboxMessage {
            id: hub.env().id(OutboxId::new),
            target: hook.id.to_string(),
            kind: KIND.to_owned(),
            payload: serde_json::to_vec(&step).map_err(Error::fault)?,
            due_at: step.at,
            attempts: 0,
        };
        outbox::insert(tx, &message).await?;
    }
    Ok(!hooks.is_empty())
}

/// Notifies the webhooks of a run of its status text, until it is dropped.
pub(crate) async fn report_status(hub: &Hub, run: RunId, mut lines: watch::Receiver<String>) {
    while lines.changed().await.is_ok() {
        let line = lines.borrow_and_update().clone();
        if line.is_empty() {
            continue;
        }
        if let Err(error) = enqueue_status(hub, run, line).await {
            tracing::warn!(%error, run.id = %run, "webhook notification of a status failed");
        }
        sleep(STATUS_INTERVAL).await;
    }
    std::future::pending::<()>().await;
}

async fn enqueue_status(hub: &Hub, run: RunId, line: String) -> Result<()> {
    if webhooks::list_by_run(&mut hub.store().read().await?, run).await?.is_empty() {
        return Ok(());
    }
    let mut tx = hub.store().write_background().await?;
    let step = RunStepNotice { run, state: RunState::Working, at: hub.env().now(), line: Some(line) };
    insert(hub, &mut tx, step).await?;
    tx.commit().await?;
    hub.wake_webhook_worker();
    Ok(())
}
