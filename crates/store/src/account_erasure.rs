//! Erasure of an account: deletes or anonymises the rows that name it, in all tables.
//!
//! What stays is what other rows reference: the rows of the account, its namespace, its principal and its agents, without
//! content, and its messages in the rooms of others.

use plexus_domain::{
    AccountId, ChatId, Digest, MessageId, Name, PartBody, PrincipalId, Timestamp, form_question::FormAnswer,
};
use serde_json::{Map, json};
use sqlx::{query, query_as, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    accounts::{Account, state},
    cards,
    conn::{execute, on},
    messages, parts,
    sql_types::{SqlType, record},
};

/// SQL for the principal of account `$1`.
macro_rules! principal {
    () => {
        "(select id from principals where account = $1)"
    };
}

/// SQL for the agents of account `$1`.
macro_rules! agents {
    () => {
        "(select agents.id from agents join accounts on accounts.namespace = agents.namespace where accounts.id = $1)"
    };
}

/// Rows that are deleted. Credentials of agents come before the secrets that they reference.
const DELETIONS: &[&str] = &[
    "delete from sessions where account = $1",
    "delete from oauth_grants where account = $1",
    "delete from api_tokens where account = $1",
    "delete from login_credentials where account = $1",
    "delete from invites where invited_by = $1",
    "delete from registration_drafts where account = $1",
    "delete from stars where account = $1",
    "delete from model_users where account = $1",
    "delete from account_model_keys where account = $1",
    "delete from namespace_members where account = $1",
    concat!("delete from message_terms where owner = ", principal!()),
    concat!("delete from message_feedback where author = ", principal!()),
    concat!("delete from uploads where owner = ", principal!()),
    concat!("delete from imported_chats where owner = ", principal!()),
    concat!("delete from caller_contexts where caller = ", principal!(), " or agent in ", agents!()),
    concat!("delete from conversation_digests where caller = ", principal!(), " or agent in ", agents!()),
    concat!("delete from webhooks where caller = ", principal!()),
    concat!("delete from approvals where run in (select id from runs where caller = ", principal!(), ")"),
    concat!("delete from grants where principal = ", principal!(), " or target in ", agents!()),
    concat!("delete from chat_invitations where invited_by = ", principal!(), " or invitee = ", principal!()),
    concat!("delete from chat_members where principal = ", principal!()),
    concat!("delete from chat_agent_limits where agent in ", agents!()),
    concat!("delete from origin_verifications where agent in ", agents!()),
    "delete from chat_share_links where chat in (select chats.id from chats \
        join principals on principals.id = chats.creator where principals.account = $1)",
    "delete from agent_secrets where account = $1",
    "delete from secrets where namespace = (select namespace from accounts where id = $1) \
        and not exists (select 1 from keys where keys.secret = secrets.id) \
        and not exists (select 1 from agent_secrets where agent_secrets.secret = secrets.id) \
        and not exists (select 1 from agent_versions where agent_versions.secret = secrets.id)",
];

/// Rows that stay without what the account wrote into them.
const CHANGES: &[&str] = &[
    concat!("update messages set external_id = null where author = ", principal!()),
    concat!(
        "update runs set options = null, remote_task = null, remote_context = null where caller = ",
        principal!()
    ),
    "update trusted_origins set trusted_by = null where trusted_by = $1",
    "update invites set used_by = null where used_by = $1",
    "update accounts set state = 'deleted', role = 'user', email_folded = null, prefs = '{}', purge_at = null, \
        last_seen_at = null where id = $1",
];

/// Ends an account: deletes its credentials, memberships and settings. It has no chats and no agents any more, or
/// [`list_pending`] names it until they are erased.
pub async fn delete_rows(tx: &mut Tx, id: AccountId) -> Result<()> {
    for text in DELETIONS {
        execute!(tx, query(*text).bind(id.uuid()))?;
    }
    for text in CHANGES {
        execute!(tx, query(*text).bind(id.uuid()))?;
    }
    anonymise_model_usage(tx, id).await
}

/// Adds the model usage of the account to that of callers without an account, so that the sums of the hub stay right.
async fn anonymise_model_usage(tx: &mut Tx, id: AccountId) -> Result<()> {
    let text = "insert into model_usage (day, provider, model, account, agent, runs, tokens_in, tokens_out, cost_micro) \
                select day, provider, model, $2, agent, runs, tokens_in, tokens_out, cost_micro from model_usage \
                where account = $1 on conflict (day, provider, model, account, agent) do update set \
                runs = model_usage.runs + excluded.runs, tokens_in = model_usage.tokens_in + excluded.tokens_in, \
                tokens_out = model_usage.tokens_out + excluded.tokens_out, \
                cost_micro = model_usage.cost_micro + excluded.cost_micro";
    execute!(tx, query(text).bind(id.uuid()).bind(Uuid::nil()))?;
    execute!(tx, query("delete from model_usage where account = $1").bind(id.uuid()))?;
    Ok(())
}

