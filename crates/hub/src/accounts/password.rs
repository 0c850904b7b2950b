//! Password change and password check.

use plexus_domain::{AccountId, Digest, Error as Refusal, account::NewPassword};
use plexus_store::{
    Conn, Tx,
    login_credentials::{self, Credential, CredentialKind},
    sessions,
};

use serde_json::json;

use super::email;
use crate::{
    Hub, Result, account_names,
    audit::{self, Administrator},
    bus::AccessChange,
    caller::{Caller, Person},
    limits::Rate,
};

/// How a notice by e-mail names a change of the password.
pub(super) const PASSWORD_CHANGED: &str = "its password was changed";

/// Changes the password after checking the current one. Ends all other sessions.
pub async fn change_password(hub: &Hub, caller: &Caller, present: String, new: String) -> Result<()> {
    let person = caller.person()?;
    check(hub, person, present, "current").await?;
    let new = NewPassword::new(new, &[person.name.as_str(), &hub.config().hub_name])?;
    let hash = hub.passwords().hash(new).await?;
    let mut tx = hub.store().write().await?;
    replace(&mut tx, person.account, &hash, caller.session()).await?;
    audit::write_account_audit(hub, &mut tx, person.account, "account.password").await?;
    email::notify_of_change(hub, &mut tx, person.account, PASSWORD_CHANGED).await?;
    tx.commit().await?;
    hub.live().access.notify(AccessChange::Account(person.account));
    Ok(())
}

/// Sets the password of an account for the operator, from the command line. Ends all of its sessions; its API tokens
/// go on.
pub async fn set_password_by_operator(hub: &Hub, name: &str, new: String) -> Result<()> {
    let new = NewPassword::new(new, &[name, &hub.config().hub_name])?;
    let hash = hub.passwords().hash(new).await?;
    let mut tx = hub.store().write().await?;
    let account = account_names::account_by_name(&mut tx, name).await?;
    replace(&mut tx, account, &hash, None).await?;
    let target = audit::account_target(account);
    Administrator::CommandLine.write_audit(hub, &mut tx, "account.password", target, json!({})).await?;
    email::notify_of_change(hub, &mut tx, account, PASSWORD_CHANGED).await?;
    tx.commit().await?;
    hub.live().access.notify(AccessChange::Account(account));
    Ok(())
}

/// Replaces the password hash of an account, and deletes its sessions except `kept`. The caller notifies
/// [`AccessChange::Account`] after the commit.
pub(super) async fn replace(
    tx: &mut Tx,
    account: AccountId,
    hash: &str,
    kept: Option<&Digest>,
) -> Result<()> {
    let credential = credential(tx, account).await?;
    login_credentials::set_data(tx, credential.id, hash).await?;
    sessions::delete_by_account(tx, account, kept).await?;
    Ok(())
}

/// Returns the password credential of an account. Fails if it signs in without one.
pub(super) async fn credential(conn: &mut Conn, account: AccountId) -> Result<Credential> {
    let credential = login_credentials::by_kind(conn, account, CredentialKind::Password).await?;
    Ok(credential.ok_or_else(|| Refusal::conflict("This account signs in without a password."))?)
}

/// Checks the account's password. A wrong one is a refusal of the input field `field`. Rate limited per
/// account.
pub(super) async fn check(hub: &Hub, person: &Person, password: String, field: &str) -> Result<()> {
    hub.limits().take(Rate::SignInsPerAccount, &person.account.to_string())?;
    let kept = kept(hub, person.account).await?;
    if hub.passwords().verify(password, kept).await? {
        return Ok(());
    }
    Err(Refusal::invalid(field, "The current password is incorrect.").into())
}

/// Returns the stored password hash of the account.
pub(super) async fn kept(hub: &Hub, account: AccountId) -> Result<Option<String>> {
    let credential =
        login_credentials::by_kind(&mut hub.store().read().await?, account, CredentialKind::Password).await?;
    Ok(credential.map(|credential| credential.data))
}
