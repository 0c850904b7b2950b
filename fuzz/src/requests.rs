use reqwest::Method;
use serde_json::Value;
use url::Url;

use crate::{
    html::assert_safe_page,
    hub::{Answer, Hub, Question},
};

/// Allowed status: this hub has no model server, and may report that.
pub const UNAVAILABLE: u16 = 503;
/// Has no error body: the `Allow` header is the explanation.
const METHOD_NOT_ALLOWED: u16 = 405;

/// Fuzzes pages and forms. Input: a line with method and path, a line of cookies, then the form fields.
pub fn form(data: &[u8]) {
    let Some((head, rest)) = line(data) else { return };
    let (cookies, body) = line(rest).unwrap_or((rest, b""));
    let Some((method, path)) = method_and_path(head) else { return };
    let media_type = "application/x-www-form-urlencoded";
    let question = Question { method, path, media_type, cookies, headers: Vec::new(), body };
    let Some(answer) = Hub::get().ask(&question) else { return };
    assert!(answer.status < 500 || answer.status == UNAVAILABLE, "{}", shown(&answer));
    let kind = answer.header("content-type");
    if kind.starts_with("text/html") {
        let html = std::str::from_utf8(&answer.body).expect("a page is UTF-8");
        assert_safe_page(html, nonce(answer.header("content-security-policy")));
    }
    let location = answer.header("location");
    let stays = location.is_empty() || (location.starts_with('/') && !location.starts_with("//"));
    assert!(stays && !location.starts_with("/\\"), "a form leads to {location:?}");
}

/// Fuzzes `/api/v1`. Input: a line with method and path below it, then a body that should be JSON.
pub fn api(data: &[u8]) {
    let Some((head, body)) = line(data) else { return };
    let Some((method, path)) = method_and_path(head) else { return };
    let path = format!("/api/v1{path}");
    if !is_below_api(&path) {
        return;
    }
    let question = Question {
        method,
        path: &path,
        media_type: "application/json",
        cookies: b"",
        headers: Vec::new(),
        body,
    };
    let Some(answer) = Hub::get().ask(&question) else { return };
    if answer.status < 400 {
        return;
    }
    let said: Value = serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("{}", shown(&answer)));
    let error = |member: &str| said["error"][member].as_str().unwrap_or_default();
    assert!(!error("code").is_empty() && !error("message").is_empty(), "{said}");
    assert!((answer.status < 500 || answer.status == UNAVAILABLE) && error("code") != "internal", "{said}");
    assert!(answer.status != 422 || !error("field").is_empty(), "no field is named: {said}");
    assert!(error("message").len() < 2_000, "{} bytes of words", error("message").len());
}

/// Fuzzes the other APIs. Input: a line with method and path, then a body that should be JSON.
pub fn edge(data: &[u8]) {
    let Some((head, body)) = line(data) else { return };
    let Some((method, path)) = method_and_path(head) else { return };
    let question =
        Question { method, path, media_type: "application/json", cookies: b"", headers: Vec::new(), body };
    let url = Url::parse(&format!("http://hub.example{path}"));
    let Some(words) = url.ok().and_then(|url| words_of_errors(url.path())) else { return };
    let Some(answer) = Hub::get().ask(&question) else { return };
    assert!(answer.status < 500 || answer.status == UNAVAILABLE, "{}", shown(&answer));
    if answer.status < 400 || answer.status == METHOD_NOT_ALLOWED {
        return;
    }
    let said: Value = serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("{}", shown(&answer)));
    let said = |place: &str| said.pointer(place).and_then(Value::as_str).unwrap_or_default();
    assert!(
        words.iter().all(|place| !said(place).is_empty() && said(place).len() < 2_000),
        "{}",
        shown(&answer)
    );
}

/// Returns the JSON pointers of the error texts of an API.
fn words_of_errors(path: &str) -> Option<[&'static str; 2]> {
    match path {
        "/launch_goal" => Some(["/error/message", "/error/code"]),
        _ if path.starts_with("/v1/") => Some(["/error/message", "/error/type"]),
        _ if path.starts_with("/ard/v1/") => Some(["/message", "/errorCode"]),
        _ => None,
    }
}

/// Returns whether the normalised path is below the API; `..` may leave it.
fn is_below_api(path: &str) -> bool {
    let url = Url::parse(&format!("http://hub.example{path}"));
    url.is_ok_and(|url| url.path().strip_prefix("/api/v1/").is_some_and(|rest| !rest.is_empty()))
}

pub fn line(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = data.iter().position(|&byte| byte == b'\n')?;
    Some((&data[..end], &data[end + 1..]))
}

fn method_and_path(line: &[u8]) -> Option<(Method, &str)> {
    let (method, path) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    let methods = [Method::GET, Method::POST, Method::PATCH, Method::PUT, Method::DELETE];
    let method = methods.into_iter().find(|known| known.as_str() == method)?;
    path.starts_with('/').then_some((method, path))
}

fn nonce(policy: &str) -> &str {
    policy.split_once("'nonce-").and_then(|(_, rest)| rest.split_once('\'')).expect("a nonce").0
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

pub fn shown(answer: &Answer) -> String {
    let body: String = String::from_utf8_lossy(&answer.body).chars().take(2_000).collect();
    format!("{}: {body}", answer.status)
}
