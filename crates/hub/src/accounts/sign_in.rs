//! Sign-in with name or e-mail address, and password.

use std::net::IpAddr;

use plexus_domain::{AccountId, Error as Refusal};
use plexus_store::{
    accounts::{Account, AccountState},
    login_credentials,
    login_credentials::CredentialKind,
};

use super::{
    deletion::{cancel_deletion, is_pending_deletion},
    password as passwords,
    recovery::AccountKey,
    sessions,
};
use crate::{Hub, Result, audit, caller::source, limits::Rate};

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

/// Counter of failed sign-ins, by `reason`.
const FAILED: &str = "plexus_failed_sign_ins_total";

/// Why a sign-in failed, as it is named in the log, the audit log and the metric.
#[derive(Clone, Copy)]
enum SignInFailure {
    UnknownName,
    WrongPassword,
    RateLimited,
    Inactive,
}

impl SignInFailure {
    const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownName => "unknown name",
            Self::WrongPassword => "wrong password",
            Self::RateLimited => "rate limited",
            Self::Inactive => "account not active",
        }
    }
}

/// Signs in. `name` is a name or a confirmed e-mail address. An unknown one takes as long as a wrong password. Rate limited per IP address and per account.
/// Each failure is logged with the client's address, for programs such as fail2ban.
pub async fn sign_in(hub: &Hub, name: &str, password: String, device: &ClientInfo) -> Result<SignedIn> {
    let limited = |error| {
        report_failure(hub, device.ip, None, SignInFailure::RateLimited);
        error
    };
    hub.limits().take(Rate::SignIns, &source(device.ip)).map_err(limited)?;
    let account = find(hub, name).await?;
    if let Some(account) = &account {
        hub.limits().take(Rate::SignInsPerAccount, &account.id.to_string()).map_err(limited)?;
    }
    let hash = match &account {
        Some(account) => passwords::kept(hub, account.id).await?,
        None => None,
    };
    let matches = hub.passwords().verify(password, hash.clone()).await?;
    let account = match account {
        Some(account) if matches => account,
        found => {
            let reason =
                if found.is_some() { SignInFailure::WrongPassword } else { SignInFailure::UnknownName };
            report_failure(hub, device.ip, found.as_ref(), reason);
            return Err(Refusal::unauthenticated("Incorrect name or password.").into());
        }
    };
    if let Err(refusal) = refuse_inactive(account.state) {
        report_failure(hub, device.ip, Some(&account), SignInFailure::Inactive);
        return Err(refusal.into());
    }
    let mut tx = hub.store().write().await?;
    // The password may have been changed since it was read: a session of the old one would outlive the change.
    let kept = login_credentials::by_kind(&mut tx, account.id, CredentialKind::Password).await?;
    if kept.map(|kept| kept.data) != hash {
        return Err(Refusal::unauthenticated("Incorrect name or password.").into());
    }
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

/// Logs and counts a failed sign-in. That of an existing account is also in the audit log, which its rate limit
/// bounds. The name is not logged: people type passwords into the wrong field.
fn report_failure(hub: &Hub, address: IpAddr, account: Option<&Account>, reason: SignInFailure) {
    let reason = reason.as_str();
    tracing::warn!(%address, account = account.map(|account| account.id.to_string()), reason, "sign-in: failed");
    metrics::counter!(FAILED, "reason" => reason).increment(1);
    let Some(account) = account.map(|account| account.id) else { return };
    // In the background: the time of the response must not tell whether the account exists.
    let task_hub = hub.clone();
    hub.spawn_once("audit of a failed sign-in", async move {
        if let Err(error) = audit::write_failed_sign_in(&task_hub, account, address, reason).await {
            tracing::warn!(%error, "audit entry of a failed sign-in: not written");
        }
    });
}

async fn find(hub: &Hub, name: &str) -> Result<Option<Account>> {
    match AccountKey::parse(name) {
        Ok(key) => key.find(hub).await,
        Err(_) => Ok(None),
    }
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
