//! Client of OAuth 2.1 token endpoints, with bounded response size and time.

use std::time::Duration;

use base64::{Engine, prelude::BASE64_STANDARD};
use http::{Method, StatusCode, header};
use plexus_domain::run::{Failure, FailureClass};
use serde::Deserialize;
use serde_json::Value;
use tokio::time;
use tokio_util::sync::CancellationToken;
use url::{Url, form_urlencoded};

use crate::{
    Credentials, Redact, Secret,
    credentials::sensitive,
    outbound::{
        ErrorHints, HttpResponse, OutboundClient, RunInterruption, WaitTimer, by_status, peer,
        quote_foreign_text, retry_after,
    },
};

const MAX_ANSWER_BYTES: usize = 64 << 10;
/// Maximum bytes of an endpoint URL.
const MAX_URL_BYTES: usize = 2_000;
/// Maximum bytes of a token. It is sent in a header, and servers reject larger ones.
const MAX_TOKEN_BYTES: usize = 16 << 10;
/// Timeout of the response head, and between two pieces of the response.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of the whole exchange.
const WHOLE: Duration = Duration::from_secs(15);
/// Maximum assumed lifetime of a token. A token that claims to live longer is refreshed after this.
const MAX_DURATION: Duration = Duration::from_secs(30 * 24 * 3_600);

/// OAuth client identity.
#[derive(Clone, Debug)]
pub struct Client {
    pub id: String,
    /// `None` for a public client, which authenticates by its id only.
    pub secret: Option<Secret>,
}

/// Grant type with its data.
#[derive(Clone, Debug)]
pub enum TokenGrant {
    /// Client credentials grant for these scopes.
    Client {
        scopes: Vec<String>,
    },
    /// Authorization code grant, with the PKCE verifier (RFC 7636) and the redirect URI of the request.
    Code {
        code: Secret,
        verifier: Secret,
        redirect: Url,
    },
    Refresh(Secret),
}

/// Tokens issued by the server.
#[derive(Clone, Debug)]
pub struct TokenResponse {
    pub access: Secret,
    pub refresh: Option<Secret>,
    /// Lifetime of the access token. `None` if the server does not state it.
    pub lives: Option<Duration>,
}

/// Reason why the server issued no token.
#[derive(Clone, Debug)]
pub struct TokenError {
    /// OAuth error code (RFC 6749 section 5.2), such as `invalid_grant`. `None` if the server sent no such
    /// error.
    pub code: Option<String>,
    pub failure: Failure,
}

impl From<Failure> for TokenError {
    fn from(failure: Failure) -> Self {
        Self { code: None, failure }
    }
}

/// Requests a token for `resource` (RFC 8707) from the token endpoint `at`.
pub async fn ask(
    outbound: &OutboundClient,
    at: &Url,
    client: &Client,
    grant: &TokenGrant,
    resource: &Url,
) -> Result<TokenResponse, TokenError> {
    let stop = CancellationToken::new();
    let mut pace = WaitTimer::new(&stop, TIMEOUT);
    let redact = secrets(client, grant);
    let redacted = |denied: TokenError| TokenError {
        code: denied.code.map(|code| redact.error(&code)),
        failure: redact.failure(denied.failure),
    };
    match time::timeout(WHOLE, exchange(outbound, at, client, grant, resource, &mut pace)).await {
        Ok(Ok((status, wait, body))) => read(at, status, wait, &body).map_err(redacted),
        Ok(Err(RunInterruption::Failed(failure))) => Err(failure.into()),
        Ok(Err(RunInterruption::Stopped)) | Err(_) => {
            let words = format!("{} did not finish within {} s.", server(at), WHOLE.as_secs());
            Err(Failure::new(FailureClass::TimedOut, words).into())
        }
    }
}

/// Returns the secrets of a request, which the server may quote in its refusal.
fn secrets(client: &Client, grant: &TokenGrant) -> Redact {
    let redact = Redact::default();
    if let Some(secret) = &client.secret {
        let basic = Credentials::Basic { user: client.id.clone(), password: secret.clone() };
        basic.add_to(&redact);
    }
    match grant {
        TokenGrant::Client { .. } => {}
        TokenGrant::Code { code, verifier, .. } => {
            redact.add(code.reveal());
            redact.add(verifier.reveal());
        }
        TokenGrant::Refresh(token) => redact.add(token.reveal()),
    }
    redact
}

