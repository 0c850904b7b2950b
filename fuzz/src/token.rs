use std::time::Duration;

use plexus_runtime::{Secret, oauth_client::read};
use reqwest::{StatusCode, header::HeaderValue};
use serde_json::json;
use url::Url;

use crate::{captured_output::assert_shown, requests::line};

const LONGEST: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Fuzzes token responses of an authorization server to the hub as a client. Input: a line with the status,
/// then the body.
pub fn token(data: &[u8]) {
    let Some((head, body)) = line(data) else { return };
    let Ok(status) = StatusCode::from_bytes(head) else { return };
    let at: Url = "https://auth.example/token".parse().unwrap();
    let granted = match read(&at, status, None, body) {
        Ok(granted) => granted,
        Err(denied) => {
            assert_shown(&denied.failure.message);
            return assert_shown(&denied.code.unwrap_or_default());
        }
    };
    assert_eq!(status, StatusCode::OK);
    for token in [&granted.access].into_iter().chain(&granted.refresh).map(Secret::reveal) {
        assert!(!token.is_empty() && !token.contains(char::is_whitespace), "{token:?}");
        assert!(HeaderValue::from_str(token).is_ok(), "{token:?}");
    }
    assert!(granted.lives.is_none_or(|lives| lives <= LONGEST), "{:?}", granted.lives);
    // Round trip: the same token response, serialized by this target, has the same meaning.
    let said = json!({
        "access_token": granted.access.reveal(),
        "token_type": "Bearer",
        "expires_in": granted.lives.map(|lives| lives.as_secs()),
        "refresh_token": granted.refresh.as_ref().map(Secret::reveal),
    });
    let again = read(&at, status, None, said.to_string().as_bytes()).expect("what we write we read");
    assert_eq!((again.access, again.refresh, again.lives), (granted.access, granted.refresh, granted.lives));
}
