//! WebSocket client of an attached program.

use std::{sync::Arc, time::Duration};

use futures::{SinkExt as _, StreamExt as _};
use plexus_domain::Address;
use plexus_runtime::attached::{
    AttachedWorker, FrameQueue,
    protocol::{HubFrame, MAX_FRAME, PROTOCOL},
};
use reqwest::Upgraded;
use tokio::{select, time::timeout};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message,
        handshake::{client::generate_key, derive_accept_key},
        protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};
use tokio_util::sync::CancellationToken;

use super::{agent::run::say, api_client::HubClient};

/// Timeout for a silent connection. The hub sends a ping every 20 seconds.
const SILENCE: Duration = Duration::from_secs(60);
/// Maximum time for cancelled work and for the closing handshake.
const WIND_DOWN: Duration = Duration::from_secs(5);

/// Why an attachment ended.
pub enum AttachEnd {
    /// It was stopped locally.
    Stopped,
    /// The hub rejected the program permanently; reconnecting is useless.
    ForGood(String),
    /// The connection failed or broke; reconnecting may help.
    Broken(String),
}

/// Attaches and works for the hub until the connection ends.
pub async fn attach(
    hub: &HubClient,
    address: &Address,
    mut worker: AttachedWorker,
    outbox: &Arc<FrameQueue>,
    stop: &CancellationToken,
) -> AttachEnd {
    let mut socket = match connect(hub, address).await {
        Ok(socket) => socket,
        Err(ended) => return ended,
    };
    say("Attached. Stop it with Ctrl-C.");
    let ended = work(&mut socket, &mut worker, outbox, stop).await;
    if matches!(ended, AttachEnd::Stopped) {
        // A clean close: the hub need not wait for the rest of the output.
        let _ = timeout(WIND_DOWN, socket.close(None)).await;
    }
    let _ = timeout(WIND_DOWN, worker.close()).await;
    ended
}

async fn work(
    socket: &mut WebSocketStream<Upgraded>,
    worker: &mut AttachedWorker,
    outbox: &FrameQueue,
    stop: &CancellationToken,
) -> AttachEnd {
    loop {
        let sent = select! {
            biased;
            () = stop.cancelled() => return AttachEnd::Stopped,
            message = timeout(SILENCE, socket.next()) => match message {
                Err(_) => return AttachEnd::Broken("The hub has been silent for a minute".to_owned()),
                Ok(None) => return AttachEnd::Broken("The hub closed the connection".to_owned()),
                Ok(Some(Err(error))) => return AttachEnd::Broken(format!("The connection broke off ({error})")),
                Ok(Some(Ok(Message::Close(frame)))) => return closed(frame),
                Ok(Some(Ok(message))) => {
                    if let Message::Text(text) = message {
                        obey(worker, &text);
                    }
                    // The flush sends the reply to a ping.
                    socket.flush().await
                }
            },
            frame = outbox.next() => match serde_json::to_string(&frame) {
                Ok(text) => socket.send(Message::text(text)).await,
                Err(_) => Ok(()),
            },
        };
        if let Err(error) = sent {
            return AttachEnd::Broken(format!("The connection broke off ({error})"));
        }
    }
}

fn obey(worker: &mut AttachedWorker, text: &str) {
    match serde_json::from_str::<HubFrame>(text) {
        Ok(frame) => {
            if let HubFrame::Message(question) = &frame {
                tracing::info!(run.id = %question.run, "run received");
            }
            worker.handle(frame);
        }
        Err(error) => say(&format!("The hub sent a message that this version does not support ({error}).")),
    }
}

fn closed(frame: Option<CloseFrame>) -> AttachEnd {
    match frame {
        Some(CloseFrame { code: CloseCode::Policy, reason }) => AttachEnd::ForGood(reason.to_string()),
        Some(CloseFrame { reason, .. }) if !reason.is_empty() => {
            AttachEnd::Broken(reason.trim_end_matches('.').to_owned())
        }
        _ => AttachEnd::Broken("The hub closed the connection".to_owned()),
    }
}

/// Performs the opening handshake (RFC 6455 section 4.1), with the client for the hub's API.
async fn connect(hub: &HubClient, address: &Address) -> Result<WebSocketStream<Upgraded>, AttachEnd> {
    let broken = |error: anyhow::Error| AttachEnd::Broken(format!("The hub cannot be reached ({error:#})"));
    let key = generate_key();
    let path = format!("agents/{}/{}/attach", address.owner, address.name);
    let answer = hub.upgrade(&path, &key, PROTOCOL).await.map_err(broken)?;
    let status = answer.status();
    if status != http::StatusCode::SWITCHING_PROTOCOLS {
        let words = HubClient::words(answer).await;
        let passes = [
            http::StatusCode::REQUEST_TIMEOUT,
            http::StatusCode::TOO_EARLY,
            http::StatusCode::TOO_MANY_REQUESTS,
        ];
        let words = words.trim_end_matches('.').to_owned();
        return Err(if status.is_server_error() || passes.contains(&status) {
            AttachEnd::Broken(words)
        } else {
            AttachEnd::ForGood(words + ".")
        });
    }
    let accepted = answer.headers().get("sec-websocket-accept").and_then(|value| value.to_str().ok());
    if accepted != Some(derive_accept_key(key.as_bytes()).as_str()) {
        return Err(AttachEnd::ForGood("This server does not support attached programs.".to_owned()));
    }
    let stream = answer.upgrade().await.map_err(|error| broken(error.into()))?;
    let config = WebSocketConfig::default().max_message_size(Some(MAX_FRAME)).max_frame_size(Some(MAX_FRAME));
    Ok(WebSocketStream::from_raw_socket(stream, Role::Client, Some(config)).await)
}
