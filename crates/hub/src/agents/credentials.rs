//! What an agent asks to be shown, given by its owner for everybody or by each person for themselves.

use plexus_a2a::{
    Card,
    card::{Credential, KeyPlace, Origin, Security},
};
use plexus_domain::{
    AccountId, Address, AgentId, Error as Refusal, SecretId,
    agent::{Connector, http::Template},
};
use plexus_runtime::{Credentials, KeyPlace as Place, Secret};
use plexus_store::{Conn, Tx, agent_secrets, agents::Agent, proofs, secrets, versions, versions::Version};
use serde::{Deserialize, Serialize};
use url::Url;

pub use plexus_domain::agent::Scheme;

use super::{manage, reach::owns};
use crate::{
    Caller, Error, Hub, Result,
    caller::{Asker, Person, Scope},
    keys, views,
};

const MAX_SECRET_BYTES: usize = 8 << 10;
const MAX_USER_BYTES: usize = 256;

/// What an agent wants to be shown, and where it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asks {
    scheme: Option<Scheme>,
    pub origin: String,
}

impl Asks {
    /// None when the agent is shown nothing.
    pub fn of(connector: &Connector, card: &Card) -> Option<Self> {
        let asks = match connector {
            Connector::Http { request } => Self::of_template(request).ok()?,
            _ => Self::of_card(card)?,
        };
        asks.scheme.is_some().then_some(asks)
    }

    pub fn of_card(card: &Card) -> Option<Self> {
        let origin = Origin::of(&card.best_interface()?.url)?.to_string();
        Some(Self { scheme: scheme(card), origin })
    }

    pub fn of_template(template: &Template) -> Result<Self> {
        let request = template.request();
        let unusable = || Refusal::invalid("url", "This address cannot be used.");
        let url: Url = request.url.parse().map_err(|_| unusable())?;
        let origin = Origin::of(&url).ok_or_else(unusable)?.to_string();
        Ok(Self { scheme: request.auth.clone(), origin })
    }

    /// None where nothing is asked for.
    pub fn some(&self) -> Option<&Self> {
        self.scheme.is_some().then_some(self)
    }
}

/// What somebody filled in.
#[derive(Clone, Default)]
pub struct Given {
    pub user: String,
    pub secret: String,
}

/// What an agent asks the caller for, and whether it is there.
#[derive(Clone, Debug)]
pub struct Asked {
    pub scheme: Scheme,
    pub kept: bool,
    /// The caller is the owner, and what they give is used for everybody.
    pub for_everybody: bool,
    /// Where it is sent, and nowhere else.
    pub origin: String,
}

/// What is sealed: whole, so that a card which changes cannot send it elsewhere or otherwise.
#[derive(Serialize, Deserialize)]
struct Sealed {
    origin: String,
    scheme: Scheme,
    user: String,
    secret: String,
}

/// What the card asks for; none when it asks for nothing that the hub can send.
pub fn scheme(card: &Card) -> Option<Scheme> {
    let Security::OneOf(ways) = &card.security else { return None };
    let single = ways.iter().find(|way| way.len() == 1).and_then(|way| way.values().next())?;
    Some(match single {
        Credential::Bearer => Scheme::Bearer,
        Credential::Basic => Scheme::Basic,
        Credential::ApiKey { place, name } => {
            Scheme::ApiKey { name: name.clone(), in_query: *place == KeyPlace::Query }
        }
    })
}

/// The bytes to seal, for the address that is called.
pub(super) fn plain(asks: &Asks, given: &Given) -> Result<Vec<u8>> {
    let scheme = asks.scheme.clone().ok_or_else(asks_nothing)?;
    let origin = asks.origin.clone();
    check(&scheme, given)?;
    let sealed = Sealed { origin, scheme, user: given.user.clone(), secret: given.secret.clone() };
    serde_json::to_vec(&sealed).map_err(Error::fault)
}

