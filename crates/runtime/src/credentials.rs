//! Credentials that the hub presents to remote servers. They never appear in messages, logs or errors.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use plexus_domain::run::{Failure, FailureClass};
use url::Url;

use crate::{
    Redact,
    outbound::{RunInterruption, WaitTimer, connection_error},
};

/// Text that is redacted in debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Credentials by authentication scheme (OpenAPI 3.2 security schemes, as used in A2A agent cards).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    Bearer(Secret),
    ApiKey { place: KeyPlace, name: String, value: Secret },
    Basic { user: String, password: Secret },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    Header,
    Query,
    Cookie,
}

impl Credentials {
    /// Adds the credentials to a call. The destination must have been validated before.
    pub(crate) fn apply(&self, url: &mut Url, headers: &mut HeaderMap) -> Result<(), Failure> {
        let (name, value) = match self {
            Self::Bearer(token) => (header::AUTHORIZATION, format!("Bearer {}", token.reveal())),
            Self::Basic { user, password } => {
                let pair = BASE64_STANDARD.encode(format!("{user}:{}", password.reveal()));
                (header::AUTHORIZATION, format!("Basic {pair}"))
            }
            Self::ApiKey { place: KeyPlace::Query, name, value } => {
                url.query_pairs_mut().append_pair(name, value.reveal());
                return Ok(());
            }
            Self::ApiKey { place: KeyPlace::Cookie, name, value } => {
                (header::COOKIE, format!("{name}={}", value.reveal()))
            }
            Self::ApiKey { place: KeyPlace::Header, name, value } => {
                (HeaderName::try_from(name).map_err(|_| unusable())?, value.reveal().to_owned())
            }
        };
        headers.insert(name, sensitive(value)?);
        Ok(())
    }
}

impl Credentials {
    /// Adds the secret, and what is sent of it, to what is redacted.
    pub fn add_to(&self, redact: &Redact) {
        match self {
            Self::Bearer(secret) | Self::ApiKey { value: secret, .. } => redact.add(secret.reveal()),
            Self::Basic { user, password } => {
                redact.add(password.reveal());
                redact.add(&BASE64_STANDARD.encode(format!("{user}:{}", password.reveal())));
            }
        }
    }
}

/// Provider of access tokens for an agent.
#[async_trait]
pub trait TokenProvider: Send + Sync {
    /// Returns a currently valid token that differs from `refused`.
    async fn token(&self, refused: Option<&Secret>) -> Result<Secret, Failure>;
}

/// Source of the credentials for an agent: fixed credentials or a token provider.
#[derive(Clone)]
pub enum CredentialSource {
    Fixed(Credentials),
    Fetched(Arc<dyn TokenProvider>),
}

impl From<Credentials> for CredentialSource {
    fn from(credentials: Credentials) -> Self {
        Self::Fixed(credentials)
    }
}

impl fmt::Debug for CredentialSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shown(…)")
    }
}

/// Credentials of one connector, resolved for each of its calls.
#[derive(Debug, Default)]
pub(crate) struct CredentialSession {
    shown: Option<CredentialSource>,
    renewed: AtomicBool,
    redact: Redact,
}

impl CredentialSession {
    pub fn new(shown: CredentialSource) -> Self {
        let redact = Redact::default();
        if let CredentialSource::Fixed(credentials) = &shown {
            credentials.add_to(&redact);
        }
        Self { shown: Some(shown), renewed: AtomicBool::new(false), redact }
    }

    /// Returns the secrets, also those that are fetched later.
    pub fn redact(&self) -> Redact {
        self.redact.clone()
    }

    /// Returns the current credentials, or `None` if the agent needs none.
    pub async fn credentials(
        &self,
        pace: &mut WaitTimer<'_>,
    ) -> Result<Option<Credentials>, RunInterruption> {
        match &self.shown {
            None => Ok(None),
            Some(CredentialSource::Fixed(credentials)) => Ok(Some(credentials.clone())),
            Some(CredentialSource::Fetched(tokens)) => {
                let fetched = fetch(tokens.as_ref(), None, pace).await?;
                fetched.add_to(&self.redact);
                Ok(Some(fetched))
            }
        }
    }

