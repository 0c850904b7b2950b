//! Cache of outbound OAuth tokens. Concurrent requests for the same token share one fetch.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use parking_lot::Mutex;
use plexus_domain::{
    AccountId, AgentId, SecretId, Timestamp,
    agent::OauthRequirement,
    run::{Failure, FailureClass},
};
use plexus_runtime::{
    Secret, TokenProvider,
    oauth_client::{self, Client, TokenError, TokenGrant, TokenResponse},
    outbound::OutboundClient,
};
use plexus_store::{LockKey, agent_credentials, secrets};
use serde::{Deserialize, Serialize};
use tokio::{sync::Semaphore, time::timeout};
use url::Url;

use super::credentials::own_purpose;
use crate::{ClockRng, Error, Hub, Result, keys};

/// A token is not used within this time before its expiry, since it could expire in transit.
const REFRESH_MARGIN: Duration = Duration::from_secs(30);
/// Assumed lifetime of a token if the server states none.
const DEFAULT_TOKEN_TTL: Duration = Duration::from_mins(5);
/// Poll interval for the advisory lock while another instance refreshes a token.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Cache size above which unused entries are evicted.
const MAX_ITEMS: usize = 10_000;

/// Maximum number of concurrent refreshes under an advisory lock.
const DUTIES: usize = 4;
/// Timeout for the advisory lock of another instance.
const DUTY_WITHIN: Duration = Duration::from_secs(30);

/// Token cache with one lock per stored secret.
pub(crate) struct TokenCache {
    slots: Mutex<HashMap<SecretId, Slot>>,
    duties: Semaphore,
}

impl Default for TokenCache {
    fn default() -> Self {
        Self { slots: Mutex::default(), duties: Semaphore::new(DUTIES) }
    }
}

type Slot = Arc<tokio::sync::Mutex<Option<CachedToken>>>;

/// Cached token of the client credentials grant.
pub(crate) struct CachedToken {
    token: Secret,
    until: Timestamp,
}

impl TokenCache {
    fn of(&self, secret: SecretId) -> Slot {
        let mut slots = self.slots.lock();
        if slots.len() >= MAX_ITEMS {
            slots.retain(|_, slot| Arc::strong_count(slot) > 1);
        }
        Arc::clone(slots.entry(secret).or_default())
    }
}

/// Client of an agent's authorization server.
pub(super) struct AuthorizationServer {
    pub env: ClockRng,
    pub outbound: OutboundClient,
    pub oauth: OauthRequirement,
    pub client: Client,
    /// Resource indicator: the agent's URL (RFC 8707).
    pub resource: Url,
    /// Hint on how to fix a rejection, appended to the error message.
    pub mend: String,
}

impl AuthorizationServer {
    pub async fn ask(&self, grant: &TokenGrant) -> Result<TokenResponse, TokenError> {
        let refreshes = matches!(grant, TokenGrant::Refresh(_));
        let at = self.oauth.refresh_url.as_ref().filter(|_| refreshes).unwrap_or(&self.oauth.token_url);
        let at = at.parse().map_err(|error| {
            let words = format!("The address of the authorization server cannot be used: {error}.");
            Failure::new(FailureClass::Policy, words)
        })?;
        let asked = oauth_client::ask(&self.outbound, &at, &self.client, grant, &self.resource).await;
        asked.map_err(|denied| match denied.code {
            Some(_) => {
                let message = format!("{} {}", denied.failure.message, self.mend);
                TokenError { failure: Failure { message, ..denied.failure }, ..denied }
            }
            None => denied,
        })
    }

    /// Returns until when a token granted now is used.
    fn until(&self, granted: &TokenResponse) -> Timestamp {
        let lives = granted.lives.unwrap_or(DEFAULT_TOKEN_TTL);
        self.env.now() + (lives - REFRESH_MARGIN.min(lives / 2))
    }
}

