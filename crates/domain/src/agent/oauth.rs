//! OAuth 2.1 requirement of an agent: the authorization server and scopes that its card declares.

use serde::{Deserialize, Serialize};

/// Maximum number of scopes; generous compared with what agents request in practice.
pub const MAX_SCOPES: usize = 32;
const MAX_SCOPE: usize = 200;

/// Authorization server of an agent and the scopes to request.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OauthRequirement {
    /// Authorization endpoint where each user consents (authorization code with PKCE).
    /// Without it the hub uses the client credentials grant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_url: Option<String>,
    /// Empty until discovered if there is a `discovery_url`.
    pub token_url: String,
    /// Refresh endpoint, if it differs from `token_url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_url: Option<String>,
    /// OpenID Connect discovery document, which names the other endpoints. Each user consents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discovery_url: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

impl OauthRequirement {
    /// Returns all endpoint URLs that are known.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        let token = Some(&self.token_url).filter(|url| !url.is_empty());
        let others = [&self.authorization_url, &self.refresh_url, &self.discovery_url];
        token.into_iter().chain(others.into_iter().flatten()).map(String::as_str)
    }

    /// Returns true if each user must consent at the authorization server.
    pub const fn is_by_user(&self) -> bool {
        self.authorization_url.is_some() || self.discovery_url.is_some()
    }

    /// Returns true if all endpoints are the same: declared ones, or the discovery document that names them. The scopes may
    /// differ.
    pub fn is_same_authorization_server(&self, other: &Self) -> bool {
        match (&self.discovery_url, &other.discovery_url) {
            (None, None) => self.urls().eq(other.urls()),
            (own, others) => own == others,
        }
    }
}

/// Returns true if the text is a valid scope token (RFC 6749, section 3.3) of at most 200 characters.
pub fn is_scope(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    (1..=MAX_SCOPE).contains(&text.len()) && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Scheme;

    #[test]
    fn a_scope_is_a_word_without_quotes() {
        assert!(is_scope("https://api.example/read:all"));
        for wrong in ["", "two words", "a\"b", "a\\b", "ü", &"x".repeat(201)] {
            assert!(!is_scope(wrong), "{wrong}");
        }
    }

    #[test]
    fn it_is_written_beside_its_kind() {
        let text = r#"{"kind":"oauth2","token_url":"https://a.example/token","scopes":["read"]}"#;
        let scheme: Scheme = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&scheme).unwrap(), text);
        assert!(serde_json::from_str::<Scheme>(&text.replace("scopes", "scope")).is_err());
    }
}
