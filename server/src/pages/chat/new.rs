//! Page `/chat`: starts a new chat.

use axum::{
    extract::{Query, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{Form, chat::NewChatPage};
use plexus_domain::Address;
use plexus_hub::{
    Error,
    caller::Caller,
    chats::{self, MessagePosition, NewMessage},
};
use serde::Deserialize;

use super::{choice, next_id, row, sidebar};
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{form::Fields, page::PageContext},
};

#[derive(Deserialize)]
pub struct NewChatQuery {
    to: Option<String>,
    text: Option<String>,
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<NewChatQuery>,
) -> Response {
    let form = Form::filled(query.text.map(|text| ("text", text)));
    let page = page(&site, &visit.caller, query.to.as_deref(), form).await;
    visit.show_or_refuse(page)
}

async fn page(site: &AppState, caller: &Caller, to: Option<&str>, form: Form) -> Result<NewChatPage, Error> {
    let to: Option<Address> = to.and_then(|to| to.parse().ok());
    let to = match to {
        Some(address) => Some(chats::partner(&site.hub, caller, &address).await?),
        None => None,
    };
    let suggested = chats::suggested(&site.hub, caller).await?;
    Ok(NewChatPage {
        sidebar: sidebar(&site.hub, caller).await?,
        to: to.as_ref().map(choice),
        starred: suggested.starred.into_iter().map(row).collect(),
        agents: suggested.builtin.into_iter().map(row).collect(),
        next_id: next_id(&site.hub),
        form,
    })
}

pub async fn send(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let to = fields.given("to").and_then(|to| to.parse::<Address>().ok());
    let id = fields.given("id").and_then(|id| id.parse().ok()).unwrap_or_else(|| next_id(&site.hub));
    let new = NewMessage { id, position: MessagePosition::default(), text: fields.get("text").to_owned() };
    match chats::start(&site.hub, &visit.caller, to.as_ref(), new).await {
        Ok(sent) => Redirect::to(&format!("/chat/{}?follow", sent.chat)).into_response(),
        Err(error) => {
            let to = to.map(|to| to.to_string());
            match page(&site, &visit.caller, to.as_deref(), Form::default()).await {
                Ok(page) => refused(visit, error, fields, |form| NewChatPage { form, ..page }),
                Err(error) => visit.refuse(error),
            }
        }
    }
}
