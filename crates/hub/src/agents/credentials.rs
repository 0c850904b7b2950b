//! Credentials for agents: shared ones entered by the owner for all callers, or per-user ones.

use std::sync::Arc;

use plexus_a2a::Card;
use plexus_domain::{
    AccountId, Address, AgentId, Error as Refusal, SecretId,
    agent::{Connector, OauthRequirement},
};
use plexus_runtime::{CredentialSource, oauth_client::Client};
use plexus_store::{
    Conn, Tx, agent_credentials, agent_versions, agent_versions::Version, agents::Agent,
    origin_verifications, secrets,
};
use url::Url;

pub use plexus_domain::agent::Scheme;

use super::{
    access::owns,
    manage, oauth_connect,
    oauth_tokens::{AuthorizationServer, OauthConnection, UserTokens},
    openid_discovery,
};
use crate::{
    Caller, Error, Hub, Result,
    caller::{Person, Requester, Scope},
    keys,
};

mod requirement;
mod sealed;

use requirement::resource;
pub use requirement::scheme;
pub(super) use requirement::{CredentialRequirement, template_resource};
pub(super) use sealed::SealedCredentials;

const MAX_SECRET_BYTES: usize = 8 << 10;
const MAX_USER_BYTES: usize = 256;

/// Credential form.
#[derive(Clone, Default)]
pub struct CredentialInput {
    pub user: String,
    pub secret: String,
}

/// Credentials that the caller has to enter, and whether they are stored.
#[derive(Clone, Debug)]
pub struct CredentialStatus {
    pub scheme: Scheme,
    pub stored: bool,
    /// True if the caller is the owner and the credentials are used for all callers.
    pub shared: bool,
    /// The only origin to which they are sent.
    pub origin: String,
    /// OAuth client settings, for the owner of an agent with a user OAuth flow.
    pub client: Option<OauthClientIdentity>,
}

/// Identity of the hub as a client at the authorization server.
#[derive(Clone, Debug)]
pub struct OauthClientIdentity {
    /// Client id that the owner entered; `None` means [`Self::document`].
    pub id: Option<String>,
    /// Client id for servers that support client metadata documents.
    pub document: String,
    /// Redirect URI to register there.
    pub redirect: String,
}

/// Serializes the credentials for encryption, bound to the called origin.
pub(super) fn plain(asks: &CredentialRequirement, given: &CredentialInput) -> Result<Vec<u8>> {
    serde_json::to_vec(&SealedCredentials::new(asks, given)?).map_err(Error::fault)
}

fn check(scheme: &Scheme, given: &CredentialInput) -> Result<(), Refusal> {
    let has_controls = |text: &str| text.chars().any(char::is_control);
    let is_public = matches!(scheme, Scheme::Oauth2(oauth) if oauth.is_by_user());
    if given.secret.is_empty() && !is_public {
        return Err(Refusal::invalid(
            "secret",
            "Enter the credential that the agent requires, or let each user enter their own.",
        ));
    }
    if given.secret.len() > MAX_SECRET_BYTES || has_controls(&given.secret) {
        return Err(Refusal::invalid("secret", "This is one line of at most 8 KiB. Enter it again."));
    }
    let wants_user = *scheme == Scheme::Basic;
    if wants_user && (given.user.is_empty() || given.user.contains(':')) {
        return Err(Refusal::invalid("user", "Enter the user name; it has no colon."));
    }
    if matches!(scheme, Scheme::Oauth2(_)) && given.user.is_empty() {
        return Err(Refusal::invalid("user", "Enter the id of the client."));
    }
    if given.user.len() > MAX_USER_BYTES || has_controls(&given.user) {
        return Err(Refusal::invalid("user", "A user name has at most 256 bytes on one line."));
    }
    Ok(())
}

fn asks_nothing() -> Refusal {
    Refusal::conflict("This agent requires no credentials that the hub can send.")
}

/// Returns the encryption purpose of the owner's shared credentials.
pub(super) fn shared_purpose(agent: AgentId) -> String {
    format!("agent {agent}")
}

