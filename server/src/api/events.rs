//! `GET /events`: the one stream of a tab.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Body,
    extract::{Query, State},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use plexus_hub::chats::{self, Reader};
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, timeout_at};

use super::{
    id,
    wire::{Encoder, sse},
};
use crate::{
    state::Site,
    web::{caller::Called, error::ApiResult},
};

/// A silent stream says something this often, so that nothing in between takes it for dead.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A stream is not kept open for ever: the page opens the next where this one ended.
const LONGEST: Duration = Duration::from_secs(300);

#[derive(Deserialize)]
pub struct EventsQuery {
    chat: String,
    #[serde(default)]
    after: i64,
}

pub async fn stream(
    State(site): State<Site>,
    Called(caller): Called,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let chat = id(&query.chat)?;
    let last = headers
        .get("last-event-id")
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.parse().ok());
    let reader = chats::follow(&site.hub, &caller, chat, last.unwrap_or(query.after)).await?;
    let encoder = Encoder { chat, assets: site.assets.places() };
    let mut response = Body::from_stream(events(site, reader, encoder)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

struct Streaming {
    site: Site,
    reader: Reader,
    encoder: Encoder,
    ends: Instant,
    over: bool,
}

fn events(site: Site, reader: Reader, encoder: Encoder) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let hello = stream::iter([Bytes::from_static(b"retry: 1000\n\n")]);
    let streaming = Streaming { site, reader, encoder, ends: Instant::now() + LONGEST, over: false };
    let rest = stream::unfold(streaming, |mut streaming| async move {
        let bytes = streaming.next().await?;
        Some((bytes, streaming))
    });
    hello.chain(rest).map(Ok)
}

impl Streaming {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        let beat = Instant::now() + HEARTBEAT;
        let next = timeout_at(beat.min(self.ends), self.reader.next());
        match self.site.stop.run_until_cancelled(next).await {
            Some(Ok(Ok(frame))) => Some(frame.wire(|kind| self.encoder.encode(kind))),
            Some(Err(_)) if Instant::now() < self.ends => Some(Bytes::from_static(b": \n\n")),
            Some(Ok(Err(error))) => {
                tracing::debug!(%error, "a reader could not go on");
                Some(self.bye())
            }
            Some(Err(_)) | None => Some(self.bye()),
        }
    }

    fn bye(&mut self) -> Bytes {
        self.over = true;
        sse("bye", None, &json!({}))
    }
}
