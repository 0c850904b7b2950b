//! One-time sign-up link for the first administrator, printed at startup while the hub has none.

use std::time::Duration;

use plexus_domain::{Digest, Error as Refusal, account::Role};
use plexus_store::{Conn, accounts, invites, invites::Invite};

use super::random_token;
use crate::{Hub, Result};

const VALID: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns a new link while the hub has no administrator. Invalidates earlier links.
pub async fn first_administrator_link(hub: &Hub) -> Result<Option<String>> {
    let mut tx = hub.store().write().await?;
    if accounts::count_active(&mut tx, Role::Admin).await? > 0 {
        return Ok(None);
    }
    let token = random_token(hub);
    let expires_at = hub.env().now() + VALID;
    invites::delete_bootstrap(&mut tx).await?;
    let invite =
        Invite { hash: Digest::of(&token), invited_by: None, role: Role::Admin, expires_at, used_at: None };
    invites::insert(&mut tx, &invite).await?;
    tx.commit().await?;
    Ok(Some(format!("{}signup?admin={token}", hub.config().public_url)))
}

/// Returns whether the token of such a link is valid.
pub async fn is_first_administrator_token(hub: &Hub, token: &str) -> Result<bool> {
    let mut conn = hub.store().read().await?;
    let invite = invites::find(&mut conn, &Digest::of(token)).await?;
    let now = hub.env().now();
    let good = invite.is_some_and(|invite| {
        invite.invited_by.is_none() && invite.used_at.is_none() && now < invite.expires_at
    });
    Ok(good && accounts::count_active(&mut conn, Role::Admin).await? == 0)
}

/// Rejects an invitation without an inviter once the hub has an administrator.
pub(super) async fn check(conn: &mut Conn, invite: &Invite) -> Result<()> {
    if invite.invited_by.is_none() && accounts::count_active(conn, Role::Admin).await? > 0 {
        return Err(dead().into());
    }
    Ok(())
}

pub(super) fn dead() -> Refusal {
    Refusal::forbidden(
        "This link is used, older than 24 hours, or the hub already has an administrator. Restart the hub \
         for a new link, or run `plexus user set-role NAME admin`.",
    )
}
