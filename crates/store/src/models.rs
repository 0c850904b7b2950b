//! Models that agents of this hub can use.

use plexus_domain::{ModelId, Name, NamespaceId, SecretId, Timestamp};
use serde_json::Value;
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, record},
};

record! {
    pub struct Model {
        pub id: ModelId,
        pub namespace: NamespaceId,
        pub name: Name,
        /// Endpoint of the model, and its name there.
        pub connector: Value,
        pub secret: Option<SecretId>,
        pub limits: Value,
        pub created: Timestamp,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, namespace, name, connector, secret, limits, created from models ", $rest)
    };
}

/// Inserts a model. Returns a conflict if the namespace has a model with this name.
pub async fn insert(tx: &mut Tx, new: &Model) -> Result<()> {
    let text = "insert into models (id, namespace, name, name_folded, connector, secret, limits, created) \
                values ($1, $2, $3, $4, $5, $6, $7, $8)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.namespace.uuid())
            .bind(new.name.as_str())
            .bind(new.name.canonical())
            .bind(new.connector.to_column())
            .bind(new.secret.to_column())
            .bind(new.limits.to_column())
            .bind(new.created.millis())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: ModelId) -> Result<Option<Model>> {
    on!(conn, c => query_as(select!("where id = $1")).bind(id.uuid()).fetch_optional(c))
}

pub async fn by_name(conn: &mut Conn, namespace: NamespaceId, name: &Name) -> Result<Option<Model>> {
    let text = select!("where namespace = $1 and name_folded = $2");
    on!(conn, c => query_as(text).bind(namespace.uuid()).bind(name.canonical()).fetch_optional(c))
}

/// Lists the models of a namespace, oldest first.
pub async fn list_by_namespace(conn: &mut Conn, namespace: NamespaceId) -> Result<Vec<Model>> {
    let text = select!("where namespace = $1 order by created, id");
    on!(conn, c => query_as(text).bind(namespace.uuid()).fetch_all(c))
}

pub async fn set_connector(
    tx: &mut Tx,
    id: ModelId,
    connector: &Value,
    secret: Option<SecretId>,
) -> Result<bool> {
    let text = "update models set connector = $2, secret = $3 where id = $1";
    let (connector, secret) = (connector.to_column(), secret.to_column());
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(connector).bind(secret))? > 0)
}

pub async fn set_limits(tx: &mut Tx, id: ModelId, limits: &Value) -> Result<bool> {
    let text = "update models set limits = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(limits.to_column()))? > 0)
}

/// Deletes a model and its grants.
pub async fn delete(tx: &mut Tx, id: ModelId) -> Result<bool> {
    execute!(tx, query("delete from grants where target = $1").bind(id.uuid()))?;
    Ok(execute!(tx, query("delete from models where id = $1").bind(id.uuid()))? > 0)
}