/// Tokens of the client credentials grant.
pub(super) struct ClientTokens {
    server: AuthorizationServer,
    slot: Slot,
}

impl ClientTokens {
    /// Tokens are cached under `secret`, the id of the client's credentials. Without it they are not shared.
    pub fn new(hub: &Hub, server: AuthorizationServer, secret: Option<SecretId>) -> Self {
        let slot = secret.map(|secret| hub.tokens().of(secret)).unwrap_or_default();
        Self { server, slot }
    }
}

#[async_trait]
impl TokenProvider for ClientTokens {
    async fn token(&self, refused: Option<&Secret>) -> Result<Secret, Failure> {
        let mut held = self.slot.lock().await;
        let now = self.server.env.now();
        if let Some(held) = held.as_ref().filter(|held| now < held.until && refused != Some(&held.token)) {
            return Ok(held.token.clone());
        }
        let scopes = self.server.oauth.scopes.clone();
        let granted =
            self.server.ask(&TokenGrant::Client { scopes }).await.map_err(|denied| denied.failure)?;
        let until = self.server.until(&granted);
        *held = Some(CachedToken { token: granted.access.clone(), until });
        Ok(granted.access)
    }
}

/// OAuth tokens of one user for one agent, stored encrypted.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct OauthConnection {
    /// The only origin to which the tokens are sent.
    pub origin: String,
    pub oauth: OauthRequirement,
    access: String,
    refresh: Option<String>,
    until: Timestamp,
}

impl OauthConnection {
    pub fn new(origin: String, server: &AuthorizationServer, granted: &TokenResponse) -> Self {
        Self {
            origin,
            oauth: server.oauth.clone(),
            access: granted.access.reveal().to_owned(),
            refresh: granted.refresh.as_ref().map(|token| token.reveal().to_owned()),
            until: server.until(granted),
        }
    }

    /// Returns the connection after a refresh. Without a new refresh token the former one stays valid.
    fn after(&self, server: &AuthorizationServer, granted: &TokenResponse) -> Self {
        let new = Self::new(self.origin.clone(), server, granted);
        Self { refresh: new.refresh.or_else(|| self.refresh.clone()), ..new }
    }

    pub fn plain(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(Error::fault)
    }
}

/// Tokens of a user authorization, refreshed when they expire.
#[derive(Clone)]
pub(super) struct UserTokens {
    pub hub: Hub,
    pub agent: AgentId,
    /// Agent address for error messages.
    pub address: String,
    pub account: AccountId,
    /// Id of the encrypted connection.
    pub secret: SecretId,
    pub server: Arc<AuthorizationServer>,
}

#[async_trait]
impl TokenProvider for UserTokens {
    /// The refresh runs in its own task, so that cancellation of the caller does not abort it. The server may
    /// have invalidated the former refresh token already.
    async fn token(&self, refused: Option<&Secret>) -> Result<Secret, Failure> {
        let (this, refused) = (self.clone(), refused.cloned());
        let got = self.hub.tasks().spawn(async move { this.fresh(refused).await });
        got.await.unwrap_or_else(|error| Err(fault(&error)))
    }
}

impl UserTokens {
    async fn fresh(&self, refused: Option<Secret>) -> Result<Secret, Failure> {
        let slot = self.hub.tokens().of(self.secret);
        let _alone = slot.lock().await;
        let is_good = |kept: &OauthConnection| {
            let is_refused = refused.as_ref().is_some_and(|refused| refused.reveal() == kept.access);
            self.hub.env().now() < kept.until && !is_refused
        };
        let kept = self.kept_or_failure().await?;
        if is_good(&kept) {
            return Ok(Secret::new(kept.access));
        }
        // An advisory lock prevents another instance from using the same refresh token. Each lock holds a
        // database connection, so the number of concurrent locks is limited.
        let tokens = self.hub.tokens();
        let _one = tokens.duties.acquire().await;
        let duty = match self.hub.cluster_notifier().has_peers() {
            true => {
                let duty = self.hub.store().acquire_lock(LockKey::Refresh(self.secret), POLL_INTERVAL);
                let duty = timeout(DUTY_WITHIN, duty).await.map_err(|error| fault(&error))?;
                Some(duty.map_err(|error| fault(&error))?)
            }
            false => None,
        };
        // Re-check: another instance may have refreshed the token while this one waited for the lock.
        let got = match self.kept_or_failure().await? {
            kept if is_good(&kept) => Ok(Secret::new(kept.access)),
            kept => self.refreshed(&kept).await,
        };
        if let Some(duty) = duty {
            duty.unlock().await;
        }
        got
    }

