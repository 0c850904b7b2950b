//! Methods of chats, messages, runs and approvals.

use jsonrpsee::{RpcModule, core::RegisterMethodError};
use plexus_domain::{Address, ApprovalId, ChatId, MessageId, RunId, UploadId};
use plexus_hub::{
    Caller,
    chats::{self, ChatPatch, MessagePosition, NewMessage},
    runs,
};
use serde::Deserialize;

use super::{Answer, Nothing, add};
use crate::{
    api::{
        approvals::{self, Approvals},
        chat_search::{ChatSearchResults, found},
        chats::{Chat, ChatList, PostedMessageJson, listed, opened},
        messages::{ForkedChat, MessageJson},
    },
    app_state::AppState,
};

pub fn add_to(module: &mut RpcModule<AppState>) -> Result<(), RegisterMethodError> {
    add(module, "chats.list", list_chats)?;
    add(module, "chats.search", search_chats)?;
    add(module, "chats.get", get_chat)?;
    add(module, "chats.start", start_chat)?;
    add(module, "chats.send", send)?;
    add(module, "chats.rename", rename_chat)?;
    add(module, "chats.update", update_chat)?;
    add(module, "chats.delete", delete_chat)?;
    add(module, "messages.get", get_message)?;
    add(module, "messages.retry", retry)?;
    add(module, "messages.fork", fork)?;
    add(module, "messages.delete", delete_message)?;
    add(module, "runs.stop", stop_run)?;
    add(module, "approvals.list", list_approvals)?;
    add(module, "approvals.decide", decide)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListParams {
    #[serde(default)]
    archived: bool,
    #[serde(default)]
    after: Option<String>,
}

async fn list_chats(site: AppState, caller: Caller, asked: ListParams) -> Answer<ChatList> {
    Ok(listed(&site.hub, &caller, asked.archived, asked.after.as_deref()).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    q: String,
    #[serde(default)]
    after: Option<String>,
}

async fn search_chats(site: AppState, caller: Caller, asked: Search) -> Answer<ChatSearchResults> {
    Ok(found(&site.hub, &caller, &asked.q, asked.after.as_deref()).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneChat {
    chat: ChatId,
}

async fn get_chat(site: AppState, caller: Caller, asked: OneChat) -> Answer<Chat> {
    Ok(opened(&site.hub, &caller, asked.chat).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    id: MessageId,
    text: String,
    #[serde(default)]
    to: Option<Address>,
    #[serde(default)]
    uploads: Vec<UploadId>,
}

async fn start_chat(site: AppState, caller: Caller, asked: Start) -> Answer<PostedMessageJson> {
    let position = MessagePosition::default();
    let new = NewMessage { id: asked.id, position, text: asked.text, uploads: asked.uploads };
    Ok(chats::start(&site.hub, &caller, asked.to.as_ref(), new).await?.into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Say {
    chat: ChatId,
    id: MessageId,
    text: String,
    #[serde(default)]
    parent: Option<MessageId>,
    #[serde(default)]
    fork: bool,
    #[serde(default)]
    edits: Option<MessageId>,
    #[serde(default)]
    uploads: Vec<UploadId>,
}

async fn send(site: AppState, caller: Caller, asked: Say) -> Answer<PostedMessageJson> {
    let position = MessagePosition::requested(asked.parent, asked.fork, asked.edits);
    let new = NewMessage { id: asked.id, position, text: asked.text, uploads: asked.uploads };
    Ok(chats::send(&site.hub, &caller, asked.chat, new).await?.into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rename {
    chat: ChatId,
    title: String,
}

async fn rename_chat(site: AppState, caller: Caller, asked: Rename) -> Answer<bool> {
    let update = ChatPatch { title: Some(asked.title), ..ChatPatch::default() };
    chats::update(&site.hub, &caller, asked.chat, update).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Update {
    chat: ChatId,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    pinned: Option<bool>,
    #[serde(default)]
    archived: Option<bool>,
}

async fn update_chat(site: AppState, caller: Caller, asked: Update) -> Answer<bool> {
    let Update { chat, title, pinned, archived } = asked;
    chats::update(&site.hub, &caller, chat, ChatPatch { title, pinned, archived }).await?;
    Ok(true)
}

async fn delete_chat(site: AppState, caller: Caller, asked: OneChat) -> Answer<bool> {
    chats::delete(&site.hub, &caller, asked.chat).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneMessage {
    message: MessageId,
}

async fn get_message(site: AppState, caller: Caller, asked: OneMessage) -> Answer<MessageJson> {
    Ok(chats::message(&site.hub, &caller, asked.message).await?.into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Retry {
    message: MessageId,
    #[serde(default)]
    to: Option<Address>,
}

async fn retry(site: AppState, caller: Caller, asked: Retry) -> Answer<PostedMessageJson> {
    Ok(chats::retry(&site.hub, &caller, asked.message, asked.to.as_ref()).await?.into())
}

async fn fork(site: AppState, caller: Caller, asked: OneMessage) -> Answer<ForkedChat> {
    Ok(chats::fork(&site.hub, &caller, asked.message).await?.into())
}

async fn delete_message(site: AppState, caller: Caller, asked: OneMessage) -> Answer<bool> {
    chats::delete_message(&site.hub, &caller, asked.message).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneRun {
    run: RunId,
}

async fn stop_run(site: AppState, caller: Caller, asked: OneRun) -> Answer<bool> {
    runs::stop(&site.hub, &caller, asked.run).await?;
    Ok(true)
}

async fn list_approvals(site: AppState, caller: Caller, _: Nothing) -> Answer<Approvals> {
    Ok(approvals::waiting(&site.hub, &caller).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decide {
    approval: ApprovalId,
    allow: bool,
}

async fn decide(site: AppState, caller: Caller, asked: Decide) -> Answer<bool> {
    runs::decide(&site.hub, &caller, asked.approval, asked.allow).await?;
    Ok(true)
}
