//! Chat pages.

pub mod attachments;
pub mod feedback;
pub mod html_stream;
pub mod invitations;
pub mod list;
pub mod manage;
pub mod message_view;
pub mod messages;
pub mod new;
pub mod people;
pub mod print;
pub mod search;
pub mod share;
pub mod thread;

use std::time::Duration;

use plexus_app::view_models::{
    agents::AgentRow,
    chat::{AgentChoice, ChatItem, FolderItem, Sidebar},
};
use plexus_domain::MessageId;
use plexus_hub::{
    Error, Hub,
    caller::Caller,
    chats::{self, ChatFilter},
};

pub async fn sidebar(hub: &Hub, caller: &Caller) -> Result<Sidebar, Error> {
    let (items, _) = chats::list(hub, caller, ChatFilter::Active, None).await?;
    let folders = chats::list_folders(hub, caller).await?.into_iter();
    let invitations = chats::received_invitations(hub, caller).await?.len();
    Ok(Sidebar {
        invitations,
        chats: items.into_iter().map(chat_item).collect(),
        folders: folders.map(|it| FolderItem { name: it.folder, chats: it.chats.unsigned_abs() }).collect(),
    })
}

fn chat_item(item: chats::ChatItem) -> ChatItem {
    ChatItem {
        id: item.id,
        title: item.title,
        at: item.at,
        running: item.running,
        waiting: item.waiting,
        pinned: item.pinned,
        folder: item.folder,
        is_room: item.is_room,
        is_unread: item.is_unread,
    }
}

/// Returns a time in whole hours.
const fn in_hours(time: Duration) -> u64 {
    time.as_secs() / 3_600
}

fn next_id(hub: &Hub) -> MessageId {
    hub.env().id(MessageId::new)
}

fn choice(agent: &chats::ChatRecipient) -> AgentChoice {
    AgentChoice {
        seed: agent.seed.clone(),
        name: agent.name.clone(),
        address: agent.address.clone(),
        summary: agent.summary.clone(),
        starters: agent.starters.clone(),
        obstacle: agent.obstacle.clone(),
        accepts: agent.accepts.clone(),
    }
}

fn row(agent: chats::ChatRecipient) -> AgentRow {
    AgentRow {
        seed: agent.seed,
        name: agent.name,
        address: agent.address,
        summary: agent.summary,
        tags: Vec::new(),
        protocol: String::new(),
        badges: Vec::new(),
        last_answered: None,
    }
}
