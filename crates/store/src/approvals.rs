//! Approvals: yes-or-no decisions on one tool call of a run, bound to its exact arguments; and questions of tools to the
//! user of a run.

use plexus_domain::{ApprovalId, ChatId, Digest, PrincipalId, RunId, Timestamp, form_question::FormQuestion};
use serde_json::{Map, Value};
use sqlx::{QueryBuilder, query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_in_list,
    sql_types::{SqlType, clean, record, word_enum},
};

word_enum! {
    pub enum Decision {
        Yes = "yes",
        No = "no",
    }
}

record! {
    pub struct Approval {
        pub id: ApprovalId,
        pub run: RunId,
        pub tool: String,
        /// Arguments of the call; empty for a question.
        pub arguments: Value,
        /// The question, if the tool asks one.
        pub question: Option<FormQuestion>,
        /// Values of the answer to the question, once it was decided to give one.
        pub answer: Option<Map<String, Value>>,
        /// Digest of the tool name and the arguments that will be used.
        pub args_sha256: Digest,
        pub decision: Option<Decision>,
        pub decided_by: Option<PrincipalId>,
        pub expires_at: Timestamp,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id, run, tool, arguments, question, answer, args_sha256, decision, decided_by, expires_at from approvals ",
            $rest
        )
    };
}

pub async fn insert(tx: &mut Tx, new: &Approval) -> Result<()> {
    let text = "insert into approvals \
                (id, run, tool, arguments, question, answer, args_sha256, decision, decided_by, expires_at) \
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.run.uuid())
            .bind(clean(&new.tool))
            .bind(new.arguments.to_column())
            .bind(new.question.to_column())
            .bind(new.answer.to_column())
            .bind(new.args_sha256.to_column())
            .bind(new.decision.map(Decision::as_str))
            .bind(new.decided_by.to_column())
            .bind(new.expires_at.millis())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: ApprovalId) -> Result<Option<Approval>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

pub async fn list_by_run(conn: &mut Conn, run: RunId) -> Result<Vec<Approval>> {
    on!(conn, c => query_as(select!("where run = $1 order by id")).bind(run.uuid()).fetch_all(c))
}

/// Lists the undecided, unexpired approvals of working runs of this caller, oldest first.
pub async fn list_waiting(
    conn: &mut Conn,
    caller: PrincipalId,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<Approval>> {
    let text = select!(
        "where decision is null and expires_at > $2 and run in \
         (select id from runs where caller = $1 and state = 'working') order by id limit $3"
    );
    on!(conn, c => query_as(text).bind(caller.uuid()).bind(now.millis()).bind(limit).fetch_all(c))
}

/// Returns the chats in `wanted` where a working run of this caller waits for a decision.
pub async fn list_waiting_chats(
    conn: &mut Conn,
    wanted: &[ChatId],
    caller: PrincipalId,
    now: Timestamp,
) -> Result<Vec<ChatId>> {
    let wanted: Vec<_> = wanted.iter().map(|id| id.uuid()).collect();
    let mut waiting = Vec::new();
    for chunk in wanted.chunks(sql_in_list::CHUNK) {
        let found: Vec<uuid::Uuid> = on!(conn, c => {
            let mut query = QueryBuilder::new(
                "select distinct runs.chat from runs join approvals on approvals.run = runs.id \
                 where approvals.decision is null and runs.state = 'working' and approvals.expires_at > ",
            );
            query.push_bind(now.millis()).push(" and runs.caller = ").push_bind(caller.uuid());
            query.push(" and runs.chat in ");
            sql_in_list::push_list(&mut query, chunk);
            async move { query.build_query_scalar().fetch_all(c).await }
        })?;
        waiting.extend(found.into_iter().map(ChatId::from_uuid));
    }
    Ok(waiting)
}

/// Decides an approval, or answers a question. Returns false if it is already decided, has expired or does not exist.
pub async fn decide(
    tx: &mut Tx,
    id: ApprovalId,
    decision: Decision,
    answer: Option<Map<String, Value>>,
    by: PrincipalId,
    now: Timestamp,
) -> Result<bool> {
    let text = "update approvals set decision = $2, answer = $3, decided_by = $4 \
                where id = $1 and decision is null and expires_at > $5";
    let changed = execute!(
        tx,
        query(text)
            .bind(id.uuid())
            .bind(decision.as_str())
            .bind(answer.to_column())
            .bind(by.uuid())
            .bind(now.millis())
    )?;
    Ok(changed > 0)
}

/// Expires an approval that is not decided yet. Returns false if it is decided.
pub async fn close(tx: &mut Tx, id: ApprovalId, now: Timestamp) -> Result<bool> {
    let text = "update approvals set expires_at = $2 where id = $1 and decision is null";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(now.millis()))? > 0)
}
