//! Conversations.

use plexus_domain::{Address, ChatId, MessageId, Timestamp};

use super::{Form, agents::AgentRow, message::Article};

/// `/chat?to=@owner/name&text=`: nothing said yet. Posted to `/chat` with `id`, `to`, `text`.
#[derive(Clone, Debug)]
pub struct NewChatPage {
    pub sidebar: Sidebar,
    /// The agent that will be asked; none shows a choice.
    pub to: Option<AgentChoice>,
    /// Agents to choose from: those that the viewer starred, the newest first, …
    pub starred: Vec<AgentRow>,
    /// … then the hub's own.
    pub agents: Vec<AgentRow>,
    /// The id of the message to be, so that sending twice is harmless.
    pub next_id: MessageId,
    pub form: Form,
}

/// An agent about to be talked to.
#[derive(Clone, Debug)]
pub struct AgentChoice {
    pub seed: String,
    pub name: String,
    pub address: Address,
    pub summary: String,
    pub starters: Vec<String>,
    /// Why it would not answer this viewer, in words.
    pub obstacle: Option<String>,
}

/// `/chat/{id}?m={leaf}`. Posted to `/chat/{id}` with `id`, `parent`, `text`; and to `…/stop` (`run`), `…/retry`
/// (`message`), `…/rename` (`title`), `…/delete`, `…/approve` (`approval`, `decision` = `yes` or `no`).
#[derive(Clone, Debug)]
pub struct ThreadPage {
    pub sidebar: Sidebar,
    pub chat: ChatId,
    pub title: String,
    /// Oldest first.
    pub messages: Vec<Article>,
    /// What the next message answers.
    pub leaf: Option<MessageId>,
    /// The chat's sequence number that the page shows: the stream goes on after it.
    pub seq: i64,
    /// Address of the page with older messages.
    pub older: Option<String>,
    /// Who answers a message without a mention.
    pub to: Option<AgentChoice>,
    /// The `id` of the composer's form.
    pub next_id: MessageId,
    /// Why nothing can be sent here, in words.
    pub read_only: Option<String>,
    pub form: Form,
}

#[derive(Clone, Debug, Default)]
pub struct Sidebar {
    /// The newest first.
    pub chats: Vec<ChatItem>,
    /// Address of the page with older chats.
    pub older: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatItem {
    pub id: ChatId,
    pub title: String,
    pub at: Timestamp,
    /// Somebody is answering in it.
    pub running: bool,
}

/// `/chat/{id}/rename` and `/chat/{id}/delete` as pages, for browsers without JavaScript.
#[derive(Clone, Debug)]
pub struct ChatDialogPage {
    pub chat: ChatId,
    pub title: String,
    pub action: ChatAction,
    pub form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatAction {
    Rename,
    Delete,
}
