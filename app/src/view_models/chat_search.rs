//! View models of the search over chats.

use plexus_domain::Timestamp;

use super::chat::{ChatItem, Sidebar};

/// Search over the viewer's chats at `/chat/search?q=&after=`.
#[derive(Clone, Debug)]
pub struct ChatSearchPage {
    pub sidebar: Sidebar,
    /// Words of the search; empty before the first one.
    pub words: String,
    /// Chats that are found by their titles.
    pub chats: Vec<ChatItem>,
    /// Newest first.
    pub messages: Vec<FoundMessage>,
    /// URL of the page with older messages.
    pub older: Option<String>,
    /// Why the search was refused, as text.
    pub error: Option<String>,
}

/// Message that has all words of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundMessage {
    /// URL of the message in its chat, on its branch.
    pub href: String,
    /// Title of the chat.
    pub title: String,
    /// Seed of the identicon of the chat's agent.
    pub seed: String,
    /// Author, such as "Calculator" or "You, to Calculator".
    pub author: String,
    pub at: Timestamp,
    /// Pieces of the text; true for those that match.
    pub snippet: Vec<(String, bool)>,
}
