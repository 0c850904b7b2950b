//! WebSocket client of an attached program.

use std::{sync::Arc, time::Duration};

use futures::{SinkExt as _, StreamExt as _};
use plexus_domain::Address;
use plexus_runtime::attached::{
    Outbox, Worker,
    frame::{MAX_FRAME, Order, PROTOCOL},
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

use super::{agent::run::say, remote::Remote};

/// Timeout for a silent connection. The hub sends a ping every 20 seconds.
const SILENCE: Duration = Duration::from_secs(60);
/// Maximum time for cancelled work and for the closing handshake.
const WIND_DOWN: Duration = Duration::from_secs(5);

/// Why an attachment ended.
pub enum Ended {
    /// It was stopped locally.
    Stopped,
    /// The hub rejected the program permanently; reconnecting is useless.
    ForGood(String),
    /// The connection failed or broke; reconnecting may help.
    Broken(String),
}

/// Attaches and works for the hub until the connection ends.
pub async fn attach(
    hub: &Remote,
    address: &Address,
    mut worker: Worker,
    outbox: &Arc<Outbox>,
    stop: &CancellationToken,
) -> Ended {
    let mut socket = match connect(hub, address).await {
        Ok(socket) => socket,
        Err(ended) => return ended,
    };
    say("Attached. Stop it with Ctrl-C.");
    let ended = work(&mut socket, &mut worker, outbox, stop).await;
    if matches!(ended, Ended::Stopped) {
        // A clean close: the hub need not wait for the rest of the output.
        let _ = timeout(WIND_DOWN, socket.close(None)).await;
    }
    let _ = timeout(WIND_DOWN, worker.close()).await;
    ended
}

async fn work(
    socket: &mut WebSocketStream<Upgraded>,
    worker: &mut Worker,
    outbox: &Outbox,
    stop: &CancellationToken,
) -> Ended {
    loop {
        let sent = select! {
            biased;
            () = stop.cancelled() => return Ended::Stopped,
            message = timeout(SILENCE, socket.next()) => match message {
                Err(_) => return Ended::Broken("The hub has been silent for a minute".to_owned()),
                Ok(None) => return Ended::Broken("The hub closed the connection".to_owned()),
                Ok(Some(Err(error))) => return Ended::Broken(format!("The connection broke off ({error})")),
                Ok(Some(Ok(Message::Close(frame)))) => return closed(frame),
                Ok(Some(Ok(message))) => {
                    if let Message::Text(text) = message {
                        obey(worker, &text);
                    }
                    // The flush sends the reply to a ping.
                    socket.flush().await
                }
            },
            told = outbox.next() => match serde_json::to_string(&told) {
                Ok(text) => socket.send(Message::text(text)).await,
                Err(_) => Ok(()),
            },
        };
        if let Err(error) = sent {
            return Ended::Broken(format!("The connection broke off ({error})"));
        }
    }
}

fn obey(worker: &mut Worker, text: &str) {
    match serde_json::from_str::<Order>(text) {
        Ok(order) => {
            if let Order::Ask(question) = &order {
                tracing::info!(run = %question.run, "asked");
            }
            worker.order(order);
        }
        Err(error) => say(&format!("The hub sent something that this version does not know ({error}).")),
    }
}

fn closed(frame: Option<CloseFrame>) -> Ended {
    match frame {
        Some(CloseFrame { code: CloseCode::Policy, reason }) => Ended::ForGood(reason.to_string()),
        Some(CloseFrame { reason, .. }) if !reason.is_empty() => {
            Ended::Broken(reason.trim_end_matches('.').to_owned())
        }
        _ => Ended::Broken("The hub closed the connection".to_owned()),
    }
}

/// Performs the opening handshake (RFC 6455 section 4.1), with the client for the hub's API.
async fn connect(hub: &Remote, address: &Address) -> Result<WebSocketStream<Upgraded>, Ended> {
    let broken = |error: anyhow::Error| Ended::Broken(format!("The hub cannot be reached ({error:#})"));
    let key = generate_key();
    let path = format!("agents/{}/{}/attach", address.owner, address.name);
    let answer = hub.upgrade(&path, &key, PROTOCOL).await.map_err(broken)?;
    let status = answer.status();
    if status != http::StatusCode::SWITCHING_PROTOCOLS {
        let words = Remote::words(answer).await;
        let passes = [
            http::StatusCode::REQUEST_TIMEOUT,
            http::StatusCode::TOO_EARLY,
            http::StatusCode::TOO_MANY_REQUESTS,
        ];
        let words = words.trim_end_matches('.').to_owned();
        return Err(if status.is_server_error() || passes.contains(&status) {
            Ended::Broken(words)
        } else {
            Ended::ForGood(words + ".")
        });
    }
    let accepted = answer.headers().get("sec-websocket-accept").and_then(|value| value.to_str().ok());
    if accepted != Some(derive_accept_key(key.as_bytes()).as_str()) {
        return Err(Ended::ForGood(
            "What answers there is no hub that programs can be attached to.".to_owned(),
        ));
    }
    let stream = answer.upgrade().await.map_err(|error| broken(error.into()))?;
    let config = WebSocketConfig::default().max_message_size(Some(MAX_FRAME)).max_frame_size(Some(MAX_FRAME));
    Ok(WebSocketStream::from_raw_socket(stream, Role::Client, Some(config)).await)
}
