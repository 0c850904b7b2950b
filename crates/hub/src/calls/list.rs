//! Lists the caller's tasks with one agent.

use plexus_domain::{RunState, Timestamp, page::PageSize};
use plexus_store::{
    Conn, caller_contexts,
    runs::{self, Run, RunFilter},
};

use super::{AuthorizedAgent, Task, task};
use crate::{Hub, Result};

pub use plexus_store::runs::Cursor as TaskCursor;

/// Filter for tasks.
#[derive(Clone, Debug, Default)]
pub struct TaskFilter {
    pub context: Option<String>,
    pub state: Option<RunState>,
    /// Only tasks whose last state change is at least as recent.
    pub since: Option<Timestamp>,
}

/// One page of tasks.
#[derive(Clone, Debug)]
pub struct TaskPage {
    pub tasks: Vec<Task>,
    /// Cursor of the next page, if there is one.
    pub next: Option<TaskCursor>,
    pub total: u64,
}

/// Lists tasks, the most recently changed first. Anonymous callers get none, since they share one principal.
pub async fn list(
    hub: &Hub,
    authorized: &AuthorizedAgent,
    filter: &TaskFilter,
    after: Option<TaskCursor>,
    size: PageSize,
) -> Result<TaskPage> {
    let nothing = TaskPage { tasks: Vec::new(), next: None, total: 0 };
    if authorized.is_anonymous() {
        return Ok(nothing);
    }
    let (caller, agent) = (authorized.requester.principal, authorized.reached.agent.id);
    let mut conn = hub.store().snapshot().await?;
    let chat = match &filter.context {
        None => None,
        Some(name) => match caller_contexts::find(&mut conn, caller, agent, name).await? {
            Some(chat) => Some(chat),
            None => match name.parse() {
                Ok(chat) => Some(chat),
                Err(_) => return Ok(nothing),
            },
        },
    };
    let wanted = RunFilter { caller, agent, chat, state: filter.state, since: filter.since };
    let total = runs::count_by_caller(&mut conn, &wanted).await?;
    let rows = runs::list_by_caller(&mut conn, &wanted, after, size).await?;
    let next = next(&mut conn, &wanted, &rows, size).await?;
    let mut tasks = Vec::with_capacity(rows.len());
    for run in rows {
        tasks.push(task::load(hub, &mut conn, run).await?);
    }
    Ok(TaskPage { tasks, next, total })
}

/// Returns the cursor of the next page. Probes for one more row when the page is full.
async fn next(
    conn: &mut Conn,
    wanted: &RunFilter,
    rows: &[Run],
    size: PageSize,
) -> Result<Option<TaskCursor>> {
    let Some(last) = rows.last().filter(|_| rows.len() == usize::from(size.rows())) else { return Ok(None) };
    let more = runs::list_by_caller(conn, wanted, Some(last.cursor()), PageSize::new(1)?).await?;
    Ok((!more.is_empty()).then(|| last.cursor()))
}