fn check(scheme: &Scheme, given: &Given) -> Result<(), Refusal> {
    let has_controls = |text: &str| text.chars().any(char::is_control);
    if given.secret.is_empty() {
        return Err(Refusal::invalid("secret", "Enter what the agent asks for."));
    }
    if given.secret.len() > MAX_SECRET_BYTES || has_controls(&given.secret) {
        return Err(Refusal::invalid("secret", "This is one line of at most 8 KiB. Enter it again."));
    }
    let wants_user = *scheme == Scheme::Basic;
    if wants_user && (given.user.is_empty() || given.user.contains(':')) {
        return Err(Refusal::invalid("user", "Enter the user name; it has no colon."));
    }
    if given.user.len() > MAX_USER_BYTES || has_controls(&given.user) {
        return Err(Refusal::invalid("user", "A user name has at most 256 bytes on one line."));
    }
    Ok(())
}

fn asks_nothing() -> Refusal {
    Refusal::conflict("This agent asks for no credentials that the hub can send.")
}

/// What the owner's credentials, used for everybody, are sealed for.
pub(super) fn shared_purpose(agent: AgentId) -> String {
    format!("agent {agent}")
}

pub(super) fn own_purpose(agent: AgentId, account: AccountId) -> String {
    format!("agent {agent} account {account}")
}

/// What the agent asks the caller for; none when there is nothing that they could give.
pub async fn asked(hub: &Hub, caller: &Caller, address: &Address) -> Result<Option<Asked>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = manage::visible(&mut conn, person, address).await?;
    let (version, card) = manage::current(&mut conn, &agent).await?;
    let asks = Asks::of(&version.connector, &card);
    let Some((scheme, origin)) = asks.and_then(|asks| Some((asks.scheme?, asks.origin))) else {
        return Ok(None);
    };
    let own = agent_secrets::find(&mut conn, agent.id, person.account).await?;
    let for_everybody = version.secret.is_some();
    if for_everybody && !owns(&mut conn, person, &agent).await? {
        return Ok(None);
    }
    Ok(Some(Asked { scheme, kept: for_everybody || own.is_some(), for_everybody, origin }))
}

/// Whether the person has to give credentials before the agent can be called for them.
pub(crate) async fn is_lacking(
    conn: &mut Conn,
    asker: &Asker,
    agent: &Agent,
    version: &Version,
    card: &Card,
) -> Result<bool> {
    if Asks::of(&version.connector, card).is_none() || version.secret.is_some() {
        return Ok(false);
    }
    let Some(account) = asker.account() else { return Ok(true) };
    Ok(agent_secrets::find(conn, agent.id, account).await?.is_none())
}

pub(super) fn lacking(agent: &Agent) -> Refusal {
    let address = views::address(agent);
    Refusal::forbidden(format!(
        "{address} asks for credentials of your own. Enter them at /{address}/credentials."
    ))
}

/// Keeps what the caller gives, sealed, in place of what they gave before.
pub async fn give(hub: &Hub, caller: &Caller, address: &Address, given: Given) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let mut tx = hub.store().write().await?;
    let agent = manage::visible(&mut tx, person, address).await?;
    let (version, card) = manage::current(&mut tx, &agent).await?;
    let asks = Asks::of(&version.connector, &card).ok_or_else(asks_nothing)?;
    let plain = plain(&asks, &given)?;
    if let Some(before) = version.secret {
        if !owns(&mut tx, person, &agent).await? {
            let words = "This agent uses the credentials of its owner. There is nothing to give.";
            return Err(Refusal::conflict(words).into());
        }
        let purpose = shared_purpose(agent.id);
        let new = keys::seal(hub, &mut tx, person.namespace, &purpose, &plain).await?;
        share(&mut tx, &agent, before, Some(new)).await?;
    } else {
        give_own(hub, &mut tx, person, agent.id, &plain).await?;
    }
    Ok(tx.commit().await?)
}

