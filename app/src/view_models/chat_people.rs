//! View models of the people of a chat and of invitations.

use plexus_domain::{
    Address, ChatId, ChatInvitationId, Timestamp,
    chat::{DailyLimit, RoomRole},
};

use super::Form;

/// People of a chat at `/chat/{id}/people`.
///
/// Posts `action` to it: `invite` (`user`, `role`, `days`), `link` (`role`, `days`), `revoke` (`invitation`), `role`
/// (`user`, `role`), `remove` (`user`), `leave`, and `limit` (`agent`, `amount`, `unit`).
#[derive(Clone, Debug)]
pub struct ChatPeoplePage {
    pub chat: ChatId,
    pub title: String,
    /// Name of the viewer.
    pub viewer: String,
    /// Role of the viewer. Only the owner sees the forms and the invitations.
    pub role: RoomRole,
    /// In the order in which they joined.
    pub people: Vec<ChatPersonRow>,
    /// Agents of the chat, in the order in which they joined.
    pub agents: Vec<ChatAgentRow>,
    /// Newest first.
    pub invitations: Vec<SentInvitationRow>,
    /// Link that was just created; the hub cannot show it again.
    pub created: Option<String>,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct ChatPersonRow {
    pub name: String,
    pub role: RoomRole,
    pub joined: Timestamp,
}

#[derive(Clone, Debug)]
pub struct ChatAgentRow {
    pub address: Address,
    pub name: String,
    pub limit: Option<DailyLimit>,
    /// Answers and tokens of the current UTC day.
    pub answers: u64,
    pub tokens: u64,
}

#[derive(Clone, Debug)]
pub struct SentInvitationRow {
    pub id: ChatInvitationId,
    /// Name of the invited user; `None` for a link.
    pub user: Option<String>,
    pub role: RoomRole,
    pub expires: Timestamp,
}

/// Invitations of the viewer at `/chat/invitations`.
///
/// Posts `invitation` and `answer` = `accept` or `decline`.
#[derive(Clone, Debug)]
pub struct ReceivedInvitationsPage {
    /// Newest first.
    pub invitations: Vec<ReceivedInvitationRow>,
}

#[derive(Clone, Debug)]
pub struct ReceivedInvitationRow {
    pub id: ChatInvitationId,
    /// Title of the chat.
    pub title: String,
    pub role: RoomRole,
    pub invited_by: String,
    pub expires: Timestamp,
}

/// Invite link at `/join/{token}`. Posts to it.
#[derive(Clone, Debug)]
pub struct JoinChatPage {
    pub token: String,
    /// Title of the chat.
    pub title: String,
    pub role: RoomRole,
    pub invited_by: String,
    pub form: Form,
}
