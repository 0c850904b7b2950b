//! Search over the viewer's chats.

use leptos::prelude::*;

use super::sidebar::{opener, sidebar};
use crate::{
    components::{
        button::Kind, context::assets, empty::Empty, icon::Icon, identicon::Mark, notice::Note, time::Ago,
    },
    islands::chat_room::{ChatRoom, RoomTexts},
    locales,
    pages::{Layout, Page, PageMeta, agents::has_no_terms},
    text,
    view_models::{
        Tone,
        chat::ChatItem,
        chat_search::{ChatSearchPage, FoundMessage},
    },
};

impl Page for ChatSearchPage {
    fn head(&self) -> PageMeta {
        let title = match self.words.as_str() {
            "" => text!("chats-search"),
            words => text!("search-title", words = words),
        };
        PageMeta { layout: Layout::Full, islands: true, ..PageMeta::private(title) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let form = form(&self.words);
        let results = results(&self.words, self.chats, self.messages, self.error);
        let older = self.older.map(|href| {
            view! { <nav class="pager" aria-label=text!("pages")><a class="button quiet" rel="next" href=href>{text!("messages-older")} {Icon::Forward.view()}</a></nav> }
        });
        view! {
            <div class="chat">
                {sidebar(self.sidebar, None)}
                <div class="room new">
                    <div class="room-head">{opener()}</div>
                    <div class="thread search-page">
                        <h1>{text!("chats-search")}</h1>
                        {form}
                        {results}
                        {older}
                    </div>
                    <div class="dock"><ChatRoom chat=None seq=0 worker=assets().events_js.clone() texts=RoomTexts::of_page() /></div>
                </div>
            </div>
        }
        .into_any()
    }
}

fn form(words: &str) -> AnyView {
    view! {
        <form class="search" role="search" aria-label=text!("chats") action="/chat/search">
            <label class="hidden" for="q">{text!("search-words")}</label>
            {Icon::Search.view()}
            <input id="q" type="search" name="q" maxlength="200" value=words.to_owned() placeholder=text!("search-words") />
            <button class=Kind::Primary.class()>{text!("search-button")}</button>
        </form>
    }
    .into_any()
}

fn results(words: &str, chats: Vec<ChatItem>, messages: Vec<FoundMessage>, error: Option<String>) -> AnyView {
    if let Some(error) = error {
        return view! { <Note tone=Tone::Bad>{locales::translated(error)}</Note> }.into_any();
    }
    if words.is_empty() {
        return view! { <p class="quiet">{text!("search-lead")}</p> }.into_any();
    }
    if chats.is_empty() && messages.is_empty() {
        let why = match has_no_terms(words) {
            true => text!("search-no-terms", words = words),
            false => text!("search-nothing"),
        };
        return view! {
            <Empty title=text!("nothing-found")>
                <p>{why}</p>
            </Empty>
        }
        .into_any();
    }
    let chats = (!chats.is_empty()).then(|| {
        let items = chats.into_iter().map(chat).collect_view();
        view! { <section><h2>{text!("chats")}</h2><ul class="rows" role="list">{items}</ul></section> }
    });
    let messages = (!messages.is_empty()).then(|| {
        let items = messages.into_iter().map(message).collect_view();
        view! { <section><h2>{text!("messages")}</h2><ul class="rows" role="list">{items}</ul></section> }
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
