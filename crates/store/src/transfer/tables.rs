//! Catalogue of the tables, and their columns as reported by each database.

use sqlx::query_as;

use crate::{Conn, Error, conn::DriverConn};

pub(super) struct Table {
    pub name: &'static str,
    /// Read order, so that rows precede the rows of the same table that reference them.
    pub order: Order,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Any order: the table does not reference itself.
    Any,
    /// By columns that together are unique.
    By(&'static [&'static str]),
    /// Descending by this column. The table is small enough to be read at once.
    Down(&'static str),
}

const fn table(name: &'static str) -> Table {
    Table { name, order: Order::Any }
}

/// All tables, each after the tables that it references.
pub(super) const TABLES: [Table; 71] = [
    table("counters"),
    table("namespaces"),
    table("retired_names"),
    table("accounts"),
    table("namespace_members"),
    table("login_credentials"),
    table("sessions"),
    table("api_tokens"),
    table("oauth_grants"),
    table("oauth_tokens"),
    table("invites"),
    table("audit_log"),
    table("hubs"),
    table("request_nonces"),
    table("federation_rules"),
    table("hub_violations"),
    table("rule_subscriptions"),
    table("subscribed_rules"),
    table("peer_addresses"),
    table("dht_provider_records"),
    table("secrets"),
    table("model_providers"),
    table("account_model_keys"),
    table("model_settings"),
    table("model_users"),
    table("model_usage"),
    table("model_budget"),
    table("agents"),
    table("keys"),
    table("principals"),
    table("grants"),
    table("cards"),
    table("agent_versions"),
    table("agent_secrets"),
    table("stars"),
    table("featured_agents"),
    table("knowledge_files"),
    table("knowledge_passages"),
    table("passage_vectors"),
    table("listings"),
    table("origin_verifications"),
    table("trusted_origins"),
    table("registration_drafts"),
    table("chats"),
    table("chat_agent_limits"),
    table("chat_invitations"),
    table("caller_contexts"),
    Table { name: "teams", order: Order::Down("depth_left") },
    table("team_log"),
    table("team_share_links"),
    table("instances"),
    table("team_orchestrators"),
    table("runs"),
    table("run_cancel_requests"),
    table("approvals"),
    table("webhooks"),
    Table { name: "messages", order: Order::By(&["chat", "seq"]) },
    table("chat_share_links"),
    table("imported_chats"),
    table("conversation_digests"),
    table("message_feedback"),
    table("message_terms"),
    table("unindexed_messages"),
    table("blobs"),
    table("blob_uses"),
    table("uploads"),
    table("parts"),
    table("chat_members"),
    table("chat_events"),
    table("stream_journal"),
    table("outbox"),
];

pub(super) struct Column {
    pub name: String,
    pub kind: Kind,
    /// Position in the primary key, from 1; 0 if not part of it. Known for SQLite only.
    pub key: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Bool,
    Text,
    Bytes,
    Uuid,
}

/// Returns the columns of a table ordered by name, so that both databases return the same order.
pub(super) async fn columns(conn: &mut Conn, table: &str) -> Result<Vec<Column>, Error> {
    let result: Result<Vec<(String, String, i64)>, sqlx::Error> = match conn.raw() {
        DriverConn::Sqlite(c) => {
            query_as("select name, lower(type), pk from pragma_table_info($1)").bind(table).fetch_all(c).await
        }
        DriverConn::Postgres(c) => {
            let text = "select column_name::text, data_type::text, 0::bigint from information_schema.columns \
                        where table_schema = current_schema() and table_name = $1";
            query_as(text).bind(table).fetch_all(c).await
        }
    };
    let mut columns = Vec::new();
    for (name, kind, key) in conn.note(result)? {
        let kind = kind_of(&kind).ok_or_else(|| Error::other(format!("{table}.{name} has type {kind}")))?;
        columns.push(Column { name, kind, key });
    }
    columns.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(columns)
}

fn kind_of(name: &str) -> Option<Kind> {
    Some(match name {
        "integer" | "bigint" => Kind::Int,
        "boolean" => Kind::Bool,
        "text" => Kind::Text,
        "blob" | "bytea" => Kind::Bytes,
        "uuid" => Kind::Uuid,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use sqlx::query_scalar;

    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn every_table_is_copied_after_those_it_points_at() {
        testing::on_sqlite(|store| async move {
            let mut conn = store.read().await.unwrap();
            let DriverConn::Sqlite(c) = conn.raw() else { unreachable!("this is SQLite") };
            // Triggers write the tables of the full-text index.
            let text = "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' \
                        and name not like '_sqlx_%' and name not like 'message_index%' order by name";
            let there: Vec<String> = query_scalar(text).fetch_all(&mut *c).await.unwrap();
            let mut copied = TABLES.map(|table| table.name);
            for (at, name) in copied.iter().enumerate() {
                let text = "select distinct \"table\" from pragma_foreign_key_list($1)";
                let targets: Vec<String> = query_scalar(text).bind(name).fetch_all(&mut *c).await.unwrap();
                let found = targets.iter().all(|target| copied[..=at].contains(&target.as_str()));
                assert!(found, "{name} is copied before one of {targets:?}");
                let to_itself = targets.iter().any(|target| target == name);
                assert_eq!(to_itself, TABLES[at].order != Order::Any, "{name}");
            }
            copied.sort_unstable();
            assert_eq!(there, copied);
        })
        .await;
    }
}
