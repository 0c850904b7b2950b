use reqwest::{Method, header::HeaderValue};
use serde_json::Value;

use crate::{
    hub::{Answer, Hub, Question},
    requests::{UNAVAILABLE, line, shown},
};

const BASE: &str = "/a2a/plexus/calc";

/// Fuzzes an agent over A2A. Input: a line with version, method and path below the agent, then a body that
/// should be JSON.
pub fn a2a(data: &[u8]) {
    let Some((head, body)) = line(data) else { return };
    let Some((version, method, path)) = std::str::from_utf8(head).ok().and_then(head_of) else { return };
    let is_rest = path.starts_with("/rest/");
    let media_type = if is_rest { "application/a2a+json" } else { "application/json" };
    let headers = vec![("a2a-version", version)];
    let path = format!("{BASE}{path}");
    let question = Question { method, path: &path, media_type, cookies: b"", headers, body };
    let Some(answer) = Hub::get().ask(&question) else { return };
    assert!(answer.status < 500 || answer.status == UNAVAILABLE, "{}", shown(&answer));
    let assert = if is_rest { assert_rest } else { assert_rpc };
    if answer.header("content-type").starts_with("text/event-stream") {
        let lines = answer.body.split(|&byte| byte == b'\n');
        lines.filter_map(|line| line.strip_prefix(b"data: ")).for_each(|data| assert(&answer, data));
    } else if !answer.body.is_empty() {
        assert(&answer, &answer.body);
    }
}

fn head_of(head: &str) -> Option<(HeaderValue, Method, &str)> {
    let (version, rest) = head.split_once(' ')?;
    let (method, path) = rest.split_once(' ')?;
    let method =
        [Method::GET, Method::POST, Method::DELETE].into_iter().find(|known| known.as_str() == method)?;
    // Card and file paths run no decoder, and some paths leave the agent.
    let is_ours = (path == "/" && method == Method::POST) || path.starts_with("/rest/");
    let is_plain = !path.contains("..") && !path.contains(['\\', '#', '%']);
    (is_ours && is_plain).then_some((HeaderValue::from_str(version).ok()?, method, path))
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(bytes)))
}

fn assert_rpc(_: &Answer, bytes: &[u8]) {
    let answer = json(bytes);
    assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
    assert!(answer.get("id").is_some(), "{answer}");
    assert_ne!(answer.get("result").is_some(), answer.get("error").is_some(), "one of the two: {answer}");
    if let Some(error) = answer.get("error") {
        let code = error["code"].as_i64().expect("a code");
        assert!((-32_009..=-32_001).contains(&code) || (-32_700..=-32_600).contains(&code), "{error}");
        assert_words(error);
    }
}

fn assert_rest(answer: &Answer, bytes: &[u8]) {
    let said = json(bytes);
    assert!(said.is_object(), "{said}");
    if answer.status >= 400 {
        let error = &said["error"];
        assert_eq!(error["code"], answer.status, "{said}");
        assert!(error["status"].is_string() && error["details"].is_array(), "{said}");
        assert_words(error);
    }
}

fn assert_words(error: &Value) {
    let words = error["message"].as_str().expect("words");
    assert!(!words.is_empty() && words.len() < 2_000, "{} bytes of words", words.len());
}
