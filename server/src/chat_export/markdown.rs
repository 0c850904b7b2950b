//! A chat as a Markdown document: the branch that is shown first, then the messages of the other branches.
//!
//! The text of an agent is Markdown and stays as it is. All other text is escaped.

use std::{collections::HashMap, sync::Arc};

use futures::{Stream, StreamExt as _, stream};
use plexus_domain::{MessageId, Part, PartBody, form_question::FormAnswer, message::MessageState};
use plexus_hub::{
    Caller, Error, Hub,
    chats::ChatExport,
    views::{Author, MessageView},
};
use plexus_markup::{fenced, line_as_markdown, missing_fence, typed_as_markdown};
use serde_json::Value;

use super::{PageWriter, pages};

/// Returns the pieces of the document.
pub fn document(
    hub: Hub,
    caller: Caller,
    export: &ChatExport,
) -> impl Stream<Item = Result<String, Error>> + Send + use<> {
    let order = export.shown_first();
    let plan = Plan::new(export, &order);
    let title = line_as_markdown(&export.title);
    let from = line_as_markdown(hub.config().public_url.as_str());
    let head = format!("# {title}\n\nExported from {from} on {}.\n", moment(&export.at.to_rfc3339()));
    let write: PageWriter = Arc::new(move |views| Ok(views.iter().map(|view| plan.section(view)).collect()));
    let messages = pages(hub, caller, export, &order, write);
    stream::once(async { Ok(head) }).chain(messages)
}

/// Numbers of the messages in the document, and what is said about each position.
struct Plan {
    numbers: HashMap<MessageId, usize>,
    /// The shown message beside a message of another branch.
    alternatives: HashMap<MessageId, MessageId>,
    first_other: Option<MessageId>,
}

impl Plan {
    fn new(export: &ChatExport, order: &[MessageId]) -> Self {
        let numbers: HashMap<_, _> = order.iter().copied().zip(1..).collect();
        let is_shown = |id: &MessageId| numbers.get(id).is_some_and(|number| *number <= export.shown.len());
        let places: HashMap<_, _> = export
            .tree
            .iter()
            .filter(|node| is_shown(&node.id))
            .map(|node| ((node.parent, node.lane), node.id))
            .collect();
        let others = export.tree.iter().filter(|node| !is_shown(&node.id));
        let alternatives =
            others.filter_map(|node| Some((node.id, *places.get(&(node.parent, node.lane))?))).collect();
        let first_other = order.get(export.shown.len()).copied();
        Self { numbers, alternatives, first_other }
    }

    fn section(&self, view: &MessageView) -> String {
        let message = &view.message;
        let number = |id: MessageId| self.numbers.get(&id).copied().unwrap_or_default();
        let heading = if self.first_other == Some(message.id) { "\n# Other branches\n" } else { "" };
        let place = match (self.alternatives.get(&message.id), message.parent) {
            (Some(beside), _) => format!(" · instead of {}", number(*beside)),
            (None, Some(parent)) if number(parent) + 1 != number(message.id) => {
                format!(" · in reply to {}", number(parent))
            }
            _ => String::new(),
        };
        let at = moment(&message.created.to_rfc3339());
        let author = author(&view.author);
        let body = body(view);
        format!("{heading}\n## {} · {author} · {at}{place}\n\n{body}\n", number(message.id))
    }
}

/// Returns date and time to the minute of an RFC 3339 timestamp.
fn moment(stamp: &str) -> String {
    let (date, time) = stamp.split_once('T').unwrap_or((stamp, ""));
    format!("{date} {} UTC", time.get(..5).unwrap_or_default())
}

fn author(author: &Author) -> String {
    match author {
        Author::Person { name, .. } => line_as_markdown(name),
        Author::Agent { name, address, .. } => {
            format!("{} ({})", line_as_markdown(name), line_as_markdown(&address.to_string()))
        }
        Author::Imported { label } => format!("{} (imported)", line_as_markdown(label)),
        Author::Gone => "Deleted account".to_owned(),
    }
}

fn body(view: &MessageView) -> String {
    let message = &view.message;
    let is_markdown = matches!(view.author, Author::Agent { .. }) || message.lane > 0;
    let mut blocks: Vec<String> = message.parts.iter().map(|content| part(content, is_markdown)).collect();
    let failure = view.run.as_ref().and_then(|run| run.failure.as_ref()).map(ToString::to_string);
    match message.state {
        MessageState::Done => {}
        MessageState::Open => blocks.push("*This answer is still being written.*".to_owned()),
        MessageState::Stopped => blocks.push("*This answer was stopped.*".to_owned()),
        MessageState::Deleted => blocks.push("*This message was deleted.*".to_owned()),
        MessageState::Failed => {
            let why = failure.map(|why| format!(": {}", line_as_markdown(&why))).unwrap_or_default();
            blocks.push(format!("This answer failed{why}"));
        }
    }
    blocks.join("\n\n")
}

fn part(part: &Part, is_markdown: bool) -> String {
    let name = |default: &str| line_as_markdown(part.name.as_deref().unwrap_or(default));
    match &part.content {
        PartBody::Text { text } if is_markdown => whole(text),
        PartBody::Text { text } => typed_as_markdown(text),
        PartBody::Data { data } => format!("{}:\n\n{}", name("Data"), json(data)),
        PartBody::File { size, blob, .. } => {
            let kind = part.media_type.as_deref().filter(|kind| !kind.is_empty());
            let kind = kind.map(|kind| format!("{}, ", line_as_markdown(kind))).unwrap_or_default();
            format!("File: {} ({kind}{size} bytes, SHA-256 {blob})", name("File"))
        }
        PartBody::Link { url } => format!("Link: {} {}", name(""), line_as_markdown(url)),
        PartBody::Tool(call) => {
            let tool = line_as_markdown(&call.tool);
            if call.arguments.is_null() {
                return format!("Tool call {tool}");
            }
            let result = call.result.as_ref().map(|result| format!("\n\nResult:\n\n{}", json(result)));
            format!("Tool call {tool}:\n\n{}{}", json(&call.arguments), result.unwrap_or_default())
        }
        PartBody::Reasoning { text } => {
            let lines: Vec<String> = whole(text).lines().map(|line| format!("> {line}")).collect();
            format!("> Reasoning:\n>\n{}", lines.join("\n"))
        }
        PartBody::Approval { tool, arguments, decision, .. } => {
            let decision =
                decision.map(|decision| format!(" ({decision:?})").to_lowercase()).unwrap_or_default();
            let request = format!("Approval request for {}{decision}", line_as_markdown(tool));
            if arguments.is_null() { request } else { format!("{request}:\n\n{}", json(arguments)) }
        }
        PartBody::Question { tool, question, answer, .. } => {
            let answer = match answer {
                Some(FormAnswer::Given { values }) => format!("Answer:\n\n{}", json(&values.clone().into())),
                Some(FormAnswer::Declined) => "Declined.".to_owned(),
                Some(FormAnswer::Unanswered) | None => "Not answered.".to_owned(),
            };
            let message = fenced("text", &question.message);
            format!("Question of {}:\n\n{message}\n\n{answer}", line_as_markdown(tool))
        }
    }
}

/// Returns the Markdown of an agent. A code block that it leaves open would contain the rest of the document.
fn whole(text: &str) -> String {
    let text = text.trim_end();
    missing_fence(text).map_or_else(|| text.to_owned(), |fence| format!("{text}\n{fence}"))
}

fn json(value: &Value) -> String {
    fenced("json", &serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()))
}
