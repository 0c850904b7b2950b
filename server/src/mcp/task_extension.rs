//! Tasks extension (SEP-2663): a slow tool call becomes an MCP task, which the client polls and may cancel, and whose
//! questions it answers.
//!
//! A task is a run or a team of the hub, so any instance serves it, also after a restart. Each access checks the caller
//! again.

use std::{fmt, str::FromStr, time::Duration};

use plexus_domain::{Address, ChatId, Error as Refusal, Part, RunId, RunState, Timestamp};
use plexus_hub::{
    Caller, Result,
    calls::{self, AuthorizedAgent, CallRequest, Origin, SubscriptionScope},
    teams::{self, OwnerAction, TeamView},
};
use rmcp::{
    RoleServer,
    model::{
        CallToolResult, CreateTaskResult, DetailedTask, GetTaskResult, InputResponses, JsonObject, Task,
        TaskPayload, TaskStatus,
    },
    service::RequestContext,
};
use serde_json::Value;

use super::{
    elicitation::{self, ElicitationReply},
    hub, tool_result,
};
use crate::app_state::AppState;

/// Duration of a tool call after which it becomes a task. A faster result saves the client a request.
pub const BECOMES_TASK_AFTER: Duration = Duration::from_secs(5);
const POLL_INTERVAL_MS: u64 = 1_000;

/// What an MCP task is on the hub. Its text form is the id of the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskHandle {
    Run { agent: Address, run: RunId },
    Team(ChatId),
}

impl fmt::Display for TaskHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run { agent, run } => write!(f, "{agent}#{run}"),
            Self::Team(team) => write!(f, "team#{team}"),
        }
    }
}

impl FromStr for TaskHandle {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let parsed = text.rsplit_once('#').and_then(|(of, id)| {
            Some(match of {
                "team" => Self::Team(id.parse().ok()?),
                agent => Self::Run { agent: agent.parse().ok()?, run: id.parse().ok()? },
            })
        });
        parsed.ok_or_else(unknown_task)
    }
}

pub fn unknown_task() -> Refusal {
    Refusal::not_found("Task not found.")
}

/// Returns whether the client declares the extension in this request.
pub fn is_supported(request: &RequestContext<RoleServer>) -> bool {
    request.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks())
}

/// Returns the result of a tool call that became a task.
pub fn created(handle: &TaskHandle, at: Timestamp) -> CreateTaskResult {
    CreateTaskResult::new(base(handle, at, at))
}

/// Returns the state of the run of an agent.
pub async fn get_run(
    site: &AppState,
    authorized: &AuthorizedAgent,
    run: RunId,
    request: &RequestContext<RoleServer>,
) -> Result<GetTaskResult> {
    let task = calls::get(&site.hub, authorized, run).await?;
    let created = task.messages.first().map_or(task.state_at, |message| message.created);
    let payload = match task.state {
        RunState::Queued | RunState::Working => TaskPayload::Working,
        RunState::Stopped => TaskPayload::Cancelled,
        _ => match elicitation::input_requests(&task, request) {
            Some(input_requests) => TaskPayload::InputRequired { input_requests },
            None => completed(tool_result::of(site, authorized, &task).await)?,
        },
    };
    let handle = TaskHandle::Run { agent: authorized.address(), run };
    let mut base = base(&handle, created, task.state_at);
    base.status_message.clone_from(&task.waits);
    Ok(GetTaskResult::new(DetailedTask::new(base, payload)))
}

/// Passes the answer to the agent's question on. A declined form cancels the run, because the agent would wait for ever.
pub async fn update_run(
    site: &AppState,
    authorized: &AuthorizedAgent,
    run: RunId,
    responses: &InputResponses,
) -> Result<()> {
    let task = calls::get(&site.hub, authorized, run).await?;
    match elicitation::read_reply(&task, responses)? {
        ElicitationReply::Answer(answer) => {
            let parts = vec![Part::text(answer)];
            let call = CallRequest {
                context: Some(task.context),
                task: Some(run),
                ..CallRequest::new(Origin::Mcp, parts)
            };
            calls::start(&site.hub, authorized, call, SubscriptionScope::Settled).await?;
        }
        ElicitationReply::Declined => {
            calls::cancel(&site.hub, authorized, run).await?;
        }
    }
    Ok(())
}

/// Returns the state of a team.
pub async fn get_team(site: &AppState, caller: &Caller, team: ChatId) -> Result<GetTaskResult> {
    let view = teams::get(&site.hub, caller, team).await?;
    let payload = match view.ended {
        None => TaskPayload::Working,
        Some(_) => completed(hub::team_result(&view))?,
    };
    let mut base = base(&TaskHandle::Team(team), view.launched, last_change(site, &view));
    base.status_message = view.ended.is_none().then(|| format!("The team is {}.", view.phase));
    Ok(GetTaskResult::new(DetailedTask::new(base, payload)))
}

/// Cancels a team and its assignments. A team that ended stays as it is.
pub async fn cancel_team(site: &AppState, caller: &Caller, team: ChatId) -> Result<()> {
    if teams::get(&site.hub, caller, team).await?.ended.is_some() {
        return Ok(());
    }
    teams::act(&site.hub, caller, team, OwnerAction::CancelTeam { reason: String::new() }).await
}

fn last_change(site: &AppState, view: &TeamView) -> Timestamp {
    view.ended.unwrap_or_else(|| site.hub.env().now())
}

fn base(handle: &TaskHandle, created: Timestamp, updated: Timestamp) -> Task {
    Task::new(handle.to_string(), TaskStatus::Working, created.to_rfc3339(), updated.to_rfc3339())
        .with_poll_interval_ms(POLL_INTERVAL_MS)
}

/// Returns the result of a call as the result of its task. Failures of agents are results with `isError`.
fn completed(result: CallToolResult) -> Result<TaskPayload> {
    let result = match serde_json::to_value(result).map_err(plexus_hub::Error::fault)? {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    };
    Ok(TaskPayload::Completed { result })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_task_is_its_handle() {
        let (run, team) = (
            RunId::new(Timestamp::from_millis(1), &[1; 10]),
            ChatId::new(Timestamp::from_millis(2), &[2; 10]),
        );
        let agent: Address = "@plexus/calc".parse().unwrap();
        for handle in [TaskHandle::Run { agent, run }, TaskHandle::Team(team)] {
            assert_eq!(handle.to_string().parse(), Ok(handle));
        }
        for text in ["", "#", "team#", "team#x", "@plexus/calc", "@plexus/calc#x", "plexus#1#2"] {
            assert!(text.parse::<TaskHandle>().is_err(), "{text}");
        }
    }
}
