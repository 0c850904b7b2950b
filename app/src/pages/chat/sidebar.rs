//! Sidebar with the list of chats: a column on wide windows, a drawer on narrow ones.

use leptos::prelude::*;
use plexus_domain::ChatId;

use crate::{
    components::{button::Kind, icon::Icon, menu::CloseDrawer, time::Ago},
    view_models::chat::{ChatItem, ChatScope, FolderItem, Sidebar},
};

pub fn sidebar(sidebar: Sidebar, current: Option<ChatId>) -> AnyView {
    let none = sidebar.chats.is_empty();
    let folders = (!sidebar.folders.is_empty()).then(|| folders(sidebar.folders));
    let invited = (sidebar.invitations > 0).then(|| {
        let count = sidebar.invitations;
        view! { <a class="button quiet" href="/chat/invitations">{Icon::People.view()} {format!("Invitations: {count}")}</a> }
    });
    let items = sidebar.chats.into_iter().map(|chat| item(chat, current)).collect_view();
    view! {
        <nav class="chats drawer" id="chats" popover="auto" aria-label="Chats">
            <CloseDrawer drawer="chats" />
            <a class=Kind::Plain.class() href="/chat">{Icon::Add.view()} "New chat"</a>
            <a class="button quiet" href="/chat/search" data-search="">{Icon::Search.view()} "Search chats"</a>
            {folders}
            <ul class="recent" role="list">{items}</ul>
            {none.then(|| view! { <p class="quiet small">"Your chats will be listed here."</p> })}
            {invited}
            <ul class="all-lists quiet" role="list">
                <li><a href="/chat/all">"All chats"</a></li>
                <li><a href="/chat/archived">"Archived chats"</a></li>
                <li><a href="/chat/deleted">"Deleted chats"</a></li>
                <li><a href="/chat/invitations">"Invitations"</a></li>
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
            view! { <li><a href=href>{Icon::Folder.view()}<span class="name" dir="auto">{folder.name}</span><span class="count"><span class="hidden">": "</span>{folder.chats}<span class="hidden">" chats"</span></span></a></li> }
        })
        .collect_view();
    view! { <ul class="folders" role="list" aria-label="Folders">{items}</ul> }.into_any()
}

fn item(chat: ChatItem, current: Option<ChatId>) -> AnyView {
    let href = format!("/chat/{}", chat.id);
    let here = (current == Some(chat.id)).then_some("page");
    view! {
        <li data-chat=chat.id.to_string() class:running=chat.running class:waiting=chat.waiting class:pinned=chat.pinned class:shared=chat.is_room class:unread=chat.is_unread>
            <a href=href aria-current=here><span class="name" dir="auto">{chat.title}</span>
            // The style sheet shows those of the item's classes.
            <span class="when"><span class="news">"Unread, "</span><span class="several">"Room, "</span><span class="pinned">"Pinned, "</span><span class="answering">"Answering, "</span><span class="awaiting">"Waiting for you, "</span><Ago at=chat.at /></span></a>
        </li>
    }
    .into_any()
}

/// Renders the button that opens the drawer on narrow windows.
pub fn opener() -> AnyView {
    view! { <button type="button" class="button quiet chats-open" popovertarget="chats">{Icon::Chats.view()} "Chats"</button> }.into_any()
}
