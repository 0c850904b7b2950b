//! Cancels a task.

use plexus_domain::{Error as Refusal, RunId};

use super::{AuthorizedAgent, Task, subscribe::wait_settled, task};
use crate::{Hub, Result, runs};

/// Cancels a task and returns its final state. A task that has ended already is a conflict.
pub async fn cancel(hub: &Hub, door: &AuthorizedAgent, id: RunId) -> Result<Task> {
    let run = task::find(hub, &mut hub.store().read().await?, door, id).await?;
    if run.state.is_terminal() {
        return Err(Refusal::conflict(format!("The task has already ended ({}).", run.state)).into());
    }
    runs::cancel(hub, &run, door.asker.account()).await?;
    wait_settled(hub, door, id).await
}
