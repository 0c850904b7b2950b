//! Account creation by sign-up or by the operator.

use plexus_domain::{
    AccountId, CredentialId, Digest, Error as Refusal, Name, NamespaceId, Principal, PrincipalId,
    account::{NewPassword, Registration, Role},
    sanitized_text,
};
use plexus_store::{
    Tx, accounts,
    accounts::{Account, AccountState},
    invites,
    invites::Invite,
    login_credentials,
    login_credentials::{Credential, CredentialKind},
    namespaces,
    namespaces::{Namespace, NamespaceKind, NamespaceRole},
    principals,
};
use serde_json::json;

use super::{ClientInfo, SignedIn, bootstrap_admin, email, sessions};
use crate::{Hub, Result, audit, caller::source, error::conflict, limits::Rate, mail::EmailAddress};

const REASON_MAX: usize = 300;

/// The sign-up form.
pub struct SignUp {
    pub name: String,
    pub password: String,
    /// Address that gets a confirmation link. Ignored on a hub that sends no e-mail.
    pub email: Option<String>,
    /// Message to the administrator, where registration needs approval.
    pub reason: Option<String>,
    /// Invitation token, where registration is by invitation.
    pub invite: Option<String>,
    /// Token of the first administrator's link.
    pub first_administrator: Option<String>,
}

impl SignUp {
    /// Returns what is wrong with the name, the password and the e-mail address, one error for each.
    pub fn check(&self, hub: &Hub) -> Vec<Refusal> {
        let name = self.name.trim().parse::<Name>();
        let names = [self.name.trim(), hub.config().hub_name.as_str()];
        let password = NewPassword::new(self.password.clone(), &names);
        let email = self.email(hub).err();
        name.err().into_iter().chain(password.err()).chain(email).collect()
    }

    fn email(&self, hub: &Hub) -> Result<Option<EmailAddress>, Refusal> {
        self.email.as_deref().filter(|_| hub.sends_mail()).map(str::parse).transpose()
    }
}

/// Creates an account and signs in. Returns `None` if an administrator has to approve the account first.
pub async fn sign_up(hub: &Hub, form: SignUp, device: &ClientInfo) -> Result<Option<SignedIn>> {
    hub.limits().take(Rate::SignUps, &source(device.ip))?;
    let name: Name = form.name.trim().parse()?;
    let email = form.email(hub)?;
    let password = NewPassword::new(form.password, &[name.as_str(), &hub.config().hub_name])?;
    let hash = hub.passwords().hash(password).await?;
    let mut tx = hub.store().write().await?;
    let mut invite = None;
    let (role, state) = match (&form.first_administrator, hub.config().registration) {
        (Some(token), _) => (take_first(hub, &mut tx, token).await?, AccountState::Active),
        (None, Registration::Invite) => {
            let taken = take_invite(hub, &mut tx, form.invite.as_deref()).await?;
            invite = Some(taken.hash);
            (taken.role, AccountState::Active)
        }
        (None, registration) => (Role::User, state_of_new(registration)?),
    };
    let account = insert(hub, &mut tx, &name, &hash, role, state).await?;
    if let Some(invite) = invite {
        audit::record_use(hub, &mut tx, &invite, account).await?;
    }
    if let Some(reason) = form.reason.filter(|_| state == AccountState::Pending) {
        let reason = sanitized_text::ellipsize(&sanitized_text::one_line(&reason), REASON_MAX);
        accounts::set_prefs(&mut tx, account, &json!({ "reason": reason })).await?;
    }
    let signed_in = match state {
        AccountState::Active => Some(sessions::create(hub, &mut tx, account, device).await?),
        _ => None,
    };
    tx.commit().await?;
    if let Some(email) = email
        && let Err(error) = email::send_confirmation(hub, account, &name, &email).await
    {
        tracing::warn!(%error, "confirmation of an e-mail address: not sent after the sign-up");
    }
    Ok(signed_in)
}

/// Creates an account from the command line, without registration rules and rate limits.
pub async fn create_by_operator(hub: &Hub, name: &str, password: String, role: Role) -> Result<AccountId> {
    let name: Name = name.parse()?;
    let password = NewPassword::new(password, &[name.as_str(), &hub.config().hub_name])?;
    let hash = hub.passwords().hash(password).await?;
    let mut tx = hub.store().write().await?;
    let account = insert(hub, &mut tx, &name, &hash, role, AccountState::Active).await?;
    let (target, change) = (audit::account_target(account), json!({ "role": role.as_str() }));
    audit::Administrator::CommandLine.write_audit(hub, &mut tx, "account.create", target, change).await?;
    tx.commit().await?;
    Ok(account)
}

fn state_of_new(registration: Registration) -> Result<AccountState, Refusal> {
    match registration {
        Registration::Open | Registration::Invite => Ok(AccountState::Active),
        Registration::Approval => Ok(AccountState::Pending),
        Registration::Closed => Err(Refusal::forbidden("Registration is closed on this hub.")),
    }
}

/// Consumes the first administrator's token. Of two concurrent sign-ups, the first to commit wins.
async fn take_first(hub: &Hub, tx: &mut Tx, token: &str) -> Result<Role> {
    let invite = invites::redeem(tx, &Digest::of(token), hub.env().now()).await?;
    let invite = invite.filter(|invite| invite.invited_by.is_none()).ok_or_else(bootstrap_admin::dead)?;
    bootstrap_admin::check(tx, &invite).await?;
    Ok(invite.role)
}

async fn take_invite(hub: &Hub, tx: &mut Tx, invite: Option<&str>) -> Result<Invite> {
    let unusable =
        || Refusal::invalid("invite", "This invitation is no longer valid. Ask its sender for a new one.");
    let token = invite.map(str::trim).filter(|text| !text.is_empty());
    let token = token
        .ok_or_else(|| Refusal::invalid("invite", "Registration on this hub requires an invitation."))?;
    let invite = invites::redeem(tx, &Digest::of(token), hub.env().now()).await?.ok_or_else(unusable)?;
    bootstrap_admin::check(tx, &invite).await?;
    Ok(invite)
}

async fn insert(
    hub: &Hub,
    tx: &mut Tx,
    name: &Name,
    hash: &str,
    role: Role,
    state: AccountState,
) -> Result<AccountId> {
    let taken = || Refusal::invalid("name", "This name is taken. Choose another.");
    if name.is_reserved() || namespaces::is_retired(tx, name).await? {
        return Err(taken().into());
    }
    let (env, now) = (hub.env(), hub.env().now());
    let (account, namespace) = (env.id(AccountId::new), env.id(NamespaceId::new));
    let owns = Namespace {
        id: namespace,
        name: name.clone(),
        kind: NamespaceKind::Person,
        created_at: now,
        retired_at: None,
    };
    conflict(namespaces::insert(tx, &owns).await, taken)?;
    let row = Account {
        id: account,
        namespace,
        email_folded: None,
        role,
        state,
        prefs: json!({}),
        created_at: now,
        purge_at: None,
    };
    accounts::insert(tx, &row).await?;
    namespaces::set_role(tx, namespace, account, NamespaceRole::Owner).await?;
    let (id, kind, data) = (env.id(CredentialId::new), CredentialKind::Password, hash.to_owned());
    let credential = Credential { id, account, kind, data, created_at: now, last_used_at: None };
    login_credentials::insert(tx, &credential).await?;
    principals::ensure(tx, &Principal::Account { account }, env.id(PrincipalId::new)).await?;
    Ok(account)
}
