//! Actions on one message of a chat: retry, compare, fork and delete.

use axum::{
    extract::{Path, Query, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Form,
    chat::{ChatAction, ChatDialogPage, RetryPage},
};
use plexus_domain::{Address, ChatId, Error as Refusal, MessageId};
use plexus_hub::{Error, caller::Caller, chats};
use serde::Deserialize;

use super::{
    row,
    thread::{following, gone},
};
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

#[derive(Deserialize)]
pub struct MessageQuery {
    pub(super) message: String,
}

/// Shows the agents that can answer instead.
pub async fn show_retry(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    Query(query): Query<MessageQuery>,
) -> Response {
    let page = retry_page(&site, &visit.caller, &id, &query.message, false).await;
    visit.show_or_refuse(page)
}

/// Shows the agents whose answers can be compared with one.
pub async fn show_comparison(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    Query(query): Query<MessageQuery>,
) -> Response {
    let page = retry_page(&site, &visit.caller, &id, &query.message, true).await;
    visit.show_or_refuse(page)
}

async fn retry_page(
    site: &AppState,
    caller: &Caller,
    id: &str,
    message: &str,
    is_comparison: bool,
) -> Result<RetryPage, Error> {
    let (chat, message) = (id.parse().map_err(gone)?, message.parse().map_err(gone)?);
    let title = chats::title(&site.hub, caller, chat).await?;
    check_message(site, caller, chat, message).await?;
    let suggested = chats::suggested(&site.hub, caller).await?;
    let (own, recent) = (suggested.own.into_iter(), suggested.recent);
    let agents = own.chain(recent).chain(suggested.starred).chain(suggested.builtin).map(row).collect();
    Ok(RetryPage { chat, title, message, agents, is_comparison, form: Form::default() })
}

/// Returns an error if the message is not in this chat.
pub(super) async fn check_message(
    site: &AppState,
    caller: &Caller,
    chat: ChatId,
    message: MessageId,
) -> Result<(), Error> {
    let known = chats::chat_of(&site.hub, caller, message).await?;
    if known == chat { Ok(()) } else { Err(Refusal::not_found("Message not found.").into()) }
}

pub async fn retry(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    match send_retry(&site, &visit.caller, &id, &fields).await {
        Ok(chat) => following(chat),
        Err(error) if fields.given("to").is_some() => {
            match retry_page(&site, &visit.caller, &id, fields.get("message"), false).await {
                Ok(page) => refused(visit, error, fields, |form| RetryPage { form, ..page }),
                Err(error) => visit.refuse(error),
            }
        }
        Err(error) => visit.refuse(error),
    }
}

async fn send_retry(site: &AppState, caller: &Caller, id: &str, fields: &Fields) -> Result<ChatId, Error> {
    let (chat, message) = (id.parse().map_err(gone)?, fields.get("message").parse().map_err(gone)?);
    let to = fields.given("to").map(address).transpose()?;
    chats::retry(&site.hub, caller, message, to.as_ref()).await?;
    Ok(chat)
}

fn address(text: &str) -> Result<Address, Refusal> {
    text.trim().parse().map_err(|_| Refusal::invalid("to", "Enter an address such as @owner/name."))
}

/// Asks another agent the question of an answer as well.
pub async fn compare(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    match send_comparison(&site, &visit.caller, &id, &fields).await {
        Ok(chat) => following(chat),
        Err(error) => match retry_page(&site, &visit.caller, &id, fields.get("message"), true).await {
            Ok(page) => refused(visit, error, fields, |form| RetryPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

async fn send_comparison(
    site: &AppState,
    caller: &Caller,
    id: &str,
    fields: &Fields,
) -> Result<ChatId, Error> {
    let (chat, message) = (id.parse().map_err(gone)?, fields.get("message").parse().map_err(gone)?);
    check_message(site, caller, chat, message).await?;
    chats::compare(&site.hub, caller, message, &address(fields.get("to"))?).await?;
    Ok(chat)
}

/// Continues a chat with one of several answers side by side.
pub async fn continue_with(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let continued = match (id.parse::<ChatId>(), fields.get("message").parse()) {
        (Ok(chat), Ok(message)) => {
            chats::continue_with(&site.hub, &visit.caller, message).await.map(|()| chat)
        }
        (Err(refusal), _) | (_, Err(refusal)) => Err(gone(refusal)),
    };
    match continued {
        Ok(chat) => redirect_with_notice(&format!("/chat/{chat}"), "answer-chosen"),
        Err(error) => visit.refuse(error),
    }
}

/// Sends the question of an answer to another agent that the answer mentions.
pub async fn hand_over(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    match handed_over(&site, &visit.caller, &id, &fields).await {
        Ok(chat) => following(chat),
        Err(error) => visit.refuse(error),
    }
}

async fn handed_over(site: &AppState, caller: &Caller, id: &str, fields: &Fields) -> Result<ChatId, Error> {
    let (chat, message) = (id.parse().map_err(gone)?, fields.get("message").parse().map_err(gone)?);
    let to: Address = fields.get("to").parse().map_err(gone)?;
    chats::hand_over(&site.hub, caller, message, &to).await?;
    Ok(chat)
}

/// Copies the messages up to one to a new chat, and opens it.
pub async fn fork(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let forked = match fields.get("message").parse() {
        Ok(message) => chats::fork(&site.hub, &visit.caller, message).await,
        Err(refusal) => Err(gone(refusal)),
    };
    match forked {
        Ok(chat) => redirect_with_notice(&format!("/chat/{chat}"), "forked"),
        Err(error) => visit.refuse(error),
    }
}

pub async fn show_delete(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    Query(query): Query<MessageQuery>,
) -> Response {
    let page = delete_page(&site, &visit.caller, &id, &query.message).await;
    visit.show_or_refuse(page)
}

async fn delete_page(
    site: &AppState,
    caller: &Caller,
    id: &str,
    message: &str,
) -> Result<ChatDialogPage, Error> {
    let (chat, message) = (id.parse().map_err(gone)?, message.parse().map_err(gone)?);
    let title = chats::title(&site.hub, caller, chat).await?;
    check_message(site, caller, chat, message).await?;
    let (action, is_temporary) = (ChatAction::DeleteMessage(message), false);
    Ok(ChatDialogPage { chat, title, action, is_temporary, form: Form::default() })
}

pub async fn delete(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let deleted = match (id.parse::<ChatId>(), fields.get("message").parse()) {
        (Ok(chat), Ok(message)) => {
            chats::delete_message(&site.hub, &visit.caller, message).await.map(|()| chat)
        }
        (Err(refusal), _) | (_, Err(refusal)) => Err(gone(refusal)),
    };
    match deleted {
        Ok(chat) => Redirect::to(&format!("/chat/{chat}")).into_response(),
        Err(error) => visit.refuse(error),
    }
}
