//! User OAuth flow (OAuth 2.1 authorization code with PKCE): a user authorizes
//! the hub, which stores the tokens.

use std::{collections::HashMap, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use parking_lot::Mutex;
use plexus_domain::{
    AccountId, Address, Digest, Error as Refusal, Timestamp, agent::OauthRequirement, sanitized_text,
};
use plexus_runtime::{Secret, oauth_client::TokenGrant};
use url::Url;

use super::{
    credentials::{self, CredentialRequirement},
    manage,
    oauth_tokens::OauthConnection,
    openid_discovery,
};
use crate::{
    Caller, Hub, Result,
    accounts::random_token,
    caller::{AuthMethod, Scope},
    limits::Rate,
};

/// Timeout of a started flow.
const TTL: Duration = Duration::from_mins(10);
/// Maximum number of started flows per account; the oldest is dropped.
const MAX_PER_ACCOUNT: usize = 8;
const MAX_ITEMS: usize = 10_000;
const MAX_CODE_BYTES: usize = 8 << 10;
const MAX_WORDS: usize = 300;

/// Started flows by the hash of their `state` parameter. In memory only: after a restart of the
/// hub the user has to start again.
#[derive(Default)]
pub(crate) struct PendingOauthFlows(Mutex<HashMap<Digest, OauthFlow>>);

/// Started OAuth flow, which can be finished once.
pub struct OauthFlow {
    account: AccountId,
    session: Digest,
    pub address: Address,
    oauth: OauthRequirement,
    verifier: Secret,
    begun: Timestamp,
}

/// Parameters of the OAuth callback.
#[derive(Clone, Debug, Default)]
pub struct OauthCallback {
    pub code: String,
    pub iss: String,
    pub error: String,
    pub error_description: String,
}

impl PendingOauthFlows {
    fn add(&self, state: &str, begin: OauthFlow) -> Result<(), Refusal> {
        let mut all = self.0.lock();
        let now = begin.begun;
        all.retain(|_, other| now < other.begun + TTL);
        if all.len() >= MAX_ITEMS {
            return Err(Refusal::unavailable(
                "Too many connections are in progress. Try again in a few minutes.",
            ));
        }
        let own = |other: &OauthFlow| other.account == begin.account;
        if all.values().filter(|other| own(other)).count() >= MAX_PER_ACCOUNT {
            let oldest = all.iter().filter(|(_, other)| own(other)).min_by_key(|(_, other)| other.begun);
            let oldest = oldest.map(|(state, _)| *state);
            oldest.and_then(|oldest| all.remove(&oldest));
        }
        all.insert(Digest::of(state), begin);
        Ok(())
    }

    fn take(&self, state: &str) -> Option<OauthFlow> {
        self.0.lock().remove(&Digest::of(state))
    }
}

/// Returns the redirect URI.
pub fn redirect(hub: &Hub) -> Url {
    place(hub, "oauth/callback")
}

/// Returns the hub's default client id: the URL of its client metadata document.
pub fn client_document(hub: &Hub) -> Url {
    place(hub, "oauth/client.json")
}

fn place(hub: &Hub, path: &str) -> Url {
    let mut url = hub.config().public_url.clone();
    url.set_path(&format!("{}/{path}", url.path().trim_end_matches('/')));
    url
}

/// Starts a flow. Returns the authorization URL for the user.
pub async fn start_oauth(hub: &Hub, caller: &Caller, address: &Address) -> Result<Url> {
    let person = caller.may(Scope::Agents)?;
    let session = session(caller)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = manage::agent_visible_to(&mut conn, person, address).await?;
    let (version, card) = manage::current(&mut conn, &agent).await?;
    let asks = CredentialRequirement::of(&version.connector, &card);
    let (oauth, origin) = asks.as_ref().and_then(CredentialRequirement::by_person).ok_or_else(nothing)?;
    credentials::check_proved(&mut conn, &agent, origin).await?;
    let server = credentials::server(hub, &mut conn, &agent, &version, &card, oauth).await?;
    drop(conn);
    let server = openid_discovery::resolve(hub, server).await?;
    let oauth = &server.oauth;
    let (state, verifier) = (random_token(hub), random_token(hub));
    let unusable = |_| Refusal::conflict("The authorization URL is not valid.");
    let at = oauth.authorization_url.as_deref().unwrap_or_default();
    let mut url: Url = at.parse().map_err(unusable)?;
    server.outbound.check(&url).map_err(|failure| Refusal::conflict(failure.message))?;
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", &server.client.id)
        .append_pair("redirect_uri", redirect(hub).as_str())
        .append_pair("state", &state)
        .append_pair("code_challenge", &challenge(&verifier))
        .append_pair("code_challenge_method", "S256")
        .append_pair("resource", server.resource.as_str());
    if !oauth.scopes.is_empty() {
        url.query_pairs_mut().append_pair("scope", &oauth.scopes.join(" "));
    }
    let begin = OauthFlow {
        account: person.account,
        session,
        address: address.clone(),
        oauth: oauth.clone(),
        verifier: Secret::new(verifier),
        begun: hub.env().now(),
    };
    hub.oauth_flows().add(&state, begin)?;
    Ok(url)
}

/// PKCE challenge, RFC 7636 section 4.2.
fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Digest::of(verifier).as_bytes())
}

fn nothing() -> Refusal {
    Refusal::conflict("This agent does not use OAuth.")
}

fn changed() -> Refusal {
    Refusal::conflict("The agent's authorization server has changed. Check it and connect again.")
}

