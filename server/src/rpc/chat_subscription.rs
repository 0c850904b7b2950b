//! Subscription to a chat over WebSocket: the events of `/api/v1/events`, each as `{"event", "data"}`.

use std::sync::Arc;

use jsonrpsee::{Extensions, PendingSubscriptionSink, SubscriptionSink, types::Params};
use plexus_app::view_models::Locale;
use plexus_domain::ChatId;
use plexus_hub::chats::{self, ChatSubscription};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::{
    error::RpcError,
    methods::{caller, read},
};
use crate::{api::sse_encoder::Encoder, app_state::AppState};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubscribeParams {
    chat: ChatId,
    /// Number of the last event received; 0 for all events.
    #[serde(default)]
    after: i64,
}

/// Sends events until the connection ends, the caller unsubscribes, or the caller loses access to the chat.
/// In the last case, the final event is `stream_end`.
pub async fn subscribe(
    params: Params<'static>,
    pending: PendingSubscriptionSink,
    site: Arc<AppState>,
    extensions: Extensions,
) {
    let (encoder, reader) = match begin(&site, &params, &extensions).await {
        Ok(begun) => begun,
        Err(failure) => return pending.reject(failure).await,
    };
    let Ok(sink) = pending.accept().await else { return };
    tokio::select! {
        () = sink.closed() => {}
        () = site.stop.cancelled() => {}
        () = tell(&sink, &encoder, reader) => {}
    }
}

async fn begin(
    site: &AppState,
    params: &Params<'_>,
    extensions: &Extensions,
) -> Result<(Encoder, ChatSubscription), RpcError> {
    let SubscribeParams { chat, after } = read(params)?;
    let reader = chats::subscribe(&site.hub, caller(extensions)?, chat, after).await?;
    Ok((Encoder::new(site, chat, Locale::En), reader))
}

async fn tell(sink: &SubscriptionSink, encoder: &Encoder, mut reader: ChatSubscription) {
    loop {
        let next = match reader.next().await {
            Ok(frame) => encoder.encode(&frame).await,
            Err(error) => Err(error),
        };
        let (told, over) = match next {
            Ok(event) => (told(&event), false),
            Err(error) => {
                tracing::debug!(%error, "event subscription failed");
                (
                    to_raw_value(&SubscriptionEvent { event: "stream_end", data: serde_json::json!({}) })
                        .ok(),
                    true,
                )
            }
        };
        let Some(told) = told else { continue };
        if sink.send(told).await.is_err() || over {
            return;
        }
    }
}

#[derive(Serialize)]
struct SubscriptionEvent<'a, D> {
    event: &'a str,
    data: D,
}

/// Converts an encoded server-sent event of this hub to a JSON value.
fn told(event: &[u8]) -> Option<Box<RawValue>> {
    let mut lines = std::str::from_utf8(event).ok()?.lines();
    let event = lines.next()?.strip_prefix("event: ")?;
    let data: &RawValue = serde_json::from_str(lines.next()?.strip_prefix("data: ")?).ok()?;
    to_raw_value(&SubscriptionEvent { event, data }).ok()
}
