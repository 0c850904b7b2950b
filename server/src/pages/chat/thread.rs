//! Page `/chat/{id}`: the messages of a chat, and the form for the next one.

use std::collections::HashMap;

use axum::{
    extract::{Path, Query, Request, State},
    http::{HeaderMap, Method},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Form,
    chat::{ExhaustedAgent, NewerLinks, RoomHeader, ThreadPage, ThreadUsage},
    message::{Article, Author},
};
use plexus_domain::{
    ChatId, Error as Refusal, MessageId, PrincipalId, UploadId, feedback::Rating, message::MessageState,
};
use plexus_hub::{
    Error,
    caller::{Caller, Scope},
    chats::{self, ChatAgent, MessagePosition, NewMessage, RoomPeople},
    runs::{self, AnswerInput, ApprovalReply},
    views::MessageView,
};
use serde::Deserialize;

use super::{
    attachments::{MessageRequest, attachments, receive},
    choice, html_stream, in_hours,
    message_view::article,
    next_id, sidebar,
};
use crate::{
    app_state::AppState,
    pages::account::refused,
    rendering::TextRenderer,
    web::{form::Fields, message_form::MessageForm, page::PageContext},
};

#[derive(Default, Deserialize)]
pub struct ThreadQuery {
    /// Id of the message to show, which selects its branch.
    m: Option<String>,
    before: Option<String>,
    /// Id of the message that the composer edits.
    edit: Option<String>,
    /// Whether to stream the answer into the page, for browsers without JavaScript.
    follow: Option<String>,
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    Query(query): Query<ThreadQuery>,
    method: Method,
    headers: HeaderMap,
) -> Response {
    let is_seen = method == Method::GET && !is_prefetch(&headers);
    let page = match id.parse() {
        Ok(chat) => page(&site, &visit.caller, chat, &query, PageUse { is_seen, fields: None }).await,
        Err(refusal) => Err(gone(refusal)),
    };
    match page {
        Ok(page)
            if query.follow.is_some() && page.messages.iter().any(|one| one.state == MessageState::Open) =>
        {
            html_stream::respond(site, visit, page).await
        }
        page => visit.show_or_refuse(page),
    }
}

/// Returns whether a browser loads the page before its user opens it, and perhaps never shows it.
fn is_prefetch(headers: &HeaderMap) -> bool {
    ["sec-purpose", "purpose", "x-moz"].into_iter().any(|name| {
        let value = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        value.contains("prefetch") || value.contains("preview")
    })
}

/// What a page is built for.
struct PageUse<'a> {
    /// Whether a person sees it, so that the messages of a room count as read.
    is_seen: bool,
    /// The form to be shown again.
    fields: Option<&'a Fields>,
}

/// Returns the error for a path that is not a valid id: not found.
pub fn gone(_: plexus_domain::Error) -> Error {
    plexus_domain::Error::not_found("Chat not found.").into()
}

async fn page(
    site: &AppState,
    caller: &Caller,
    chat: ChatId,
    query: &ThreadQuery,
    PageUse { is_seen, fields }: PageUse<'_>,
) -> Result<ThreadPage, Error> {
    let message = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<MessageId>().ok());
    let edited = message(&query.edit);
    let shown = edited.or_else(|| message(&query.m));
    let open = chats::open(&site.hub, caller, chat, shown, message(&query.before)).await?;
    let edits = match edited {
        Some(edited) => Some(chats::own_text(&site.hub, caller, chat, edited).await?),
        None => None,
    };
    let usage = chats::usage(&site.hub, caller, chat).await?;
    let usage = ThreadUsage {
        tokens: usage.tokens_in.saturating_add(usage.tokens_out),
        cost_micro: usage.cost_micro,
        took_ms: usage.took_ms,
    };
    let ids: Vec<MessageId> = open.messages.iter().map(|view| view.message.id).collect();
    let ratings = chats::own_ratings(&site.hub, caller, &ids).await?;
    let messages = open.messages;
    if is_seen && open.room.is_some() && open.newer.is_none() && !caller.lacks(Scope::Chat) {
        chats::mark_read(&site.hub, caller, chat, open.seq).await?;
    }
    let room = open.room.map(room);
    let viewer = room.as_ref().map(|room| room.viewer_id);
    let read_only = room.as_ref().filter(|room| !room.role.may_post());
    let read_only =
        read_only.map(|_| "You can only read this chat. Its owner can make you a member.".to_owned());
    let at = open.current_message.map(|leaf| format!("m={leaf}")).unwrap_or_default();
    let before = |message: MessageId| format!("/chat/{chat}?{at}&before={message}");
    let newer = open
        .newer
        .map(|newer| NewerLinks { next: newer.before.map(before), newest: format!("/chat/{chat}?{at}") });
    Ok(ThreadPage {
        sidebar: sidebar(&site.hub, caller).await?,
        chat,
        title: open.title,
        pinned: open.pinned,
        archived: open.archived,
        folder: open.folder,
        usage,
        to: open.partners.first().map(choice),
        older: open.older.map(before),
        newer,
        messages: site
            .renderer
            .run(caller.key(), move |renderer| articles(chat, messages, &ratings, viewer.as_ref(), renderer))
            .await?,
        current_message: open.current_message,
        seq: open.seq,
        next_id: next_id(&site.hub),
        exhausted: exhausted(site, caller, chat).await?,
        read_only,
        temporary_hours: open.expiry.map(|expiry| in_hours(expiry.ttl)),
        room,
        edits: edited,
        attachments: attachments(site, caller, fields).await?,
        form: Form::filled(edits.map(|text| ("text", text))),
    })
}

