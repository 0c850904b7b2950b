//! Links with which a person sets a new password, created by an administrator.
//!
//! A link is not stored. Its token is encrypted with the hub's key file and names the account, the expiry and the
//! present password hash, so that it ends with the next change of the password.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use plexus_domain::{AccountId, Digest, Error as Refusal, Name, Timestamp, account::NewPassword};
use plexus_store::{
    Conn, Tx,
    login_credentials::{self, CredentialKind},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::password;
use crate::{
    Hub, Result,
    admin::{self, Administrator},
    streaming::AccessChange,
};

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

/// Link for one person. It works once, for 24 hours.
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
    let reset = create(hub, &mut tx, by, account).await?;
    tx.commit().await?;
    Ok(reset)
}

/// Creates a link for an account, for the operator.
pub async fn create_password_reset_by_operator(hub: &Hub, name: &str) -> Result<PasswordReset> {
    let mut tx = hub.store().write().await?;
    let account = admin::account_by_name(&mut tx, name).await?;
    let reset = create(hub, &mut tx, Administrator::CommandLine, account).await?;
    tx.commit().await?;
    Ok(reset)
}

async fn create(hub: &Hub, tx: &mut Tx, by: Administrator<'_>, account: AccountId) -> Result<PasswordReset> {
    let name =
        admin::account_name(tx, account).await?.ok_or_else(|| Refusal::not_found("Account not found."))?;
    let credential = password::credential(tx, account).await?;
    let token =
        ResetToken { account, expires_at: hub.env().now() + VALID, replaces: Digest::of(&credential.data) };
    let plain = serde_json::to_vec(&token).map_err(anyhow::Error::new)?;
    let sealed = URL_SAFE_NO_PAD.encode(hub.vault().seal(PURPOSE, &plain)?);
    by.write_audit(hub, tx, "account.reset_link", admin::audit_account(account), json!({})).await?;
    Ok(PasswordReset { name, link: format!("{}reset?token={sealed}", hub.config().public_url) })
}

/// Returns the name of the account that a token is for. Fails if the token is used, expired or forged.
pub async fn password_reset_name(hub: &Hub, token: &str) -> Result<Name> {
    let mut conn = hub.store().snapshot().await?;
    let account = check(hub, &mut conn, token).await?;
    Ok(admin::account_name(&mut conn, account).await?.ok_or_else(dead)?)
}

/// Sets a new password and ends all sessions of the account. Its API tokens stay valid.
pub async fn reset_password(hub: &Hub, token: &str, new: String) -> Result<()> {
    let name = password_reset_name(hub, token).await?;
    let new = NewPassword::new(new, &[name.as_str(), &hub.config().hub_name])?;
    let hash = hub.passwords().hash(new).await?;
    let mut tx = hub.store().write().await?;
    let account = check(hub, &mut tx, token).await?;
    password::replace(&mut tx, account, &hash, None).await?;
    admin::write_account_audit(hub, &mut tx, account, "account.password").await?;
    tx.commit().await?;
    hub.live().access.notify(AccessChange::Account(account));
    Ok(())
}

/// Returns the account of a token that is valid now.
async fn check(hub: &Hub, conn: &mut Conn, token: &str) -> Result<AccountId> {
    let token = open(hub, token).filter(|token| hub.env().now() < token.expires_at).ok_or_else(dead)?;
    let credential = login_credentials::by_kind(conn, token.account, CredentialKind::Password).await?;
    let replaces = credential.map(|credential| Digest::of(&credential.data));
    if replaces == Some(token.replaces) { Ok(token.account) } else { Err(dead().into()) }
}

fn open(hub: &Hub, token: &str) -> Option<ResetToken> {
    if token.len() > MAX_TOKEN {
        return None;
    }
    let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
    serde_json::from_slice(&hub.vault().open_sealed(PURPOSE, &sealed).ok()?).ok()
}

fn dead() -> Refusal {
    Refusal::forbidden("This link is used or older than 24 hours. Ask an administrator for a new one.")
}