pub(super) fn own_purpose(agent: AgentId, account: AccountId) -> String {
    format!("agent {agent} account {account}")
}

/// Returns the credentials that the caller can enter; `None` if there are none.
pub async fn credential_status(
    hub: &Hub,
    caller: &Caller,
    address: &Address,
) -> Result<Option<CredentialStatus>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = manage::agent_visible_to(&mut conn, person, address).await?;
    let (version, card) = manage::current(&mut conn, &agent).await?;
    let Some(asks) = CredentialRequirement::of(&version.connector, &card) else { return Ok(None) };
    let own = agent_credentials::find(&mut conn, agent.id, person.account).await?;
    let is_owner = owns(&mut conn, person, &agent).await?;
    let by_person = asks.by_person().is_some();
    let shared = version.secret.is_some() && !by_person;
    if shared && !is_owner {
        return Ok(None);
    }
    let client = match asks.by_person().filter(|_| is_owner) {
        Some((oauth, _)) => Some(as_client(hub, &mut conn, &agent, &version, oauth).await?),
        None => None,
    };
    let stored = shared || own.is_some();
    let outbound = hub.outbound().anyone(manage::is_administrators(&mut conn, &agent).await?);
    drop(conn);
    let CredentialRequirement { scheme, origin } = asks;
    let Some(scheme) = scheme else { return Ok(None) };
    let scheme = openid_discovery::resolve_scheme(hub, &outbound, scheme).await;
    Ok(Some(CredentialStatus { scheme, stored, shared, origin, client }))
}

async fn as_client(
    hub: &Hub,
    conn: &mut Conn,
    agent: &Agent,
    version: &Version,
    oauth: &OauthRequirement,
) -> Result<OauthClientIdentity> {
    let entered = entered_client(hub, conn, agent, version, oauth).await?;
    Ok(OauthClientIdentity {
        id: entered.map(|client| client.id),
        document: oauth_connect::client_document(hub).into(),
        redirect: oauth_connect::redirect(hub).into(),
    })
}

/// Returns whether the user has to enter credentials before the agent can be called for them.
pub(crate) async fn needs_credentials(
    conn: &mut Conn,
    requester: &Requester,
    agent: &Agent,
    version: &Version,
    card: &Card,
) -> Result<bool> {
    let Some(asks) = CredentialRequirement::of(&version.connector, card) else { return Ok(false) };
    if agent.home.is_some() {
        // Agents on other hubs are called with this hub's HTTP signature; no user credentials needed.
        return Ok(false);
    }
    if version.secret.is_some() && asks.by_person().is_none() {
        return Ok(false);
    }
    let Some(account) = requester.account() else { return Ok(true) };
    Ok(agent_credentials::find(conn, agent.id, account).await?.is_none())
}

pub(super) fn lacking(agent: &Agent) -> Refusal {
    let address = agent.address();
    Refusal::forbidden(format!(
        "{address} requires your own credentials. Enter them at /{address}/credentials."
    ))
}

/// Encrypts and stores the caller's credentials, replacing earlier ones.
pub async fn set_credentials(
    hub: &Hub,
    caller: &Caller,
    address: &Address,
    given: CredentialInput,
) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let mut tx = hub.store().write().await?;
    let agent = manage::agent_visible_to(&mut tx, person, address).await?;
    let (version, card) = manage::current(&mut tx, &agent).await?;
    let asks = CredentialRequirement::of(&version.connector, &card).ok_or_else(asks_nothing)?;
    if asks.by_person().is_some() {
        set_client(hub, &mut tx, person, &agent, &version, &asks, &given).await?;
        return Ok(tx.commit().await?);
    }
    let plain = plain(&asks, &given)?;
    if let Some(before) = version.secret {
        if !owns(&mut tx, person, &agent).await? {
            let words = "This agent uses its owner's credentials. You do not need to enter any.";
            return Err(Refusal::conflict(words).into());
        }
        let purpose = shared_purpose(agent.id);
        let new = keys::seal(hub, &mut tx, person.namespace, &purpose, &plain).await?;
        share(&mut tx, &agent, Some(before), Some(new)).await?;
    } else {
        give_own(hub, &mut tx, person, agent.id, &plain).await?;
    }
    Ok(tx.commit().await?)
}

