//! View models of the chat pages.

use plexus_domain::{
    Address, ChatId, ImageSize, MessageId, PrincipalId, Timestamp, UploadId,
    chat::{DailyLimit, RoomRole},
};

use super::{Form, agent_query::percent_encode, agents::AgentRow, message::Article};

/// New chat at `/chat?to=@owner/name&text=&temporary=`, or at `/chat?q=` a choice of the agents that are found. Posts to
/// `/chat` with `id`, `to`, `text`, `temporary`, and with `file`, `upload` and `remove` for files.
#[derive(Clone, Debug)]
pub struct NewChatPage {
    pub sidebar: Sidebar,
    /// Agent that will answer; `None` shows a list to choose from.
    pub to: Option<AgentChoice>,
    /// Agents to choose from.
    pub choice: AgentChoices,
    pub temporary: TemporaryOffer,
    /// Id of the next message, assigned here so that sending it again is idempotent.
    pub next_id: MessageId,
    pub attachments: Attachments,
    pub form: Form,
}

/// Whether a new chat is temporary.
#[derive(Clone, Copy, Debug)]
pub struct TemporaryOffer {
    pub is_chosen: bool,
    /// Hours after its last message at which a temporary chat is deleted.
    pub hours: u64,
}

/// Agents to choose from for a new chat.
#[derive(Clone, Debug)]
pub enum AgentChoices {
    /// Each agent is in one list only.
    Suggested {
        /// The viewer's own, newest first.
        own: Vec<AgentRow>,
        /// Latest use first.
        recent: Vec<AgentRow>,
        /// Newest star first.
        starred: Vec<AgentRow>,
        /// The hub's others.
        hub: Vec<AgentRow>,
    },
    /// Agents that were found for these words.
    Found { words: String, agents: Vec<AgentRow> },
}

/// Agent chosen for a new message.
#[derive(Clone, Debug)]
pub struct AgentChoice {
    pub seed: String,
    pub name: String,
    pub address: Address,
    pub summary: String,
    pub starters: Vec<String>,
    /// Why it would not answer this viewer, as text.
    pub obstacle: Option<String>,
    /// Media types of the files that it reads; `None` if it reads every type.
    pub accepts: Option<Vec<String>>,
}

/// File that the viewer added to the next message. The composer posts its id as `upload`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    pub id: UploadId,
    pub name: String,
    pub media_type: String,
    pub size: u64,
    pub href: String,
    pub image: Option<ImageSize>,
}

/// Files of the next message, and their limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachments {
    pub files: Vec<Attachment>,
    pub max_files: usize,
    /// Limit for the sum of all files.
    pub max_bytes: u64,
}

/// Chat at `/chat/{id}?m={message}`.
///
/// Posts to `/chat/{id}` with `id`, `parent`, `text`, `fork`, `edits`, `file`, `upload`, `remove`; and to `…/stop` (`run`), `…/retry`
/// and `…/hand-over` (`message`, `to`), `…/compare` (`message`, `to`), `…/continue`, `…/fork` and `…/delete-message` (`message`), `…/rename` (`title`), `…/delete`, `…/approve`
/// (`approval`, `decision` = `yes` or `no`), `…/pin` (`pinned`) and `…/archive` (`archived`), both `yes` or `no`, `…/folder` (`folder`) and `…/keep`.
#[derive(Clone, Debug)]
pub struct ThreadPage {
    pub sidebar: Sidebar,
    pub chat: ChatId,
    pub title: String,
    pub pinned: bool,
    pub archived: bool,
    /// The viewer's folder of the chat.
    pub folder: Option<String>,
    pub usage: ThreadUsage,
    /// Oldest first.
    pub messages: Vec<Article>,
    /// Parent of the next message.
    pub current_message: Option<MessageId>,
    /// Sequence number of the chat that the page shows; the event stream resumes after it.
    pub seq: i64,
    /// URL of the page with older messages.
    pub older: Option<String>,
    /// Links to newer messages; `None` on the page that ends with the newest.
    pub newer: Option<NewerLinks>,
    /// Hours after its last message at which the chat is deleted, if it is temporary.
    pub temporary_hours: Option<u64>,
    /// People of the chat, if it has several.
    pub room: Option<RoomHeader>,
    /// Agent that answers a message without a mention.
    pub to: Option<AgentChoice>,
    /// Id of the next message: the field `id` of the composer.
    pub next_id: MessageId,
    /// Agents whose limit of the day in this chat is reached.
    pub exhausted: Vec<ExhaustedAgent>,
    /// Why the chat is read-only, as text.
    pub read_only: Option<String>,
    /// Message of the viewer that the composer edits; its text is in the form.
    pub edits: Option<MessageId>,
    pub attachments: Attachments,
    pub form: Form,
}

