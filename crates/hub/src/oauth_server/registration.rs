//! Dynamic client registration (RFC 7591), without state: the client id is the registered metadata itself
//! (appendix A.5.2).
//!
//! Nothing is stored, so nothing expires, and every instance knows every client. The id is not
//! authenticated: registration is open, so an id that a client made up grants nothing that registering would
//! not. The user decides by the redirect URI, which is checked like that of a metadata document.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use plexus_a2a::bounded_json;
use plexus_domain::{Error as Refusal, Timestamp, sanitized_text};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use super::{OauthClient, client_metadata};
use crate::Hub;

/// Prefix of the ids of registered clients. Ids with a document are URLs.
const PREFIX: &str = "plxc_";
/// Maximum length of a client id. It is part of the URL of the consent page.
const MAX_ID_BYTES: usize = 3_072;
const MAX_REDIRECTS: usize = 16;
/// Maximum length of a refused URI in an error, in characters.
const MAX_SHOWN: usize = 200;
const UNNAMED: &str = "Unnamed application";

/// A registered client, as it is reported to the client.
#[derive(Debug)]
pub struct RegisteredClient {
    pub id: String,
    pub name: String,
    pub redirect_uris: Vec<String>,
    pub issued_at: Timestamp,
}

/// Refusal of a registration, as named in RFC 7591 section 3.2.2.
#[derive(Debug)]
pub enum RegistrationError {
    RedirectUri(String),
    ClientMetadata(String),
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    client_name: Option<String>,
    #[serde(default)]
    redirect_uris: Vec<String>,
    #[serde(default)]
    grant_types: Option<Vec<String>>,
    #[serde(default)]
    response_types: Option<Vec<String>>,
}

/// The contents of a client id.
#[derive(Deserialize, Serialize)]
struct ClientIdContents {
    name: String,
    redirects: Vec<String>,
    /// Milliseconds since 1970. Makes the ids of equal programs differ.
    at: i64,
}

/// Registers a client. The caller has counted the request against a rate limit.
pub fn register(hub: &Hub, body: &[u8]) -> Result<RegisteredClient, RegistrationError> {
    register_at(hub.env().now(), body)
}

fn register_at(now: Timestamp, body: &[u8]) -> Result<RegisteredClient, RegistrationError> {
    // A list would be read as the fields in order.
    let metadata: Map<String, Value> = bounded_json::parse(body, client_metadata::LIMITS)
        .map_err(|error| RegistrationError::ClientMetadata(error.to_string()))?;
    let metadata: Metadata = serde_json::from_value(Value::Object(metadata))
        .map_err(|error| RegistrationError::ClientMetadata(error.to_string()))?;
    let lacks = |given: &Option<Vec<String>>, needed: &str| {
        given.as_ref().is_some_and(|given| !given.is_empty() && given.iter().all(|one| one != needed))
    };
    if lacks(&metadata.grant_types, "authorization_code") || lacks(&metadata.response_types, "code") {
        let words = "Only the grant type authorization_code with the response type code is supported.";
        return Err(RegistrationError::ClientMetadata(words.to_owned()));
    }
    let redirects = redirects(&metadata.redirect_uris).map_err(RegistrationError::RedirectUri)?;
    let name = client_metadata::display_name(metadata.client_name.as_deref().unwrap_or_default(), UNNAMED);
    let redirects: Vec<String> = redirects.into_iter().map(String::from).collect();
    let contents = ClientIdContents { name, redirects, at: now.millis() };
    let json = serde_json::to_vec(&contents).unwrap_or_default();
    let id = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(json));
    if id.len() > MAX_ID_BYTES {
        return Err(RegistrationError::RedirectUri("The redirect URIs are too long.".to_owned()));
    }
    let ClientIdContents { name, .. } = contents;
    Ok(RegisteredClient { id, name, redirect_uris: metadata.redirect_uris, issued_at: now })
}

