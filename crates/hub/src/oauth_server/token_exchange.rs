//! Token endpoint: exchanges authorization codes and refresh tokens, and revokes tokens.

use std::{net::IpAddr, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use plexus_domain::{Digest, TokenId};
use plexus_store::{Tx, accounts, accounts::AccountState, api_tokens, api_tokens::Token, oauth_grants};
use url::Url;

use super::OauthGrant;
use crate::{Error, Hub, accounts::random_token, bus::AccessChange, caller::source, limits::Rate};

const TOKEN_TTL: Duration = Duration::from_secs(3_600);
/// Idle lifetime of a grant.
const GRANT_TTL: Duration = Duration::from_secs(30 * 24 * 3_600);
/// Fixed prefixes, by which secret scanners recognise tokens.
const ACCESS: &str = "plx_";
const REFRESH: &str = "plxr_";
/// Allowed length of a code verifier (RFC 7636 section 4.1).
const VERIFIER: std::ops::RangeInclusive<usize> = 43..=128;

/// Tokens issued to a client. Only their digests are stored.
pub struct IssuedTokens {
    pub access: String,
    pub refresh: String,
    pub lives: Duration,
    pub scopes: Vec<String>,
}

/// Error of the token endpoint, as named in RFC 6749 section 5.2.
#[derive(Debug)]
pub enum TokenRefusal {
    /// `invalid_grant`: the code or refresh token is not valid, or belongs to another client.
    Grant,
    /// `invalid_target`: the requested resource is not the one that the user consented to.
    Target,
    Fault(Error),
}

impl<E: Into<Error>> From<E> for TokenRefusal {
    fn from(error: E) -> Self {
        Self::Fault(error.into())
    }
}

/// Counts a request against the rate limit of the IP address.
pub fn admit(hub: &Hub, ip: IpAddr) -> Result<(), Error> {
    Ok(hub.limits().take(Rate::TokenRequests, &source(ip))?)
}

/// Counts failures per client. Valid requests are not limited, so failures that others cause do not block the
/// client.
fn counted(
    hub: &Hub,
    client: &str,
    given: Result<IssuedTokens, TokenRefusal>,
) -> Result<IssuedTokens, TokenRefusal> {
    if matches!(given, Err(TokenRefusal::Grant)) {
        // The digest bounds the key: a client id may have any length.
        hub.limits().take(Rate::InvalidGrants, &Digest::of(client).to_string())?;
    }
    given
}

/// Exchanges an authorization code, once. Reuse indicates theft, and revokes the grant with its tokens.
pub async fn exchange(
    hub: &Hub,
    client: &str,
    code: &str,
    redirect: &str,
    verifier: &str,
    resource: &str,
) -> Result<IssuedTokens, TokenRefusal> {
    counted(hub, client, exchange_once(hub, client, code, redirect, verifier, resource).await)
}

async fn exchange_once(
    hub: &Hub,
    client: &str,
    code: &str,
    redirect: &str,
    verifier: &str,
    resource: &str,
) -> Result<IssuedTokens, TokenRefusal> {
    let code = Digest::of(code);
    // Reject unknown codes by a read, without waiting for the write lock.
    oauth_grants::by_code(&mut hub.store().read().await?, &code).await?.ok_or(TokenRefusal::Grant)?;
    let mut tx = hub.store().write().await?;
    let grant = oauth_grants::by_code(&mut tx, &code).await?.ok_or(TokenRefusal::Grant)?;
    if grant.refresh_hash.is_some() {
        return end(hub, tx, &grant).await;
    }
    let proved = VERIFIER.contains(&verifier.len()) && challenge(verifier) == grant.challenge;
    let redirect = redirect.parse::<Url>().map(String::from).unwrap_or_default();
    if !proved || grant.client != client || grant.redirect != redirect {
        // One wrong attempt revokes the code: it may be a guess.
        return end(hub, tx, &grant).await;
    }
    give(hub, tx, &grant, resource).await
}

/// Exchanges a refresh token, once. Reuse revokes the grant with its tokens.
pub async fn refresh(
    hub: &Hub,
    client: &str,
    refresh: &str,
    resource: &str,
) -> Result<IssuedTokens, TokenRefusal> {
    counted(hub, client, refresh_once(hub, client, refresh, resource).await)
}

async fn refresh_once(
    hub: &Hub,
    client: &str,
    refresh: &str,
    resource: &str,
) -> Result<IssuedTokens, TokenRefusal> {
    let hash = Digest::of(refresh);
    oauth_grants::by_refresh(&mut hub.store().read().await?, &hash).await?.ok_or(TokenRefusal::Grant)?;
    let mut tx = hub.store().write().await?;
    let grant = oauth_grants::by_refresh(&mut tx, &hash).await?.ok_or(TokenRefusal::Grant)?;
    if grant.refresh_hash != Some(hash) || grant.client != client {
        return end(hub, tx, &grant).await;
    }
    give(hub, tx, &grant, resource).await
}

/// Revokes a token (RFC 7009): a refresh token with its grant and all tokens, an access token alone.
///
/// An unknown token is no error. A token of another client is [`TokenRefusal::Grant`]. The client id is optional,
/// since the holder of a token could use it as well.
pub async fn withdraw(hub: &Hub, client: &str, token: &str) -> Result<(), TokenRefusal> {
    let hash = Digest::of(token);
    let mut conn = hub.store().read().await?;
    let by_refresh = oauth_grants::by_refresh(&mut conn, &hash).await?;
    let grant = match &by_refresh {
        Some(_) => by_refresh.clone(),
        None => oauth_grants::by_token(&mut conn, &hash).await?,
    };
    drop(conn);
    let Some(grant) = grant else { return Ok(()) };
    if !client.is_empty() && client != grant.client {
        return Err(TokenRefusal::Grant);
    }
    let mut tx = hub.store().write().await?;
    if by_refresh.is_some() {
        return Ok(close(hub, tx, &grant).await?);
    }
    oauth_grants::delete_token(&mut tx, &hash).await?;
    tx.commit().await?;
    hub.live().access.notify(AccessChange::Account(grant.account));
    Ok(())
}

/// Issues tokens and rotates the refresh token. Fails if the grant is expired or the account is not active.
async fn give(
    hub: &Hub,
    mut tx: Tx,
    grant: &OauthGrant,
    resource: &str,
) -> Result<IssuedTokens, TokenRefusal> {
    let now = hub.env().now();
    let account = accounts::find(&mut tx, grant.account).await?;
    if now >= grant.expires_at || account.is_none_or(|account| account.state != AccountState::Active) {
        return Err(TokenRefusal::Grant);
    }
    if !resource.is_empty() && !is_same_resource(hub, resource, &grant.resource) {
        return Err(TokenRefusal::Target);
    }
    let access = format!("{ACCESS}{}", random_token(hub));
    let refresh = format!("{REFRESH}{}", random_token(hub));
    if !oauth_grants::rotate(&mut tx, grant, &Digest::of(&refresh), now, now + GRANT_TTL).await? {
        return Err(TokenRefusal::Grant);
    }
    let token = Token {
        id: hub.env().id(TokenId::new),
        hash: Digest::of(&access),
        account: grant.account,
        name: grant.name.clone(),
        scopes: grant.scopes.clone(),
        audience: grant.resource.clone(),
        created_at: now,
        expires_at: now + TOKEN_TTL,
        last_used_at: None,
    };
    api_tokens::insert(&mut tx, &token).await?;
    oauth_grants::insert_token(&mut tx, token.id, grant.id).await?;
    tx.commit().await?;
    Ok(IssuedTokens { access, refresh, lives: TOKEN_TTL, scopes: grant.scopes.clone() })
}

/// Returns whether a client means the resource of its grant, by any name of this hub. The grant may have
/// been made under an earlier public URL.
fn is_same_resource(hub: &Hub, wanted: &str, granted: &str) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    let (Ok(wanted), Ok(granted)) = (wanted.parse::<Url>(), granted.parse::<Url>()) else { return false };
    let is_plain = wanted.query().is_none() && wanted.fragment().is_none();
    let is_own = hub.config().is_own_origin(&wanted) || wanted.origin() == granted.origin();
    is_plain && is_own && path(&wanted) == path(&granted)
}

/// Revokes the grant and returns the error.
async fn end(hub: &Hub, tx: Tx, grant: &OauthGrant) -> Result<IssuedTokens, TokenRefusal> {
    close(hub, tx, grant).await?;
    Err(TokenRefusal::Grant)
}

async fn close(hub: &Hub, mut tx: Tx, grant: &OauthGrant) -> Result<(), Error> {
    oauth_grants::delete(&mut tx, grant.account, grant.id).await?;
    tx.commit().await?;
    hub.live().access.notify(AccessChange::Account(grant.account));
    Ok(())
}

/// Computes the S256 code challenge (RFC 7636 section 4.2).
fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Digest::of(verifier).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_specification() {
        // RFC 7636 appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
