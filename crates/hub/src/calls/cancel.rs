//! Cancels a task.

use plexus_domain::{Error as Refusal, RunId};

use super::{AuthorizedAgent, Task, subscribe::wait_settled, task};
use crate::{Hub, Result, runs};

/// Cancels a task and returns its final state. A task that has ended already is a conflict.
pub async fn cancel(hub: &Hub, authorized: &AuthorizedAgent, id: RunId) -> Result<Task> {
    let run = task::find(hub, &mut hub.store().read().await?, authorized, id).await?;
    if run.state.is_terminal() {
        return Err(Refusal::conflict(format!("The task has already ended ({}).", run.state)).into());
    }
    runs::cancel(hub, &run, authorized.requester.account()).await?;
    wait_settled(hub, authorized, id).await
}
