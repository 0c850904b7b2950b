//! Messages: the message tree of a chat, and the parts of its messages.

use plexus_domain::{
    ChatId, MessageAttributes, MessageId, Part, PrincipalId, RunId, Timestamp,
    message::{Message, MessageState, TreeNode},
};
use sqlx::{QueryBuilder, query, query_as, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Error, Result, Tx,
    batch::StatementBatch,
    chats,
    conn::{execute, on, rows},
    message_terms, parts, sql_in_list,
    sql_types::{SqlType, clean, record},
};

record! {
    /// A message without its parts.
    pub struct MessageHeader {
        pub id: MessageId,
        pub chat: ChatId,
        pub seq: i64,
        pub parent: Option<MessageId>,
        pub lane: i32,
        pub author: PrincipalId,
        pub run: Option<RunId>,
        pub state: MessageState,
        pub created_at: Timestamp,
    }
}

record! {
    /// A message with its attributes as JSON, without its parts.
    struct MessageRow {
        id: MessageId,
        chat: ChatId,
        seq: i64,
        parent: Option<MessageId>,
        lane: i32,
        author: PrincipalId,
        run: Option<RunId>,
        state: MessageState,
        created_at: Timestamp,
        attributes: Option<String>,
    }
}

impl MessageRow {
    fn into_message(self, parts: Vec<Part>) -> Message {
        let attributes = self.attributes.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let Self { id, chat: _, seq, parent, lane, author, run, state, created_at: created, .. } = self;
        Message { id, seq, parent, lane, author, run, state, created, parts, attributes }
    }
}

impl MessageHeader {
    /// Returns the tree node and the author.
    pub fn by(&self) -> (TreeNode, PrincipalId) {
        (TreeNode::from(self), self.author)
    }
}

impl From<&MessageHeader> for TreeNode {
    fn from(header: &MessageHeader) -> Self {
        Self { id: header.id, parent: header.parent, lane: header.lane, seq: header.seq }
    }
}

/// A message to be inserted. The chat allocates its sequence number.
#[derive(Clone, Debug)]
pub struct NewMessage<'a> {
    pub id: MessageId,
    pub chat: ChatId,
    pub parent: Option<MessageId>,
    pub lane: i32,
    pub author: PrincipalId,
    pub run: Option<RunId>,
    pub state: MessageState,
    pub created_at: Timestamp,
    /// Empty for an open message: its text is in the stream journal.
    pub parts: &'a [Part],
    pub attributes: Option<&'a MessageAttributes>,
}

