//! Converts a request to the content blocks of an ACP prompt.

use agent_client_protocol_schema::v1::{
    ContentBlock, ImageContent, PromptCapabilities, ResourceLink, TextContent,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use plexus_domain::{Part, PartBody};

use crate::{
    ConversationTurn, RunRequest,
    transcript::{part_text, previous_turns_text, unseen_turns},
};

/// Builds the blocks: the turns that the program has not received, then the message to answer. A new session
/// receives all turns.
pub(super) fn blocks(request: &RunRequest, is_new: bool, takes: &PromptCapabilities) -> Vec<ContentBlock> {
    let Some((question, before)) = request.turns.split_last() else { return Vec::new() };
    let before: &[ConversationTurn] = if is_new { before } else { unseen_turns(request, before) };
    let history = previous_turns_text(before).map(text);
    let said = question.parts.iter().filter_map(|part| block(part, request, takes));
    history.into_iter().chain(said).collect()
}

fn block(part: &Part, request: &RunRequest, takes: &PromptCapabilities) -> Option<ContentBlock> {
    if let PartBody::Link { url } = &part.content {
        let name = part.name.clone().unwrap_or_else(|| url.clone());
        return Some(ContentBlock::ResourceLink(ResourceLink::new(name, url.clone())));
    }
    if let (PartBody::File { blob, .. }, Some(kind)) = (&part.content, part.media_type.as_deref())
        && takes.image
        && kind.starts_with("image/")
        && let Some(bytes) = request.files.get(blob)
    {
        return Some(ContentBlock::Image(ImageContent::new(STANDARD.encode(bytes), kind)));
    }
    Some(part_text(std::slice::from_ref(part))).filter(|words| !words.is_empty()).map(text)
}

fn text(text: String) -> ContentBlock {
    ContentBlock::Text(TextContent::new(text))
}
