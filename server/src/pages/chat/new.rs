//! Page `/chat`: starts a new chat.

use axum::{
    extract::{Query as UrlQuery, Request, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Form,
    chat::{AgentChoices, NewChatPage, TemporaryOffer},
};
use plexus_domain::Address;
use plexus_hub::{
    Error,
    caller::Caller,
    chats::{self, ChatStart, MessagePosition, NewMessage},
    directory,
    listings::Query,
};
use serde::Deserialize;

use super::{
    attachments::{MessageRequest, attachments, receive},
    choice, in_hours, next_id, row, sidebar,
};
use crate::{
    app_state::AppState,
    pages::{account::refused, agents},
    web::{form::Fields, message_form::MessageForm, page::PageContext},
};

#[derive(Deserialize)]
pub struct NewChatQuery {
    to: Option<String>,
    text: Option<String>,
    /// Words by which agents are searched.
    q: Option<String>,
    /// `yes` for a temporary chat.
    temporary: Option<String>,
}

/// What the page offers: an agent, or agents that a search finds, for an ordinary or a temporary chat.
#[derive(Clone, Copy, Default)]
struct NewChatChoice<'a> {
    to: Option<&'a str>,
    words: Option<&'a str>,
    is_temporary: bool,
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    UrlQuery(query): UrlQuery<NewChatQuery>,
) -> Response {
    let form = Form::filled(query.text.map(|text| ("text", text)));
    let words = query.q.as_deref().map(str::trim).filter(|words| !words.is_empty());
    let is_temporary = query.temporary.as_deref() == Some("yes");
    let choice = NewChatChoice { to: query.to.as_deref(), words, is_temporary };
    let page = page(&site, &visit.caller, choice, form, None).await;
    visit.show_or_refuse(page)
}

async fn page(
    site: &AppState,
    caller: &Caller,
    chosen: NewChatChoice<'_>,
    form: Form,
    fields: Option<&Fields>,
) -> Result<NewChatPage, Error> {
    let to: Option<Address> = chosen.to.and_then(|to| to.parse().ok());
    let to = match to {
        Some(address) => Some(chats::partner(&site.hub, caller, &address).await?),
        None => None,
    };
    Ok(NewChatPage {
        sidebar: sidebar(&site.hub, caller).await?,
        choice: choices(site, caller, chosen.words).await?,
        temporary: TemporaryOffer {
            is_chosen: chosen.is_temporary,
            hours: in_hours(site.hub.config().temporary_chat_ttl),
        },
        to: to.as_ref().map(choice),
        next_id: next_id(&site.hub),
        attachments: attachments(site, caller, fields).await?,
        form,
    })
}

async fn choices(site: &AppState, caller: &Caller, words: Option<&str>) -> Result<AgentChoices, Error> {
    let Some(words) = words else {
        let suggested = chats::suggested(&site.hub, caller).await?;
        let rows = |agents: Vec<chats::ChatRecipient>| agents.into_iter().map(row).collect();
        return Ok(AgentChoices::Suggested {
            own: rows(suggested.own),
            recent: rows(suggested.recent),
            starred: rows(suggested.starred),
            hub: rows(suggested.builtin),
        });
    };
    let query = Query { typing: true, ..Query::text(words) };
    let found = directory::search_for(&site.hub, caller, query).await?;
    let agents = found.rows.into_iter().map(agents::row).collect();
    Ok(AgentChoices::Found { words: words.to_owned(), agents })
}

pub async fn send(State(site): State<AppState>, visit: PageContext, request: Request) -> Response {
    let form = match MessageForm::read(request, &site, &visit).await {
        Ok(form) => form,
        Err(refused) => return refused,
    };
    let (fields, received) = receive(&site, &visit.caller, form).await;
    let to = fields.given("to").and_then(|to| to.parse::<Address>().ok());
    let is_temporary = fields.get("temporary") == "yes";
    let sent = match received {
        Ok(MessageRequest::Send(uploads)) => {
            let id = fields.given("id").and_then(|id| id.parse().ok()).unwrap_or_else(|| next_id(&site.hub));
            let (position, text) = (MessagePosition::default(), fields.get("text").to_owned());
            let new = NewMessage { id, position, text, uploads };
            let start = ChatStart { to: to.as_ref(), is_temporary };
            chats::start(&site.hub, &visit.caller, start, new).await.map(Some)
        }
        Ok(MessageRequest::ShowAgain) => Ok(None),
        Err(error) => Err(error),
    };
    if let Ok(Some(sent)) = &sent {
        return Redirect::to(&format!("/chat/{}?follow", sent.chat)).into_response();
    }
    let to = to.map(|to| to.to_string());
    let choice = NewChatChoice { to: to.as_deref(), words: None, is_temporary };
    match (page(&site, &visit.caller, choice, Form::default(), Some(&fields)).await, sent) {
        (Ok(page), Err(error)) => refused(visit, error, fields, |form| NewChatPage { form, ..page }),
        (Ok(page), Ok(_)) => visit.show(NewChatPage { form: fields.into_form(), ..page }),
        (Err(error), _) => visit.refuse(error),
    }
}
