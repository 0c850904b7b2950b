//! View models of share links and of chats that are only read.

use plexus_domain::{ChatId, MessageId, Timestamp};

use super::{Form, message::Article};

/// A message that is only read.
#[derive(Clone, Debug)]
pub struct TranscriptMessage {
    pub article: Article,
    /// Label instead of the author: an agent that is not public.
    pub label: Option<String>,
}

/// Shared chat at `/share/{id}`, for readers without an account.
///
/// Posts to `/share/{id}/continue`, which copies it to a chat of the reader.
#[derive(Clone, Debug)]
pub struct SharedChatPage {
    pub id: String,
    pub title: String,
    /// Name of the account that shared it.
    pub owner: String,
    pub shared_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    /// Oldest first.
    pub messages: Vec<TranscriptMessage>,
    /// Number of this page, from 1.
    pub page: usize,
    pub pages: usize,
    /// Beginning of its first message, for previews of the link.
    pub preview: String,
    pub is_signed_in: bool,
}

/// Print view of a chat at `/chat/{id}/print`.
#[derive(Clone, Debug)]
pub struct PrintPage {
    pub chat: ChatId,
    pub title: String,
    pub messages: Vec<TranscriptMessage>,
    /// Number of earlier messages that are left out.
    pub omitted: usize,
}

/// Share links of one chat at `/chat/{id}/share?m={message}`.
///
/// Posts `message` and `days` (`0` = never expires) to it, and `id` to `/settings/shares/revoke`.
#[derive(Clone, Debug)]
pub struct ChatSharePage {
    pub chat: ChatId,
    pub title: String,
    /// Message of the branch that is shared.
    pub message: Option<MessageId>,
    pub links: Vec<ShareLinkRow>,
    pub form: Form,
}

/// Share links of the user, and export and import of chats, at `/settings/shares`.
///
/// Posts `id` to `/settings/shares/revoke`, and `file` as multipart to `/settings/chats/import`.
#[derive(Clone, Debug)]
pub struct ShareLinksPage {
    /// Newest first.
    pub links: Vec<ShareLinkRow>,
    /// Result of the import that was just requested.
    pub imported: Option<ChatImportResult>,
    pub form: Form,
}

impl ShareLinksPage {
    pub fn with_import(self, result: ChatImportResult) -> Self {
        Self { imported: Some(result), ..self }
    }

    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }
}

/// Result of an import of chats.
#[derive(Clone, Debug)]
pub struct ChatImportResult {
    /// Service that exported them.
    pub service: String,
    pub imported: u64,
    /// Number of later messages that chats of an earlier import got.
    pub new_messages: u64,
    pub already_there: u64,
    /// Counts with units, such as "3 images".
    pub left_out: Vec<String>,
    /// Why the import ended early.
    pub problem: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ShareLinkRow {
    pub id: String,
    pub chat: ChatId,
    pub title: String,
    pub url: String,
    pub created: Timestamp,
    pub expires: Option<Timestamp>,
}
