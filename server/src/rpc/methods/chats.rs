//! Methods of chats, messages, runs and approvals.

use jsonrpsee::{RpcModule, core::RegisterMethodError};
use plexus_domain::{Address, ApprovalId, ChatId, MessageId, RunId, UploadId};
use plexus_hub::{
    Caller,
    chats::{self, ChatPatch, ChatStart, FolderChange, MessagePosition, NewMessage},
    runs,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Answer, Nothing, add};
use crate::{
    api::{
        approvals::{self, Approvals, Decision},
        chat_folders::ChatFolderList,
        chat_search::{ChatSearchResults, found},
        chats::{Chat, ChatList, ChatListQuery, PostedMessageJson, listed, opened},
        deleted_chats::DeletedChatList,
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
    add(module, "chats.restore", restore_chat)?;
    add(module, "chats.list_deleted", list_deleted)?;
    add(module, "chats.list_folders", list_folders)?;
    add(module, "messages.get", get_message)?;
    add(module, "messages.retry", retry)?;
    add(module, "messages.hand_over", hand_over)?;
    add(module, "messages.compare", compare)?;
    add(module, "messages.continue", continue_with)?;
    add(module, "messages.fork", fork)?;
    add(module, "messages.delete", delete_message)?;
    add(module, "runs.stop", stop_run)?;
    add(module, "approvals.list", list_approvals)?;
    add(module, "approvals.decide", decide)
}

async fn list_chats(site: AppState, caller: Caller, asked: ChatListQuery) -> Answer<ChatList> {
    Ok(listed(&site.hub, &caller, &asked).await?)
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
    #[serde(default)]
    temporary: bool,
}

async fn start_chat(site: AppState, caller: Caller, asked: Start) -> Answer<PostedMessageJson> {
    let position = MessagePosition::default();
    let new = NewMessage { id: asked.id, position, text: asked.text, uploads: asked.uploads };
    let start = ChatStart { to: asked.to.as_ref(), is_temporary: asked.temporary };
    Ok(chats::start(&site.hub, &caller, start, new).await?.into())
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
    #[serde(default)]
    folder: Option<String>,
    #[serde(default)]
    temporary: Option<bool>,
}

async fn update_chat(site: AppState, caller: Caller, asked: Update) -> Answer<bool> {
    let Update { chat, title, pinned, archived, folder, temporary } = asked;
    let folder = folder.map(FolderChange::requested).transpose()?;
    chats::update(&site.hub, &caller, chat, ChatPatch { title, pinned, archived, folder, temporary }).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeleteParams {
    chat: ChatId,
    #[serde(default)]
    restorable: bool,
}

async fn delete_chat(site: AppState, caller: Caller, asked: DeleteParams) -> Answer<bool> {
    if asked.restorable {
        chats::delete(&site.hub, &caller, asked.chat).await?;
    } else {
        chats::delete_permanently(&site.hub, &caller, asked.chat).await?;
    }
    Ok(true)
}

async fn restore_chat(site: AppState, caller: Caller, asked: OneChat) -> Answer<bool> {
    chats::restore(&site.hub, &caller, asked.chat).await?;
    Ok(true)
}

async fn list_deleted(site: AppState, caller: Caller, _: Nothing) -> Answer<DeletedChatList> {
    Ok(DeletedChatList::of(&site.hub, &caller).await?)
}

async fn list_folders(site: AppState, caller: Caller, _: Nothing) -> Answer<ChatFolderList> {
    Ok(ChatFolderList::of(&site.hub, &caller).await?)
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HandOverParams {
    message: MessageId,
    to: Address,
}

async fn hand_over(site: AppState, caller: Caller, asked: HandOverParams) -> Answer<PostedMessageJson> {
    Ok(chats::hand_over(&site.hub, &caller, asked.message, &asked.to).await?.into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Comparison {
    message: MessageId,
    to: Address,
}

async fn compare(site: AppState, caller: Caller, asked: Comparison) -> Answer<PostedMessageJson> {
    Ok(chats::compare(&site.hub, &caller, asked.message, &asked.to).await?.into())
}

async fn continue_with(site: AppState, caller: Caller, asked: OneMessage) -> Answer<bool> {
    chats::continue_with(&site.hub, &caller, asked.message).await?;
    Ok(true)
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
    #[serde(default)]
    answer: Option<Map<String, Value>>,
}

async fn decide(site: AppState, caller: Caller, asked: Decide) -> Answer<bool> {
    let decision = Decision { allow: asked.allow, answer: asked.answer };
    runs::decide(&site.hub, &caller, asked.approval, decision.into_reply()).await?;
    Ok(true)
}
