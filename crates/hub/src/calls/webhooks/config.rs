//! Configuration of a webhook, as its caller supplies it.

use std::fmt;

use plexus_domain::{Error as Refusal, agent::A2aProtocol};
use serde::{Deserialize, Serialize};
use url::Url;

const URL_BYTES: usize = 2_048;
const SECRET_BYTES: usize = 4_096;
const NAME_BYTES: usize = 256;

/// URL, token and credentials of a webhook. All of it may be secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookConfig {
    #[serde(with = "as_text")]
    url: Url,
    protocol: A2aProtocol,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authentication: Option<WebhookAuth>,
}

/// The `Authorization` header that the receiver expects (RFC 9110 section 11.4).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookAuth {
    pub scheme: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<String>,
}

/// A webhook that a caller asks for.
#[derive(Clone, Debug)]
pub struct WebhookRequestInput {
    /// None: the hub chooses the name.
    pub name: Option<String>,
    pub hook: WebhookConfig,
}

/// A webhook of a task, with the name that its caller chose or the hub generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedWebhook {
    pub name: String,
    pub hook: WebhookConfig,
}

impl WebhookConfig {
    /// Validates a webhook. `protocol` is the A2A version of the notifications.
    pub fn new(
        url: &str,
        protocol: A2aProtocol,
        token: Option<String>,
        authentication: Option<WebhookAuth>,
    ) -> Result<Self, Refusal> {
        let wrong = |field: &str, words: &str| Err(Refusal::invalid(field, words));
        let Some(url) = Url::parse(url).ok().filter(|_| url.len() <= URL_BYTES) else {
            return wrong(
                "url",
                "The address of a webhook begins with https:// and has at most 2,048 characters.",
            );
        };
        if token.as_deref().is_some_and(|token| !fits_a_header(token)) {
            return wrong("token", "A token has visible ASCII characters only, at most 4,096.");
        }
        if let Some(WebhookAuth { scheme, credentials }) = &authentication {
            if scheme.is_empty() || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
                return wrong("authentication.scheme", "A scheme is a word, as in Bearer or Basic.");
            }
            if credentials.as_deref().is_some_and(|credentials| !fits_a_header(credentials)) {
                let words = "Credentials have visible ASCII characters only, at most 4,096.";
                return wrong("authentication.credentials", words);
            }
        }
        Ok(Self { url, protocol, token, authentication })
    }

    pub const fn url(&self) -> &Url {
        &self.url
    }

    pub const fn protocol(&self) -> A2aProtocol {
        self.protocol
    }

    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Returns the scheme alone: credentials are write-only.
    pub fn scheme(&self) -> Option<&str> {
        self.authentication.as_ref().map(|authentication| authentication.scheme.as_str())
    }

    /// Returns the value of the `Authorization` header.
    pub(super) fn authorization(&self) -> Option<String> {
        let WebhookAuth { scheme, credentials } = self.authentication.as_ref()?;
        Some(
            credentials
                .as_ref()
                .map_or_else(|| scheme.clone(), |credentials| format!("{scheme} {credentials}")),
        )
    }
}

/// Validates the name that a caller gives a webhook.
pub(super) fn name(given: String) -> Result<String, Refusal> {
    if given.is_empty() || given.len() > NAME_BYTES || given.chars().any(char::is_control) {
        return Err(Refusal::invalid(
            "id",
            "The id of a push configuration has 1 to 256 visible characters.",
        ));
    }
    Ok(given)
}

/// Returns whether the text is a valid header value: no control characters, which would allow header
/// injection.
fn fits_a_header(text: &str) -> bool {
    text.len() <= SECRET_BYTES && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

impl fmt::Debug for WebhookConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hook(at {})", self.url.origin().ascii_serialization())
    }
}

/// Serialises a URL as a string.
mod as_text {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use url::Url;

    pub fn serialize<S: Serializer>(url: &Url, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(url.as_str())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Url, D::Error> {
        String::deserialize(input)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(url: &str, token: &str, scheme: &str, credentials: &str) -> Result<WebhookConfig, Refusal> {
        let credentials = Some(credentials.to_owned());
        let authentication = WebhookAuth { scheme: scheme.to_owned(), credentials };
        WebhookConfig::new(url, A2aProtocol::V1, Some(token.to_owned()), Some(authentication))
    }

    #[test]
    fn what_would_break_out_of_a_header_is_refused_and_nothing_is_printed() {
        let good = hook("https://a.example/secret", "t-1", "Bearer", "k-1").unwrap();
        assert_eq!(good.authorization().as_deref(), Some("Bearer k-1"));
        assert_eq!(format!("{good:?}"), "Hook(at https://a.example)");
        for (url, token, scheme, credentials) in [
            ("nowhere", "t", "Bearer", "k"),
            ("https://a.example", "t\r\nX: y", "Bearer", "k"),
            ("https://a.example", "t", "Bear er", "k"),
            ("https://a.example", "t", "", "k"),
            ("https://a.example", "t", "Bearer", "k\n"),
        ] {
            assert!(hook(url, token, scheme, credentials).is_err(), "{url} {token} {scheme} {credentials}");
        }
        assert!(
            name("a\n".to_owned()).is_err() && name(String::new()).is_err() && name("c-1".to_owned()).is_ok()
        );
    }
}