pub(super) async fn give_own(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    agent: AgentId,
    plain: &[u8],
) -> Result<()> {
    let before = agent_secrets::find(tx, agent, person.account).await?;
    let purpose = own_purpose(agent, person.account);
    let new = keys::seal(hub, tx, person.namespace, &purpose, plain).await?;
    agent_secrets::set(tx, agent, person.account, new).await?;
    if let Some(before) = before {
        secrets::delete(tx, before).await?;
    }
    Ok(())
}

/// Drops what the caller gave.
pub async fn forget(hub: &Hub, caller: &Caller, address: &Address) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let mut tx = hub.store().write().await?;
    let agent = manage::visible(&mut tx, person, address).await?;
    let (version, _) = manage::current(&mut tx, &agent).await?;
    if let Some(shared) = version.secret.filter(|_| agent.namespace.is_some())
        && owns(&mut tx, person, &agent).await?
    {
        share(&mut tx, &agent, shared, None).await?;
    }
    if let Some(own) = agent_secrets::find(&mut tx, agent.id, person.account).await? {
        agent_secrets::delete(&mut tx, agent.id, person.account).await?;
        secrets::delete(&mut tx, own).await?;
    }
    Ok(tx.commit().await?)
}

/// Every version that shared `before` shares `after`.
async fn share(tx: &mut Tx, agent: &Agent, before: SecretId, after: Option<SecretId>) -> Result<()> {
    for version in versions::list_by_agent(tx, agent.id).await? {
        if version.secret == Some(before) {
            versions::set_secret(tx, version.id, after).await?;
        }
    }
    secrets::delete(tx, before).await?;
    Ok(())
}

/// What to show the agent for this person, and the origin it was given for. None when the agent asks for nothing.
pub(crate) async fn credentials_for(
    hub: &Hub,
    conn: &mut Conn,
    asker: &Asker,
    agent: &Agent,
    version: &Version,
    card: &Card,
) -> Result<Option<(Url, Credentials)>> {
    if Asks::of(&version.connector, card).is_none() {
        return Ok(None);
    }
    let address = views::address(agent);
    let held = match (version.secret, asker.account()) {
        (Some(shared), _) => Some((shared, shared_purpose(agent.id))),
        (None, Some(account)) => {
            let own = agent_secrets::find(conn, agent.id, account).await?;
            own.map(|own| (own, own_purpose(agent.id, account)))
        }
        (None, None) => None,
    };
    let (secret, purpose) = held.ok_or_else(|| lacking(agent))?;
    let plain = keys::open(hub, conn, secret, &purpose).await?;
    let sealed: Sealed = serde_json::from_slice(&plain).map_err(Error::fault)?;
    let proof = proofs::find(conn, agent.id, &sealed.origin).await?;
    if !proof.is_some_and(|proof| proof.holds()) {
        let words = format!(
            "{address} asks for credentials, and control of {} is not proved: the hub sends them to proved \
             addresses only. Prove it at /{address}/manage.",
            sealed.origin
        );
        return Err(Refusal::forbidden(words).into());
    }
    let origin = Url::parse(&sealed.origin).map_err(Error::fault)?;
    Ok(Some((origin, sealed.into())))
}

/// What was sealed, and the origin that it was given for.
pub(super) fn unseal(plain: &[u8]) -> Result<(Url, Credentials)> {
    let sealed: Sealed = serde_json::from_slice(plain).map_err(Error::fault)?;
    Ok((Url::parse(&sealed.origin).map_err(Error::fault)?, sealed.into()))
}

impl From<Sealed> for Credentials {
    fn from(sealed: Sealed) -> Self {
        let value = Secret::new(sealed.secret);
        match sealed.scheme {
            Scheme::Bearer => Self::Bearer(value),
            Scheme::Basic => Self::Basic { user: sealed.user, password: value },
            Scheme::ApiKey { name, in_query } => {
                let place = if in_query { Place::Query } else { Place::Header };
                Self::ApiKey { place, name, value }
            }
        }
    }
}
