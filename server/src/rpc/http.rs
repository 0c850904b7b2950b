//! JSON-RPC over HTTP, and the WebSocket upgrade.

use std::sync::Arc;

use axum::{
    Extension,
    body::Bytes,
    extract::{
        State,
        rejection::BytesRejection,
        ws::{WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plexus_domain::Error as Refusal;

use super::{
    Rpc,
    envelope::Id,
    error::{INVALID_REQUEST, RpcError},
    session::refused,
    socket,
};
use crate::{
    app_state::AppState,
    web::{
        bearer::{Bearer, InvalidToken},
        error::{public_message, retry_after, status},
        json_body::{JSON, body_error, is_of_type},
    },
};

/// Handles `POST /rpc`.
pub async fn call(
    State(site): State<AppState>,
    Extension(rpc): Extension<Arc<Rpc>>,
    caller: Result<Bearer, InvalidToken>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let caller = match caller {
        Ok(Bearer(caller)) => caller,
        Err(InvalidToken(error)) => return shut_out(error),
    };
    if !is_of_type(&headers, &[JSON]) {
        let words = "Send JSON, with Content-Type: application/json.";
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, words);
    }
    let session = rpc.session(&site, caller);
    let body = match body {
        Ok(body) => body,
        Err(rejection) => {
            let limit = session.largest();
            let too_large = Refusal::too_large(format!("A message has at most {limit} bytes."), limit as u64);
            let refusal = body_error(&rejection, too_large);
            return refuse(status(&refusal), &refusal.to_string());
        }
    };
    match session.answer(&body).await.text {
        Some(text) => ([(header::CONTENT_TYPE, JSON)], text).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

/// Handles `GET /rpc`, which upgrades to a WebSocket. Requires an account.
pub async fn open(
    State(site): State<AppState>,
    Extension(rpc): Extension<Arc<Rpc>>,
    caller: Result<Bearer, InvalidToken>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let caller = caller.map_err(|InvalidToken(error)| error).and_then(|Bearer(caller)| {
        caller.person()?;
        Ok(caller)
    });
    let caller = match caller {
        Ok(caller) => caller,
        Err(error) => return shut_out(error),
    };
    let Ok(upgrade) = upgrade else {
        let words = "Send requests with POST, or open a WebSocket.";
        let mut response = refuse(StatusCode::UPGRADE_REQUIRED, words);
        response.headers_mut().insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        return response;
    };
    let session = rpc.connection(&site, caller);
    let largest = session.largest();
    upgrade
        .max_message_size(largest)
        .max_frame_size(largest)
        .on_upgrade(move |socket| socket::serve(socket, session))
}

pub async fn other_method() -> Response {
    refuse(StatusCode::METHOD_NOT_ALLOWED, "Send requests with POST, or open a WebSocket with GET.")
}

fn shut_out(error: plexus_hub::Error) -> Response {
    let (status, refusal) = public_message(error);
    let wait = retry_after(&refusal);
    let mut response = failure_response(status, refusal.into());
    if let Some(seconds) = wait {
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    response
}

fn refuse(status: StatusCode, words: &str) -> Response {
    failure_response(status, RpcError::of_protocol(INVALID_REQUEST, words))
}

fn failure_response(status: StatusCode, failure: RpcError) -> Response {
    (status, [(header::CONTENT_TYPE, JSON)], refused(&Id::default(), failure)).into_response()
}