/// Lists at most `limit` deleted accounts of which something is left to be erased.
pub async fn list_pending(conn: &mut Conn, limit: i64) -> Result<Vec<Account>> {
    let text = concat!(
        "select id, namespace, email_folded, role, ",
        state!(),
        " as state, prefs, created_at, purge_at from accounts where state = 'deleted' and erased_at is null order by id limit $1"
    );
    on!(conn, c => query_as(text).bind(limit).fetch_all(c))
}

/// Lists at most `limit` chats to be deleted with an account: those that it or its agents created, and the calls of programs
/// without an account to its agents, which nothing can read any more.
pub async fn list_chats(conn: &mut Conn, id: AccountId, limit: i64) -> Result<Vec<ChatId>> {
    let text = concat!(
        "select chats.id from chats where creator = ",
        principal!(),
        " or creator in (select principals.id from principals where principals.agent in ",
        agents!(),
        ") or (kind = 'api' and creator in (select principals.id from principals where principals.account is null) \
         and chats.id in (select runs.chat from runs where runs.agent in ",
        agents!(),
        ")) order by chats.id limit $2"
    );
    let ids: Vec<Uuid> = on!(conn, c => query_scalar(text).bind(id.uuid()).bind(limit).fetch_all(c))?;
    Ok(ids.into_iter().map(ChatId::from_uuid).collect())
}

record! {
    struct PartRow {
        message: MessageId,
        idx: i64,
        body: PartBody,
    }
}

/// Removes what runs of the account told tools in the rooms of others: arguments and results of calls, and answers to
/// questions.
pub async fn redact_tool_parts(tx: &mut Tx, caller: PrincipalId) -> Result<()> {
    let text = "select parts.message, parts.idx, parts.body from parts join messages on messages.id = parts.message \
                join runs on runs.id = messages.run where runs.caller = $1 and parts.kind in ('tool', 'approval')";
    let rows: Vec<PartRow> = on!(tx, c => query_as(text).bind(caller.uuid()).fetch_all(c))?;
    for row in rows {
        let before = parts::sum(tx, row.message).await?;
        let text = "update parts set body = $3 where message = $1 and idx = $2";
        let body = without_tool_content(row.body).to_column();
        execute!(tx, query(text).bind(row.message.uuid()).bind(row.idx).bind(body))?;
        let after = parts::sum(tx, row.message).await?;
        messages::add_bytes(tx, row.message, after - before).await?;
    }
    Ok(())
}

fn without_tool_content(body: PartBody) -> PartBody {
    match body {
        PartBody::Tool(mut call) => {
            call.arguments = json!({});
            call.result = call.result.map(|_| json!({}));
            PartBody::Tool(call)
        }
        PartBody::Approval { approval, tool, decision, .. } => {
            PartBody::Approval { approval, tool, arguments: json!({}), decision }
        }
        PartBody::Question { approval, tool, mut question, answer } => {
            question.inputs.clear();
            let answer = answer.map(|answer| match answer {
                FormAnswer::Given { .. } => FormAnswer::Given { values: Map::new() },
                other => other,
            });
            PartBody::Question { approval, tool, question, answer }
        }
        other => other,
    }
}

/// Replaces the names of the account, its namespace and its agents by ones made of their ids. The name stays taken, see
/// [`crate::namespaces::is_retired`]. Listings of its agents are marked as changed, so that their tombstones lose the name too.
pub async fn rename(tx: &mut Tx, account: &Account, name: &Name) -> Result<()> {
    let namespace = account.namespace.uuid();
    retire_name(tx, name).await?;
    let new = format!("erased-{}", namespace.simple());
    let text = "update namespaces set name = $2, name_folded = $2 where id = $1";
    execute!(tx, query(text).bind(namespace).bind(&new))?;
    let agents: Vec<Uuid> = on!(tx, c => query_scalar("select id from agents where namespace = $1").bind(namespace).fetch_all(c))?;
    for agent in agents {
        let text =
            "update agents set owner = $2, owner_folded = $2, name = $3, name_folded = $3 where id = $1";
        execute!(tx, query(text).bind(agent).bind(&new).bind(format!("agent-{}", agent.simple())))?;
    }
    for text in [
        "update federation_rules set author = 'deleted account' where author = $1",
        "update rule_subscriptions set author = 'deleted account' where author = $1",
    ] {
        execute!(tx, query(text).bind(name.as_str()))?;
    }
    Ok(())
}

