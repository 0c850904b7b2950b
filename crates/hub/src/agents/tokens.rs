//! Tokens for agents that ask for OAuth: kept until shortly before they end, and got once however many wait.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use parking_lot::Mutex;
use plexus_domain::{
    AccountId, AgentId, SecretId, Timestamp,
    agent::Oauth,
    run::{Failure, FailureClass},
};
use plexus_runtime::{
    Secret, Tokens,
    oauth::{self, Client, Denied, Grant, Granted},
    outbound::Outbound,
};
use plexus_store::{Duty, agent_secrets, secrets};
use serde::{Deserialize, Serialize};
use tokio::{sync::Semaphore, time::timeout};
use url::Url;

use super::credentials::own_purpose;
use crate::{Env, Error, Hub, Result, keys};

/// A token is used until this long before its end, so that it does not end on the way.
const EARLY: Duration = Duration::from_secs(30);
/// How long one lives of which the server does not say.
const UNSAID: Duration = Duration::from_mins(5);
/// How often it is looked whether another process has got a token.
const AGAIN: Duration = Duration::from_millis(200);
/// Beyond this many the tokens that nobody waits for are got again when they are needed.
const MOST: usize = 10_000;

/// Tokens that are got again at once where other processes might do the same.
const DUTIES: usize = 4;
/// How long this waits for another process that gets a token.
const DUTY_WITHIN: Duration = Duration::from_secs(30);

/// One token at a time for each secret that is kept.
pub(crate) struct Slots {
    slots: Mutex<HashMap<SecretId, Slot>>,
    duties: Semaphore,
}

impl Default for Slots {
    fn default() -> Self {
        Self { slots: Mutex::default(), duties: Semaphore::new(DUTIES) }
    }
}

type Slot = Arc<tokio::sync::Mutex<Option<Held>>>;

/// A token that a client got for itself.
pub(crate) struct Held {
    token: Secret,
    until: Timestamp,
}

impl Slots {
    fn of(&self, secret: SecretId) -> Slot {
        let mut slots = self.slots.lock();
        if slots.len() >= MOST {
            slots.retain(|_, slot| Arc::strong_count(slot) > 1);
        }
        Arc::clone(slots.entry(secret).or_default())
    }
}

/// How the authorization server of an agent is asked.
pub(super) struct Server {
    pub env: Env,
    pub outbound: Outbound,
    pub oauth: Oauth,
    pub client: Client,
    /// The address of the agent, which the token is for (RFC 8707).
    pub resource: Url,
    /// Where to mend what the server refuses: the end of a sentence.
    pub mend: String,
}

impl Server {
    pub async fn ask(&self, grant: &Grant) -> Result<Granted, Denied> {
        let refreshes = matches!(grant, Grant::Refresh(_));
        let at = self.oauth.refresh_url.as_ref().filter(|_| refreshes).unwrap_or(&self.oauth.token_url);
        let at = at.parse().map_err(|error| {
            let words = format!("The address of the authorization server cannot be used: {error}.");
            Failure::new(FailureClass::Policy, words)
        })?;
        let asked = oauth::ask(&self.outbound, &at, &self.client, grant, &self.resource).await;
        asked.map_err(|denied| match denied.code {
            Some(_) => {
                let message = format!("{} {}", denied.failure.message, self.mend);
                Denied { failure: Failure { message, ..denied.failure }, ..denied }
            }
            None => denied,
        })
    }

    /// Until when to use what was given now.
    fn until(&self, granted: &Granted) -> Timestamp {
        let lives = granted.lives.unwrap_or(UNSAID);
        self.env.now() + (lives - EARLY.min(lives / 2))
    }
}

/// The token of a client that acts for itself.
pub(super) struct OfClient {
    server: Server,
    slot: Slot,
}

impl OfClient {
    /// `secret` holds the client's credentials; without one nothing is shared with others.
    pub fn new(hub: &Hub, server: Server, secret: Option<SecretId>) -> Self {
        let slot = secret.map(|secret| hub.tokens().of(secret)).unwrap_or_default();
        Self { server, slot }
    }
}

#[async_trait]
impl Tokens for OfClient {
    async fn token(&self, refused: Option<&Secret>) -> Result<Secret, Failure> {
        let mut held = self.slot.lock().await;
        let now = self.server.env.now();
        if let Some(held) = held.as_ref().filter(|held| now < held.until && refused != Some(&held.token)) {
            return Ok(held.token.clone());
        }
        let scopes = self.server.oauth.scopes.clone();
        let granted = self.server.ask(&Grant::Client { scopes }).await.map_err(|denied| denied.failure)?;
        let until = self.server.until(&granted);
        *held = Some(Held { token: granted.access.clone(), until });
        Ok(granted.access)
    }
}

/// What a person agreed to, sealed for them and one agent.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Connection {
    /// Where the tokens are shown, and nowhere else.
    pub origin: String,
    pub oauth: Oauth,
    access: String,
    refresh: Option<String>,
    until: Timestamp,
}

impl Connection {
    pub fn new(origin: String, server: &Server, granted: &Granted) -> Self {
        Self {
            origin,
            oauth: server.oauth.clone(),
            access: granted.access.reveal().to_owned(),
            refresh: granted.refresh.as_ref().map(|token| token.reveal().to_owned()),
            until: server.until(granted),
        }
    }

