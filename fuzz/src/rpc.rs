use reqwest::Method;
use serde_json::Value;

use crate::{
    hub::{Hub, Question},
    requests::shown,
};

const OK: u16 = 200;
const NO_CONTENT: u16 = 204;

/// Fuzzes `/rpc`: a body that should be a JSON-RPC request or a batch, without an account.
pub fn rpc(data: &[u8]) {
    let media_type = "application/json";
    let question = Question {
        method: Method::POST,
        path: "/rpc",
        media_type,
        cookies: b"",
        headers: Vec::new(),
        body: data,
    };
    let Some(answer) = Hub::get().ask(&question) else { return };
    if answer.status == NO_CONTENT {
        assert!(answer.body.is_empty(), "{}", shown(&answer));
        return;
    }
    assert_eq!(answer.status, OK, "{}", shown(&answer));
    let said: Value = serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("{}", shown(&answer)));
    match said.as_array() {
        Some(batch) => {
            assert!(!batch.is_empty(), "a batch that says nothing has no body");
            batch.iter().for_each(assert_response);
        }
        None => assert_response(&said),
    }
}

fn assert_response(said: &Value) {
    assert_eq!(said["jsonrpc"], "2.0", "{said}");
    let id = said.get("id").unwrap_or_else(|| panic!("no id: {said}"));
    assert!(id.is_null() || id.is_string() || id.is_number(), "{said}");
    assert_ne!(said.get("result").is_some(), said.get("error").is_some(), "{said}");
    if let Some(error) = said.get("error") {
        let words = error["message"].as_str().unwrap_or_default();
        assert!(error["code"].is_i64() && (1..2_000).contains(&words.len()), "{said}");
        assert_ne!(error["code"], -32_603, "{said}");
    }
}
