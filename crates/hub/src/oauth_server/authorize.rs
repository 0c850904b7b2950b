//! Authorization requests of OAuth clients, and the user's consent.

use std::time::Duration;

use plexus_domain::{Digest, Error as Refusal, OauthGrantId};
use plexus_store::oauth_grants;
use url::Url;

use super::{DEFAULT_SCOPES, OauthClient, OauthGrant, SCOPES, client_metadata, registration};
use crate::{
    Caller, Hub, Result,
    accounts::random_token,
    caller::{AuthMethod, Person, Scope},
};

/// Lifetime of an authorization code. Clients exchange it at once.
const CODE_TTL: Duration = Duration::from_secs(60);
/// A code challenge is a SHA-256 digest in base64 (RFC 7636 section 4.2).
const CHALLENGE_CHARS: usize = 43;
const STATE_MAX: usize = 1_024;

/// The parameters of an authorization request, not validated.
#[derive(Clone, Debug, Default)]
pub struct AuthorizeRequest {
    pub response_type: String,
    pub client_id: String,
    pub redirect_uri: String,
    pub state: String,
    pub scope: String,
    pub code_challenge: String,
    pub code_challenge_method: String,
    pub resource: String,
    /// Issuer identifier that the client knows this hub by (RFC 9207).
    pub issuer: String,
    /// A parameter occurs twice, which is not allowed (RFC 6749 section 3.1).
    pub is_repeated: bool,
}

/// A valid request, to be shown to the user for consent.
pub struct ConsentPrompt {
    pub client: OauthClient,
    pub redirect: Url,
    pub resource: Url,
    pub scopes: Vec<Scope>,
    state: String,
    challenge: String,
    issuer: String,
}

/// Result of validating an authorization request.
pub enum AuthorizeOutcome {
    Question(Box<ConsentPrompt>),
    /// The request is invalid, in a way that may be reported to the client.
    Wrong(Box<AuthorizeError>),
}

/// An invalid request. Its redirect is shown as a link, not followed.
///
/// Any client may register, so an automatic redirect would be an open redirector (RFC 9700 section 4.11.2).
pub struct AuthorizeError {
    pub client: OauthClient,
    /// The error, as a message for the user.
    pub words: &'static str,
    /// The client's redirect URI with the error parameters.
    pub back: Url,
}

/// Validates a request before the user sees it.
///
/// An invalid client or redirect URI is a refusal, since there is no safe URI to redirect to (RFC 6749
/// section 4.1.2.1).
pub async fn validate_request(
    hub: &Hub,
    caller: &Caller,
    request: &AuthorizeRequest,
) -> Result<AuthorizeOutcome> {
    client_metadata::check_redirect(&request.redirect_uri)?;
    let registered = registration::client(&request.client_id)?;
    let client = match registered {
        Some(client) => {
            signed_in(caller)?;
            client
        }
        None => {
            let id = client_metadata::parse(&request.client_id)?;
            OauthClient::fetch(hub, signed_in(caller)?, id).await?
        }
    };
    let redirect = client.redirect(&request.redirect_uri)?;
    if request.state.len() > STATE_MAX {
        return Err(Refusal::invalid("state", "The state parameter is too long.").into());
    }
    let wrong = |error: &str, words: &'static str| {
        let said = [("error", error), ("error_description", words)];
        let back = answer(&request.issuer, &redirect, &request.state, &said);
        Ok(AuthorizeOutcome::Wrong(Box::new(AuthorizeError { client: client.clone(), words, back })))
    };
    if request.is_repeated {
        return wrong("invalid_request", "A parameter is repeated.");
    }
    if request.response_type != "code" {
        return wrong("unsupported_response_type", "Only the response type code is supported.");
    }
    let sound = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_');
    let challenge = &request.code_challenge;
    if request.code_challenge_method != "S256"
        || challenge.len() != CHALLENGE_CHARS
        || !challenge.bytes().all(sound)
    {
        return wrong("invalid_request", "A code_challenge with the method S256 is required.");
    }
    let Some(resource) = resource(hub, &request.resource) else {
        return wrong("invalid_target", "The resource does not belong to this hub.");
    };
    let Some(scopes) = scopes(&request.scope) else {
        return wrong("invalid_scope", "Only the scopes read, chat and team are available to applications.");
    };
    let (state, challenge, issuer) = (request.state.clone(), challenge.clone(), request.issuer.clone());
    Ok(AuthorizeOutcome::Question(Box::new(ConsentPrompt {
        client,
        redirect,
        resource,
        scopes,
        state,
        challenge,
        issuer,
    })))
}

