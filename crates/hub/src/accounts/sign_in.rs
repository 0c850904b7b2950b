//! Sign-in with name and password.

use std::net::IpAddr;

use plexus_domain::{AccountId, Error as Refusal, Name};
use plexus_store::{
    accounts,
    accounts::{Account, AccountState},
};

use super::{
    deletion::{cancel_deletion, is_pending_deletion},
    password as passwords, sessions,
};
use crate::{Hub, Result, caller::source, limits::Rate};

/// The client that signs in.
#[derive(Clone, Debug)]
pub struct ClientInfo {
    pub ip: IpAddr,
    /// Its user agent, as sent by the browser.
    pub agent: String,
}

/// A new session. The cookie value exists only here and in the browser; the store has its digest.
pub struct SignedIn {
    pub account: AccountId,
    pub cookie: String,
    /// Signing in cancelled a pending deletion of the account.
    pub came_back: bool,
}

/// Signs in. An unknown name takes as long as a wrong password. Rate limited per IP address and per account.
pub async fn sign_in(hub: &Hub, name: &str, password: String, device: &ClientInfo) -> Result<SignedIn> {
    hub.limits().take(Rate::SignIns, &source(device.ip))?;
    let account = find(hub, name).await?;
    if let Some(account) = &account {
        hub.limits().take(Rate::SignInsPerAccount, &account.id.to_string())?;
    }
    let hash = match &account {
        Some(account) => passwords::kept(hub, account.id).await?,
        None => None,
    };
    let matches = hub.passwords().verify(password, hash).await?;
    let account =
        account.filter(|_| matches).ok_or_else(|| Refusal::unauthenticated("Incorrect name or password."))?;
    refuse_inactive(account.state)?;
    let mut tx = hub.store().write().await?;
    let mut signed_in = sessions::create(hub, &mut tx, account.id, device).await?;
    let back = match is_pending_deletion(&account) {
        true => Some(cancel_deletion(hub, &mut tx, &account).await?),
        false => None,
    };
    tx.commit().await?;
    signed_in.came_back = back.is_some();
    if let Some(moved) = back {
        moved.came_back(hub);
    }
    Ok(signed_in)
}

async fn find(hub: &Hub, name: &str) -> Result<Option<Account>> {
    let Ok(name) = name.trim().parse::<Name>() else { return Ok(None) };
    let account = accounts::by_name(&mut hub.store().read().await?, &name).await?;
    Ok(account.filter(|account| account.state != AccountState::Deleted))
}

pub(super) fn refuse_inactive(state: AccountState) -> Result<(), Refusal> {
    match state {
        AccountState::Active | AccountState::Leaving => Ok(()),
        AccountState::Pending => Err(Refusal::forbidden("An administrator must approve this account first.")),
        AccountState::Suspended => {
            Err(Refusal::forbidden("This account is suspended. Contact the operator of this hub."))
        }
        AccountState::Deleted => Err(Refusal::unauthenticated("Incorrect name or password.")),
    }
}
