//! WebSocket endpoint for programs that run on their owner's machine.

use axum::{
    Extension,
    extract::{
        Path, State,
        ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code},
    },
    http::HeaderMap,
    response::{IntoResponse as _, Response},
};
use futures::{SinkExt as _, StreamExt as _, stream::SplitSink, stream::SplitStream};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error, accounts,
    agents::attached::{self, AttachedProgram},
};
use plexus_runtime::attached::{
    AttachedConnection,
    protocol::{MAX_FRAME, PROTOCOL},
};
use tokio::{
    select,
    time::{Duration, Instant, timeout},
};

use super::agent::AgentPath;
use crate::{
    admin_socket::OperatorRequest,
    app_state::AppState,
    web::{
        auth::{ApiCaller, bearer},
        error::ApiResult,
    },
};

/// Ping interval, and the timeout after which a silent connection is closed.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const SILENCE: Duration = Duration::from_secs(60);
/// Maximum length of a reason that fits into a close frame, in bytes (RFC 6455 section 5.5).
const REASON: usize = 120;

/// Attaches a program as an agent, by a WebSocket with the subprotocol `plexus.attach.1`.
#[utoipa::path(get, path = "/agents/{owner}/{name}/attach", operation_id = "agents.attach", tag = "Agents", params(AgentPath),
    security(("token" = ["agents"])), responses((status = SWITCHING_PROTOCOLS, description = "A WebSocket of JSON lines.")))]
pub async fn attach(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(at): Path<AgentPath>,
    operator: Option<Extension<OperatorRequest>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> ApiResult<Response> {
    // Cross-site WebSocket hijacking: browsers send cookies with a WebSocket that any page opens, so a token
    // is required.
    if bearer(&headers).is_none() && operator.is_none() {
        return Err(Refusal::unauthenticated(
            "Attaching a program needs an API token with the scope agents.",
        )
        .into());
    }
    let attachment = attached::attach(&site.hub, &caller, &at.address()?).await?;
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(MAX_FRAME).max_frame_size(MAX_FRAME);
    let shut_out = async move { accounts::wait_until_revoked(&site.hub, &caller).await };
    Ok(upgrade
        .on_upgrade(async move |socket| Box::pin(serve(attachment, socket, shut_out)).await)
        .into_response())
}

async fn serve(mut attachment: AttachedProgram, socket: WebSocket, shut_out: impl Future<Output = ()>) {
    metrics::gauge!("plexus_attached_agents").increment(1);
    let (mut to, from) = socket.split();
    let link = attachment.link();
    let why = select! {
        why = send(&mut attachment, &mut to) => why,
        () = receive(from, &link) => None,
        () = shut_out => Some(close(close_code::POLICY, "The token is no longer valid.")),
    };
    if let Some(reason) = why {
        // Best effort: the peer may be gone.
        let _ = timeout(PING_INTERVAL, to.send(Message::Close(Some(reason)))).await;
    }
    metrics::gauge!("plexus_attached_agents").decrement(1);
}

/// Sends frames to the program until the attachment or the connection ends.
async fn send(
    attachment: &mut AttachedProgram,
    to: &mut SplitSink<WebSocket, Message>,
) -> Option<CloseFrame> {
    let mut ping = Instant::now() + PING_INTERVAL;
    loop {
        let message = select! {
            frame = attachment.next_frame() => match frame.map(|frame| serde_json::to_string(&frame)) {
                Ok(Ok(text)) => Message::text(text),
                Ok(Err(error)) => return Some(close(close_code::ERROR, &error.to_string())),
                Err(Error::Refused(refusal)) => return Some(close(code(&refusal), &refusal.to_string())),
                Err(Error::Fault(fault)) => {
                    tracing::error!(error = format!("{fault:#}"), "attached program: connection failed");
                    return Some(close(close_code::ERROR, "Internal error. Attach again."));
                }
            },
            () = tokio::time::sleep_until(ping) => {
                ping = Instant::now() + PING_INTERVAL;
                Message::Ping(Vec::new().into())
            }
        };
        timeout(SILENCE, to.send(message)).await.ok()?.ok()?;
    }
}

/// Returns the close code: clients reconnect after a restart of the hub; every other refusal requires user
/// action.
const fn code(refusal: &Refusal) -> u16 {
    match refusal {
        Refusal::Unavailable { .. } => close_code::RESTART,
        _ => close_code::POLICY,
    }
}

fn close(code: u16, reason: &str) -> CloseFrame {
    CloseFrame { code, reason: reason[..reason.floor_char_boundary(REASON)].into() }
}

/// Forwards the program's messages until the connection closes or times out.
async fn receive(mut from: SplitStream<WebSocket>, link: &AttachedConnection) {
    while let Ok(Some(Ok(message))) = timeout(SILENCE, from.next()).await {
        if let Message::Text(text) = message {
            match serde_json::from_str(&text) {
                Ok(frame) => link.take(frame).await,
                Err(error) => tracing::debug!(%error, "attached program: invalid message"),
            }
        }
    }
}
