//! Lists of chats with actions on several of them, and the list of deleted chats.

use leptos::prelude::*;

use super::sidebar::{opener, sidebar};
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        context::assets,
        empty::Empty,
        icon::Icon,
        time::Ago,
    },
    islands::chat_room::{ChatRoom, RoomTexts},
    pages::{Layout, Page, PageMeta},
    rich, text,
    view_models::chat::{
        ChatItem, ChatListPage, ChatScope, DeletedChatItem, DeletedChatsPage, FolderItem, Sidebar,
    },
};

impl Page for ChatListPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Full, islands: true, ..PageMeta::private(title(&self.scope)) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let list = if self.chats.is_empty() {
            none(&self.scope)
        } else {
            selection(&self.scope, self.chats, &self.sidebar.folders)
        };
        let older = self.older.map(|href| {
            view! { <nav class="pager" aria-label=text!("pages")><a class="button quiet" rel="next" href=href>{text!("chats-older")} {Icon::Forward.view()}</a></nav> }
        });
        let content = view! { <h1 dir="auto">{title(&self.scope)}</h1>{list}{older} }.into_any();
        room(self.sidebar, content)
    }
}

impl Page for DeletedChatsPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Full, islands: true, ..PageMeta::private(text!("chats-deleted")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let list = if self.chats.is_empty() {
            view! { <Empty title=text!("list-none-deleted")><p>{text!("list-none-deleted-next")}</p></Empty> }
                .into_any()
        } else {
            let rows = self.chats.into_iter().map(deleted).collect_view();
            view! { <ul class="rows" role="list">{rows}</ul> }.into_any()
        };
        let content = view! { <h1>{text!("chats-deleted")}</h1>{list} }.into_any();
        room(self.sidebar, content)
    }
}

fn title(scope: &ChatScope) -> String {
    match scope {
        ChatScope::All => text!("chats-all"),
        ChatScope::Archived => text!("chats-archived"),
        ChatScope::Folder(name) => name.clone(),
    }
}

fn none(scope: &ChatScope) -> AnyView {
    match scope {
        ChatScope::All => view! { <Empty title=text!("list-none")><p>{text!("chats-empty")}</p></Empty> }.into_any(),
        ChatScope::Archived => view! { <Empty title=text!("list-none-archived")><p>{text!("list-none-archived-next")}</p></Empty> }.into_any(),
        ChatScope::Folder(_) => view! { <Empty title=text!("list-none-folder")><p>{rich!("list-none-folder-next"; all = |inner| view! { <a href="/chat/all">{inner}</a> })}</p></Empty> }.into_any(),
    }
}

/// Renders a page beside the list of chats.
fn room(chats: Sidebar, content: AnyView) -> AnyView {
    view! {
        <div class="chat">
            {sidebar(chats, None)}
            <div class="room new">
                <div class="room-head">{opener()}</div>
                <div class="thread search-page">{content}</div>
                <div class="dock"><ChatRoom chat=None seq=0 worker=assets().events_js.clone() texts=RoomTexts::of_page() /></div>
            </div>
        </div>
    }
    .into_any()
}

/// Renders chats with a checkbox each, and the actions on the selected ones.
fn selection(scope: &ChatScope, chats: Vec<ChatItem>, folders: &[FolderItem]) -> AnyView {
    let (action, label) = if *scope == ChatScope::Archived {
        ("restore", text!("chat-restore"))
    } else {
        ("archive", text!("chat-archive"))
    };
    let names =
        folders.iter().map(|folder| view! { <option value=folder.name.clone()></option> }).collect_view();
    let rows = chats.into_iter().map(|chat| row(scope, chat)).collect_view();
    view! {
        <form class="selection" method="post" action="/chat/list" data-selection="">
            <input type="hidden" name="back" value=scope.href() />
            <fieldset class="selected-actions">
                <legend class="hidden">{text!("list-selected")}</legend>
                <label class="choose" hidden=true data-select-all=""><input type="checkbox" /><span>{text!("list-select-all")}</span></label>
                <span class="into">
                    <label class="hidden" for="selection-folder">{text!("folder")}</label>
                    <input class="control" id="selection-folder" name="folder" list="folder-names" maxlength="60" placeholder=text!("folder") autocomplete="off" dir="auto" />
                    <Button label=text!("list-move") name="action" value="move" about=text!("list-move-about") />
                </span>
                <Button label name="action" value=action.to_owned() about=text!("list-about") />
                <Button label=text!("delete") name="action" value="delete" about=text!("list-about") />
            </fieldset>
            <datalist id="folder-names">{names}</datalist>
            <ul class="rows" role="list">{rows}</ul>
        </form>
    }
    .into_any()
}

fn row(scope: &ChatScope, chat: ChatItem) -> AnyView {
    let href = format!("/chat/{}", chat.id);
    // The form is that of the list, so the button names the URL that it posts to.
    let restore = (*scope == ChatScope::Archived).then(|| {
        let about = chat.title.clone();
        view! { <button class=Kind::Quiet.class() formaction=format!("{href}/archive") name="archived" value="no">{text!("chat-restore")} <span class="hidden">" "{about}</span></button> }
    });
    let folder = chat.folder.filter(|_| *scope == ChatScope::All).map(|name| {
        let href = ChatScope::Folder(name.clone()).href();
        view! { <a class="folder" href=href dir="auto">{name}</a> }
    });
    let marks = [
        (chat.is_unread, text!("chat-state-unread")),
        (chat.is_room, text!("chat-state-room")),
        (chat.pinned, text!("chat-state-pinned")),
    ];
    let marks: String = marks.into_iter().filter(|(applies, _)| *applies).map(|(_, words)| words).collect();
    view! {
        <li class="listed">
            <label class="choose"><input type="checkbox" name="chat" value=chat.id.to_string() /><span class="hidden">{text!("list-select", title = chat.title.clone())}</span></label>
            <a class="name" href=href dir="auto">{chat.title}</a>
            {folder}
            <span class="when">{marks}<Ago at=chat.at /></span>
            {restore}
        </li>
    }
    .into_any()
}

fn deleted(chat: DeletedChatItem) -> AnyView {
    let href = format!("/chat/{}", chat.id);
    let (restored, removed) = (chat.title.clone(), chat.title.clone());
    let (fields, until) = (vec![("permanent", "yes".to_owned())], chat.until);
    view! {
        <li class="listed">
            <span class="name" dir="auto">{chat.title}</span>
            <span class="when">{rich!("list-deletion"; time = |_| view! { <Ago at=until /> })}</span>
            <ActionForm action=format!("{href}/undelete") label=text!("chat-restore") about=restored />
            <ActionForm action=format!("{href}/delete") label=text!("list-delete-now") kind=Kind::Quiet fields about=removed />
        </li>
    }
    .into_any()
}