/// Authorization and token endpoint from a discovery document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveredEndpoints {
    pub authorization: Url,
    pub token: Url,
}

/// Fetches the OpenID Connect discovery document at `at` (OpenID Connect Discovery 1.0, section 4).
pub async fn discover(outbound: &OutboundClient, at: &Url) -> Result<DiscoveredEndpoints, Failure> {
    let stop = CancellationToken::new();
    let mut pace = WaitTimer::new(&stop, TIMEOUT);
    match time::timeout(WHOLE, fetch_document(outbound, at, &mut pace)).await {
        Ok(Ok((StatusCode::OK, body))) => read_document(at, &body),
        Ok(Ok((status, _))) => {
            let words = format!("{} answered {status} instead of its discovery document.", server(at));
            Err(Failure::new(FailureClass::Garbage, words))
        }
        Ok(Err(RunInterruption::Failed(failure))) => Err(failure),
        Ok(Err(RunInterruption::Stopped)) | Err(_) => {
            let words = format!("{} did not finish within {} s.", server(at), WHOLE.as_secs());
            Err(Failure::new(FailureClass::TimedOut, words))
        }
    }
}

async fn fetch_document(
    outbound: &OutboundClient,
    at: &Url,
    pace: &mut WaitTimer<'_>,
) -> Result<(StatusCode, Vec<u8>), RunInterruption> {
    let request = outbound.request(Method::GET, at)?.header(header::ACCEPT, "application/json");
    let reply = HttpResponse::to(request, &server(at), pace).await?;
    let status = reply.status();
    Ok((status, reply.body(MAX_ANSWER_BYTES, pace).await?.to_vec()))
}

#[derive(Deserialize)]
struct DiscoveryDocument {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
}

/// Parses a discovery document. Its issuer must be the one whose document was fetched (section 4.3), else another
/// server's endpoints could be passed off (mix-up attack).
fn read_document(at: &Url, body: &[u8]) -> Result<DiscoveredEndpoints, Failure> {
    let unusable = |why: &str| {
        let words = format!("{} has a discovery document that cannot be used: {why}.", server(at));
        Failure::new(FailureClass::Garbage, words)
    };
    let document: DiscoveryDocument =
        serde_json::from_slice(body).map_err(|_| unusable("it does not name issuer and endpoints"))?;
    let expected = at.as_str().strip_suffix("/.well-known/openid-configuration");
    if expected.is_some_and(|issuer| issuer != document.issuer.trim_end_matches('/')) {
        return Err(unusable("its issuer is another one"));
    }
    let endpoint = |text: &str| {
        let url = Url::parse(text).ok().filter(|url| url.fragment().is_none() && text.len() <= MAX_URL_BYTES);
        url.ok_or_else(|| unusable("an endpoint is no address that can be used"))
    };
    Ok(DiscoveredEndpoints {
        authorization: endpoint(&document.authorization_endpoint)?,
        token: endpoint(&document.token_endpoint)?,
    })
}

fn server(at: &Url) -> String {
    format!("The authorization server at {}", peer(at))
}

type Answered = (StatusCode, Option<u32>, Vec<u8>);

/// Sends the request. Redirects are not followed, because they would forward the credentials.
async fn exchange(
    outbound: &OutboundClient,
    at: &Url,
    client: &Client,
    grant: &TokenGrant,
    resource: &Url,
    pace: &mut WaitTimer<'_>,
) -> Result<Answered, RunInterruption> {
    let mut request = outbound
        .request(Method::POST, at)?
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(body(client, grant, resource));
    if let Some(secret) = &client.secret {
        request = request.header(header::AUTHORIZATION, basic(&client.id, secret)?);
    }
    let reply = HttpResponse::to(request, &server(at), pace).await?;
    let (status, wait) = (reply.status(), retry_after(&reply));
    Ok((status, wait, reply.body(MAX_ANSWER_BYTES, pace).await?.to_vec()))
}

