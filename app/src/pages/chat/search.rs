//! Search over the viewer's chats.

use leptos::prelude::*;

use super::sidebar::{opener, sidebar};
use crate::{
    components::{
        button::Kind, context::assets, empty::Empty, icon::Icon, identicon::Mark, notice::Note, time::Ago,
    },
    islands::chat_room::ChatRoom,
    pages::{Layout, Page, PageMeta},
    view_models::{
        Tone,
        chat::ChatItem,
        chat_search::{ChatSearchPage, FoundMessage},
    },
};

impl Page for ChatSearchPage {
    fn head(&self) -> PageMeta {
        let title = match self.words.as_str() {
            "" => "Search chats".to_owned(),
            words => format!("{words} – chats"),
        };
        PageMeta { layout: Layout::Full, islands: true, ..PageMeta::private(title) }
    }

    fn body(self) -> AnyView {
        let form = form(&self.words);
        let results = results(&self.words, self.chats, self.messages, self.error);
        let older = self.older.map(|href| {
            view! { <nav class="pager" aria-label="Pages"><a class="button quiet" rel="next" href=href>"Older messages" {Icon::Forward.view()}</a></nav> }
        });
        view! {
            <div class="chat">
                {sidebar(self.sidebar, None)}
                <div class="room new">
                    <div class="room-head">{opener()}</div>
                    <div class="thread search-page">
                        <h1>"Search chats"</h1>
                        {form}
                        {results}
                        {older}
                    </div>
                    <div class="dock"><ChatRoom chat=None seq=0 worker=assets().events_js.clone() /></div>
                </div>
            </div>
        }
        .into_any()
    }
}

fn form(words: &str) -> AnyView {
    view! {
        <form class="search" role="search" aria-label="Chats" action="/chat/search">
            <label class="hidden" for="q">"Words in your chats"</label>
            {Icon::Search.view()}
            <input id="q" type="search" name="q" maxlength="200" value=words.to_owned() placeholder="Words in your chats" />
            <button class=Kind::Primary.class()>"Search"</button>
        </form>
    }
    .into_any()
}

fn results(words: &str, chats: Vec<ChatItem>, messages: Vec<FoundMessage>, error: Option<String>) -> AnyView {
    if let Some(error) = error {
        return view! { <Note tone=Tone::Bad>{error}</Note> }.into_any();
    }
    if words.is_empty() {
        return view! { <p class="quiet">"Titles and messages of your chats are searched. Results have all words."</p> }
            .into_any();
    }
    if chats.is_empty() && messages.is_empty() {
        return view! {
            <Empty title="Nothing found">
                <p>"None of your chats has all of these words. Try fewer or other words."</p>
            </Empty>
        }
        .into_any();
    }
    let chats = (!chats.is_empty()).then(|| {
        let items = chats.into_iter().map(chat).collect_view();
        view! { <section><h2>"Chats"</h2><ul class="rows" role="list">{items}</ul></section> }
    });
    let messages = (!messages.is_empty()).then(|| {
        let items = messages.into_iter().map(message).collect_view();
        view! { <section><h2>"Messages"</h2><ul class="rows" role="list">{items}</ul></section> }
    });
    view! { {chats}{messages} }.into_any()
}

fn chat(chat: ChatItem) -> AnyView {
    let href = format!("/chat/{}", chat.id);
    view! {
        <li><article class="row found">
            {Icon::Chat.view()}
            <div><h3><a class="reach" href=href dir="auto">{chat.title}</a></h3></div>
            <p class="aside"><Ago at=chat.at /></p>
        </article></li>
    }
    .into_any()
}

fn message(found: FoundMessage) -> AnyView {
    let snippet = found
        .snippet
        .into_iter()
        .map(|(text, is_match)| match is_match {
            true => view! { <mark>{text}</mark> }.into_any(),
            false => text.into_any(),
        })
        .collect_view();
    view! {
        <li><article class="row found">
            <Mark seed=found.seed />
            <div>
                <h3><a class="reach" href=found.href dir="auto">{found.title}</a></h3>
                <p class="snippet" dir="auto">{snippet}</p>
            </div>
            <p class="aside"><span dir="auto">{found.author}</span><Ago at=found.at /></p>
        </article></li>
    }
    .into_any()
}
