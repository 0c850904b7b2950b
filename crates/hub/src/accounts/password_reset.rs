//! Links with which a person sets a new password, created by an administrator or sent by e-mail.
//!
//! A link is not stored. Its token is encrypted with the hub's key file and names the account, the expiry and the
//! present password hash, so that it ends with the next change of the password.

use std::time::Duration;

use plexus_domain::{AccountId, Digest, Error as Refusal, Name, Timestamp, account::NewPassword};
use plexus_store::{
    Conn, Tx,
    login_credentials::{self, CredentialKind},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    email, link_token,
    password::{self, PASSWORD_CHANGED},
};
use crate::{
    Hub, Result, account_names,
    audit::{self, Administrator},
    bus::AccessChange,
};

/// Lifetime of a link that an administrator creates.
const VALID: Duration = Duration::from_hours(24);
const PURPOSE: &str = "password reset";
/// A token has about 250 characters.
const MAX_TOKEN: usize = 1_000;

/// Content of a token.
#[derive(Serialize, Deserialize)]
struct ResetToken {
    account: AccountId,
    expires_at: Timestamp,
    /// Digest of the password hash that the link replaces.
    replaces: Digest,
}

/// Link for one person. It works once.
pub struct PasswordReset {
    pub name: Name,
    pub link: String,
}

/// Creates a link for an account.
pub async fn create_password_reset(
    hub: &Hub,
    by: Administrator<'_>,
    account: AccountId,
) -> Result<PasswordReset> {
    by.check()?;
    let mut tx = hub.store().write().await?;
    let reset = create(hub, &mut tx, Some(by), account, VALID).await?;
    tx.commit().await?;
    Ok(reset)
}

/// Creates a link for an account, for the operator.
pub async fn create_password_reset_by_operator(hub: &Hub, name: &str) -> Result<PasswordReset> {
    let mut tx = hub.store().write().await?;
    let account = account_names::account_by_name(&mut tx, name).await?;
    let reset = create(hub, &mut tx, Some(Administrator::CommandLine), account, VALID).await?;
    tx.commit().await?;
    Ok(reset)
}

/// Creates a link, `by` an administrator or for the account itself.
pub(super) async fn create(
    hub: &Hub,
    tx: &mut Tx,
    by: Option<Administrator<'_>>,
    account: AccountId,
    valid: Duration,
) -> Result<PasswordReset> {
    let name = account_names::find_account_name(tx, account)
        .await?
        .ok_or_else(|| Refusal::not_found("Account not found."))?;
    let credential = password::credential(tx, account).await?;
    let token =
        ResetToken { account, expires_at: hub.env().now() + valid, replaces: Digest::of(&credential.data) };
    let sealed = link_token::seal(hub, PURPOSE, &token)?;
    match by {
        Some(by) => {
            let target = audit::account_target(account);
            by.write_audit(hub, tx, "account.reset_link", target, json!({})).await?;
        }
        None => audit::write_account_audit(hub, tx, account, "account.reset_link").await?,
    }
    Ok(PasswordReset { name, link: format!("{}reset?token={sealed}", hub.config().public_url) })
}

/// Returns the name of the account that a token is for. Fails if the token is used, expired or forged.
pub async fn password_reset_name(hub: &Hub, token: &str) -> Result<Name> {
    let mut conn = hub.store().snapshot().await?;
    let account = check(hub, &mut conn, token).await?;
    Ok(account_names::find_account_name(&mut conn, account).await?.ok_or_else(dead)?)
}

/// Sets a new password and ends all sessions of the account. Its API tokens stay valid.
pub async fn reset_password(hub: &Hub, token: &str, new: String) -> Result<()> {
    let name = password_reset_name(hub, token).await?;
    let new = NewPassword::new(new, &[name.as_str(), &hub.config().hub_name])?;
    let hash = hub.passwords().hash(new).await?;
    let mut tx = hub.store().write().await?;
    let account = check(hub, &mut tx, token).await?;
    password::replace(&mut tx, account, &hash, None).await?;
    audit::write_account_audit(hub, &mut tx, account, "account.password").await?;
    email::notify_of_change(hub, &mut tx, account, PASSWORD_CHANGED).await?;
    tx.commit().await?;
    hub.live().access.notify(AccessChange::Account(account));
    Ok(())
}

/// Returns the account of a token that is valid now.
async fn check(hub: &Hub, conn: &mut Conn, token: &str) -> Result<AccountId> {
    let token: Option<ResetToken> = link_token::open(hub, PURPOSE, token, MAX_TOKEN);
    let token = token.filter(|token| hub.env().now() < token.expires_at).ok_or_else(dead)?;
    let credential = login_credentials::by_kind(conn, token.account, CredentialKind::Password).await?;
    let replaces = credential.map(|credential| Digest::of(&credential.data));
    if replaces == Some(token.replaces) { Ok(token.account) } else { Err(dead().into()) }
}

fn dead() -> Refusal {
    Refusal::forbidden("This link is used or has expired. Request a new one.")
}
