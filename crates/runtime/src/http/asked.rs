//! A request as what a template is filled with.

use plexus_domain::agent::http::{Asked, Placeholder, Template};
use serde_json::json;

use crate::{
    Request, llm,
    transcript::{say, so_far, unheard},
};

/// How much of a conversation goes along as a list, the latest first.
const MESSAGES_BYTES: usize = 96 << 10;

/// An endpoint that keeps conversations is told what it has not heard; another all that its template has room for.
pub(super) fn asked(request: &Request, template: &Template) -> Asked {
    let keeps = template.uses(Placeholder::Conversation);
    let (question, before) =
        request.turns.split_last().map_or((None, &[][..]), |(last, rest)| (Some(last), rest));
    let before = if keeps { unheard(request, before) } else { before };
    let history = so_far(before).unwrap_or_default();
    let mut message = question.map(|turn| say(&turn.parts)).unwrap_or_default();
    let has_room = template.uses(Placeholder::History) || template.uses(Placeholder::Messages);
    if keeps && !has_room && !history.is_empty() {
        message = format!("{history}\n\n{message}");
    }
    let known = request.remote.as_ref().and_then(|remote| remote.context.clone());
    Asked {
        message,
        history,
        messages: json!(llm::conversation(&request.turns, MESSAGES_BYTES)),
        conversation: known.unwrap_or_else(|| request.run.to_string()),
        task: String::new(),
    }
}
