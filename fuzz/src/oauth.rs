use reqwest::Method;
use serde_json::Value;
use url::form_urlencoded;

use crate::{
    captured_output::assert_shown,
    hub::{Hub, Question},
    requests::{line, shown},
};

const OK: u16 = 200;
const BAD_REQUEST: u16 = 400;
const TOO_LARGE: u16 = 413;

/// Fuzzes the token and revocation endpoints of the authorization server. Input: a line `token` or `revoke`,
/// then a form. No code or token was issued, so all are unknown.
pub fn oauth(data: &[u8]) {
    let Some((head, body)) = line(data) else { return };
    let path = match head {
        b"token" => "/oauth/token",
        b"revoke" => "/oauth/revoke",
        _ => return,
    };
    let media_type = "application/x-www-form-urlencoded";
    let question =
        Question { method: Method::POST, path, media_type, cookies: b"", headers: Vec::new(), body };
    let Some(answer) = Hub::get().ask(&question) else { return };
    let is_form = std::str::from_utf8(body).is_ok() && answer.status != TOO_LARGE;
    let error = match (is_form, path, field(body, "grant_type").as_str()) {
        (false, ..) => return assert!((400..500).contains(&answer.status), "{}", shown(&answer)),
        (_, "/oauth/revoke", _) if field(body, "token").is_empty() => "invalid_request",
        (_, "/oauth/revoke", _) => return assert_eq!(answer.status, OK, "{}", shown(&answer)),
        (_, _, "authorization_code" | "refresh_token") => "invalid_grant",
        _ => "unsupported_grant_type",
    };
    assert_eq!(answer.status, BAD_REQUEST, "{}", shown(&answer));
    let said: Value = serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("{}", shown(&answer)));
    assert_eq!(said["error"], error, "{said}");
    assert_shown(said["error_description"].as_str().expect("words"));
}

/// Returns the first field with this name.
fn field(form: &[u8], name: &str) -> String {
    let mut pairs = form_urlencoded::parse(form);
    pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}
