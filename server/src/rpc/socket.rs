//! JSON-RPC over WebSocket: requests at any time, responses as they are ready, interleaved with events of
//! subscriptions.
//!
//! One loop reads and writes, which provides backpressure. While the client does not read, nothing more is
//! read from it, its responses wait, and its subscriptions fall back to the chat's log. After [`STALLED`] the
//! connection is closed.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Bytes,
    extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code},
};
use futures::{StreamExt as _, stream::SelectAll};
use plexus_hub::accounts;
use serde_json::value::RawValue;
use tokio::{
    task::JoinSet,
    time::{Instant, interval_at, timeout},
};
use tokio_stream::wrappers::ReceiverStream;

use super::session::{Answer, Session};

/// Maximum number of messages processed concurrently. Further messages are read when one of these is
/// answered.
const AT_ONCE: usize = 16;
/// Write timeout: maximum time for the client to read one message.
const STALLED: Duration = Duration::from_secs(30);
/// Ping interval.
const PING: Duration = Duration::from_secs(30);
/// Read timeout: a client that sent nothing for this long is considered gone.
const SILENT: Duration = Duration::from_secs(75);

/// Serves until the connection ends, the server stops, or the caller loses access.
pub async fn serve(mut socket: WebSocket, session: Session) {
    let session = Arc::new(session);
    let hub = session.site().hub.clone();
    let mut calls = JoinSet::new();
    let end = tokio::select! {
        end = exchange(&mut socket, &session, &mut calls) => end,
        () = session.site().stop.cancelled() => Some((close_code::AWAY, "The hub is shutting down.")),
        () = accounts::wait_until_revoked(&hub, session.caller()) => SHUT_OUT,
    };
    // What has begun runs to its end: a change must not stop half-way.
    calls.detach_all();
    let Some((code, reason)) = end else { return };
    let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
    // Best effort: the client may be gone.
    let _ = timeout(STALLED, socket.send(close)).await;
}

/// Close code and reason; `None` if the client is already gone.
type End = Option<(u16, &'static str)>;

const SHUT_OUT: End = Some((close_code::POLICY, "This token is unknown, expired or revoked."));
const FAILED: End = Some((close_code::ERROR, "Internal error."));
const UNREADABLE: End = Some((close_code::SIZE, "The message is invalid or too large."));
const GONE: End = Some((close_code::POLICY, "Idle timeout."));

async fn exchange(socket: &mut WebSocket, session: &Arc<Session>, calls: &mut JoinSet<Answer>) -> End {
    let mut followed: SelectAll<ReceiverStream<Box<RawValue>>> = SelectAll::new();
    let mut pings = interval_at(Instant::now() + PING, PING);
    let mut heard = Instant::now();
    loop {
        let told = tokio::select! {
            Some(done) = calls.join_next() => {
                let Ok(Answer { text, begun }) = done else { return FAILED };
                followed.extend(begun.into_iter().map(ReceiverStream::new));
                text.map(Utf8Bytes::from)
            }
            Some(event) = followed.next() => Some(event.get().into()),
            _ = pings.tick() => {
                // No messages are read while all slots are in use, so the timeout does not apply then.
                if calls.len() < AT_ONCE && heard.elapsed() > SILENT {
                    return GONE;
                }
                if !sent(socket, Message::Ping(Bytes::new())).await {
                    return None;
                }
                None
            }
            message = socket.recv(), if calls.len() < AT_ONCE => {
                heard = Instant::now();
                let message = match message {
                    Some(Ok(Message::Text(text))) => text.into(),
                    Some(Ok(Message::Binary(bytes))) => bytes,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Close(_))) | None => return None,
                    Some(Err(error)) => {
                        tracing::debug!(%error, "websocket closed");
                        return UNREADABLE;
                    }
                };
                if !accounts::is_still_authorized(&session.site().hub, session.caller()).await {
                    return SHUT_OUT;
                }
                let session = Arc::clone(session);
                calls.spawn(async move { session.answer(&message).await });
                None
            }
        };
        if let Some(told) = told
            && !sent(socket, Message::Text(told)).await
        {
            return None;
        }
    }
}

/// Sends a message. Returns false if the connection failed or the write timed out.
async fn sent(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(STALLED, socket.send(message)).await, Ok(Ok(())))
}
