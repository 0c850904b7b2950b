//! Cancels a task.

use plexus_domain::{Error as Refusal, RunId};

use super::{Door, Task, follow::settle, task};
use crate::{Hub, Result, runs};

/// Cancels a task and returns its final state. A task that has ended already is a conflict.
pub async fn cancel(hub: &Hub, door: &Door, id: RunId) -> Result<Task> {
    let run = task::find(hub, &mut hub.store().read().await?, door, id).await?;
    if run.state.is_terminal() {
        return Err(Refusal::conflict(format!("The task has ended already ({}).", run.state)).into());
    }
    runs::end(hub, &run, door.asker.account()).await?;
    settle(hub, door, id).await
}
