//! Enqueues webhook notifications in the transaction of the state change (transactional outbox).

use plexus_domain::{OutboxId, RunId, RunState, Timestamp, chat_event::Event};
use plexus_store::{Tx, outbox, outbox::OutboxMessage, webhooks};
use serde::{Deserialize, Serialize};

use crate::{Error, Hub, Result};

/// Kind of webhook rows in the outbox.
pub(super) const KIND: &str = "push";

/// The state change of a run that a notification reports.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct RunStepNotice {
    pub run: RunId,
    pub state: RunState,
    pub at: Timestamp,
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
        for hook in webhooks::list_by_run(tx, *run).await? {
            let step = RunStepNotice { run: *run, state: *state, at };
            let message = OutboxMessage {
                id: hub.env().id(OutboxId::new),
                target: hook.id.to_string(),
                kind: KIND.to_owned(),
                payload: serde_json::to_vec(&step).map_err(Error::fault)?,
                due_at: at,
                attempts: 0,
            };
            outbox::insert(tx, &message).await?;
            any = true;
        }
    }
    Ok(any)
}
