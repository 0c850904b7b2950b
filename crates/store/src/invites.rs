//! Invitations: single-use links for creating an account.

use plexus_domain::{AccountId, Digest, Timestamp, account::Role};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, record},
};

record! {
    pub struct Invite {
        pub hash: Digest,
        /// `None` for the link that creates the first administrator.
        pub invited_by: Option<AccountId>,
        /// Role of the account that redeems the invitation.
        pub role: Role,
        pub expires_at: Timestamp,
        pub used_at: Option<Timestamp>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!("select hash, invited_by, role, expires_at, used_at from invites ", $rest)
    };
}

pub async fn insert(tx: &mut Tx, new: &Invite) -> Result<()> {
    let text =
        "insert into invites (hash, invited_by, role, expires_at, used_at) values ($1, $2, $3, $4, $5)";
    execute!(
        tx,
        query(text)
            .bind(new.hash.to_column())
            .bind(new.invited_by.to_column())
            .bind(new.role.as_str())
            .bind(new.expires_at.millis())
            .bind(new.used_at.to_column())
    )?;
    Ok(())
}

pub async fn find(conn: &mut Conn, hash: &Digest) -> Result<Option<Invite>> {
    on!(conn, c => query_as(select!("where hash = $1")).bind(hash.to_column()).fetch_optional(c))
}

/// Redeems an invitation. Returns `None` if it is used, has expired or does not exist.
pub async fn redeem(tx: &mut Tx, hash: &Digest, now: Timestamp) -> Result<Option<Invite>> {
    let text = "update invites set used_at = $2 where hash = $1 and used_at is null and expires_at > $2 \
                returning hash, invited_by, role, expires_at, used_at";
    on!(tx, c => query_as(text).bind(hash.to_column()).bind(now.millis()).fetch_optional(c))
}

/// Records which account signed up with an invitation.
pub async fn set_used_by(tx: &mut Tx, hash: &Digest, account: AccountId) -> Result<()> {
    let text = "update invites set used_by = $2 where hash = $1";
    execute!(tx, query(text).bind(hash.to_column()).bind(account.uuid()))?;
    Ok(())
}

/// Lists the invitations by an account, the latest to expire first.
pub async fn list_by_account(conn: &mut Conn, account: AccountId) -> Result<Vec<Invite>> {
    let text = select!("where invited_by = $1 order by expires_at desc, hash");
    on!(conn, c => query_as(text).bind(account.uuid()).fetch_all(c))
}

pub async fn delete(tx: &mut Tx, hash: &Digest) -> Result<bool> {
    Ok(execute!(tx, query("delete from invites where hash = $1").bind(hash.to_column()))? > 0)
}

/// Deletes the links that create the first administrator, because one exists or a new link replaces them.
pub async fn delete_bootstrap(tx: &mut Tx) -> Result<u64> {
    execute!(tx, query("delete from invites where invited_by is null"))
}

pub async fn delete_expired(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    execute!(tx, query("delete from invites where expires_at <= $1").bind(now.millis()))
}
