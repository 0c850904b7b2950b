//! API tokens: bearer credentials for programs.

use std::{net::IpAddr, time::Duration};

use plexus_domain::{Digest, Error as Refusal, Timestamp, TokenId, sanitized_text};
use plexus_store::{Conn, api_tokens, api_tokens::Token};
use url::Url;

use super::random_token;
use crate::{
    Error, Hub, Result,
    bus::AccessChange,
    caller::{AuthMethod, Caller, Person, Scope, find_person, source},
    limits::Rate,
    quotas,
};

/// Fixed prefix, by which secret scanners recognise tokens.
pub const TOKEN_PREFIX: &str = "plx_";
const DAY: Duration = Duration::from_secs(24 * 3_600);
const DEFAULT_DAYS: u32 = 90;
const MAX_DAYS: u32 = 366;
const NAME_MAX: usize = 60;
const LAST_USED_INTERVAL: Duration = Duration::from_secs(60);

/// A token to be created.
pub struct NewToken {
    pub name: String,
    pub scopes: Vec<Scope>,
    /// Lifetime in days; 90 by default.
    pub days: Option<u32>,
}

/// Creates a token and returns its text. It is shown once; only its digest is stored.
pub async fn create_token(hub: &Hub, caller: &Caller, new: NewToken) -> Result<String> {
    let person = caller.person()?;
    if matches!(caller.via, AuthMethod::Token { .. }) {
        return Err(Refusal::forbidden("A token cannot create tokens. Sign in to create one.").into());
    }
    let name = sanitized_text::one_line(&new.name);
    if !(1..=NAME_MAX).contains(&name.chars().count()) {
        return Err(Refusal::invalid("name", "Enter a token name of 1 to 60 characters.").into());
    }
    if new.scopes.is_empty() {
        return Err(Refusal::invalid("scope", "Choose at least one scope.").into());
    }
    let days = new.days.unwrap_or(DEFAULT_DAYS);
    if !(1..=MAX_DAYS).contains(&days) {
        return Err(Refusal::invalid("days", "A token expires after 1 to 366 days.").into());
    }
    let text = format!("{TOKEN_PREFIX}{}", random_token(hub));
    let now = hub.env().now();
    let mut tx = hub.store().write().await?;
    quotas::check_token(hub, &mut tx, person).await?;
    let token = Token {
        id: hub.env().id(TokenId::new),
        hash: Digest::of(&text),
        account: person.account,
        name,
        scopes: new.scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
        audience: hub.config().public_url.to_string(),
        created_at: now,
        expires_at: now + DAY * days,
        last_used_at: None,
    };
    api_tokens::insert(&mut tx, &token).await?;
    tx.commit().await?;
    Ok(text)
}

/// Lists the caller's tokens, the newest first. Includes expired ones, which explain why a program stopped
/// working.
pub async fn list_tokens(hub: &Hub, caller: &Caller) -> Result<Vec<Token>> {
    let person = caller.person()?;
    Ok(api_tokens::list_by_account(&mut hub.store().read().await?, person.account).await?)
}

/// Revokes a token of the caller.
pub async fn revoke_token(hub: &Hub, caller: &Caller, id: TokenId) -> Result<()> {
    let person = caller.person()?;
    let mut tx = hub.store().write().await?;
    if !api_tokens::delete(&mut tx, person.account, id).await? {
        return Err(Refusal::not_found("Token not found.").into());
    }
    tx.commit().await?;
    hub.live().access.notify(AccessChange::Account(person.account));
    Ok(())
}