    /// Returns a new token to replace the one that the agent rejected with 401. Refreshes only once per
    /// connector: an agent that also rejects the new token does not accept this kind of token.
    pub async fn refresh(
        &self,
        refused: Option<&Credentials>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<Option<Credentials>, RunInterruption> {
        match (&self.shown, refused) {
            (Some(CredentialSource::Fetched(tokens)), Some(Credentials::Bearer(refused)))
                if !self.renewed.swap(true, Ordering::Relaxed) =>
            {
                let fetched = fetch(tokens.as_ref(), Some(refused), pace).await?;
                fetched.add_to(&self.redact);
                Ok(Some(fetched))
            }
            _ => Ok(None),
        }
    }

    /// Returns the error text for credentials that the agent rejected.
    pub const fn hint(&self) -> &'static str {
        match self.shown {
            None => "requires credentials that this hub does not have.",
            Some(CredentialSource::Fixed(_)) => "did not accept the credentials. Enter them again.",
            Some(CredentialSource::Fetched(_)) => "did not accept the token of its authorization server.",
        }
    }
}

async fn fetch(
    tokens: &dyn TokenProvider,
    refused: Option<&Secret>,
    pace: &mut WaitTimer<'_>,
) -> Result<Credentials, RunInterruption> {
    match pace.wait(tokens.token(refused)).await {
        Ok(token) => Ok(Credentials::Bearer(token?)),
        Err(interrupted) => Err(connection_error(interrupted, "The authorization server of the agent")),
    }
}

/// Creates a header value marked as sensitive, so that it is redacted in logs.
pub(crate) fn sensitive(value: String) -> Result<HeaderValue, Failure> {
    let mut value = HeaderValue::try_from(value).map_err(|_| unusable())?;
    value.set_sensitive(true);
    Ok(value)
}

fn unusable() -> Failure {
    let words = "The credentials hold characters that cannot be sent, such as a line end. Enter them again.";
    Failure::new(FailureClass::Policy, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(place: KeyPlace, value: &str) -> Credentials {
        Credentials::ApiKey { place, name: "X-Key".to_owned(), value: Secret::new(value) }
    }

    fn apply(credentials: &Credentials) -> Result<(String, Vec<(String, String)>), Failure> {
        let mut url: Url = "https://agents.example/a2a?x=1".parse().unwrap();
        let mut headers = HeaderMap::new();
        credentials.apply(&mut url, &mut headers)?;
        let shown = |value: &HeaderValue| value.to_str().unwrap().to_owned();
        let headers = headers.iter().map(|(name, value)| (name.to_string(), shown(value))).collect();
        Ok((url.query().unwrap().to_owned(), headers))
    }

    #[test]
    fn each_kind_goes_to_its_place() {
        let basic = Credentials::Basic { user: "ada".to_owned(), password: Secret::new("l o") };
        for (credentials, query, header) in [
            (Credentials::Bearer(Secret::new("t")), "x=1", Some(("authorization", "Bearer t"))),
            (basic, "x=1", Some(("authorization", "Basic YWRhOmwgbw=="))),
            (key(KeyPlace::Header, "k"), "x=1", Some(("x-key", "k"))),
            (key(KeyPlace::Cookie, "k"), "x=1", Some(("cookie", "X-Key=k"))),
            (key(KeyPlace::Query, "k&y"), "x=1&X-Key=k%26y", None),
        ] {
            let headers =
                header.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
            assert_eq!(apply(&credentials).unwrap(), (query.to_owned(), headers));
        }
    }

    #[test]
    fn credentials_cannot_add_headers_of_their_own_and_are_not_shown() {
        for credentials in
            [Credentials::Bearer(Secret::new("hunter2\r\nx: y")), key(KeyPlace::Header, "hunter2\n")]
        {
            let failure = apply(&credentials).unwrap_err();
            assert!(!format!("{credentials:?} {failure}").contains("hunter2"));
        }
    }
}