/// Sets the hub's OAuth client at the authorization server. An empty form selects
/// the hub's own client document.
async fn set_client(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    agent: &Agent,
    version: &Version,
    asks: &CredentialRequirement,
    given: &CredentialInput,
) -> Result<()> {
    if !owns(tx, person, agent).await? {
        let words = "This agent uses OAuth. Connect on its page instead of entering credentials.";
        return Err(Refusal::conflict(words).into());
    }
    let new = match given.user.is_empty() && given.secret.is_empty() {
        true => None,
        false => {
            let plain = plain(asks, given)?;
            Some(keys::seal(hub, tx, person.namespace, &shared_purpose(agent.id), &plain).await?)
        }
    };
    share(tx, agent, version.secret, new).await
}

pub(super) async fn give_own(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    agent: AgentId,
    plain: &[u8],
) -> Result<()> {
    let before = agent_credentials::find(tx, agent, person.account).await?;
    let purpose = own_purpose(agent, person.account);
    let new = keys::seal(hub, tx, person.namespace, &purpose, plain).await?;
    agent_credentials::set(tx, agent, person.account, new).await?;
    if let Some(before) = before {
        secrets::delete(tx, before).await?;
    }
    Ok(())
}

/// Deletes the caller's credentials.
pub async fn delete_credentials(hub: &Hub, caller: &Caller, address: &Address) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let mut tx = hub.store().write().await?;
    let agent = manage::agent_visible_to(&mut tx, person, address).await?;
    let (version, card) = manage::current(&mut tx, &agent).await?;
    let by_person =
        CredentialRequirement::of(&version.connector, &card).is_some_and(|asks| asks.by_person().is_some());
    // Credentials of tool servers are deleted separately.
    let is_for_tools = matches!(version.connector, Connector::Llm { .. });
    let is_shared = agent.namespace.is_some() && !by_person && !is_for_tools;
    if let Some(shared) = version.secret.filter(|_| is_shared)
        && owns(&mut tx, person, &agent).await?
    {
        share(&mut tx, &agent, Some(shared), None).await?;
    }
    if let Some(own) = agent_credentials::find(&mut tx, agent.id, person.account).await? {
        agent_credentials::delete(&mut tx, agent.id, person.account).await?;
        secrets::delete(&mut tx, own).await?;
    }
    Ok(tx.commit().await?)
}

/// Replaces the shared secret `before` by `after` in each version that uses it, and deletes `before`.
pub(super) async fn share(
    tx: &mut Tx,
    agent: &Agent,
    before: Option<SecretId>,
    after: Option<SecretId>,
) -> Result<()> {
    for version in agent_versions::list_by_agent(tx, agent.id).await? {
        if version.secret == before {
            agent_versions::set_secret(tx, version.id, after).await?;
        }
    }
    if let Some(before) = before {
        secrets::delete(tx, before).await?;
    }
    Ok(())
}

/// Returns the credentials for a call by this user, with their origin. `None` if the agent requires none.
pub(crate) async fn credentials_for(
    hub: &Hub,
    conn: &mut Conn,
    requester: &Requester,
    agent: &Agent,
    version: &Version,
    card: &Card,
) -> Result<Option<(Url, CredentialSource)>> {
    let Some(asks) = CredentialRequirement::of(&version.connector, card) else { return Ok(None) };
    if let Some((oauth, _)) = asks.by_person() {
        return connected(hub, conn, requester, agent, version, card, oauth).await.map(Some);
    }
    let held = match (version.secret, requester.account()) {
        (Some(shared), _) => Some((shared, shared_purpose(agent.id))),
        (None, Some(account)) => {
            let own = agent_credentials::find(conn, agent.id, account).await?;
            own.map(|own| (own, own_purpose(agent.id, account)))
        }
        (None, None) => None,
    };
    let (secret, purpose) = held.ok_or_else(|| lacking(agent))?;
    let plain = keys::open(hub, conn, secret, &purpose).await?;
    let sealed = SealedCredentials::open(&plain)?;
    check_proved(conn, agent, &sealed.origin).await?;
    let origin = sealed.origin()?;
    let resource = resource(&version.connector, card)?;
    let outbound = hub.outbound().anyone(manage::is_administrators(conn, agent).await?);
    let address = agent.address();
    let mend = match version.secret {
        Some(_) => format!("Its owner can enter the client again at /{address}/credentials."),
        None => format!("Enter your client again at /{address}/credentials."),
    };
    let shown = sealed.shown(hub, outbound, resource, mend, Some(secret));
    Ok(Some((origin, shown)))
}

