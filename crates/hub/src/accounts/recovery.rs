//! Recovery of an account by e-mail: a link that sets a new password.

use std::{net::IpAddr, time::Duration};

use plexus_domain::{Error as Refusal, Name};
use plexus_store::accounts::{self, Account, AccountState};

use super::{email, password_reset};
use crate::{
    Hub, Result,
    caller::source,
    limits::Rate,
    mail::{self, EmailAddress, MailMessage},
};

const VALID: Duration = Duration::from_hours(1);

/// Sends a link that sets a new password to the account with this name or e-mail address. Rate limited per address of
/// the client, and per account.
///
/// The response is the same if there is no such account, or if it has no confirmed address. The lookup runs in the
/// background, so that its time does not tell either.
pub fn request_recovery(hub: &Hub, name_or_email: &str, client: IpAddr) -> Result<()> {
    if !hub.sends_mail() {
        return Err(Refusal::conflict("This hub sends no e-mail. Ask an administrator for a link.").into());
    }
    hub.limits().take(Rate::Recoveries, &source(client))?;
    let key = AccountKey::parse(name_or_email)?;
    let task_hub = hub.clone();
    hub.spawn_once("account recovery", async move {
        if let Err(error) = send_link(&task_hub, &key).await {
            tracing::warn!(%error, "account recovery: link not sent");
        }
    });
    Ok(())
}

/// A name or an e-mail address with which a person names an account.
pub(super) enum AccountKey {
    Name(Name),
    Email(EmailAddress),
}

impl AccountKey {
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        if text.contains('@') { text.parse().map(Self::Email) } else { text.parse().map(Self::Name) }
    }

    /// Returns the account, unless it is deleted.
    pub async fn find(&self, hub: &Hub) -> Result<Option<Account>> {
        let mut conn = hub.store().read().await?;
        let account = match self {
            Self::Name(name) => accounts::by_name(&mut conn, name).await?,
            Self::Email(email) => accounts::by_email(&mut conn, email.as_str()).await?,
        };
        Ok(account.filter(|account| account.state != AccountState::Deleted))
    }
}

async fn send_link(hub: &Hub, key: &AccountKey) -> Result<()> {
    let Some(account) = key.find(hub).await? else { return Ok(()) };
    let Some(to) = email::address_of(&account) else { return Ok(()) };
    hub.limits().take(Rate::Emails, &account.id.to_string())?;
    let mut tx = hub.store().write().await?;
    let reset = password_reset::create(hub, &mut tx, None, account.id, VALID).await?;
    tx.commit().await?;
    let (name, hub_name, link) = (&reset.name, &hub.config().hub_name, &reset.link);
    hub.send_mail(MailMessage {
        id: mail::new_id(hub.env()),
        to,
        subject: format!("New password for {hub_name}"),
        text: format!(
            "Hello {name},\n\nopen this link within an hour to set a new password for your account @{name} on \
             {hub_name}:\n\n{link}\n\nIf you did not ask for it, ignore this message. Your password stays as it is.\n"
        ),
    })
}