async fn exhausted(site: &AppState, caller: &Caller, chat: ChatId) -> Result<Vec<ExhaustedAgent>, Error> {
    let agents = chats::list_exhausted_agents(&site.hub, caller, chat).await?;
    let row = |agent: ChatAgent| {
        let limit = agent.reached()?;
        Some(ExhaustedAgent { address: agent.address, limit })
    };
    Ok(agents.into_iter().filter_map(row).collect())
}

fn room(people: RoomPeople) -> RoomHeader {
    RoomHeader {
        viewer: people.viewer,
        viewer_id: people.viewer_id,
        role: people.role,
        people: people.people.into_iter().map(|person| person.name).collect(),
    }
}

/// Renders the newest messages first: they are visible, and the time budget is limited. `viewer` is the viewer of a room.
fn articles(
    chat: ChatId,
    messages: Vec<MessageView>,
    ratings: &HashMap<MessageId, Rating>,
    viewer: Option<&PrincipalId>,
    renderer: &mut TextRenderer,
) -> Vec<Article> {
    let is_own = |article: &Article| match &article.author {
        Author::Person { id, .. } => viewer == Some(id),
        Author::Agent { .. } | Author::Imported { .. } | Author::Gone => false,
    };
    let rated = |article: Article| Article {
        rating: ratings.get(&article.id).copied(),
        is_own: is_own(&article),
        is_own_run: article.run_caller.is_some() && article.run_caller.as_ref() == viewer,
        ..article
    };
    let mut articles: Vec<_> =
        messages.into_iter().rev().map(|view| rated(article(chat, view, renderer))).collect();
    articles.reverse();
    articles
}

pub async fn send(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let Ok(chat) = id.parse::<ChatId>() else {
        return visit.refuse_status(axum::http::StatusCode::NOT_FOUND);
    };
    let form = match MessageForm::read(request, &site, &visit).await {
        Ok(form) => form,
        Err(refused) => return refused,
    };
    let (fields, received) = receive(&site, &visit.caller, form).await;
    let sent = match received {
        Ok(MessageRequest::Send(uploads)) => {
            let new = new_message(&site, &fields, uploads);
            chats::send(&site.hub, &visit.caller, chat, new).await.map(Some)
        }
        Ok(MessageRequest::ShowAgain) => Ok(None),
        Err(error) => Err(error),
    };
    if matches!(sent, Ok(Some(_))) {
        return following(chat);
    }
    // A message that is not sent is shown again with the newest messages of its branch.
    let field = |name| fields.given(name).map(str::to_owned);
    let query = ThreadQuery { m: field("parent"), edit: field("edits"), ..ThreadQuery::default() };
    let shown = PageUse { is_seen: true, fields: Some(&fields) };
    match (page(&site, &visit.caller, chat, &query, shown).await, sent) {
        (Ok(page), Err(error)) => refused(visit, error, fields, |form| ThreadPage { form, ..page }),
        (Ok(page), Ok(_)) => visit.show(ThreadPage { form: fields.into_form(), ..page }),
        (Err(error), _) => visit.refuse(error),
    }
}

fn new_message(site: &AppState, fields: &Fields, uploads: Vec<UploadId>) -> NewMessage {
    let message = |name| fields.given(name).and_then(|id| id.parse().ok());
    let may_fork = fields.given("fork").is_some();
    NewMessage {
        id: message("id").unwrap_or_else(|| next_id(&site.hub)),
        position: MessagePosition::requested(message("parent"), may_fork, message("edits")),
        text: fields.get("text").to_owned(),
        uploads,
    }
}

pub async fn stop(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let stopped = match (id.parse::<ChatId>(), fields.get("run").parse()) {
        (Ok(chat), Ok(run)) => runs::stop(&site.hub, &visit.caller, run).await.map(|()| chat),
        (Err(refusal), _) | (_, Err(refusal)) => Err(gone(refusal)),
    };
    match stopped {
        Ok(chat) => following(chat),
        Err(error) => visit.refuse(error),
    }
}

/// Start of the names of form fields that hold the inputs of a question.
const INPUT_PREFIX: &str = "input.";

/// Answers a question of a tool that a run waits for.
pub async fn answer_question(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let inputs = fields
        .pairs()
        .iter()
        .filter_map(|(name, value)| Some((name.strip_prefix(INPUT_PREFIX)?.to_owned(), value.to_owned())));
    let reply = match fields.get("decision") {
        "yes" => ApprovalReply::Answer(AnswerInput::Texts(inputs.collect())),
        _ => ApprovalReply::Refuse,
    };
    let answered = match fields.get("approval").parse() {
        Ok(question) => runs::decide(&site.hub, &visit.caller, question, reply).await,
        Err(refusal) => Err(gone(refusal)),
    };
    match answered {
        Ok(chat) => following(chat),
        Err(error) => visit.refuse(error),
    }
}

/// Allows or denies a tool call that a run waits for.
pub async fn approve(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let decided = match (fields.get("approval").parse(), fields.get("decision")) {
        (Ok(question), word @ ("yes" | "no")) => {
            let reply = if word == "yes" { ApprovalReply::Allow } else { ApprovalReply::Refuse };
            runs::decide(&site.hub, &visit.caller, question, reply).await
        }
        (Ok(_), _) => Err(Refusal::invalid("decision", "Choose to allow or refuse the call.").into()),
        (Err(refusal), _) => Err(gone(refusal)),
    };
    match decided {
        Ok(chat) => following(chat),
        Err(error) => visit.refuse(error),
    }
}

pub(super) fn following(chat: ChatId) -> Response {
    Redirect::to(&format!("/chat/{chat}?follow")).into_response()
}
