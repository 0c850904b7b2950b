use std::collections::HashMap;

use leptos::prelude::*;
use plexus_domain::{ChatId, MessageId, chat::RoomRole};

use super::{
    people::limit_text,
    sidebar::{opener, sidebar},
    temporary,
};
use crate::{
    components::{
        article::MessageArticle,
        button::{ActionForm, Kind},
        composer::Composer,
        context::assets,
        format::{cost, count_tokens, duration},
        icon::Icon,
        menu::Menu,
        notice::Note,
    },
    islands::chat_room::{ChatRoom, RoomTexts},
    locales,
    pages::{Layout, Page, PageMeta},
    text,
    view_models::{
        chat::{ChatScope, ExhaustedAgent, NewerLinks, RoomHeader, ThreadPage, ThreadUsage},
        message::Article,
    },
};

impl Page for ThreadPage {
    fn head(&self) -> PageMeta {
        let waits = self.sidebar.chats.iter().any(|chat| chat.id == self.chat && chat.waiting);
        let title = shown_title(self);
        let title = if waits { text!("room-waiting-title") + &title } else { title };
        PageMeta { layout: Layout::Full, islands: true, ..PageMeta::private(title) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let title = shown_title(&self);
        let composer = Composer {
            action: format!("/chat/{}", self.chat),
            id: self.next_id,
            parent: self.current_message,
            to: self.to.as_ref(),
            edits: self.edits,
            is_temporary: false,
            attachments: &self.attachments,
            form: &self.form,
        };
        let composer = match self.read_only {
            Some(why) => view! { <Note>{locales::translated(why)}</Note> }.into_any(),
            None => view! { {exhausted(self.exhausted)} {composer.view()} }.into_any(),
        };
        let older =
            self.older.map(|href| view! { <p class="older"><a href=href>{text!("messages-older")}</a></p> });
        let newer = self.newer.map(newer);
        let columns = columns(&self.messages);
        let class = if columns.iter().any(|&count| count > 1) { "thread compares" } else { "thread" };
        let articles = self.messages.into_iter().zip(columns);
        let articles =
            articles.map(|(article, columns)| view! { <MessageArticle article columns /> }).collect_view();
        let is_owner = self.room.as_ref().is_none_or(|room| room.role == RoomRole::Owner);
        let is_temporary = self.temporary_hours.is_some();
        let links = MenuLinks { is_owner, is_pinned: self.pinned, is_archived: self.archived, is_temporary };
        let menu = more(self.chat, self.current_message, links, self.usage);
        let people = self.room.as_ref().map(|room| people(self.chat, room));
        let viewer = self.room.as_ref().map(|room| room.viewer.clone());
        let viewer_id = self.room.as_ref().map(|room| room.viewer_id.to_string());
        let role = self.room.as_ref().map(|room| room.role.as_str());
        let typing = self.room.as_ref().map(|_| view! { <p class="typing" id="room-typing"></p> });
        let temporary = self.temporary_hours.map(|hours| temporary::note(self.chat, hours));
        let folder = self.folder.map(|name| {
            let href = ChatScope::Folder(name.clone()).href();
            view! { <a class="in-folder" href=href dir="auto">{name}</a> }
        });
        let (chat, worker) = (self.chat.to_string(), assets().events_js.clone());
        view! {
            <div class="chat">
                {sidebar(self.sidebar, Some(self.chat))}
                <div class="room">
                    <div class="room-head">{opener()}{folder}<h1 id="chat-title" dir="auto">{title}</h1>{people}{menu}</div>
                    <div class=class id="thread" role="log" aria-live="off" aria-labelledby="chat-title" tabindex="0"
                        data-viewer=viewer data-viewer-id=viewer_id data-role=role>
                        {older}{articles}{newer}
                    </div>
                    <div class="dock"><ChatRoom chat=Some(chat) seq=self.seq worker texts=RoomTexts::of_page() />{typing}{temporary}{composer}</div>
                </div>
            </div>
        }
        .into_any()
    }
}

/// Returns the number of answers side by side for each message: answers to one message are shown together only then.
fn columns(messages: &[Article]) -> Vec<usize> {
    let mut counts: HashMap<Option<MessageId>, usize> = HashMap::new();
    for answer in messages.iter().filter(|message| message.author.is_assistant()) {
        *counts.entry(answer.parent).or_default() += 1;
    }
    messages
        .iter()
        .map(|message| if message.author.is_assistant() { counts[&message.parent] } else { 1 })
        .collect()
}

/// Returns the title, in the language of the page if the chat is temporary: then it has none of its own.
fn shown_title(page: &ThreadPage) -> String {
    if page.temporary_hours.is_some() { text!("temporary-chat") } else { page.title.clone() }
}

/// Renders the end of a page of older messages.
fn newer(links: NewerLinks) -> AnyView {
    let next = links.next.map(|href| view! { <a href=href>{text!("messages-newer")}</a> });
    view! {
        <p class="newer" id="newer">{text!("messages-newer-below")} {next} <a href=links.newest>{text!("messages-newest")}</a></p>
    }
    .into_any()
}

/// Renders tokens, cost and time of all answers, as far as they are known.
fn measures(usage: ThreadUsage) -> Option<AnyView> {
    let words: Vec<String> = [
        (usage.tokens > 0).then(|| count_tokens(usage.tokens)),
        (usage.cost_micro > 0).then(|| cost(usage.cost_micro)),
        (usage.took_ms > 0).then(|| duration(usage.took_ms)),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!words.is_empty()).then(|| {
        let values = words.join(&text!("list-separator"));
        view! { <p class="measures">{text!("answers-total", values = values)}</p> }.into_any()
    })
}

/// Names that the header shows.
const SHOWN_PEOPLE: usize = 3;

/// Renders the names of the people of a room, as a link to the page about them.
fn people(chat: ChatId, room: &RoomHeader) -> AnyView {
    let count = room.people.len();
    let shown =
        room.people.iter().take(SHOWN_PEOPLE).cloned().collect::<Vec<_>>().join(&text!("list-separator"));
    let more = (count > SHOWN_PEOPLE)
        .then(|| format!(" {}", text!("chat-people-more", count = count - SHOWN_PEOPLE)));
    let href = format!("/chat/{chat}/people");
    view! {
        <a class="button quiet people" href=href>{Icon::People.view()} <span class="hidden">{text!("chat-people-label")}" "</span><bdi>{shown}</bdi>{more}</a>
        // The island fills it.
        <span class="here" id="room-here" hidden=true></span>
    }
    .into_any()
}

/// Renders a line for each agent that answers no more today.
fn exhausted(agents: Vec<ExhaustedAgent>) -> AnyView {
    let line = |agent: ExhaustedAgent| {
        let (address, limit) = (agent.address.to_string(), limit_text(agent.limit));
        view! { <p class="exhausted">{text!("room-limit-reached", agent = address, limit = limit)}</p> }
    };
    agents.into_iter().map(line).collect_view().into_any()
}

/// What the menu of a chat offers.
#[derive(Clone, Copy)]
struct MenuLinks {
    is_owner: bool,
    is_pinned: bool,
    is_archived: bool,
    is_temporary: bool,
}

fn more(chat: ChatId, leaf: Option<MessageId>, links: MenuLinks, usage: ThreadUsage) -> AnyView {
    let MenuLinks { is_owner, is_pinned, is_archived, is_temporary } = links;
    let at = leaf.map(|leaf| format!("?m={leaf}")).unwrap_or_default();
    let (pin, to_pin) = if is_pinned { (text!("chat-unpin"), "no") } else { (text!("chat-pin"), "yes") };
    let (archive, to_archive) =
        if is_archived { (text!("chat-restore"), "no") } else { (text!("chat-archive"), "yes") };
    let (pin_fields, archive_fields) =
        (vec![("pinned", to_pin.to_owned())], vec![("archived", to_archive.to_owned())]);
    let summary = view! { <span class=Kind::Quiet.class()>{Icon::More.view()}</span> }.into_any();
    // A temporary chat is in no list, and has one user.
    let listed = (!is_temporary).then(|| {
        view! {
            <li><a href=format!("/chat/{chat}/people")>{text!("chat-people")}</a></li>
            {is_owner.then(|| view! { <li><a href=format!("/chat/{chat}/rename")>{text!("chat-rename")}</a></li> })}
            <li><ActionForm action=format!("/chat/{chat}/pin") label=pin fields=pin_fields /></li>
            <li><a href=format!("/chat/{chat}/folder")>{text!("chat-to-folder")}</a></li>
            {is_owner.then(|| view! {
                <li><ActionForm action=format!("/chat/{chat}/archive") label=archive fields=archive_fields /></li>
                <li><a href=format!("/chat/{chat}/share{at}")>{text!("chat-share")}</a></li>
            })}
        }
    });
    view! {
        <Menu summary label=text!("chat-menu")>
            <ul role="list">
                {listed}
                <li><a href=format!("/chat/{chat}/print{at}")>{text!("chat-print")}</a></li>
                <li><a href=format!("/chat/{chat}/export?format=markdown") download="">{text!("chat-export-markdown")}</a></li>
                <li><a href=format!("/chat/{chat}/export?format=json") download="">{text!("chat-export-json")}</a></li>
                {is_owner.then(|| view! { <li><a href=format!("/chat/{chat}/delete")>{text!("delete")}</a></li> })}
            </ul>
            {measures(usage)}
        </Menu>
    }
    .into_any()
}