impl<'a> NewMessage<'a> {
    /// Creates the row of a message that has a sequence number already.
    pub fn of(chat: ChatId, message: &'a Message) -> Self {
        Self {
            id: message.id,
            chat,
            parent: message.parent,
            lane: message.lane,
            author: message.author,
            run: message.run,
            state: message.state,
            created_at: message.created,
            parts: &message.parts,
            attributes: message.attributes.as_deref(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertOutcome {
    New {
        seq: i64,
    },
    /// The same author sent this message to the same chat before; nothing was changed.
    AlreadyThere,
}

/// Fixed size that a message counts against quotas, besides its parts: its row, and the rows of its run and
/// events. The migration `0026_quotas` uses the same number.
pub const ROW_BYTES: i64 = 1_024;
const COLUMNS: usize = 11;
/// Maximum rows per insert statement.
const CHUNK: usize = 32;

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, chat, seq, parent, lane, author, run, state, created_at from messages ", $rest)
    };
}

/// Inserts a message with the next sequence number of its chat; idempotent. It is not indexed for the search.
///
/// Returns a conflict if another author or another chat has used the id, or if the parent is in another chat.
pub async fn insert(tx: &mut Tx, new: &NewMessage<'_>) -> Result<InsertOutcome> {
    // Lock the chat first: concurrent senders wait here, which orders them.
    let seq = chats::next_seq(tx, new.chat).await?;
    if let Some(there) = find(tx, new.id).await? {
        return already_there(new, &there);
    }
    check_parent(tx, new).await?;
    let mut batch = StatementBatch::of(tx);
    let bytes = add(&mut batch, &[(seq, new.clone())]);
    chats::add_message_bytes(&mut batch, new.chat, new.created_at, bytes);
    batch.execute(tx).await?;
    Ok(InsertOutcome::New { seq })
}

/// Adds messages with sequence numbers of their chat, parents before children. Returns their size in bytes.
pub(crate) fn add(batch: &mut StatementBatch, new: &[(i64, NewMessage<'_>)]) -> i64 {
    for chunk in new.chunks(CHUNK) {
        let columns = "insert into messages \
                       (id, chat, seq, parent, lane, author, run, state, created_at, attributes, external_id) values ";
        batch.add(&format!("{columns}{}", rows(chunk.len(), COLUMNS)));
        for (seq, new) in chunk {
            batch
                .bind(new.id.uuid())
                .bind(new.chat.uuid())
                .bind(*seq)
                .bind(new.parent.to_column())
                .bind(new.lane.to_column())
                .bind(new.author.uuid())
                .bind(new.run.to_column())
                .bind(new.state.as_str())
                .bind(new.created_at.millis())
                .bind(new.attributes.map(to_json))
                .bind(new.attributes.and_then(|given| given.id.as_deref()).map(clean));
        }
    }
    let parts = new.iter().map(|(_, new)| parts::add(batch, new.id, new.parts) + size(new.attributes));
    parts.fold(0, |sum: i64, bytes| sum.saturating_add(bytes).saturating_add(ROW_BYTES))
}

fn already_there(new: &NewMessage<'_>, there: &MessageHeader) -> Result<InsertOutcome> {
    if (there.chat, there.author) == (new.chat, new.author) {
        Ok(InsertOutcome::AlreadyThere)
    } else {
        Err(Error::conflict("the id of the message is taken"))
    }
}

async fn check_parent(tx: &mut Tx, new: &NewMessage<'_>) -> Result<()> {
    let Some(parent) = new.parent else { return Ok(()) };
    let chat: Option<Uuid> = on!(tx, c => query_scalar("select chat from messages where id = $1")
        .bind(parent.uuid())
        .fetch_optional(c))?;
    if chat == Some(new.chat.uuid()) {
        Ok(())
    } else {
        Err(Error::conflict("the message that is answered is not in this chat"))
    }
}

pub async fn find(conn: &mut Conn, id: MessageId) -> Result<Option<MessageHeader>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

/// Lists all messages of a chat, in the order in which they were posted.
pub async fn list_by_chat(conn: &mut Conn, chat: ChatId) -> Result<Vec<MessageHeader>> {
    on!(conn, c => query_as(select!("where chat = $1 order by seq")).bind(chat.uuid()).fetch_all(c))
}

/// Lists the messages of a chat that are still being written.
pub async fn list_open(conn: &mut Conn, chat: ChatId) -> Result<Vec<MessageHeader>> {
    let text = select!("where chat = $1 and state = 'open' order by seq");
    on!(conn, c => query_as(text).bind(chat.uuid()).fetch_all(c))
}

/// Lists the messages that a run wrote, and the answers that it received while it waited for input.
pub async fn list_by_run(conn: &mut Conn, run: RunId) -> Result<Vec<MessageHeader>> {
    on!(conn, c => query_as(select!("where run = $1 order by seq")).bind(run.uuid()).fetch_all(c))
}

/// Lists the alternatives at one place of the tree, in the order in which they were posted.
pub async fn list_alternatives(conn: &mut Conn, parent: MessageId, lane: i32) -> Result<Vec<MessageId>> {
    let text = "select id from messages where parent = $1 and lane = $2 order by seq";
    let found: Vec<Uuid> =
        on!(conn, c => query_scalar(text).bind(parent.uuid()).bind(lane.to_column()).fetch_all(c))?;
    Ok(found.into_iter().map(MessageId::from_uuid).collect())
}

/// Lists the children of a message, in the order in which they were posted.
pub async fn list_by_parent(conn: &mut Conn, parent: MessageId) -> Result<Vec<MessageHeader>> {
    on!(conn, c => query_as(select!("where parent = $1 order by seq")).bind(parent.uuid()).fetch_all(c))
}

/// Loads the messages in `wanted` that exist, with their parts, in the order in which they were posted.
pub async fn load(conn: &mut Conn, wanted: &[MessageId]) -> Result<Vec<Message>> {
    let uuids: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut found: Vec<MessageRow> = Vec::with_capacity(uuids.len());
    for chunk in uuids.chunks(sql_in_list::CHUNK) {
        found.extend(on!(conn, c => {
            let columns = "select id, chat, seq, parent, lane, author, run, state, created_at, attributes from messages ";
            let mut query = QueryBuilder::new(columns);
            query.push("where id in ");
            sql_in_list::push_list(&mut query, chunk);
            async move { query.build_query_as().fetch_all(c).await }
        })?);
    }
    let mut parts = parts::by_message(conn, wanted).await?;
    found.sort_by_key(|row| (row.chat, row.seq));
    let message = |row: MessageRow| {
        let parts = parts.remove(&row.id).unwrap_or_default();
        row.into_message(parts)
    };
    Ok(found.into_iter().map(message).collect())
}

/// Lists the messages to which their author gave this id (`MessageAttributes::id`), at most `limit`, newest first.
pub async fn list_by_external_id(
    conn: &mut Conn,
    author: PrincipalId,
    id: &str,
    limit: u32,
) -> Result<Vec<MessageHeader>> {
    let text = select!("where author = $1 and external_id = $2 order by created_at desc, id desc limit $3");
    let id = clean(id);
    on!(conn, c => query_as(text).bind(author.uuid()).bind(id).bind(i64::from(limit)).fetch_all(c))
}

fn to_json(attributes: &MessageAttributes) -> String {
    serde_json::to_string(attributes).unwrap_or_default()
}

fn size(attributes: Option<&MessageAttributes>) -> i64 {
    attributes.map_or(0, |attributes| i64::try_from(to_json(attributes).len()).unwrap_or(i64::MAX))
}

/// Changes the state of a message if it is `expected`. Returns whether it was (compare and set).
pub async fn set_state(
    tx: &mut Tx,
    id: MessageId,
    expected: MessageState,
    next: MessageState,
) -> Result<bool> {
    let text = "update messages set state = $3 where id = $1 and state = $2";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(expected.as_str()).bind(next.as_str()))? > 0)
}

/// Final state and content of an open message.
#[derive(Clone, Copy, Debug)]
pub struct FinishedMessage<'a> {
    pub id: MessageId,
    pub state: MessageState,
    pub parts: &'a [Part],
    pub attributes: Option<&'a MessageAttributes>,
}

impl<'a> FinishedMessage<'a> {
    pub fn of(message: &'a Message) -> Self {
        let attributes = message.attributes.as_deref();
        Self { id: message.id, state: message.state, parts: &message.parts, attributes }
    }
}

/// Adds the end of a message that is known to be open. Returns the size of its parts in bytes.
pub(crate) fn add_end(batch: &mut StatementBatch, ended: &FinishedMessage<'_>) -> i64 {
    batch
        .add("update messages set state = $2, attributes = $3 where id = $1")
        .bind(ended.id.uuid())
        .bind(ended.state.as_str())
        .bind(ended.attributes.map(to_json));
    parts::add(batch, ended.id, ended.parts) + size(ended.attributes)
}

/// Ends an open message with its final content. Returns false and writes nothing if it is not open.
///
/// Does not delete its text from the stream journal: see [`crate::stream_journal`].
pub async fn finish(tx: &mut Tx, id: MessageId, state: MessageState, parts: &[Part]) -> Result<bool> {
    let ended = set_state(tx, id, MessageState::Open, state).await?;
    if ended {
        let mut batch = StatementBatch::of(tx);
        let bytes = parts::add(&mut batch, id, parts);
        message_terms::add(&mut batch, id, parts);
        batch.add(ADD_BYTES).bind(id.uuid()).bind(bytes);
        batch.execute(tx).await?;
    }
    Ok(ended)
}

/// Adds bytes to the count of the chat of a message.
const ADD_BYTES: &str =
    "update chats set bytes = bytes + $2 where id = (select m.chat from messages m where m.id = $1)";

pub(crate) async fn add_bytes(tx: &mut Tx, id: MessageId, bytes: i64) -> Result<()> {
    execute!(tx, query(ADD_BYTES).bind(id.uuid()).bind(bytes))?;
    Ok(())
}

/// Makes the answers to a message, which are side by side, alternatives of each other in this branch.
pub async fn join_branches(tx: &mut Tx, question: MessageId, branch: i32) -> Result<()> {
    let text = "update messages set lane = $2 where parent = $1 and lane > 0";
    execute!(tx, query(text).bind(question.uuid()).bind(i64::from(branch)))?;
    Ok(())
}

/// Deletes the parts of a message and subtracts their size from its chat. Its place in the tree stays.
pub async fn erase(tx: &mut Tx, id: MessageId) -> Result<bool> {
    let attributes: Option<String> =
        on!(tx, c => query_scalar("select attributes from messages where id = $1")
        .bind(id.uuid())
        .fetch_optional(c))?
        .flatten();
    let attributes = attributes.map_or(0, |text| i64::try_from(text.len()).unwrap_or(i64::MAX));
    let bytes = parts::sum(tx, id).await? + attributes;
    execute!(tx, query(ADD_BYTES).bind(id.uuid()).bind(-bytes))?;
    parts::delete(tx, id).await?;
    message_terms::delete(tx, id).await?;
    let text = "update messages set state = 'deleted', attributes = null where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()))? > 0)
}
