//! What is to be told, written in the transaction of what happened.

use plexus_domain::{OutboxId, RunId, RunState, Timestamp, event::Event};
use plexus_store::{Tx, outbox, outbox::Letter, push};
use serde::{Deserialize, Serialize};

use crate::{Error, Hub, Result};

/// Letters to webhooks in the outbox.
pub(super) const KIND: &str = "push";

/// The step of a run that a letter tells of.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Step {
    pub run: RunId,
    pub state: RunState,
    pub at: Timestamp,
}

/// Writes a letter to each hook of each run that went a step; `may_have` says which of them can have any. Answers
/// whether there is anything to send.
pub(crate) async fn write(
    hub: &Hub,
    tx: &mut Tx,
    events: &[(i64, Event)],
    may_have: impl Fn(RunId) -> bool,
) -> Result<bool> {
    let mut any = false;
    let at = hub.env().now();
    for (_, event) in events {
        let Event::Run { run, state, .. } = event else { continue };
        if !may_have(*run) {
            continue;
        }
        for hook in push::list_by_run(tx, *run).await? {
            let step = Step { run: *run, state: *state, at };
            let letter = Letter {
                id: hub.env().id(OutboxId::new),
                target: hook.id.to_string(),
                kind: KIND.to_owned(),
                payload: serde_json::to_vec(&step).map_err(Error::fault)?,
                due: at,
                tries: 0,
            };
            outbox::insert(tx, &letter).await?;
            any = true;
        }
    }
    Ok(any)
}
