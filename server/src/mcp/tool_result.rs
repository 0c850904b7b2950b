//! Converts the result of a task to an MCP tool result.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use plexus_domain::{Part, PartBody, RunState, media_type::essence, part::plain_text};
use plexus_hub::calls::{self, AuthorizedAgent, Task};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Value, json};

use super::file_resource;
use crate::app_state::AppState;

/// Maximum size of an image within a result. Larger ones are links.
const MAX_IMAGE_BYTES: u64 = 2 * 1024 * 1024;
/// Maximum size of all images of a result.
const MAX_IMAGES_BYTES: u64 = 6 * 1024 * 1024;

/// Returns the result of a settled task. A failed task is an error result, which the caller's model can read.
pub async fn of(site: &AppState, authorized: &AuthorizedAgent, task: &Task) -> CallToolResult {
    let parts = told_parts(task);
    let failed = matches!(task.state, RunState::Failed | RunState::Stopped | RunState::Rejected);
    let (mut content, mut budget) = (Vec::new(), MAX_IMAGES_BYTES);
    for part in &parts {
        match image(site, task, part, budget).await {
            Some((size, image)) => {
                budget -= size;
                content.push(image);
            }
            None => content.extend(block(site, authorized, task, part)),
        }
    }
    if failed {
        content.push(ContentBlock::text(why(task)));
    }
    let mut result = if failed { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(structured(task, &parts));
    result
}

/// Returns what the agent says now. Questions that were answered are not part of the result, their artifacts are.
fn told_parts(task: &Task) -> Vec<&Part> {
    let run = task.as_run();
    let current = task.messages.last().map(|message| message.id);
    let said = task.agents_messages().flat_map(|message| {
        let is_told = Some(message.id) == current || !run.is_question(message);
        message.parts.iter().filter(move |part| is_told || part.artifact.is_some())
    });
    said.collect()
}

/// Returns an image as content with its size, if it fits. An image that cannot be read stays a link.
async fn image(site: &AppState, task: &Task, part: &Part, budget: u64) -> Option<(u64, ContentBlock)> {
    let PartBody::File { blob, size, .. } = &part.content else { return None };
    let declared = essence(part.media_type.as_deref()?);
    if *size > MAX_IMAGE_BYTES.min(budget) || !declared.starts_with("image/") {
        return None;
    }
    let file = calls::file_of_task(&site.hub, task, blob).await.ok()?;
    let bytes = file_resource::read_bytes(file, MAX_IMAGE_BYTES).await.ok()?;
    Some((*size, ContentBlock::image(STANDARD.encode(&bytes), image_type(&bytes)?)))
}

/// Returns the media type of an image by its first bytes. Model APIs refuse a whole conversation if the
/// declared type is wrong.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
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
fn block(site: &AppState, authorized: &AuthorizedAgent, task: &Task, part: &Part) -> Option<ContentBlock> {
    let name = |otherwise: &str| part.name.clone().unwrap_or_else(|| otherwise.to_owned());
    let typed = |link: Resource| match &part.media_type {
        Some(media_type) => link.with_mime_type(media_type),
        None => link,
    };
    match &part.content {
        PartBody::Text { text } => Some(ContentBlock::text(text.clone())),
        PartBody::Data { data } => Some(ContentBlock::text(data.to_string())),
        PartBody::File { blob, size, .. } => {
            let link =
                Resource::new(authorized.file_url(&site.hub, task.id, blob), name("file")).with_size(*size);
            Some(ContentBlock::resource_link(typed(link)))
        }
        PartBody::Link { url } => {
            Some(ContentBlock::resource_link(typed(Resource::new(url.clone(), name("link")))))
        }
        PartBody::Tool(_)
        | PartBody::Reasoning { .. }
        | PartBody::Approval { .. }
        | PartBody::Question { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::image_type;

    #[test]
    fn images_are_told_by_their_first_bytes() {
        assert_eq!(image_type(b"\x89PNG\r\n\x1a\n..."), Some("image/png"));
        assert_eq!(image_type(b"RIFF\0\0\0\0WEBPVP8 "), Some("image/webp"));
        assert_eq!(image_type(b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(image_type(b"GIF89a"), Some("image/gif"));
        for other in [&b"<svg/>"[..], b"", b"RIFF\0\0\0\0WAVE"] {
            assert_eq!(image_type(other), None);
        }
    }
}
