//! Links with which a person sets a new password, created by an administrator.
//!
//! A link is not stored. Its token is encrypted with the hub's key file and names the account, the expiry and the
//! present password hash, so that it ends with the next change of the password.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use plexus_domain::{
    AccountId, Digest, Error as Refusal, Name, Timestamp, account::NewPassword, account::Role,
};
use plexus_store::{
    Conn, Tx, accounts,
    accounts::AccountState,
    login_credentials::{self, Credential, CredentialKind},
    namespaces, sessions,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    Caller, Hub, Result,
    admin::{self, AuditEvent},
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
    caller: &Caller,
    account: AccountId,
    request: &str,
) -> Result<PasswordReset> {
    let by = caller.require(Role::Admin)?;
    let mut tx = hub.store().write().await?;
    let reset = create(hub, &mut tx, account).await?;
    let target = admin::audit_account(account);
    let event = AuditEvent { by, action: "account.reset_link", target, change: json!({}), request };
    admin::write_audit(hub, &mut tx, event).await?;
    tx.commit().await?;
    Ok(reset)
}

/// Creates a link for an account, for the operator.
pub async fn create_password_reset_by_operator(hub: &Hub, name: &str) -> Result<PasswordReset> {
    let mut tx = hub.store().write().await?;
    let account = admin::account_by_name(&mut tx, name).await?;
    let reset = create(hub, &mut tx, account).await?;
    let target = admin::audit_account(account);
    admin::write_cli_audit(hub, &mut tx, "account.reset_link", target, json!({})).await?;
    tx.commit().await?;
    Ok(reset)
}

async fn create(hub: &Hub, tx: &mut Tx, account: AccountId) -> Result<PasswordReset> {
    let name = name_of(tx, account).await?.ok_or_else(|| Refusal::not_found("Account not found."))?;
    let credential = login_credentials::by_kind(tx, account, CredentialKind::Password).await?;
    let credential =
        credential.ok_or_else(|| Refusal::conflict("This account signs in without a password."))?;
    let token =
        ResetToken { account, expires_at: hub.env().now() + VALID, replaces: Digest::of(&credential.data) };
    let plain = serde_json::to_vec(&token).map_err(anyhow::Error::new)?;
    let sealed = URL_SAFE_NO_PAD.encode(hub.vault().seal(PURPOSE, &plain)?);
    Ok(PasswordReset { name, link: format!("{}reset?token={sealed}", hub.config().public_url) })
}

/// Returns the name of the account that a token is for. Fails if the token is used, expired or forged.
pub async fn password_reset_name(hub: &Hub, token: &str) -> Result<Name> {
    let mut conn = hub.store().snapshot().await?;
    let (account, _) = check(hub, &mut conn, token).await?;
    Ok(name_of(&mut conn, account).await?.ok_or_else(dead)?)
}

/// Sets a new password and ends all sessions of the account. Its API tokens stay valid.
pub async fn reset_password(hub: &Hub, token: &str, new: String) -> Result<()> {
    let name = password_reset_name(hub, token).await?;
    let new = NewPassword::new(new, &[name.as_str(), &hub.config().hub_name])?;
    let hash = hub.passwords().hash(new).await?;
    let mut tx = hub.store().write().await?;
    let (account, credential) = check(hub, &mut tx, token).await?;
    login_credentials::set_data(&mut tx, credential.id, &hash).await?;
    sessions::delete_by_account(&mut tx, account, None).await?;
    admin::write_account_audit(hub, &mut tx, account, "account.password").await?;
    tx.commit().await?;
    hub.live().access.notify(AccessChange::Account(account));
    Ok(())
}

async fn check(hub: &Hub, conn: &mut Conn, token: &str) -> Result<(AccountId, Credential)> {
    let token = open(hub, token).filter(|token| hub.env().now() < token.expires_at).ok_or_else(dead)?;
    let credential = login_credentials::by_kind(conn, token.account, CredentialKind::Password).await?;
    let credential = credential.filter(|credential| Digest::of(&credential.data) == token.replaces);
    Ok((token.account, credential.ok_or_else(dead)?))
}

fn open(hub: &Hub, token: &str) -> Option<ResetToken> {
    if token.len() > MAX_TOKEN {
        return None;
    }
    let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
    serde_json::from_slice(&hub.vault().open_sealed(PURPOSE, &sealed).ok()?).ok()
}

async fn name_of(conn: &mut Conn, account: AccountId) -> Result<Option<Name>> {
    let account = accounts::find(conn, account).await?;
    let Some(account) = account.filter(|account| account.state != AccountState::Deleted) else {
        return Ok(None);
    };
    Ok(namespaces::find(conn, account.namespace).await?.map(|namespace| namespace.name))
}

fn dead() -> Refusal {
    Refusal::forbidden("This link is used or older than 24 hours. Ask an administrator for a new one.")
}
