//! E-mail address of an account: confirming a new one, and removing it.
//!
//! Only a confirmed address is stored. A confirmation link is not stored: its token is encrypted with the hub's key
//! file and names the account, the new address, the expiry and the address that it replaces, so that it works once.

use std::time::Duration;

use plexus_domain::{AccountId, Error as Refusal, Name, Timestamp};
use plexus_store::{
    Conn, Tx,
    accounts::{self, Account, AccountState},
};
use serde::{Deserialize, Serialize};

use super::{link_token, password};
use crate::{
    Hub, Result, account_names, audit,
    caller::Caller,
    error::conflict,
    limits::Rate,
    mail::{self, EmailAddress, MailMessage},
};

const VALID: Duration = Duration::from_hours(24);
const PURPOSE: &str = "e-mail confirmation";
/// A token has about 800 characters for two addresses of the maximum length.
const MAX_TOKEN: usize = 2_000;

/// Content of a token.
#[derive(Serialize, Deserialize)]
struct ConfirmationToken {
    account: AccountId,
    email: EmailAddress,
    expires_at: Timestamp,
    /// The confirmed address when the link was requested.
    replaces: Option<String>,
}

/// What a confirmation link confirms.
pub struct PendingEmail {
    pub name: Name,
    pub email: EmailAddress,
}

/// Sends a confirmation link to a new address of the caller, after checking the password. Rate limited per account.
///
/// Succeeds also for the address of another account, so that the response does not tell that it is one. The link of
/// such an address cannot be confirmed.
pub async fn request_email(
    hub: &Hub,
    caller: &Caller,
    email: &str,
    password: String,
) -> Result<EmailAddress> {
    let person = caller.person()?;
    let email: EmailAddress = email.parse()?;
    password::check(hub, person, password, "current").await?;
    send_confirmation(hub, person.account, &person.name, &email).await?;
    Ok(email)
}

/// Sends a confirmation link to the address that a new account entered when it signed up.
pub(super) async fn send_confirmation(
    hub: &Hub,
    account: AccountId,
    name: &Name,
    email: &EmailAddress,
) -> Result<()> {
    hub.limits().take(Rate::Emails, &account.to_string())?;
    let replaces = address(&mut hub.store().read().await?, account).await?;
    let token = ConfirmationToken {
        account,
        email: email.clone(),
        expires_at: hub.env().now() + VALID,
        replaces: replaces.map(String::from),
    };
    let sealed = link_token::seal(hub, PURPOSE, &token)?;
    let (hub_name, url) = (&hub.config().hub_name, &hub.config().public_url);
    hub.send_mail(MailMessage {
        id: mail::new_id(hub.env()),
        to: email.clone(),
        subject: format!("Confirm your e-mail address for {hub_name}"),
        text: format!(
            "Hello {name},\n\nopen this link within 24 hours to confirm the e-mail address of your account @{name} \
             on {hub_name}:\n\n{url}email?token={sealed}\n\nIf you did not enter this address there, ignore this \
             message.\n"
        ),
    })
}

/// Returns what a confirmation link confirms. Fails if the link is used, expired or forged.
pub async fn pending_email(hub: &Hub, token: &str) -> Result<PendingEmail> {
    let mut conn = hub.store().snapshot().await?;
    let token = check(hub, &mut conn, token).await?;
    let name = account_names::find_account_name(&mut conn, token.account).await?.ok_or_else(dead)?;
    Ok(PendingEmail { name, email: token.email })
}

/// Stores the address of a confirmation link. The address that it replaces gets a notice.
pub async fn confirm_email(hub: &Hub, token: &str) -> Result<()> {
    let taken = || Refusal::conflict("Another account of this hub has this e-mail address.");
    let mut tx = hub.store().write().await?;
    let token = check(hub, &mut tx, token).await?;
    let stored = accounts::set_email(&mut tx, token.account, Some(token.email.as_str())).await;
    conflict(stored, taken)?;
    audit::write_account_audit(hub, &mut tx, token.account, "account.email").await?;
    let name = account_names::find_account_name(&mut tx, token.account).await?.ok_or_else(dead)?;
    tx.commit().await?;
    if let Some(old) = token.replaces.and_then(|old| old.parse().ok()) {
        let event = format!("its e-mail address was changed to {}", token.email);
        send_notice(hub, &name, old, &event);
    }
    Ok(())
}

/// Removes the caller's address, after checking the password. The address gets a notice.
pub async fn remove_email(hub: &Hub, caller: &Caller, password: String) -> Result<()> {
    let person = caller.person()?;
    password::check(hub, person, password, "current").await?;
    let mut tx = hub.store().write().await?;
    let Some(old) = address(&mut tx, person.account).await? else { return Ok(()) };
    accounts::set_email(&mut tx, person.account, None).await?;
    audit::write_account_audit(hub, &mut tx, person.account, "account.email").await?;
    tx.commit().await?;
    send_notice(hub, &person.name, old, "its e-mail address was removed");
    Ok(())
}

/// Returns the confirmed address of an account.
pub(super) async fn address(conn: &mut Conn, account: AccountId) -> Result<Option<EmailAddress>> {
    Ok(accounts::find(conn, account).await?.as_ref().and_then(address_of))
}

/// Returns the confirmed address in the row of an account.
pub(super) fn address_of(account: &Account) -> Option<EmailAddress> {
    account.email_folded.as_ref()?.parse().ok()
}

/// Tells an account about a change of its credentials, if it has an address and this hub sends e-mail.
pub(super) async fn notify_of_change(hub: &Hub, tx: &mut Tx, account: AccountId, event: &str) -> Result<()> {
    let (email, name) = (address(tx, account).await?, account_names::find_account_name(tx, account).await?);
    if let (Some(email), Some(name)) = (email, name) {
        send_notice(hub, &name, email, event);
    }
    Ok(())
}

/// Queues a notice. A failure is logged: the change that it tells of is committed.
fn send_notice(hub: &Hub, name: &Name, to: EmailAddress, event: &str) {
    if !hub.sends_mail() {
        return;
    }
    let (hub_name, url) = (&hub.config().hub_name, &hub.config().public_url);
    let message = MailMessage {
        id: mail::new_id(hub.env()),
        to,
        subject: format!("Your account on {hub_name} was changed"),
        text: format!(
            "Hello {name},\n\nyour account @{name} on {hub_name} ({url}) was changed: {event}.\n\nIf this was not you, \
             set a new password and tell an administrator of this hub.\n"
        ),
    };
    if let Err(error) = hub.send_mail(message) {
        tracing::warn!(%error, "notice of an account change: not queued");
    }
}

/// Returns the content of a token that is valid now.
async fn check(hub: &Hub, conn: &mut Conn, token: &str) -> Result<ConfirmationToken> {
    let token: Option<ConfirmationToken> = link_token::open(hub, PURPOSE, token, MAX_TOKEN);
    let token = token.filter(|token| hub.env().now() < token.expires_at).ok_or_else(dead)?;
    let account = accounts::find(conn, token.account).await?.ok_or_else(dead)?;
    let is_closed = matches!(account.state, AccountState::Suspended | AccountState::Deleted);
    if account.email_folded != token.replaces || is_closed {
        return Err(dead().into());
    }
    Ok(token)
}

fn dead() -> Refusal {
    Refusal::forbidden(
        "This link is used or older than 24 hours. Request a new one in your account settings.",
    )
}
