//! Parts: the typed pieces of messages.

use std::collections::HashMap;

use plexus_domain::{ChatId, Digest, MessageId, Part, PartBody, PrincipalId};
use sqlx::{QueryBuilder, query, query_as};

use crate::{
    Conn, Result, Tx,
    batch::StatementBatch,
    conn::{execute, on, rows},
    sql_in_list,
    sql_types::{SqlType, clean, record},
};

record! {
    /// Columns from which a part is read.
    struct Row {
        message: MessageId,
        artifact: Option<String>,
        body: PartBody,
        media_type: Option<String>,
        name: Option<String>,
        meta: String,
    }
}

impl From<Row> for Part {
    fn from(row: Row) -> Self {
        let metadata = Some(row.meta).filter(|meta| meta != NO_METADATA);
        let metadata = metadata.and_then(|meta| serde_json::from_str(&meta).ok());
        let (content, media_type) = (row.body, row.media_type);
        Self { content, artifact: row.artifact, name: row.name, media_type, metadata }
    }
}

const COLUMNS: usize = 9;
/// The column `meta` of a part without metadata.
const NO_METADATA: &str = "{}";
/// Maximum rows per insert statement.
const CHUNK: usize = 32;

/// Adds the parts of a message that has none yet. Returns their size in bytes, including the files that they
/// show.
pub(crate) fn add(batch: &mut StatementBatch, message: MessageId, parts: &[Part]) -> i64 {
    let mut bytes: i64 = 0;
    for (from, chunk) in (0_i64..).step_by(CHUNK).zip(parts.chunks(CHUNK)) {
        let columns =
            "insert into parts (message, idx, kind, artifact, body, blob, media_type, name, meta) values ";
        batch.add(&format!("{columns}{}", rows(chunk.len(), COLUMNS)));
        for (idx, part) in (from..).zip(chunk) {
            let body = part.content.to_column();
            let meta = meta(part);
            bytes = bytes.saturating_add(size(&part.content, &body, &meta));
            batch
                .bind(message.uuid())
                .bind(idx)
                .bind(kind(&part.content))
                .bind(part.artifact.as_deref().map(clean))
                .bind(body)
                .bind(blob(&part.content))
                .bind(part.media_type.as_deref().map(clean))
                .bind(part.name.as_deref().map(clean))
                .bind(meta);
        }
    }
    bytes
}

/// Returns the metadata of a part as JSON.
fn meta(part: &Part) -> String {
    let text = part.metadata.as_ref().and_then(|metadata| serde_json::to_string(metadata).ok());
    text.unwrap_or_else(|| NO_METADATA.to_owned())
}

/// Returns the size of a part in bytes, as counted against quotas. Counts no metadata as nothing.
fn size(content: &PartBody, body: &str, meta: &str) -> i64 {
    let file = match content {
        PartBody::File { size, .. } => *size,
        _ => 0,
    };
    let meta = if meta == NO_METADATA { 0 } else { meta.len() as u64 };
    i64::try_from(file.saturating_add(body.len() as u64).saturating_add(meta)).unwrap_or(i64::MAX)
}

/// Returns author and parts of the messages in `wanted` that have any parts, in the same order.
pub async fn list_parts_of_run(
    conn: &mut Conn,
    wanted: &[(MessageId, PrincipalId)],
) -> Result<Vec<(PrincipalId, Vec<Part>)>> {
    let ids: Vec<MessageId> = wanted.iter().map(|(id, _)| *id).collect();
    let mut parts = by_message(conn, &ids).await?;
    Ok(wanted.iter().filter_map(|(id, author)| Some((*author, parts.remove(id)?))).collect())
}

/// Returns the parts of each of these messages, in order.
pub async fn by_message(conn: &mut Conn, wanted: &[MessageId]) -> Result<HashMap<MessageId, Vec<Part>>> {
    let uuids: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut found: HashMap<_, Vec<Part>> = HashMap::with_capacity(wanted.len());
    for chunk in uuids.chunks(sql_in_list::CHUNK) {
        let rows: Vec<Row> = on!(conn, c => {
            let mut query =
                QueryBuilder::new("select message, artifact, body, media_type, name, meta from parts where message in ");
            sql_in_list::push_list(&mut query, chunk);
            query.push(" order by message, idx");
            async move { query.build_query_as().fetch_all(c).await }
        })?;
        for row in rows {
            found.entry(row.message).or_default().push(row.into());
        }
    }
    Ok(found)
}

record! {
    struct MessageSize {
        message: MessageId,
        bytes: i64,
    }
}

/// Returns the size of the parts of each message of a chat in bytes, without the files that they show.
pub async fn sizes_in_chat(conn: &mut Conn, chat: ChatId) -> Result<HashMap<MessageId, u64>> {
    let text = "select parts.message, \
                cast(sum(octet_length(parts.body) + octet_length(parts.meta)) as bigint) as bytes from parts \
                join messages on messages.id = parts.message where messages.chat = $1 group by parts.message";
    let rows: Vec<MessageSize> = on!(conn, c => query_as(text).bind(chat.uuid()).fetch_all(c))?;
    Ok(rows.into_iter().map(|row| (row.message, u64::try_from(row.bytes).unwrap_or_default())).collect())
}

record! {
    /// Media type and name that a part gives to its blob.
    pub struct BlobPart {
        pub media_type: Option<String>,
        pub name: Option<String>,
    }
}

/// Returns media type and name of a blob, from the newest part that shows it in a chat of this principal.
pub async fn with_blob(conn: &mut Conn, blob: &Digest, principal: PrincipalId) -> Result<Option<BlobPart>> {
    let text = "select parts.media_type, parts.name from parts \
                join messages on messages.id = parts.message \
                join chat_members on chat_members.chat = messages.chat \
                where parts.blob = $1 and chat_members.principal = $2 and chat_members.left_at is null \
                order by parts.message desc, parts.idx limit 1";
    on!(conn, c => query_as(text).bind(blob.to_column()).bind(principal.uuid()).fetch_optional(c))
}

/// Returns the size of the parts of a message in bytes, as [`add`] counts it.
pub(crate) async fn sum(tx: &mut Tx, message: MessageId) -> Result<i64> {
    let parts = by_message(tx, &[message]).await?.remove(&message).unwrap_or_default();
    let sizes = parts.iter().map(|part| size(&part.content, &part.content.to_column(), &meta(part)));
    Ok(sizes.fold(0, i64::saturating_add))
}

pub(crate) async fn delete(tx: &mut Tx, message: MessageId) -> Result<u64> {
    execute!(tx, query("delete from parts where message = $1").bind(message.uuid()))
}

const fn kind(content: &PartBody) -> &'static str {
    match content {
        PartBody::Text { .. } => "text",
        PartBody::Data { .. } => "data",
        PartBody::File { .. } => "file",
        PartBody::Link { .. } => "link",
        PartBody::Tool(_) => "tool",
        PartBody::Reasoning { .. } => "reasoning",
        // The constraint of the column has no word for questions. SQLite cannot change it without a copy of the table,
        // and readers take the kind from the body.
        PartBody::Approval { .. } | PartBody::Question { .. } => "approval",
    }
}

fn blob(content: &PartBody) -> Option<Vec<u8>> {
    match content {
        PartBody::File { blob, .. } => Some(blob.to_column()),
        _ => None,
    }
}
