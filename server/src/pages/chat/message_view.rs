//! Converts messages of the hub to the view models of pages.

use plexus_app::view_models::{
    Html,
    message::{Article, Author, FilePreview, PartView},
};
use plexus_domain::{
    ChatId, ImageSize, MessageId, Part, PartBody, RunState, Timestamp, media_type::is_text,
    message::MessageState,
};
use plexus_hub::views::{self, MessageView, Snapshot};
use serde_json::Value;

use crate::{
    rendering::TextRenderer,
    web::download::{self, InlineKind},
};

pub fn article(chat: ChatId, view: MessageView, renderer: &mut TextRenderer) -> Article {
    let message = view.message;
    let is_typed = !matches!(view.author, views::Author::Agent { .. }) && message.lane == 0;
    let show = |content: Part, renderer: &mut TextRenderer| match content.content {
        PartBody::Text { text } if is_typed => {
            PartView::Text { closed: renderer.typed(&text), tail: String::new() }
        }
        _ => part(message.id, content, renderer),
    };
    let parts = match message.state {
        MessageState::Open => view.open.into_iter().map(|part| so_far(message.id, part, renderer)).collect(),
        _ => message.parts.into_iter().map(|content| show(content, renderer)).collect(),
    };
    let run = view.run.filter(|_| message.lane > 0);
    Article {
        id: message.id,
        chat,
        parent: message.parent,
        branch: message.lane,
        author: author(view.author),
        at: message.created,
        state: message.state,
        parts,
        is_question: run.as_ref().is_some_and(|run| run.state.is_waiting()),
        failure: run.as_ref().and_then(|run| run.failure.as_ref()).map(ToString::to_string),
        run: run.as_ref().map(|run| run.id),
        run_caller: run.as_ref().map(|run| run.caller),
        is_own_run: false,
        alternatives: view.alternatives,
        usage: run.as_ref().map(|run| run.usage).filter(|usage| usage.tokens_out > 0),
        is_own: false,
        rating: None,
        status: view.status,
        mentioned: view.mentioned,
        took_ms: run.as_ref().filter(|run| run.state == RunState::Completed).and_then(|run| {
            run.ended.map(|ended| u64::try_from(ended.since(run.queued).as_millis()).unwrap_or(u64::MAX))
        }),
    }
}

/// Returns an article with only the fields that its parts refer to.
pub fn unfinished(chat: ChatId, id: MessageId) -> Article {
    Article {
        id,
        chat,
        parent: None,
        branch: 0,
        author: Author::Gone,
        at: Timestamp::from_millis(0),
        state: MessageState::Open,
        parts: Vec::new(),
        is_question: false,
        failure: None,
        run: None,
        run_caller: None,
        is_own_run: false,
        alternatives: Vec::new(),
        usage: None,
        is_own: false,
        rating: None,
        status: None,
        mentioned: Vec::new(),
        took_ms: None,
    }
}

fn author(author: views::Author) -> Author {
    match author {
        views::Author::Person { id, name } => Author::Person { id, name },
        views::Author::Agent { seed, name, address } => Author::Agent { seed, name, address },
        views::Author::Imported { label } => Author::Imported { label },
        views::Author::Gone => Author::Gone,
    }
}

/// Converts a part of a message that is still being written.
pub fn so_far(message: MessageId, open: Snapshot, renderer: &mut TextRenderer) -> PartView {
    match open.whole {
        Some(whole) => match part(message, whole, renderer) {
            PartView::File { name, media_type, size, .. } => {
                PartView::File { name, media_type, size, preview: FilePreview::None, href: None }
            }
            other => other,
        },
        None => PartView::Text { closed: closed(message, &open, renderer), tail: open.tail },
    }
}

/// Returns the HTML of the closed Markdown blocks, which will not change any more.
pub fn closed(message: MessageId, open: &Snapshot, renderer: &mut TextRenderer) -> Html {
    let scope = message.to_string();
    let html = open.closed.iter().map(|block| renderer.html(&scope, &block.text).into_string()).collect();
    Html::from_markup(html)
}

pub fn part(message: MessageId, part: Part, renderer: &mut TextRenderer) -> PartView {
    let mut rendered = |text: &str| renderer.html(&message.to_string(), text);
    match part.content {
        PartBody::Text { text } => PartView::Text { closed: rendered(&text), tail: String::new() },
        PartBody::Data { data } => {
            continue_with(&data).unwrap_or(PartView::Data { name: part.name, value: data })
        }
        PartBody::File { blob, size, image } => PartView::File {
            name: part.name.unwrap_or_default(),
            preview: preview(part.media_type.as_deref().unwrap_or_default(), image),
            media_type: part.media_type.unwrap_or_default(),
            size,
            href: Some(format!("/blobs/{blob}")),
        },
        PartBody::Link { url } => PartView::Link { name: part.name, url },
        PartBody::Tool(tool) => PartView::Tool {
            tool: tool.tool,
            arguments: tool.arguments,
            result: tool.result,
            took_ms: tool.took_ms,
        },
        PartBody::Reasoning { text } => PartView::Reasoning { html: rendered(&text) },
        PartBody::Approval { approval, tool, arguments, decision } => {
            PartView::Approval { id: approval, tool, arguments, decision }
        }
        PartBody::Question { approval, tool, question, answer } => {
            PartView::Question { id: approval, tool, question, answer }
        }
    }
}

/// Returns how a file of this type is shown.
fn preview(media_type: &str, image: Option<ImageSize>) -> FilePreview {
    match download::inline_kind(media_type) {
        Some(InlineKind::Image) => FilePreview::Image(image),
        Some(InlineKind::Audio) => FilePreview::Audio,
        Some(InlineKind::Pdf) => FilePreview::Browser,
        None if is_text(media_type) => FilePreview::Page,
        None => FilePreview::None,
    }
}

/// Converts structured data of the guide that suggests an agent to continue with.
fn continue_with(data: &Value) -> Option<PartView> {
    let text = |key: &str| data.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    if data.get("action")? != "continue_with" {
        return None;
    }
    Some(PartView::ContinueWith {
        address: text("address").parse().ok()?,
        seed: text("seed"),
        name: text("name"),
        summary: text("summary"),
        text: text("text"),
    })
}