fn session(caller: &Caller) -> Result<Digest, Refusal> {
    caller.person()?;
    match &caller.via {
        AuthMethod::Session(session) => Ok(*session),
        _ => Err(Refusal::forbidden("Connecting requires a browser session. Sign in on a page of this hub.")),
    }
}

/// Takes the flow with this `state`. Fails if the caller did not start it in this
/// session, or if it has expired.
pub fn take_flow(hub: &Hub, caller: &Caller, state: &str) -> Result<OauthFlow> {
    let session = session(caller)?;
    let begun = hub.oauth_flows().take(state);
    let known = begun.filter(|it| it.session == session && hub.env().now() < it.begun + TTL);
    let words = "This connection attempt is unknown, finished, or older than 10 minutes. Open the agent's \
        page and connect again.";
    Ok(known.ok_or_else(|| Refusal::forbidden(words))?)
}

/// Exchanges the code for tokens and stores them, replacing earlier ones.
pub async fn finish_oauth(
    hub: &Hub,
    caller: &Caller,
    begin: OauthFlow,
    answer: &OauthCallback,
) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    check(&begin.oauth, answer)?;
    hub.limits().take(Rate::Fetches, &caller.key())?;
    let mut conn = hub.store().snapshot().await?;
    let agent = manage::agent_visible_to(&mut conn, person, &begin.address).await?;
    let (version, card) = manage::current(&mut conn, &agent).await?;
    let asks = CredentialRequirement::of(&version.connector, &card);
    let (oauth, origin) = asks.as_ref().and_then(CredentialRequirement::by_person).ok_or_else(nothing)?;
    if !oauth.is_same_authorization_server(&begin.oauth) {
        return Err(changed().into());
    }
    let server = credentials::server(hub, &mut conn, &agent, &version, &card, oauth).await?;
    drop(conn);
    let server = openid_discovery::resolve(hub, server).await?;
    if !server.oauth.urls().eq(begin.oauth.urls()) {
        return Err(changed().into());
    }
    let code = Secret::new(&answer.code);
    let grant = TokenGrant::Code { code, verifier: begin.verifier, redirect: redirect(hub) };
    let granted = server.ask(&grant).await.map_err(|denied| Refusal::conflict(denied.failure.message))?;
    let plain = OauthConnection::new(origin.to_owned(), &server, &granted).plain()?;
    let mut tx = hub.store().write().await?;
    let agent = manage::agent_visible_to(&mut tx, person, &begin.address).await?;
    credentials::give_own(hub, &mut tx, person, agent.id, &plain).await?;
    Ok(tx.commit().await?)
}

/// Validates the callback. The issuer must be the authorization server that was used (RFC 9207,
/// mix-up attack), compared by origin.
fn check(oauth: &OauthRequirement, answer: &OauthCallback) -> Result<(), Refusal> {
    let sent_to = oauth.authorization_url.as_deref().and_then(|url| Url::parse(url).ok());
    let is_other = |iss: &Url| sent_to.as_ref().is_none_or(|url| url.origin() != iss.origin());
    if !answer.iss.is_empty() && Url::parse(&answer.iss).map_or(true, |iss| is_other(&iss)) {
        let words =
            "The response came from another authorization server than expected. Nothing was connected.";
        return Err(Refusal::forbidden(words));
    }
    if !answer.error.is_empty() {
        return Err(Refusal::forbidden(said(answer)));
    }
    if answer.code.is_empty() || answer.code.len() > MAX_CODE_BYTES {
        return Err(Refusal::conflict("The authorization server returned no code. Try again."));
    }
    Ok(())
}

fn said(answer: &OauthCallback) -> String {
    if answer.error == "access_denied" {
        return "You declined, so nothing was connected.".to_owned();
    }
    let clean = |words: &str| sanitized_text::ellipsize(&sanitized_text::one_line(words), MAX_WORDS);
    let (word, more) = (clean(&answer.error), clean(&answer.error_description));
    let more = if more.is_empty() { more } else { format!(" ({more})") };
    format!("The authorization server refused: {word}{more}. Nothing was connected.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oauth() -> OauthRequirement {
        let authorization_url = Some("https://auth.example/tenant/authorize?x=1".to_owned());
        OauthRequirement { authorization_url, ..OauthRequirement::default() }
    }

    #[test]
    fn an_answer_has_to_come_from_where_the_person_was_sent() {
        let answer =
            |iss: &str| OauthCallback { code: "c".into(), iss: iss.into(), ..OauthCallback::default() };
        for good in ["", "https://auth.example", "https://auth.example/tenant"] {
            assert!(check(&oauth(), &answer(good)).is_ok(), "{good}");
        }
        for wrong in ["https://evil.example", "http://auth.example", "https://auth.example:8443", "x"] {
            assert!(check(&oauth(), &answer(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_refusal_is_told_and_cleaned() {
        let said = |error: &str, more: &str| {
            let answer = OauthCallback {
                code: "c".into(),
                error: error.into(),
                error_description: more.into(),
                ..OauthCallback::default()
            };
            check(&oauth(), &answer).unwrap_err().to_string()
        };
        assert!(said("access_denied", "").contains("declined"));
        assert!(said("server_error", "It\u{202e} is\ndown").contains("server_error (It is down)"));
        assert!(said("x", &"y".repeat(5_000)).len() < 600);
        assert!(check(&oauth(), &OauthCallback::default()).is_err());
    }
}