/// Fails if control of the origin is not verified. Credentials are sent to verified origins only.
pub(super) async fn check_proved(conn: &mut Conn, agent: &Agent, origin: &str) -> Result<()> {
    let proof = origin_verifications::find(conn, agent.id, origin).await?;
    if proof.is_some_and(|proof| proof.holds()) {
        return Ok(());
    }
    let address = agent.address();
    let words = format!(
        "{address} requires credentials, but {origin} is unverified. The hub sends credentials only to \
         verified origins; verify it at /{address}/manage."
    );
    Err(Refusal::forbidden(words).into())
}

/// Returns the user's OAuth tokens if they are for the authorization server that the agent names now.
async fn connected(
    hub: &Hub,
    conn: &mut Conn,
    requester: &Requester,
    agent: &Agent,
    version: &Version,
    card: &Card,
    oauth: &OauthRequirement,
) -> Result<(Url, CredentialSource)> {
    let account = requester.account().ok_or_else(|| lacking(agent))?;
    let secret = agent_credentials::find(conn, agent.id, account).await?.ok_or_else(|| lacking(agent))?;
    let plain = keys::open(hub, conn, secret, &own_purpose(agent.id, account)).await?;
    // Credentials entered for another scheme do not deserialize, and count as not connected.
    let kept: Option<OauthConnection> = serde_json::from_slice(&plain).ok();
    let kept =
        kept.filter(|kept| kept.oauth.is_same_authorization_server(oauth)).ok_or_else(|| lacking(agent))?;
    check_proved(conn, agent, &kept.origin).await?;
    let origin = Url::parse(&kept.origin).map_err(Error::fault)?;
    // The kept endpoints, since those of a discovery document are not in the card.
    let server = Arc::new(server(hub, conn, agent, version, card, &kept.oauth).await?);
    let (hub, address) = (hub.clone(), agent.address().to_string());
    let tokens = UserTokens { hub, agent: agent.id, address, account, secret, server };
    Ok((origin, CredentialSource::Fetched(Arc::new(tokens))))
}

/// Returns the client of the authorization server for user flows.
pub(super) async fn server(
    hub: &Hub,
    conn: &mut Conn,
    agent: &Agent,
    version: &Version,
    card: &Card,
    oauth: &OauthRequirement,
) -> Result<AuthorizationServer> {
    let entered = entered_client(hub, conn, agent, version, oauth).await?;
    let document = || Client { id: oauth_connect::client_document(hub).into(), secret: None };
    Ok(AuthorizationServer {
        env: hub.env().clone(),
        outbound: hub.outbound().anyone(manage::is_administrators(conn, agent).await?),
        oauth: oauth.clone(),
        client: entered.unwrap_or_else(document),
        resource: resource(&version.connector, card)?,
        mend: format!("Connect again at /{}/credentials.", agent.address()),
    })
}

/// Returns the client that the owner entered, if it is for the authorization server that the agent names now.
async fn entered_client(
    hub: &Hub,
    conn: &mut Conn,
    agent: &Agent,
    version: &Version,
    oauth: &OauthRequirement,
) -> Result<Option<Client>> {
    let Some(shared) = version.secret else { return Ok(None) };
    let plain = keys::open(hub, conn, shared, &shared_purpose(agent.id)).await?;
    let sealed = SealedCredentials::open(&plain)?;
    let is_here =
        matches!(&sealed.scheme, Scheme::Oauth2(given) if given.is_same_authorization_server(oauth));
    Ok(is_here.then(|| sealed.client()))
}