fn redirects(uris: &[String]) -> Result<Vec<Url>, String> {
    if !(1..=MAX_REDIRECTS).contains(&uris.len()) {
        return Err(format!("Register 1 to {MAX_REDIRECTS} redirect_uris."));
    }
    let parse = |uri: &String| {
        client_metadata::redirect(uri).ok_or_else(|| {
            let uri = sanitized_text::ellipsize(&sanitized_text::one_line(uri), MAX_SHOWN);
            format!(
                "The redirect URI {uri} cannot be used. Register https, http on loopback, or a private-use scheme such as \
                 com.example.app:/callback or example://app/callback, without user name and fragment."
            )
        })
    };
    uris.iter().map(parse).collect()
}

/// Returns the client of a registered id, or `None` if the id is the URL of a metadata document.
pub(super) fn client(id: &str) -> Result<Option<OauthClient>, Refusal> {
    let Some(encoded) = id.strip_prefix(PREFIX) else { return Ok(None) };
    let unknown = || client_metadata::wrong("Its registration cannot be read. Let it register again.");
    if id.len() > MAX_ID_BYTES {
        return Err(unknown());
    }
    let json = URL_SAFE_NO_PAD.decode(encoded).map_err(|_| unknown())?;
    let contents: ClientIdContents =
        bounded_json::parse(&json, client_metadata::LIMITS).map_err(|_| unknown())?;
    let redirects = redirects(&contents.redirects).map_err(|_| unknown())?;
    let name = client_metadata::display_name(&contents.name, UNNAMED);
    Ok(Some(OauthClient { id: id.to_owned(), host: None, name, redirects }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(body: &str) -> Result<RegisteredClient, RegistrationError> {
        register_at(Timestamp::from_millis(1_700_000_000_000), body.as_bytes())
    }

    #[test]
    fn the_id_of_a_registered_client_is_its_metadata() {
        let body = r#"{"client_name":" My\u202eApp\n","redirect_uris":["http://localhost:4711/callback"],
            "grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"client_secret_post"}"#;
        let registered = register(body).unwrap();
        let known = client(&registered.id).unwrap().unwrap();
        assert_eq!((known.name.as_str(), known.host.as_deref()), ("MyApp", None));
        assert!(known.redirect("http://localhost:4712/callback").is_ok(), "any port on loopback");
        for other in ["http://localhost:4711/other", "https://evil.example/callback", ""] {
            assert!(known.redirect(other).is_err(), "{other}");
        }
        assert!(client("https://app.example.org/client.json").unwrap().is_none());
    }

    #[test]
    fn invalid_metadata_are_refused_by_name() {
        let long = format!(r#"{{"redirect_uris":["https://a.example/{}"]}}"#, "x".repeat(4_000));
        for body in [
            "{}",
            r#"{"redirect_uris":[]}"#,
            r#"{"redirect_uris":["https://a.example/","javascript:x"]}"#,
            r#"{"redirect_uris":["http://a.example/"]}"#,
            r#"{"redirect_uris":["https://a.example/#x"]}"#,
            &long,
        ] {
            assert!(matches!(register(body), Err(RegistrationError::RedirectUri(_))), "{body}");
        }
        for body in [
            "",
            "[]",
            r#"{"redirect_uris":"https://a.example/"}"#,
            r#"{"redirect_uris":["https://a.example/"],"grant_types":["client_credentials"]}"#,
            r#"{"redirect_uris":["https://a.example/"],"response_types":["token"]}"#,
        ] {
            assert!(matches!(register(body), Err(RegistrationError::ClientMetadata(_))), "{body}");
        }
        let evil = URL_SAFE_NO_PAD.encode(r#"{"name":"x","redirects":["javascript:x"],"at":1}"#);
        for id in
            ["plxc_", "plxc_!", "plxc_e30", &format!("plxc_{evil}"), &format!("plxc_{}", "A".repeat(4_000))]
        {
            assert!(client(id).is_err(), "{id}");
        }
    }
}
