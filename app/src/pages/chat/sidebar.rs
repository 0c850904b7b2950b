//! Sidebar with the list of chats: a column on wide windows, a drawer on narrow ones.

use leptos::prelude::*;
use plexus_domain::ChatId;

use crate::{
    components::{button::Kind, icon::Icon, menu::CloseDrawer, time::Ago},
    rich, text,
    view_models::chat::{ChatItem, ChatScope, FolderItem, Sidebar},
};

pub fn sidebar(sidebar: Sidebar, current: Option<ChatId>) -> AnyView {
    let none = sidebar.chats.is_empty();
    let folders = (!sidebar.folders.is_empty()).then(|| folders(sidebar.folders));
    let invited = (sidebar.invitations > 0).then(|| {
        let count = sidebar.invitations;
        view! { <a class="button quiet" href="/chat/invitations">{Icon::People.view()} {text!("invitations-count", count = count)}</a> }
    });
    let items = sidebar.chats.into_iter().map(|chat| item(chat, current)).collect_view();
    view! {
        <nav class="chats drawer" id="chats" popover="auto" aria-label=text!("chats")>
            <CloseDrawer drawer="chats" />
            <a class=Kind::Plain.class() href="/chat">{Icon::Add.view()} {text!("new-chat")}</a>
            <a class="button quiet" href="/chat/search" data-search="">{Icon::Search.view()} {text!("chats-search")}</a>
            {folders}
            <ul class="recent" role="list">{items}</ul>
            {none.then(|| view! { <p class="quiet small">{text!("chats-empty")}</p> })}
            {invited}
            <ul class="all-lists quiet" role="list">
                <li><a href="/chat/all">{text!("chats-all")}</a></li>
                <li><a href="/chat/archived">{text!("chats-archived")}</a></li>
                <li><a href="/chat/deleted">{text!("chats-deleted")}</a></li>
                <li><a href="/chat/invitations">{text!("invitations")}</a></li>
            </ul>
        </nav>
    }
    .into_any()
}

fn folders(folders: Vec<FolderItem>) -> AnyView {
    let items = folders
        .into_iter()
        .map(|folder| {
            let href = ChatScope::Folder(folder.name.clone()).href();
            let hidden = |inner: String| view! { <span class="hidden">{inner}</span> };
            let count = rich!("folder-count", count = folder.chats; before = hidden, after = hidden);
            view! { <li><a href=href>{Icon::Folder.view()}<span class="name" dir="auto">{folder.name}</span><span class="count">{count}</span></a></li> }
        })
        .collect_view();
    view! { <ul class="folders" role="list" aria-label=text!("folders")>{items}</ul> }.into_any()
}

fn item(chat: ChatItem, current: Option<ChatId>) -> AnyView {
    let href = format!("/chat/{}", chat.id);
    let here = (current == Some(chat.id)).then_some("page");
    view! {
        <li data-chat=chat.id.to_string() class:running=chat.running class:waiting=chat.waiting class:pinned=chat.pinned class:shared=chat.is_room class:unread=chat.is_unread>
            <a href=href aria-current=here><span class="name" dir="auto">{chat.title}</span>
            // The style sheet shows those of the item's classes.
            <span class="when"><span class="news">{text!("chat-state-unread")}</span><span class="several">{text!("chat-state-room")}</span><span class="pinned">{text!("chat-state-pinned")}</span><span class="answering">{text!("chat-state-answering")}</span><span class="awaiting">{text!("chat-state-waiting")}</span><Ago at=chat.at /></span></a>
        </li>
    }
    .into_any()
}

/// Renders the button that opens the drawer on narrow windows.
pub fn opener() -> AnyView {
    view! { <button type="button" class="button quiet chats-open" popovertarget="chats">{Icon::Chats.view()} {text!("chats")}</button> }.into_any()
}