/// Records the user's decision. Returns the redirect URI with a code, or with an `access_denied` error.
pub async fn record_consent(
    hub: &Hub,
    caller: &Caller,
    question: &ConsentPrompt,
    agrees: bool,
) -> Result<Url> {
    let person = signed_in(caller)?;
    let ConsentPrompt { client, redirect, resource, scopes, state, challenge, issuer } = question;
    if !agrees {
        let denied = [("error", "access_denied"), ("error_description", "The user declined.")];
        return Ok(answer(issuer, redirect, state, &denied));
    }
    let (code, now) = (random_token(hub), hub.env().now());
    let grant = OauthGrant {
        id: hub.env().id(OauthGrantId::new),
        account: person.account,
        client: client.id.clone(),
        name: client.name.clone(),
        redirect: redirect.to_string(),
        challenge: challenge.clone(),
        resource: resource.to_string(),
        scopes: scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
        code_hash: Digest::of(&code),
        refresh_hash: None,
        previous_refresh_hash: None,
        created_at: now,
        expires_at: now + CODE_TTL,
        last_used_at: None,
    };
    let mut tx = hub.store().write().await?;
    oauth_grants::insert(&mut tx, &grant).await?;
    tx.commit().await?;
    Ok(answer(issuer, redirect, state, &[("code", &code)]))
}

/// Returns the account of a browser session. Tokens cannot give consent.
fn signed_in(caller: &Caller) -> Result<&Person, Refusal> {
    let person = caller.person()?;
    match caller.via {
        AuthMethod::Session(_) => Ok(person),
        _ => Err(Refusal::forbidden(
            "Authorization requires a browser session. Sign in on a page of this hub.",
        )),
    }
}

/// Builds the redirect. It names the issuer (RFC 9207) against mix-up attacks.
fn answer(issuer: &str, redirect: &Url, state: &str, pairs: &[(&str, &str)]) -> Url {
    let mut url = redirect.clone();
    {
        let mut query = url.query_pairs_mut();
        query.extend_pairs(pairs);
        if !state.is_empty() {
            query.append_pair("state", state);
        }
        query.append_pair("iss", issuer);
    }
    url
}

/// Validates the audience of the tokens; empty selects the whole hub (RFC 8707 section 2).
fn resource(hub: &Hub, wanted: &str) -> Option<Url> {
    let public = &hub.config().public_url;
    if wanted.is_empty() {
        return Some(public.clone());
    }
    let url: Url = wanted.parse().ok()?;
    let fine = hub.config().is_own_origin(&url) && url.fragment().is_none() && url.query().is_none();
    // The public name is stored, whichever name of this machine the client uses.
    let mut known = public.clone();
    known.set_path(url.path());
    fine.then_some(known)
}

/// Parses the scopes; empty selects the default ones.
fn scopes(wanted: &str) -> Option<Vec<Scope>> {
    if wanted.trim().is_empty() {
        return Some(DEFAULT_SCOPES.to_vec());
    }
    let known = |word: &str| Scope::parse(word).filter(|scope| SCOPES.contains(scope));
    let mut scopes: Vec<Scope> = wanted.split_whitespace().map(known).collect::<Option<_>>()?;
    scopes.sort_by_key(|scope| scope.as_str());
    scopes.dedup();
    Some(scopes)
}
