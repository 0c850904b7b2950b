//! HTTP client for `/api/v1`.

use leptos::prelude::window;
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, Request, RequestInit, Response};

use super::{events::Refusal, texts::texts};

/// Posts JSON with the session cookie. The error is a message for the user.
pub async fn post(path: &str, body: &Value) -> Result<Value, String> {
    call("POST", path, Some(body)).await
}

pub async fn get(path: &str) -> Result<Value, String> {
    call("GET", path, None).await
}

/// Returns the status of a page of the API; `None` if the hub could not be reached.
pub async fn status(path: &str) -> Option<u16> {
    let request = request("GET", path, None).ok()?;
    let response = JsFuture::from(window().fetch_with_request(&request)).await.ok()?;
    Some(response.dyn_into::<Response>().ok()?.status())
}

async fn call(method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
    let unreachable = |_| texts().unreachable.clone();
    let request = request(method, path, body).map_err(unreachable)?;
    let response = JsFuture::from(window().fetch_with_request(&request)).await.map_err(unreachable)?;
    let response: Response = response.dyn_into().map_err(unreachable)?;
    let text = text(&response).await.map_err(unreachable)?;
    if !response.ok() {
        return Err(Refusal::words(texts(), response.status(), &text));
    }
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

fn request(method: &str, path: &str, body: Option<&Value>) -> Result<Request, JsValue> {
    let headers = Headers::new()?;
    headers.set("accept", "application/json")?;
    let init = RequestInit::new();
    init.set_method(method);
    if let Some(body) = body {
        headers.set("content-type", "application/json")?;
        init.set_body(&JsValue::from_str(&body.to_string()));
    }
    init.set_headers(&headers);
    Request::new_with_str_and_init(path, &init)
}

async fn text(response: &Response) -> Result<String, JsValue> {
    let text = JsFuture::from(response.text()?).await?;
    Ok(text.as_string().unwrap_or_default())
}