    /// The same after a refresh; a server that gives no new refresh token leaves the former one good.
    fn after(&self, server: &Server, granted: &Granted) -> Self {
        let new = Self::new(self.origin.clone(), server, granted);
        Self { refresh: new.refresh.or_else(|| self.refresh.clone()), ..new }
    }

    pub fn plain(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(Error::fault)
    }
}

/// The token that a person agreed to.
#[derive(Clone)]
pub(super) struct OfPerson {
    pub hub: Hub,
    pub agent: AgentId,
    /// For the words that say where to connect.
    pub address: String,
    pub account: AccountId,
    /// What their connection is sealed as.
    pub secret: SecretId,
    pub server: Arc<Server>,
}

#[async_trait]
impl Tokens for OfPerson {
    /// A refresh that has begun goes to its end, whoever waits for it: the server has spent the former token by then.
    async fn token(&self, refused: Option<&Secret>) -> Result<Secret, Failure> {
        let (this, refused) = (self.clone(), refused.cloned());
        let got = self.hub.tasks().spawn(async move { this.fresh(refused).await });
        got.await.unwrap_or_else(|error| Err(fault(&error)))
    }
}

impl OfPerson {
    async fn fresh(&self, refused: Option<Secret>) -> Result<Secret, Failure> {
        let slot = self.hub.tokens().of(self.secret);
        let _alone = slot.lock().await;
        let is_good = |kept: &Connection| {
            let is_refused = refused.as_ref().is_some_and(|refused| refused.reveal() == kept.access);
            self.hub.env().now() < kept.until && !is_refused
        };
        let kept = self.kept_or_failure().await?;
        if is_good(&kept) {
            return Ok(Secret::new(kept.access));
        }
        // No other process spends what this one is about to. Each such duty is a connection, so there are few at once.
        let tokens = self.hub.tokens();
        let _one = tokens.duties.acquire().await;
        let duty = match self.hub.hints().are_heard() {
            true => {
                let duty = self.hub.store().wait_for(Duty::Refresh(self.secret), AGAIN);
                let duty = timeout(DUTY_WITHIN, duty).await.map_err(|error| fault(&error))?;
                Some(duty.map_err(|error| fault(&error))?)
            }
            false => None,
        };
        // Another process may have got one meanwhile.
        let got = match self.kept_or_failure().await? {
            kept if is_good(&kept) => Ok(Secret::new(kept.access)),
            kept => self.refreshed(&kept).await,
        };
        if let Some(duty) = duty {
            duty.leave().await;
        }
        got
    }

    async fn refreshed(&self, kept: &Connection) -> Result<Secret, Failure> {
        let Some(refresh) = &kept.refresh else { return Err(self.ended("").await) };
        match self.server.ask(&Grant::Refresh(Secret::new(refresh.clone()))).await {
            Ok(granted) => self.keep(&kept.after(&self.server, &granted), granted.access).await,
            Err(denied) if denied.code.as_deref() == Some("invalid_grant") => {
                Err(self.ended(&denied.failure.message).await)
            }
            Err(denied) => Err(denied.failure),
        }
    }

    async fn kept_or_failure(&self) -> Result<Connection, Failure> {
        self.kept().await.map_err(|error| fault(&error))?.ok_or_else(|| self.again(""))
    }

    /// The connection as it is now; none where it was ended.
    async fn kept(&self) -> Result<Option<Connection>> {
        let mut conn = self.hub.store().read().await?;
        let Some(row) = secrets::find(&mut conn, self.secret).await? else { return Ok(None) };
        let plain = self.hub.vault().open_sealed(&self.purpose(), &row.sealed)?;
        serde_json::from_slice(&plain).map(Some).map_err(Error::fault)
    }

    async fn keep(&self, connection: &Connection, access: Secret) -> Result<Secret, Failure> {
        let there = self.put(connection).await.map_err(|error| fault(&error))?;
        if there { Ok(access) } else { Err(self.again("")) }
    }

    /// False where the person ended it meanwhile.
    async fn put(&self, connection: &Connection) -> Result<bool> {
        let sealed = self.hub.vault().seal(&self.purpose(), &connection.plain()?)?;
        let mut tx = self.hub.store().write().await?;
        let there = secrets::set_sealed(&mut tx, self.secret, &sealed, keys::KEY_VERSION).await?;
        tx.commit().await?;
        Ok(there)
    }

    fn purpose(&self) -> String {
        own_purpose(self.agent, self.account)
    }

    /// Drops a connection that is good for nothing any more, and says so.
    async fn ended(&self, why: &str) -> Failure {
        match self.drop().await {
            Ok(()) => self.again(why),
            Err(error) => fault(&error),
        }
    }

    async fn drop(&self) -> Result<()> {
        let mut tx = self.hub.store().write().await?;
        if agent_secrets::find(&mut tx, self.agent, self.account).await? == Some(self.secret) {
            agent_secrets::delete(&mut tx, self.agent, self.account).await?;
            secrets::delete(&mut tx, self.secret).await?;
        }
        Ok(tx.commit().await?)
    }

    fn again(&self, why: &str) -> Failure {
        let address = &self.address;
        let words = match why {
            "" => format!("Your connection to {address} has ended. Connect again at /{address}/credentials."),
            // It says where to mend it.
            why => why.to_owned(),
        };
        Failure::new(FailureClass::Refused, words)
    }
}

fn fault(error: &dyn std::fmt::Display) -> Failure {
    tracing::error!(error = format!("{error:#}"), "a token could not be got");
    Failure::new(FailureClass::Internal, "The hub made a mistake while it got a token. Try again.")
}
