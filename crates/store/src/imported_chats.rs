//! Imported chats: which conversations of other services an account has imported already.

use plexus_domain::{ChatId, PrincipalId};
use sqlx::{query, query_scalar};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::clean,
};

/// Identity of a conversation at the service from which it was imported.
#[derive(Clone, Copy, Debug)]
pub struct ImportSource<'a> {
    /// Principal of the account that imported it.
    pub owner: PrincipalId,
    /// Format of the export.
    pub format: &'a str,
    pub conversation: &'a str,
}

/// Records an import. Returns false and writes nothing if the conversation was imported before.
pub async fn insert(tx: &mut Tx, source: ImportSource<'_>, chat: ChatId) -> Result<bool> {
    let text = "insert into imported_chats (owner, source, source_id, chat) values ($1, $2, $3, $4) \
                on conflict do nothing";
    let inserted = execute!(
        tx,
        query(text)
            .bind(source.owner.uuid())
            .bind(source.format)
            .bind(clean(source.conversation))
            .bind(chat.uuid())
    )?;
    Ok(inserted > 0)
}

/// Returns the chat that a conversation was imported to, unless the chat was deleted.
pub async fn find(conn: &mut Conn, source: ImportSource<'_>) -> Result<Option<ChatId>> {
    let text = "select chat from imported_chats where owner = $1 and source = $2 and source_id = $3";
    let found: Option<uuid::Uuid> = on!(conn, c => query_scalar(text)
        .bind(source.owner.uuid())
        .bind(source.format)
        .bind(clean(source.conversation))
        .fetch_optional(c))?;
    Ok(found.map(ChatId::from_uuid))
}
