//! The conversation that a task belongs to.

use plexus_domain::RunId;
use plexus_store::runs;

use super::{AuthorizedAgent, Task, task};
use crate::{Hub, Result};

/// Maximum number of tasks of a conversation that are returned.
const MAX_TASKS: usize = 50;

/// Returns the tasks of the caller in the conversation of the task `id`, oldest first; of many, the last ones. A task
/// that the caller may not read is reported as missing.
pub async fn conversation(hub: &Hub, authorized: &AuthorizedAgent, id: RunId) -> Result<Vec<Task>> {
    let mut conn = hub.store().snapshot().await?;
    let run = task::find(hub, &mut conn, authorized, id).await?;
    let mut all = runs::list_by_chat(&mut conn, run.chat).await?;
    all.retain(|other| (other.agent, other.caller) == (run.agent, run.caller));
    let skipped = all.len().saturating_sub(MAX_TASKS);
    let mut tasks = Vec::with_capacity(all.len() - skipped);
    for other in all.into_iter().skip(skipped) {
        tasks.push(task::load(hub, &mut conn, other).await?);
    }
    Ok(tasks)
}
