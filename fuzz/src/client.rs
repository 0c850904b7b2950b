use plexus_hub::{config::is_loopback, oauth_server::OauthClient};
use serde_json::Value;
use url::Url;

use crate::captured_output::assert_shown;

const ID: &str = "https://app.example.org/client.json";
const MAX_NAME_CHARS: usize = 60;
/// Schemes that run scripts, open files or send plain text, so that no program of the user's receives the code.
const SYSTEM: [&str; 9] = ["javascript", "vbscript", "data", "file", "blob", "about", "ftp", "ws", "wss"];

/// Fuzzes the metadata document of an OAuth client.
pub fn client(data: &[u8]) {
    let id: Url = ID.parse().unwrap();
    let client = match OauthClient::read(id.clone(), data) {
        Ok(client) => client,
        Err(refusal) => return assert_shown(&refusal.to_string()),
    };
    assert_eq!(client.id, id.as_str());
    assert!((1..=MAX_NAME_CHARS).contains(&client.name.chars().count()), "{:?}", client.name);
    assert_shown(&client.name);
    // The parser skips unknown members without validating their values, so the document may not parse as a
    // `Value`.
    let Ok(document) = serde_json::from_slice::<Value>(data) else { return };
    let named = document["redirect_uris"].as_array().expect("it was read");
    let taken = named.iter().filter_map(|uri| client.redirect(uri.as_str()?).ok());
    let taken: Vec<Url> = taken.inspect(|url| assert_may_be_answered_at(&client, url)).collect();
    assert!(!taken.is_empty(), "a client that cannot be answered");
}

fn assert_may_be_answered_at(client: &OauthClient, url: &Url) {
    let is_safe = match url.scheme() {
        "https" => true,
        "http" => is_loopback(url),
        // Without a dot, a scheme that a program registers needs a host.
        own => {
            own.contains('.')
                || (url.host_str().is_some_and(|host| !host.is_empty()) && !SYSTEM.contains(&own))
        }
    };
    assert!(is_safe && url.username().is_empty() && url.fragment().is_none(), "{url}");
    // Variants of an accepted redirect URI must be rejected.
    let (mut query, mut fragment) = (url.clone(), url.clone());
    query.set_query(Some("nobody-named-this"));
    fragment.set_fragment(Some("x"));
    for other in [query, fragment] {
        assert!(client.redirect(other.as_str()).is_err(), "{other} for {url}");
    }
}
