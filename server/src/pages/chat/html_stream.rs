//! Streams a chat page to browsers without JavaScript: the response stays open, and each Markdown block is
//! written when it is closed.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use plexus_app::{
    locales,
    render::{self, StreamedDocument},
    view_models::{Assets, Html, Locale, chat::ThreadPage, message::PartView},
};
use plexus_domain::{ChatId, MessageId, Part, PartBody, chat_event::Event, message::MessageState};
use plexus_hub::{
    chats::{self, ChatSubscription},
    streaming::{FrameKind, StreamFrame},
    views::{MessageView, Snapshot},
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::message_view;
use crate::{
    app_state::AppState,
    rendering::{Renderer, TextRenderer},
    web::page::PageContext,
};

/// Maximum duration of a response. The page is then completed as it is; a reload resumes.
const MAX_DURATION: Duration = Duration::from_secs(600);
/// Buffered pieces for a slow browser. When the buffer is full, the reader falls behind and catches up later
/// (backpressure).
const QUEUE_CAPACITY: usize = 16;

pub async fn respond(site: AppState, visit: PageContext, mut page: ThreadPage) -> Response {
    let mut reader = match chats::subscribe(&site.hub, &visit.caller, page.chat, page.seq).await {
        Ok(reader) => reader,
        Err(error) => return visit.refuse(error),
    };
    let open: Vec<MessageId> =
        page.messages.iter().filter(|one| one.state == MessageState::Open).map(|one| one.id).collect();
    page.messages.iter_mut().filter(|one| open.contains(&one.id)).for_each(|one| {
        // Closed blocks are inserted where this part is cut.
        one.status = None;
        one.parts = vec![PartView::Text { closed: Html::default(), tail: String::new() }];
    });
    let locale = visit.frame().locale;
    let answers =
        OpenAnswers { chat: page.chat, locale, assets: site.assets.places(), known: HashMap::new() };
    let pieces = render::follow(&visit.text(page), &open);
    let (send, receive) = mpsc::channel::<Result<String, std::convert::Infallible>>(QUEUE_CAPACITY);
    tokio::spawn(async move {
        let renderer = &site.renderer;
        let written = async { write(pieces, &mut reader, answers, renderer, &send).await };
        let written = site.stop.run_until_cancelled(written);
        let _ = tokio::time::timeout(MAX_DURATION, written).await;
    });
    let mut response = Body::from_stream(ReceiverStream::new(receive)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    // Compression would buffer small blocks.
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

type Sender = mpsc::Sender<Result<String, std::convert::Infallible>>;

/// Writes the pieces of the page, with the output of the open messages between them. Returns `None` when the
/// browser disconnects.
async fn write(
    pieces: Vec<StreamedDocument>,
    reader: &mut ChatSubscription,
    mut answers: OpenAnswers,
    renderer: &Renderer,
    to: &Sender,
) -> Option<()> {
    for piece in pieces {
        to.send(Ok(piece.html)).await.ok()?;
        let Some(message) = piece.then else { continue };
        loop {
            let (html, ended) = answers.of(message).written();
            if !html.is_empty() {
                to.send(Ok(html)).await.ok()?;
            }
            if ended {
                break;
            }
            let frame = reader.next().await.ok()?;
            answers = answers.taking(renderer, vec![frame]).await?;
        }
    }
    Some(())
}

struct OpenAnswers {
    chat: ChatId,
    /// Language of the page.
    locale: Locale,
    assets: Arc<Assets>,
    known: HashMap<MessageId, OpenAnswer>,
}

/// Output of an open message that is not written yet.
#[derive(Default)]
struct OpenAnswer {
    waiting: String,
    /// End of the closed text of each part, in bytes.
    closed_to: HashMap<usize, usize>,
    /// Complete parts that were written.
    whole: HashSet<usize>,
    /// Whether the agent's status was written. It is written only once, because later ones could not replace
    /// it.
    told: bool,
    ended: bool,
}

impl OpenAnswers {
    fn of(&mut self, message: MessageId) -> &mut OpenAnswer {
        self.known.entry(message).or_default()
    }

    /// Applies frames on a blocking thread. Returns `None` if rendering fails.
    async fn taking(mut self, renderer: &Renderer, frames: Vec<Arc<StreamFrame>>) -> Option<Self> {
        let taken = renderer.run(format!("chat {}", self.chat), move |renderer| {
            frames.iter().for_each(|frame| self.take(&frame.kind, renderer));
            self
        });
        taken.await.inspect_err(|error| tracing::error!(%error, "page rendering: failed")).ok()
    }

    fn take(&mut self, kind: &FrameKind, renderer: &mut TextRenderer) {
        match kind {
            FrameKind::Snapshot(snapshot) => self.snapshot(snapshot, renderer),
            FrameKind::Block { message, part, end, text, .. } => {
                self.of(*message).block(*message, *part, *end, text, renderer);
            }
            FrameKind::Event { event: Event::MessageCompleted { message, .. }, view, .. } => {
                let ended = view.as_deref().map(|view| self.rest(view, renderer)).unwrap_or_default();
                self.of(*message).end(&ended);
            }
            FrameKind::Status { message, line } => {
                let line = self.translated(line);
                self.of(*message).waits(&line, renderer);
            }
            FrameKind::Event { .. }
            | FrameKind::Text { .. }
            | FrameKind::Presence(_)
            | FrameKind::Typing(_)
            | FrameKind::ChatListChanged
            | FrameKind::ChatUnavailable { .. } => {}
        }
    }

    fn snapshot(&mut self, snapshot: &Snapshot, renderer: &mut TextRenderer) {
        let (id, index) = (snapshot.message, snapshot.part);
        let whole = snapshot.whole.clone().filter(is_worth_writing);
        let html = whole.map(|_| self.part(id, index, message_view::so_far(id, snapshot.clone(), renderer)));
        let answer = self.of(id);
        match html {
            Some(html) if answer.whole.insert(index) => answer.waiting.push_str(&html),
            _ => answer.snapshot(snapshot, renderer),
        }
    }

    fn part(&self, id: MessageId, index: usize, part: PartView) -> String {
        render::part(&self.assets, self.locale, message_view::unfinished(self.chat, id), index, part)
    }

    /// Returns a text of the hub in the language of the page. What is not translated stays as it is.
    fn translated(&self, english: &str) -> String {
        locales::translated_in(self.locale, english.to_owned())
    }

    /// Returns the parts of the stored message that were not written yet, and the reason if the run failed.
    fn rest(&self, view: &MessageView, renderer: &mut TextRenderer) -> String {
        let id = view.message.id;
        let known = self.known.get(&id);
        let mut html = String::new();
        for (index, part) in view.message.parts.iter().enumerate() {
            let closed_to = known.and_then(|answer| answer.closed_to.get(&index)).copied().unwrap_or(0);
            match part.as_text() {
                Some(text) => {
                    let rest = text.get(closed_to..).unwrap_or_default();
                    html.push_str(&renderer.html(&id.to_string(), rest).into_string());
                }
                None if known.is_some_and(|answer| answer.whole.contains(&index)) => {}
                None => html.push_str(&self.part(id, index, message_view::part(id, part.clone(), renderer))),
            }
        }
        if let Some(failure) = view.run.as_ref().and_then(|run| run.failure.as_ref()) {
            html.push_str(&renderer.typed(&self.translated(&failure.message)).into_string());
        }
        html
    }
}

/// Returns whether a complete part may be written before the message ends. Output cannot be replaced: a tool
/// is shown with its result, an approval request at once because it waits. A file can be downloaded only at
/// the end.
const fn is_worth_writing(part: &Part) -> bool {
    match &part.content {
        PartBody::Tool(tool) => tool.result.is_some(),
        PartBody::File { .. } => false,
        _ => true,
    }
}

impl OpenAnswer {
    fn block(
        &mut self,
        message: MessageId,
        part: usize,
        end: usize,
        text: &str,
        renderer: &mut TextRenderer,
    ) {
        let closed_to = self.closed_to.entry(part).or_default();
        if end > *closed_to {
            *closed_to = end;
            self.waiting.push_str(&renderer.html(&message.to_string(), text).into_string());
        }
    }

    fn snapshot(&mut self, snapshot: &Snapshot, renderer: &mut TextRenderer) {
        for block in &snapshot.closed {
            self.block(snapshot.message, snapshot.part, block.end, &block.text, renderer);
        }
    }

    fn waits(&mut self, line: &str, renderer: &mut TextRenderer) {
        if !line.is_empty() && !std::mem::replace(&mut self.told, true) {
            self.waiting.push_str(&renderer.typed(line).into_string());
        }
    }

    /// The mark at the end lets the style sheet hide the caret and the Stop button, which were written before.
    fn end(&mut self, rest: &str) {
        self.ended = true;
        self.waiting.push_str(rest);
        self.waiting.push_str("<span class=\"stream-end\" hidden></span>");
    }

    fn written(&mut self) -> (String, bool) {
        (std::mem::take(&mut self.waiting), self.ended)
    }
}