    async fn refreshed(&self, kept: &OauthConnection) -> Result<Secret, Failure> {
        let Some(refresh) = &kept.refresh else { return Err(self.ended("").await) };
        match self.server.ask(&TokenGrant::Refresh(Secret::new(refresh.clone()))).await {
            Ok(granted) => self.keep(&kept.after(&self.server, &granted), granted.access).await,
            Err(denied) if denied.code.as_deref() == Some("invalid_grant") => {
                Err(self.ended(&denied.failure.message).await)
            }
            Err(denied) => Err(denied.failure),
        }
    }

    async fn kept_or_failure(&self) -> Result<OauthConnection, Failure> {
        self.kept().await.map_err(|error| fault(&error))?.ok_or_else(|| self.again(""))
    }

    /// Returns the stored connection; `None` if it was deleted.
    async fn kept(&self) -> Result<Option<OauthConnection>> {
        let mut conn = self.hub.store().read().await?;
        let Some(row) = secrets::find(&mut conn, self.secret).await? else { return Ok(None) };
        let plain = self.hub.vault().open_sealed(&self.purpose(), &row.ciphertext)?;
        serde_json::from_slice(&plain).map(Some).map_err(Error::fault)
    }

    async fn keep(&self, connection: &OauthConnection, access: Secret) -> Result<Secret, Failure> {
        let there = self.put(connection).await.map_err(|error| fault(&error))?;
        if there { Ok(access) } else { Err(self.again("")) }
    }

    /// Stores the connection. Returns false if the user deleted it meanwhile.
    async fn put(&self, connection: &OauthConnection) -> Result<bool> {
        let sealed = self.hub.vault().seal(&self.purpose(), &connection.plain()?)?;
        let mut tx = self.hub.store().write().await?;
        let there = secrets::set_ciphertext(&mut tx, self.secret, &sealed, keys::KEY_VERSION).await?;
        tx.commit().await?;
        Ok(there)
    }

    fn purpose(&self) -> String {
        own_purpose(self.agent, self.account)
    }

    /// Deletes a connection that cannot be refreshed, and returns the error.
    async fn ended(&self, why: &str) -> Failure {
        match self.drop().await {
            Ok(()) => self.again(why),
            Err(error) => fault(&error),
        }
    }

    async fn drop(&self) -> Result<()> {
        let mut tx = self.hub.store().write().await?;
        if agent_credentials::find(&mut tx, self.agent, self.account).await? == Some(self.secret) {
            agent_credentials::delete(&mut tx, self.agent, self.account).await?;
            secrets::delete(&mut tx, self.secret).await?;
        }
        Ok(tx.commit().await?)
    }

    fn again(&self, why: &str) -> Failure {
        let address = &self.address;
        let words = match why {
            "" => {
                format!("Your connection to {address} has expired. Connect again at /{address}/credentials.")
            }
            // The error already links to the credentials page.
            why => why.to_owned(),
        };
        Failure::new(FailureClass::Refused, words)
    }
}

fn fault(error: &dyn std::fmt::Display) -> Failure {
    tracing::error!(error = format!("{error:#}"), "OAuth token request failed");
    Failure::new(FailureClass::Internal, "Internal error while requesting a token. Try again.")
}
