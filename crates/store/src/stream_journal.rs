//! Stream journal: the text of open messages in order of arrival, one journal per instance.
//!
//! The instance that writes the rows numbers them in ascending order, so appending and trimming each touch
//! one end of the index. The text of an ended message is not needed any more. An instance trims all rows
//! before the oldest one that it still needs. The rest is deleted when the instance ends.

use plexus_domain::{MessageId, ProcessId};
use sqlx::{AssertSqlSafe, QueryBuilder, query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on, rows},
    sql_in_list,
    sql_types::record,
};

record! {
    /// Piece of the text of a part, starting at byte offset `byte_offset`.
    pub struct JournalEntry {
        pub seq: i64,
        pub message: MessageId,
        pub part: i64,
        pub byte_offset: i64,
        /// Valid UTF-8 on its own: never splits a character.
        pub body: Vec<u8>,
    }
}

/// Maximum messages per call of [`list_after`].
pub const MAX_ITEMS: usize = sql_in_list::CHUNK;

/// Rows per insert statement. Only a few sizes, so that each text is prepared once.
const CHUNKS: [usize; 4] = [128, 32, 8, 1];
const COLUMNS: usize = 6;

/// Appends pieces with ascending `seq` to the journal of an instance.
pub async fn append(tx: &mut Tx, process: ProcessId, pieces: &[JournalEntry]) -> Result<()> {
    let mut rest = pieces;
    for size in CHUNKS {
        let chunks = rest.chunks_exact(size);
        rest = chunks.remainder();
        if chunks.len() == 0 {
            continue;
        }
        let text = format!(
            "insert into stream_journal (instance, seq, message, part, byte_offset, body) values {} \
             on conflict (instance, seq) do nothing",
            rows(size, COLUMNS)
        );
        for chunk in chunks {
            execute!(tx, {
                chunk.iter().fold(query(AssertSqlSafe(text.as_str())), |query, piece| {
                    query
                        .bind(process.uuid())
                        .bind(piece.seq)
                        .bind(piece.message.uuid())
                        .bind(piece.part)
                        .bind(piece.byte_offset)
                        .bind(piece.body.as_slice())
                })
            })?;
        }
    }
    Ok(())
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select seq, message, part, byte_offset, body from stream_journal ", $rest)
    };
}

/// Lists at most `limit` pieces of these messages after piece `after`, in order. Other instances use it to
/// tail the journal. Takes at most [`MAX_ITEMS`] messages.
pub async fn list_after(
    conn: &mut Conn,
    process: ProcessId,
    after: i64,
    wanted: &[MessageId],
    limit: i64,
) -> Result<Vec<JournalEntry>> {
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    on!(conn, c => {
        let mut query = QueryBuilder::new(select!("where instance = "));
        query.push_bind(process.uuid()).push(" and seq > ").push_bind(after).push(" and message in ");
        sql_in_list::push_list(&mut query, &wanted);
        query.push(" order by seq limit ").push_bind(limit);
        async move { query.build_query_as().fetch_all(c).await }
    })
}

/// Lists the pieces of one message, in order. Reads the whole journal of the instance: for crash recovery.
pub async fn list_by_message(
    conn: &mut Conn,
    process: ProcessId,
    message: MessageId,
) -> Result<Vec<JournalEntry>> {
    let text = select!("where instance = $1 and message = $2 order by seq");
    on!(conn, c => query_as(text).bind(process.uuid()).bind(message.uuid()).fetch_all(c))
}

/// Deletes the text of a message whose pieces lie within `first..=last`.
///
/// Reads all pieces in between, including those of other messages: cheap for a short answer only. [`delete_before`] is
/// always cheap.
pub async fn delete(
    tx: &mut Tx,
    process: ProcessId,
    message: MessageId,
    first: i64,
    last: i64,
) -> Result<u64> {
    let text = "delete from stream_journal where instance = $1 and seq between $2 and $3 and message = $4";
    execute!(tx, query(text).bind(process.uuid()).bind(first).bind(last).bind(message.uuid()))
}

/// Deletes all pieces before `seq`, the oldest piece that is still needed.
pub async fn delete_before(tx: &mut Tx, process: ProcessId, seq: i64) -> Result<u64> {
    let text = "delete from stream_journal where instance = $1 and seq < $2";
    execute!(tx, query(text).bind(process.uuid()).bind(seq))
}

/// Deletes the journal of an instance that has ended.
pub async fn delete_by_process(tx: &mut Tx, process: ProcessId) -> Result<u64> {
    execute!(tx, query("delete from stream_journal where instance = $1").bind(process.uuid()))
}
