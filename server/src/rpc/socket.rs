//! A WebSocket: requests at any time, answers as they are ready, and events of what is followed in between.
//!
//! One loop reads and writes. While the other side does not read, nothing more is read from it, its calls wait with their
//! answers, and its subscriptions fall back on the log; after [`STALLED`] the connection ends.

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

/// Messages that are worked on at once. Further ones are read when one of these is answered.
const AT_ONCE: usize = 16;
/// How long the other side may take to read one message.
const STALLED: Duration = Duration::from_secs(30);
/// How often the other side is asked whether it is there.
const PING: Duration = Duration::from_secs(30);
/// After so long without a word the other side is gone.
const SILENT: Duration = Duration::from_secs(75);

/// Until either side ends it, or the caller is let in no longer.
pub async fn serve(mut socket: WebSocket, session: Session) {
    let session = Arc::new(session);
    let hub = session.site().hub.clone();
    let end = tokio::select! {
        end = exchange(&mut socket, &session) => end,
        () = session.site().stop.cancelled() => Some((close_code::AWAY, "This hub stops.")),
        () = accounts::until_shut_out(&hub, session.caller()) => SHUT_OUT,
    };
    let Some((code, reason)) = end else { return };
    let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
    // Whoever does not read this is gone anyway.
    let _ = timeout(STALLED, socket.send(close)).await;
}

/// Why this side ends a connection; none when there is nobody to tell.
type End = Option<(u16, &'static str)>;

const SHUT_OUT: End = Some((close_code::POLICY, "This token is unknown, expired or revoked."));
const FAILED: End = Some((close_code::ERROR, "The hub made a mistake."));
const UNREADABLE: End = Some((close_code::SIZE, "This cannot be read, or is larger than the hub takes."));
const GONE: End = Some((close_code::POLICY, "Nothing was heard for too long."));

async fn exchange(socket: &mut WebSocket, session: &Arc<Session>) -> End {
    let mut calls: JoinSet<Answer> = JoinSet::new();
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
                // Nobody is heard while all calls are being answered.
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
                        tracing::debug!(%error, "a WebSocket broke off");
                        return UNREADABLE;
                    }
                };
                if !accounts::lets_in(&session.site().hub, session.caller()).await {
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

/// Whether the other side read it in time.
async fn sent(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(STALLED, socket.send(message)).await, Ok(Ok(())))
}
