//! Sign-in credentials of accounts. Second factors are rows, too.

use plexus_domain::{AccountId, CredentialId, Timestamp};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, record, word_enum},
};

word_enum! {
    pub enum CredentialKind {
        Password = "password",
        Passkey = "passkey",
        /// Time-based one-time passwords (RFC 6238).
        Totp = "totp",
        /// Single-use recovery code.
        Recovery = "recovery",
    }
}

record! {
    pub struct Credential {
        pub id: CredentialId,
        pub account: AccountId,
        pub kind: CredentialKind,
        /// Data specific to the kind: for a password, the PHC string of its hash.
        pub data: String,
        pub created_at: Timestamp,
        pub last_used_at: Option<Timestamp>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select id, account, kind, data, created_at, last_used_at from login_credentials ", $rest)
    };
}

pub async fn insert(tx: &mut Tx, new: &Credential) -> Result<()> {
    let text = "insert into login_credentials (id, account, kind, data, created_at, last_used_at) \
         values ($1, $2, $3, $4, $5, $6)";
    execute!(
        tx,
        query(text)
            .bind(new.id.uuid())
            .bind(new.account.uuid())
            .bind(new.kind.as_str())
            .bind(&new.data)
            .bind(new.created_at.millis())
            .bind(new.last_used_at.to_column())
    )?;
    Ok(())
}

/// Lists the credentials of an account, oldest first.
pub async fn list_by_account(conn: &mut Conn, account: AccountId) -> Result<Vec<Credential>> {
    let text = select!("where account = $1 order by created_at, id");
    on!(conn, c => query_as(text).bind(account.uuid()).fetch_all(c))
}

/// Returns the newest credential of one kind.
pub async fn by_kind(
    conn: &mut Conn,
    account: AccountId,
    kind: CredentialKind,
) -> Result<Option<Credential>> {
    let text = select!("where account = $1 and kind = $2 order by created_at desc, id desc limit 1");
    on!(conn, c => query_as(text).bind(account.uuid()).bind(kind.as_str()).fetch_optional(c))
}

pub async fn set_data(tx: &mut Tx, id: CredentialId, data: &str) -> Result<bool> {
    let text = "update login_credentials set data = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(data))? > 0)
}

pub async fn set_used(tx: &mut Tx, id: CredentialId, at: Timestamp) -> Result<bool> {
    let text = "update login_credentials set last_used_at = $2 where id = $1";
    Ok(execute!(tx, query(text).bind(id.uuid()).bind(at.millis()))? > 0)
}

pub async fn delete(tx: &mut Tx, id: CredentialId) -> Result<bool> {
    Ok(execute!(tx, query("delete from login_credentials where id = $1").bind(id.uuid()))? > 0)
}
