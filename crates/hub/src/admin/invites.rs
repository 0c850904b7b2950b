//! Invitations: single-use sign-up links.

use std::time::Duration;

use plexus_domain::{
    Digest, Error as Refusal, Timestamp,
    account::{Registration, Role},
};
use plexus_store::{admin, invites, invites::Invite};
use serde_json::json;

use crate::{
    Caller, Hub, Result,
    accounts::random_token,
    audit::{AuditActor, AuditEvent, invitation_target, write_audit},
};

const DAY: Duration = Duration::from_secs(24 * 3_600);
const MAX_DAYS: u32 = 30;
/// Maximum number of stored invitations, including used ones.
const MAX_ITEMS: u16 = 500;

/// An invitation in the administrators' list.
pub struct InviteRow {
    /// Digest of the token. It identifies the invitation but cannot be used to sign up.
    pub id: String,
    pub by: String,
    pub expires: Timestamp,
    pub used: Option<Timestamp>,
    /// The account that used it, unless it was deleted.
    pub used_by: Option<String>,
}

/// A link that was just created. It cannot be shown again, since only its digest is stored.
pub struct Invitation {
    pub link: String,
}

/// Lists open and used invitations, the latest expiry first. Expired ones are omitted.
pub async fn list_invites(hub: &Hub, caller: &Caller) -> Result<Vec<InviteRow>> {
    caller.require(Role::Admin)?;
    let now = hub.env().now();
    let mut conn = hub.store().snapshot().await?;
    let mut rows = Vec::new();
    for found in admin::invites(&mut conn, MAX_ITEMS).await? {
        if found.used_at.is_none() && found.expires_at <= now {
            continue;
        }
        rows.push(InviteRow {
            used_by: found.used_by.map(|name| name.to_string()),
            id: found.hash.to_string(),
            by: found.invited_by.to_string(),
            expires: found.expires_at,
            used: found.used_at,
        });
    }
    Ok(rows)
}

/// Creates an invitation that is valid for `days`.
pub async fn create_invite(hub: &Hub, caller: &Caller, days: u32, request: &str) -> Result<Invitation> {
    let by = caller.require(Role::Admin)?;
    if hub.config().registration == Registration::Closed {
        let words =
            "Registration is closed, so invitations cannot be used. Set PLEXUS_REGISTRATION=invite first.";
        return Err(Refusal::conflict(words).into());
    }
    if !(1..=MAX_DAYS).contains(&days) {
        return Err(Refusal::invalid("days", "An invitation expires after 1 to 30 days.").into());
    }
    let (token, now) = (random_token(hub), hub.env().now());
    let hash = Digest::of(&token);
    let mut tx = hub.store().write().await?;
    if admin::invites(&mut tx, MAX_ITEMS).await?.len() >= usize::from(MAX_ITEMS) {
        return Err(
            Refusal::conflict("The limit of 500 invitations is reached. Revoke unused ones first.").into()
        );
    }
    let expires_at = now + DAY * days;
    let invite = Invite { hash, invited_by: Some(by.account), role: Role::User, expires_at, used_at: None };
    invites::insert(&mut tx, &invite).await?;
    let (target, change) = (invitation_target(&hash), json!({ "days": days }));
    write_audit(
        hub,
        &mut tx,
        AuditEvent { by: AuditActor::of(caller)?, action: "invite.create", target, change, request },
    )
    .await?;
    tx.commit().await?;
    Ok(Invitation { link: format!("{}signup?invite={token}", hub.config().public_url) })
}

/// Revokes an unused invitation, given its id from the list.
pub async fn revoke_invite(hub: &Hub, caller: &Caller, id: &str, request: &str) -> Result<()> {
    caller.require(Role::Admin)?;
    let mut tx = hub.store().write().await?;
    let known = admin::invites(&mut tx, MAX_ITEMS).await?;
    let found = known.into_iter().find(|invite| invite.used_at.is_none() && invite.hash.to_string() == id);
    let found = found.ok_or_else(|| Refusal::not_found("This invitation was already used or revoked."))?;
    invites::delete(&mut tx, &found.hash).await?;
    let (target, change) = (invitation_target(&found.hash), json!({}));
    write_audit(
        hub,
        &mut tx,
        AuditEvent { by: AuditActor::of(caller)?, action: "invite.revoke", target, change, request },
    )
    .await?;
    Ok(tx.commit().await?)
}