/// The people of a chat, as the page of the chat shows them.
#[derive(Clone, Debug)]
pub struct RoomHeader {
    /// Name of the viewer.
    pub viewer: String,
    pub viewer_id: PrincipalId,
    pub role: RoomRole,
    /// Names, in the order in which they joined.
    pub people: Vec<String>,
}

/// An agent whose limit of the day in a chat is reached.
#[derive(Clone, Debug)]
pub struct ExhaustedAgent {
    pub address: Address,
    pub limit: DailyLimit,
}

/// Sums over the answers of a chat.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadUsage {
    pub tokens: u64,
    pub cost_micro: u64,
    pub took_ms: u64,
}

/// Links of a page of older messages.
#[derive(Clone, Debug)]
pub struct NewerLinks {
    /// URL of the next page, unless that is the newest.
    pub next: Option<String>,
    /// URL of the page with the newest messages.
    pub newest: String,
}

#[derive(Clone, Debug, Default)]
pub struct Sidebar {
    /// Pinned ones first, each newest first.
    pub chats: Vec<ChatItem>,
    /// By name.
    pub folders: Vec<FolderItem>,
    /// Number of invitations to chats that wait for the viewer.
    pub invitations: usize,
}

/// A folder of chats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderItem {
    pub name: String,
    /// Number of chats in it that are not archived.
    pub chats: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatItem {
    pub id: ChatId,
    pub title: String,
    pub at: Timestamp,
    /// True while an agent is answering in it.
    pub running: bool,
    /// True while an approval request or a question waits for the viewer.
    pub waiting: bool,
    pub pinned: bool,
    /// The viewer's folder of the chat.
    pub folder: Option<String>,
    /// True if the chat has several people.
    pub is_room: bool,
    /// True if a room has messages of others that the viewer has not read.
    pub is_unread: bool,
}

/// Which chats a page lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatScope {
    All,
    Archived,
    Folder(String),
}

impl ChatScope {
    /// Returns the URL of the page with this list.
    pub fn href(&self) -> String {
        match self {
            Self::All => "/chat/all".to_owned(),
            Self::Archived => "/chat/archived".to_owned(),
            Self::Folder(name) => {
                let mut href = "/chat/folder?name=".to_owned();
                percent_encode(name, &mut href);
                href
            }
        }
    }
}

/// List of chats at `/chat/all`, `/chat/archived` and `/chat/folder?name=`, each with `after=`.
///
/// Posts to `/chat/list` with `chat` (repeated), `action` (`move`, `archive`, `restore` or `delete`), `folder`, and
/// `back`, the URL of the list.
#[derive(Clone, Debug)]
pub struct ChatListPage {
    pub sidebar: Sidebar,
    pub scope: ChatScope,
    /// Pinned ones first, each newest first.
    pub chats: Vec<ChatItem>,
    /// URL of the page with older chats.
    pub older: Option<String>,
}

/// Deleted chats at `/chat/deleted`.
///
/// Posts to `/chat/{id}/undelete`, and to `/chat/{id}/delete` with `permanent` = `yes`.
#[derive(Clone, Debug)]
pub struct DeletedChatsPage {
    pub sidebar: Sidebar,
    /// Latest deleted first.
    pub chats: Vec<DeletedChatItem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletedChatItem {
    pub id: ChatId,
    pub title: String,
    /// When it is deleted permanently.
    pub until: Timestamp,
}

/// Form at `/chat/{id}/folder`. Posts `folder`; an empty one is no folder.
#[derive(Clone, Debug)]
pub struct MoveChatPage {
    pub chat: ChatId,
    pub title: String,
    pub folder: Option<String>,
    /// Names of the viewer's folders.
    pub folders: Vec<String>,
    pub form: Form,
}

/// Forms at `/chat/{id}/rename`, `/chat/{id}/delete` and `/chat/{id}/delete-message`.
#[derive(Clone, Debug)]
pub struct ChatDialogPage {
    pub chat: ChatId,
    pub title: String,
    pub action: ChatAction,
    /// Whether the chat is temporary: it cannot be restored.
    pub is_temporary: bool,
    pub form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatAction {
    Rename,
    Delete,
    DeleteMessage(MessageId),
}

/// Choice of another agent for an answer at `/chat/{id}/retry?message={message}` and `/chat/{id}/compare?message={message}`.
/// Posts `message` and `to`.
#[derive(Clone, Debug)]
pub struct RetryPage {
    pub chat: ChatId,
    pub title: String,
    /// The answer that gets an alternative.
    pub message: MessageId,
    pub agents: Vec<AgentRow>,
    /// Whether both answers are shown side by side.
    pub is_comparison: bool,
    pub form: Form,
}
