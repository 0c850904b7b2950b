//! Chats: sends messages, subscribes to events, lists and manages chats.

mod agent_limits;
mod agent_members;
mod another_answer;
mod change_set;
mod compare;
mod delete_message;
mod deletion;
mod export;
mod feedback;
mod fork;
mod hand_over;
mod import;
mod invitations;
mod manage;
mod mentions;
mod message_index;
mod message_parts;
mod model_title;
mod people;
pub(crate) mod post_message;
mod queries;
mod quoted_phrase;
mod read_position;
mod retention;
mod retry;
mod search;
mod send;
mod share_links;
mod shared_chat;
mod snippet;
mod subscribe;
mod subscribe_many;
mod suggested_agents;
mod temporary;
mod typing;
mod usage;

pub use agent_limits::{ChatAgent, list_agents, list_exhausted_agents, set_agent_limit};
pub(crate) use agent_members::agent_members;
pub(crate) use change_set::{ChatChangeSet, frames};
pub use compare::{MAX_COMPARED, compare, continue_with};
pub use delete_message::delete_message;
pub(crate) use deletion::erase;
pub use deletion::{DeletionOutcome, RESTORABLE_FOR, delete, delete_permanently, list_deleted, restore};
pub use export::{ChatExport, PrintedChat, export, export_all, export_messages, export_one, printed};
pub use feedback::{
    AgentFeedback, FeedbackWeek, MAX_COMMENT, NewFeedback, OwnFeedback, agent_feedback, give_feedback,
    own_feedback, own_ratings, take_back_feedback,
};
pub use fork::fork;
pub use hand_over::hand_over;
pub(crate) use hand_over::{addresses_in, is_answer, mentioned_agents, mentioned_by};
pub use import::{ImportedChats, import};
pub(crate) use invitations::sweep_expired_invitations;
pub use invitations::{
    CreatedInvitation, DEFAULT_INVITATION_DAYS, InviteLinkPreview, MAX_INVITATION_DAYS, NewChatInvitation,
    ReceivedInvitation, SentInvitation, accept_invitation, decline_invitation, invite, join_by_link,
    list_invitations, preview_invite_link, received_invitations, revoke_invitation,
};
pub(crate) use manage::notify_list_changed;
pub use manage::{ChatPatch, FolderChange, list_folders, update};
pub(crate) use mentions::without_mentions;
pub(crate) use message_index::index_older_messages;
pub(crate) use model_title::request_title;
pub use people::{MAX_PEOPLE, RoomPeople, RoomPerson, leave, list_people, remove_person, set_role};
pub(crate) use people::{check_may_post, check_owner, leave_all_rooms, notify_members};
pub use plexus_chat_import::{
    MAX_FILE_BYTES as MAX_IMPORT_BYTES, MAX_MESSAGES as MAX_IMPORT_MESSAGES,
    MAX_TEXT_BYTES as MAX_IMPORT_TEXT_BYTES, Omission,
};
pub use plexus_store::{
    chat_share_links::ChatShareLink,
    chats::{ChatFilter, ChatFolder, DeletedChat, ItemCursor},
};
pub use queries::{
    ChatItem, ChatPage, ChatRecipient, chat_of, folder, list, message, open, own_text, partner, title,
};
pub use read_position::mark_read;
pub(crate) use retention::sweep_expired;
pub use retry::retry;
pub use search::{ChatSearchResults, FoundChat, FoundMessage, search};
pub use send::{ChatStart, MessagePosition, NewMessage, Sent, send, start};
pub use share_links::{
    DEFAULT_SHARE_DAYS, MAX_SHARE_DAYS, MAX_SHARE_LINKS, NewShareLink, create_share_link, list_share_links,
    revoke_share_link,
};
pub(crate) use share_links::{seal_share_links, sweep_expired_share_links};
pub use shared_chat::{SharedChat, SharedMessage, continue_shared, shared, shared_file};
pub use snippet::SnippetPiece;
pub use subscribe::{ChatSubscription, subscribe};
pub use subscribe_many::{ChatUpdate, MAX_CHATS, MultiChatSubscription, subscribe_many};
pub use suggested_agents::{SuggestedAgents, suggested};
pub use temporary::{ChatExpiry, expiry};
pub(crate) use typing::publish_typing;
pub use typing::report_typing;
pub use usage::usage;

use plexus_domain::{ChatId, Error as Refusal};
use plexus_store::{Conn, members, members::Member};

use crate::{Result, caller::Person};

/// Returns the caller's membership. A chat of other users is reported as missing.
pub(crate) async fn membership(conn: &mut Conn, person: &Person, chat: ChatId) -> Result<Member> {
    let gone = || Refusal::not_found("Chat not found.");
    membership_or(conn, person, chat, gone).await
}

/// Returns the caller's membership; `gone` names the object in the chat that is reported as missing.
pub(crate) async fn membership_or(
    conn: &mut Conn,
    person: &Person,
    chat: ChatId,
    gone: impl FnOnce() -> Refusal,
) -> Result<Member> {
    let member = members::find(conn, chat, person.principal).await?;
    member.filter(|member| member.left_at.is_none()).ok_or_else(|| gone().into())
}
