//! Converts the result of a task to an MCP tool result.

use plexus_domain::{Part, PartBody, RunState, part::plain_text};
use plexus_hub::calls::Task;
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Value, json};

use crate::{app_state::AppState, web::download::blob_url};

/// Returns the result of a settled task. A failed task is an error result, which the caller's model can read.
pub fn of(site: &AppState, task: &Task) -> CallToolResult {
    let parts: Vec<&Part> = task.agents_messages().flat_map(|message| &message.parts).collect();
    let failed = matches!(task.state, RunState::Failed | RunState::Stopped | RunState::Rejected);
    let mut content: Vec<ContentBlock> = parts.iter().filter_map(|part| block(site, part)).collect();
    if failed {
        content.push(ContentBlock::text(why(task)));
    }
    let mut result = if failed { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(structured(task, &parts));
    result
}

fn why(task: &Task) -> String {
    match &task.failure {
        Some(failure) => failure.message.clone(),
        None => format!("The agent did not finish: the task is {}.", task.state),
    }
}

fn structured(task: &Task, parts: &[&Part]) -> Value {
    let said: Vec<Part> = parts.iter().map(|part| (*part).clone()).collect();
    let data: Vec<&Value> = parts.iter().filter_map(|part| data(part)).collect();
    let mut value =
        json!({ "task": task.id, "context": task.context, "state": task.state, "text": plain_text(&said) });
    if !data.is_empty() {
        value["data"] = json!(data);
    }
    value
}

const fn data(part: &Part) -> Option<&Value> {
    match &part.content {
        PartBody::Data { data } => Some(data),
        _ => None,
    }
}

/// Converts a part to a content block. Tool calls, reasoning and approvals are omitted: they are internal to
/// the agent.
fn block(site: &AppState, part: &Part) -> Option<ContentBlock> {
    let name = |otherwise: &str| part.name.clone().unwrap_or_else(|| otherwise.to_owned());
    let typed = |link: Resource| match &part.media_type {
        Some(media_type) => link.with_mime_type(media_type),
        None => link,
    };
    match &part.content {
        PartBody::Text { text } => Some(ContentBlock::text(text.clone())),
        PartBody::Data { data } => Some(ContentBlock::text(data.to_string())),
        PartBody::File { blob, size } => {
            let link = Resource::new(blob_url(site, blob), name("file")).with_size(*size);
            Some(ContentBlock::resource_link(typed(link)))
        }
        PartBody::Link { url } => {
            Some(ContentBlock::resource_link(typed(Resource::new(url.clone(), name("link")))))
        }
        PartBody::Tool(_) | PartBody::Reasoning { .. } | PartBody::Approval { .. } => None,
    }
}
