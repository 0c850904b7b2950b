//! `GET /events`: one event stream per browser.

use std::{convert::Infallible, ops::RangeInclusive, time::Duration};

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use plexus_app::view_models::Locale;
use plexus_hub::{
    Error,
    chats::{self, ChatUpdate, MultiChatSubscription},
    streaming::FrameKind,
};
use serde_json::json;
use tokio::time::{Instant, timeout_at};
use url::form_urlencoded;
use utoipa::IntoParams;

use super::{
    sse_encoder::{Encoder, of_account, sse},
    stream_cursor::StreamCursor,
};
use crate::{
    app_state::AppState,
    web::{
        auth::ApiCaller,
        error::ApiResult,
        event_stream::{HEARTBEAT, event_stream},
        language,
    },
};

/// Maximum duration of a stream. Clients reconnect and resume where the previous stream ended.
const MAX_DURATION: Duration = Duration::from_secs(300);

/// Streams the events of chats as server-sent events.
///
/// The stream ends after five minutes at the latest; reconnect to resume it. Name one chat as `chat=ID` with
/// `after`, or several as `chat=ID:SEQ`. A client that must notice a lost connection asks for a `heartbeat`.
#[utoipa::path(get, path = "/events", operation_id = "events.subscribe", tag = "Events", params(StreamQuery),
    security(("token" = ["read"])),
    responses((status = OK, description = "The events.", body = String, content_type = "text/event-stream")))]
pub async fn stream(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let query = query.as_deref().unwrap_or_default();
    let positions = StreamCursor::read(query, last)?;
    let heartbeat = Heartbeat::read(query)?;
    let readers = chats::subscribe_many(&site.hub, &caller, positions.as_slice()).await?;
    metrics::counter!("plexus_event_streams_opened_total").increment(1);
    let locale = language::of_request(&headers);
    Ok(event_stream(Body::from_stream(events(site, locale, readers, positions, heartbeat))))
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "they are read one by one, since a chat may be named several times")]
struct StreamQuery {
    /// Ids of 1 to 32 chats.
    #[param(explode)]
    chat: Vec<String>,
    /// Number of the last event received, for a single chat; default 0.
    #[param(minimum = 0)]
    after: Option<i64>,
    /// Seconds without an event after which a `heartbeat` event is sent; default none, but a comment every 15 s.
    #[param(minimum = 1, maximum = 60)]
    heartbeat: Option<u64>,
}

/// What an idle stream sends, so that proxies do not close it and clients notice a lost connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heartbeat {
    /// A comment, which an `EventSource` does not show.
    Comment,
    /// An event after this time without another.
    Event(Duration),
}

impl Heartbeat {
    const SECONDS: RangeInclusive<u64> = 1..=60;

    /// Parses `heartbeat=SECONDS`; the last one counts.
    fn read(query: &str) -> ApiResult<Self> {
        let mut heartbeat = Self::Comment;
        for (_, value) in form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "heartbeat") {
            let seconds = value.parse().ok().filter(|seconds| Self::SECONDS.contains(seconds));
            let words = "The heartbeat must be a number of seconds from 1 to 60.";
            let seconds = seconds.ok_or_else(|| plexus_domain::Error::invalid("heartbeat", words))?;
            heartbeat = Self::Event(Duration::from_secs(seconds));
        }
        Ok(heartbeat)
    }

    const fn interval(self) -> Duration {
        match self {
            Self::Comment => HEARTBEAT,
            Self::Event(interval) => interval,
        }
    }

    fn bytes(self) -> Bytes {
        Bytes::from_static(match self {
            Self::Comment => b": \n\n",
            Self::Event(_) => b"event: heartbeat\ndata: {}\n\n",
        })
    }
}

struct Streaming {
    site: AppState,
    /// Language of the HTML in the events.
    locale: Locale,
    readers: MultiChatSubscription,
    positions: StreamCursor,
    heartbeat: Heartbeat,
    ends: Instant,
    over: bool,
    _counted: StreamGauge,
}

fn events(
    site: AppState,
    locale: Locale,
    readers: MultiChatSubscription,
    positions: StreamCursor,
    heartbeat: Heartbeat,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let hello = stream::iter([Bytes::from_static(b"retry: 1000\n\n")]);
    let ends = Instant::now() + MAX_DURATION;
    let streaming = Streaming {
        site,
        locale,
        readers,
        positions,
        heartbeat,
        ends,
        over: false,
        _counted: StreamGauge::new(),
    };
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
        let beat = Instant::now() + self.heartbeat.interval();
        let next = timeout_at(beat.min(self.ends), self.readers.next());
        match self.site.stop.run_until_cancelled(next).await {
            Some(Ok(Ok(news))) => match self.write(&news).await {
                Ok(bytes) => Some(bytes),
                Err(error) => {
                    tracing::error!(%error, "event encoding failed");
                    Some(self.end())
                }
            },
            Some(Err(_)) if Instant::now() < self.ends => Some(self.heartbeat.bytes()),
            Some(Ok(Err(error))) => {
                tracing::debug!(%error, "event subscription failed");
                Some(self.end())
            }
            Some(Err(_)) | None => Some(self.end()),
        }
    }

    /// Encodes an event. The encoding is shared by all subscribers; only the id line differs.
    async fn write(&mut self, ChatUpdate { chat, frame }: &ChatUpdate) -> Result<Bytes, Error> {
        let Some(chat) = *chat else { return Ok(frame.wire(0, of_account)) };
        let encoder = Encoder::new(&self.site, chat, self.locale);
        let bytes = encoder.encode(frame).await?;
        let FrameKind::Event { seq, .. } = frame.kind else { return Ok(bytes) };
        self.positions.advance(chat, seq);
        Ok([format!("id: {}\n", self.positions.last_event_id()).as_bytes(), &bytes].concat().into())
    }

    fn end(&mut self) -> Bytes {
        self.over = true;
        sse("stream_end", &json!({}))
    }
}

/// Gauge guard: counts an open stream until it is dropped.
struct StreamGauge(metrics::Gauge);

impl StreamGauge {
    fn new() -> Self {
        let open = metrics::gauge!("plexus_event_streams_open");
        open.increment(1);
        Self(open)
    }
}

impl Drop for StreamGauge {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}
