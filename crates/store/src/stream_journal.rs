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
    /// Piece of the text of a part, starting at byte offset `start`.
    pub struct JournalEntry {
        pub n: i64,
        pub message: MessageId,
        pub part: i64,
        pub start: i64,
        /// Valid UTF-8 on its own: never splits a character.
        pub body: Vec<u8>,
    }
}

/// Maximum messages per call of [`list_after`].
pub const MAX_ITEMS: usize = sql_in_list::CHUNK;

/// Rows per insert statement. Only a few sizes, so that each text is prepared once.
const CHUNKS: [usize; 4] = [128, 32, 8, 1];
const COLUMNS: usize = 6;

/// Appends pieces with ascending `n` to the journal of an instance.
pub async fn append(tx: &mut Tx, process: ProcessId, pieces: &[JournalEntry]) -> Result<()> {
    let mut rest = pieces;
    for size in CHUNKS {
        let chunks = rest.chunks_exact(size);
        rest = chunks.remainder();
        if chunks.len() == 0 {
            continue;
        }
        let text = format!(
            "insert into text_log (process, n, message, part, start, body) values {} on conflict (process, n) do nothing",
            rows(size, COLUMNS)
        );
        for chunk in chunks {
            execute!(tx, {
                chunk.iter().fold(query(AssertSqlSafe(text.as_str())), |query, piece| {
                    query
                        .bind(process.uuid())
                        .bind(piece.n)
                        .bind(piece.message.uuid())
                        .bind(piece.part)
                        .bind(piece.start)
                        .bind(piece.body.as_slice())
                })
            })?;
        }
    }
    Ok(())
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select n, message, part, start, body from text_log ", $rest)
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
        let mut query = QueryBuilder::new(select!("where process = "));
        query.push_bind(process.uuid()).push(" and n > ").push_bind(after).push(" and message in ");
        sql_in_list::push_list(&mut query, &wanted);
        query.push(" order by n limit ").push_bind(limit);
        async move { query.build_query_as().fetch_all(c).await }
    })
}

/// Lists the pieces of one message, in order. Reads the whole journal of the instance: for crash recovery.
pub async fn list_by_message(
    conn: &mut Conn,
    process: ProcessId,
    message: MessageId,
) -> Result<Vec<JournalEntry>> {
    let text = select!("where process = $1 and message = $2 order by n");
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
    let text = "delete from text_log where process = $1 and n between $2 and $3 and message = $4";
    execute!(tx, query(text).bind(process.uuid()).bind(first).bind(last).bind(message.uuid()))
}

/// Deletes all pieces before `n`, the oldest piece that is still needed.
pub async fn delete_before(tx: &mut Tx, process: ProcessId, n: i64) -> Result<u64> {
    let text = "delete from text_log where process = $1 and n < $2";
    execute!(tx, query(text).bind(process.uuid()).bind(n))
}

/// Deletes the journal of an instance that has ended.
pub async fn delete_by_process(tx: &mut Tx, process: ProcessId) -> Result<u64> {
    execute!(tx, query("delete from text_log where process = $1").bind(process.uuid()))
}
