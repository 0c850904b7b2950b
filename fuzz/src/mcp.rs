use reqwest::{Method, header::HeaderValue};
use serde_json::Value;

use crate::{
    hub::{Hub, Question},
    requests::{UNAVAILABLE, line, shown},
};

/// Fuzzes `/mcp` and paths below it. Input: a line with the rest of the path, then a body that should be a
/// JSON-RPC message. Headers that must repeat values of the body are derived from it, so that inputs pass
/// that check.
pub fn mcp(data: &[u8]) {
    let Some((rest, body)) = line(data) else { return };
    let Ok(rest) = std::str::from_utf8(rest) else { return };
    let path = format!("/mcp{rest}");
    if !(rest.is_empty() || rest.starts_with('/'))
        || path.contains("..")
        || path.contains(['\\', '?', '#', '%'])
    {
        return;
    }
    let media_type = "application/json";
    let headers = headers(&serde_json::from_slice(body).unwrap_or_default());
    let question = Question { method: Method::POST, path: &path, media_type, cookies: b"", headers, body };
    let Some(answer) = Hub::get().ask(&question) else { return };
    assert!(answer.status < 500 || answer.status == UNAVAILABLE, "{}", shown(&answer));
    let kind = answer.header("content-type");
    if kind.starts_with("application/json") {
        assert_message(&answer.body);
    }
    if kind.starts_with("text/event-stream") {
        let lines = answer.body.split(|&byte| byte == b'\n');
        lines.filter_map(|line| line.strip_prefix(b"data: ")).for_each(assert_message);
    }
}

fn headers(message: &Value) -> Vec<(&'static str, HeaderValue)> {
    let params = &message["params"];
    let said = [
        ("mcp-protocol-version", &params["_meta"]["io.modelcontextprotocol/protocolVersion"]),
        ("mcp-method", &message["method"]),
        ("mcp-name", if params["name"].is_string() { &params["name"] } else { &params["uri"] }),
    ];
    let value = |value: &Value| HeaderValue::from_str(value.as_str()?).ok();
    let both = HeaderValue::from_static("application/json, text/event-stream");
    let said = said.into_iter().filter_map(|(name, said)| Some((name, value(said)?)));
    std::iter::once(("accept", both)).chain(said).collect()
}

fn assert_message(bytes: &[u8]) {
    let message: Value =
        serde_json::from_slice(bytes).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(bytes)));
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    let is_answer = message["result"].is_object() || message["error"]["code"].is_i64();
    assert!(is_answer || message["method"].is_string(), "{message}");
}
