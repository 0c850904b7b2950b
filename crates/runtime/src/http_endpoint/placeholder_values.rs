//! Converts a request to the placeholder values of a template.

use plexus_domain::agent::http_endpoint::{EndpointTemplate, Placeholder, PlaceholderValues};
use serde_json::json;

use crate::{
    RunRequest, llm,
    transcript::{part_text, previous_turns_text, unseen_turns},
};

/// Maximum bytes of the conversation as a message list. The latest messages have priority.
const MESSAGES_BYTES: usize = 96 << 10;

/// Builds the placeholder values. An endpoint that stores conversations gets only the turns that it has not
/// received. Any other gets all turns that its template has placeholders for.
pub(super) fn asked(request: &RunRequest, template: &EndpointTemplate) -> PlaceholderValues {
    let keeps = template.uses(Placeholder::Conversation);
    let (question, before) =
        request.turns.split_last().map_or((None, &[][..]), |(last, rest)| (Some(last), rest));
    let before = if keeps { unseen_turns(request, before) } else { before };
    let history = previous_turns_text(before).unwrap_or_default();
    let mut message = question.map(|turn| part_text(&turn.parts)).unwrap_or_default();
    let has_room = template.uses(Placeholder::History) || template.uses(Placeholder::Messages);
    if keeps && !has_room && !history.is_empty() {
        message = format!("{history}\n\n{message}");
    }
    let known = request.remote.as_ref().and_then(|remote| remote.context.clone());
    PlaceholderValues {
        message,
        history,
        messages: json!(llm::conversation(
            &llm::with_author_names(&request.turns),
            &llm::Files::new(),
            MESSAGES_BYTES
        )),
        conversation: known.unwrap_or_else(|| request.run.to_string()),
        task: String::new(),
    }
}