/// Builds the HTTP Basic credentials. Both halves are form-encoded first (RFC 6749 section 2.3.1).
fn basic(id: &str, secret: &Secret) -> Result<http::HeaderValue, Failure> {
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = format!("{}:{}", encoded(id), encoded(secret.reveal()));
    sensitive(format!("Basic {}", BASE64_STANDARD.encode(pair)))
}

fn body(client: &Client, grant: &TokenGrant, resource: &Url) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    match grant {
        TokenGrant::Client { scopes } => {
            form.append_pair("grant_type", "client_credentials");
            if !scopes.is_empty() {
                form.append_pair("scope", &scopes.join(" "));
            }
        }
        TokenGrant::Code { code, verifier, redirect } => {
            form.append_pair("grant_type", "authorization_code").append_pair("code", code.reveal());
            form.append_pair("code_verifier", verifier.reveal());
            form.append_pair("redirect_uri", redirect.as_str());
        }
        TokenGrant::Refresh(token) => {
            form.append_pair("grant_type", "refresh_token").append_pair("refresh_token", token.reveal());
        }
    }
    if client.secret.is_none() {
        form.append_pair("client_id", &client.id);
    }
    form.append_pair("resource", resource.as_str()).finish()
}

#[derive(Deserialize)]
struct Answer {
    access_token: String,
    token_type: String,
    #[serde(default)]
    expires_in: Value,
    #[serde(default)]
    refresh_token: Option<String>,
}

#[derive(Deserialize)]
struct TokenErrorBody {
    error: String,
    #[serde(default)]
    error_description: String,
}

/// Parses the response of the token endpoint `at`. `wait` is the value of `Retry-After` in seconds.
pub fn read(
    at: &Url,
    status: StatusCode,
    wait: Option<u32>,
    body: &[u8],
) -> Result<TokenResponse, TokenError> {
    // Some servers report errors with status 200.
    let understood = status.is_success() || status.is_client_error();
    if let Some(refused) = serde_json::from_slice::<TokenErrorBody>(body).ok().filter(|_| understood) {
        return Err(denied(at, &refused));
    }
    if status != StatusCode::OK {
        let hints = ErrorHints {
            credentials: "did not accept the client.",
            missing: Some("has nothing at this address (404)."),
            moved: "The agent has to name the new address.",
        };
        let (class, what) = by_status(status, wait, &hints);
        return Err(Failure::new(class, format!("{} {what}", server(at))).into());
    }
    let answer: Option<Answer> = serde_json::from_slice(body).ok();
    let granted = answer.and_then(granted);
    granted.ok_or_else(|| garbage(at).into())
}

fn denied(at: &Url, refused: &TokenErrorBody) -> TokenError {
    let code = quote_foreign_text(&refused.error);
    let more = quote_foreign_text(&refused.error_description);
    let more = if more.is_empty() { String::new() } else { format!(", {more}") };
    let words = format!("{} refused: {code}{more}.", server(at));
    TokenError { code: Some(code), failure: Failure::new(FailureClass::Refused, words) }
}

fn garbage(at: &Url) -> Failure {
    let words = format!("{} answered without a bearer token that can be used.", server(at));
    Failure::new(FailureClass::Garbage, words)
}

fn granted(answer: Answer) -> Option<TokenResponse> {
    let sound = |token: &str| {
        (1..=MAX_TOKEN_BYTES).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic())
    };
    if !answer.token_type.eq_ignore_ascii_case("bearer") || !sound(&answer.access_token) {
        return None;
    }
    let refresh = answer.refresh_token.filter(|token| sound(token)).map(Secret::new);
    Some(TokenResponse {
        access: Secret::new(answer.access_token),
        refresh,
        lives: lives(&answer.expires_in),
    })
}

/// Parses the lifetime in seconds. Some servers send the number as a string.
fn lives(said: &Value) -> Option<Duration> {
    let seconds = said.as_u64().or_else(|| said.as_str()?.parse().ok())?;
    Some(Duration::from_secs(seconds).min(MAX_DURATION))
}

#[cfg(test)]
mod tests;