/// Keeps a name from being given to an account.
pub async fn retire_name(tx: &mut Tx, name: &Name) -> Result<()> {
    let text = "insert into retired_names (digest) values ($1) on conflict do nothing";
    execute!(tx, query(text).bind(retired_digest(name).to_column()))?;
    Ok(())
}

/// Digest under which the name of an erased account stays taken.
pub(crate) fn retired_digest(name: &Name) -> Digest {
    Digest::of(format!("plexus retired name\n{}", name.canonical()))
}

/// Removes what the audit log says about the account, except that it was changed and by which role. `account:…` is an id
/// without a name by then.
pub async fn redact_audit_log(tx: &mut Tx, id: AccountId) -> Result<()> {
    let word = format!("account:{id}");
    execute!(tx, query("delete from audit_log where target = $1 and actor like 'address:%'").bind(&word))?;
    let text = "update audit_log set change = '{}', request = '' where target = $1 or actor = $1";
    execute!(tx, query(text).bind(&word))?;
    Ok(())
}

/// Marks an account as erased.
pub async fn finish(tx: &mut Tx, id: AccountId, at: Timestamp) -> Result<()> {
    let text = "update accounts set erased_at = $2 where id = $1";
    execute!(tx, query(text).bind(id.uuid()).bind(at.millis()))?;
    Ok(())
}

/// Connector of the versions of deleted agents.
const NO_CONNECTOR: &str = r#"{"kind":"attached"}"#;

/// SQL for the versions of deleted agents whose runs have ended, and which have another card than `$1`: at most `$2`, in one
/// order, so that all statements of a transaction mean the same ones.
macro_rules! versions {
    ($columns:literal) => {
        concat!(
            "select ",
            $columns,
            " from agent_versions v join agents on agents.id = v.agent \
             where agents.state = 'deleted' and agents.namespace is not null and v.card <> $1 \
             and not exists (select 1 from runs where runs.version = v.id \
             and runs.state in ('queued', 'working', 'input_required', 'auth_required')) order by v.id limit $2"
        )
    };
}

/// Deletes the content of at most `limit` versions of deleted agents of this hub, whose runs have all ended: connectors with
/// their instructions, cards, and the summaries of the agents. Returns how many versions lost theirs.
pub async fn delete_agent_content(tx: &mut Tx, limit: i64) -> Result<u64> {
    let text = "delete from featured_agents where agent in (select id from agents where state = 'deleted')";
    execute!(tx, query(text))?;
    let blank = cards::insert(tx, b"{}").await?.to_column();
    let text = "select card from listings where card <> $1 and agent in \
                (select id from agents where state = 'deleted' and namespace is not null)";
    let listed: Vec<Vec<u8>> = on!(tx, c => query_scalar(text).bind(blank.clone()).fetch_all(c))?;
    let text = "update listings set summary = '{}', card = $1 where card <> $1 and agent in \
                (select id from agents where state = 'deleted' and namespace is not null)";
    execute!(tx, query(text).bind(blank.clone()))?;
    let text = versions!("v.card");
    let versions: Vec<Vec<u8>> =
        on!(tx, c => query_scalar(text).bind(blank.clone()).bind(limit).fetch_all(c))?;
    let text = concat!(
        "update agent_versions set connector = $3, card = $1, secret = null where id in (",
        versions!("v.id"),
        ")"
    );
    let changed = execute!(tx, query(text).bind(blank.clone()).bind(limit).bind(NO_CONNECTOR))?;
    for card in listed.into_iter().chain(versions) {
        let text = "delete from cards where sha256 = $1 \
                    and not exists (select 1 from agent_versions where agent_versions.card = cards.sha256) \
                    and not exists (select 1 from listings where listings.card = cards.sha256)";
        execute!(tx, query(text).bind(card))?;
    }
    Ok(changed)
}

/// Deletes the journaled text of messages that no longer exist.
pub async fn delete_orphaned_journal(tx: &mut Tx) -> Result<u64> {
    let text = "delete from stream_journal where not exists (select 1 from messages where messages.id = stream_journal.message)";
    execute!(tx, query(text))
}