/// Returns the caller of a bearer token whose audience covers `path`.
///
/// Unlike an invalid cookie, an invalid token is an error.
pub async fn authenticate_token(hub: &Hub, text: &str, path: &str, ip: IpAddr) -> Result<Caller> {
    let wrong = match text {
        "" => "The Authorization header has no token. Send it as \"Authorization: Bearer TOKEN\".",
        _ => "This token is unknown, expired or revoked.",
    };
    let (hash, now) = (Digest::of(text), hub.env().now());
    let mut conn = hub.store().read_short().await?;
    let Some((token, person)) = good(&mut conn, &hash, now).await? else {
        drop(conn);
        return Err(refuse_wrong(hub, ip, wrong));
    };
    if !covers(&token.audience, path) {
        let limited_to = format!("{}{}", hub.config().issuer(), audience_path(&token.audience));
        let words = format!("This token is limited to {limited_to} and the paths below it.");
        drop(conn);
        return Err(refuse_wrong(hub, ip, &words));
    }
    drop(conn);
    if let Err(error) = note_use(hub, &token, now).await {
        // Best effort: requests must succeed while the store is read-only.
        tracing::warn!(%error, "API token: last use not recorded");
    }
    let scopes = token.scopes.iter().filter_map(|scope| Scope::parse(scope)).collect();
    Ok(Caller { person: Some(person), via: AuthMethod::Token { hash, scopes }, ip })
}

/// Returns the refusal of an invalid token, and counts it against the rate limit of the IP address.
///
/// Valid tokens are not limited by this: tokens cannot be guessed, and many users may share one address.
fn refuse_wrong(hub: &Hub, ip: IpAddr, words: &str) -> Error {
    match hub.limits().take(Rate::InvalidTokens, &source(ip)) {
        Ok(()) => Refusal::unauthenticated(words).into(),
        Err(limited) => limited.into(),
    }
}

/// Returns whether the audience of a token covers a path, compared by whole path segments (RFC 8707 section
/// 2).
///
/// The origin is not compared: a token of this store was issued by this hub for itself, under the public URL
/// that it had then. So tokens stay valid when the public URL changes.
fn covers(audience: &str, path: &str) -> bool {
    let rest = path.strip_prefix(audience_path(audience).as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the path of an audience without its last slash. Empty is the whole hub.
fn audience_path(audience: &str) -> String {
    let url = Url::parse(audience).ok();
    url.map_or_else(|| "invalid".to_owned(), |url| url.path().trim_end_matches('/').to_owned())
}

/// Returns the token and its account, if the token is not expired and the account is active.
pub(super) async fn good(conn: &mut Conn, hash: &Digest, now: Timestamp) -> Result<Option<(Token, Person)>> {
    let token = api_tokens::by_hash(conn, hash).await?.filter(|token| now < token.expires_at);
    let Some(token) = token else { return Ok(None) };
    Ok(find_person(conn, token.account).await?.map(|person| (token, person)))
}

/// Updates "last used" at most once a minute, so that not every request causes a write.
async fn note_use(hub: &Hub, token: &Token, now: Timestamp) -> Result<()> {
    if token.last_used_at.is_some_and(|used| now.since(used) < LAST_USED_INTERVAL) {
        return Ok(());
    }
    let mut tx = hub.store().write_background().await?;
    api_tokens::set_used(&mut tx, token.id, now).await?;
    Ok(tx.commit().await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_good_for_its_resource_and_what_is_below_it() {
        for (audience, path, good) in [
            ("https://hub.example/", "/api/v1/chats", true),
            ("https://hub.example", "/mcp", true),
            ("https://hub.example/mcp", "/mcp", true),
            ("https://hub.example/mcp/", "/mcp", true),
            ("https://hub.example/mcp", "/mcp/ada/weaver", true),
            ("https://hub.example/mcp", "/mcpx", false),
            ("https://hub.example/mcp", "/api/v1/chats", false),
            ("https://hub.example/mcp/ada/weaver", "/mcp", false),
            ("https://earlier.example:8443/", "/api/v1/chats", true),
            ("http://127.0.0.1:3000/mcp", "/mcp", true),
            ("http://127.0.0.1:3000/mcp", "/v1", false),
            ("hub.example", "/", false),
            ("", "/mcp", false),
        ] {
            assert_eq!(covers(audience, path), good, "{audience} {path}");
        }
    }
}
