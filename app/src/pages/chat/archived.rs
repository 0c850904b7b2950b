use leptos::prelude::*;

use super::sidebar::{opener, sidebar};
use crate::{
    components::{
        button::{ActionForm, Kind},
        context::assets,
        empty::Empty,
        icon::Icon,
        time::Ago,
    },
    islands::chat_room::ChatRoom,
    pages::{Layout, Page, PageMeta},
    view_models::chat::{ArchivedChatsPage, ChatItem},
};

impl Page for ArchivedChatsPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Full, islands: true, ..PageMeta::private("Archived chats") }
    }

    fn body(self) -> AnyView {
        let list = if self.chats.is_empty() {
            view! { <Empty title="No archived chats"><p>"Archive a chat in its menu to take it off your list. It can still be found."</p></Empty> }.into_any()
        } else {
            let rows = self.chats.into_iter().map(row).collect_view();
            view! { <ul class="rows" role="list">{rows}</ul> }.into_any()
        };
        let older = self.older.map(|href| {
            view! { <nav class="pager" aria-label="Pages"><a class="button quiet" rel="next" href=href>"Older chats" {Icon::Forward.view()}</a></nav> }
        });
        view! {
            <div class="chat">
                {sidebar(self.sidebar, None)}
                <div class="room new">
                    <div class="room-head">{opener()}</div>
                    <div class="thread search-page"><h1>"Archived chats"</h1>{list}{older}</div>
                    <div class="dock"><ChatRoom chat=None seq=0 worker=assets().events_js.clone() /></div>
                </div>
            </div>
        }
        .into_any()
    }
}

fn row(chat: ChatItem) -> AnyView {
    let (href, action) = (format!("/chat/{}", chat.id), format!("/chat/{}/archive", chat.id));
    let fields = vec![("archived", "no".to_owned())];
    let about = chat.title.clone();
    view! {
        <li class="archived">
            <a href=href dir="auto">{chat.title}</a>
            <span class="when"><Ago at=chat.at /></span>
            <ActionForm action label="Restore" kind=Kind::Quiet fields about />
        </li>
    }
    .into_any()
}
