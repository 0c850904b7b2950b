//! Streamable HTTP transport: rmcp's client on an HTTP client that enforces the outbound policy.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures::{StreamExt, stream::BoxStream};
use http::{HeaderMap, HeaderName, HeaderValue};
use plexus_domain::run::Failure;
use rmcp::{
    model::ClientJsonRpcMessage,
    transport::{
        StreamableHttpClientTransport,
        common::client_side_sse::NeverRetry,
        streamable_http_client::{
            SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
            StreamableHttpPostResponse,
        },
    },
};
use serde::Serialize;
use sse_stream::Sse;
use url::Url;

use super::{
    MAX_MESSAGE_BYTES, MAX_SESSION_BYTES,
    byte_budget::{ByteBudget, MESSAGE_COST},
};
use crate::{Credentials, outbound::OutboundClient};

pub(super) fn transport(
    outbound: &OutboundClient,
    url: &Url,
    shown: Option<&Credentials>,
    refused: Refused,
) -> Result<StreamableHttpClientTransport<Client>, Failure> {
    let (mut url, mut headers) = (url.clone(), HeaderMap::new());
    if let Some(credentials) = shown {
        credentials.apply(&mut url, &mut headers)?;
    }
    let client =
        Client { inner: outbound.client_for(&url)?, meter: ByteBudget::new(MAX_SESSION_BYTES), refused };
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    // Credentials go with every request as custom headers. rmcp's own field for bearer tokens is not redacted
    // in logs.
    config.custom_headers = headers.into_iter().filter_map(|(name, value)| Some((name?, value))).collect();
    config.max_sse_event_size = MAX_MESSAGE_BYTES;
    config.retry_config = Arc::new(NeverRetry::default());
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Flag: the last message was rejected because of its credentials.
#[derive(Clone, Default)]
pub(super) struct Refused(Arc<AtomicBool>);

/// Prefixes of rmcp's errors for a 401 or 403 without a usable `WWW-Authenticate` header.
const REFUSALS: [&str; 3] = ["HTTP 401", "HTTP 403", "invalid www-authenticate"];

impl Refused {
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn note(&self, answer: &Result<StreamableHttpPostResponse, Failed>) {
        let refused = match answer {
            Err(Failed::AuthRequired(_) | Failed::InsufficientScope(_)) => true,
            Err(Failed::UnexpectedServerResponse(words)) => {
                REFUSALS.iter().any(|refusal| words.starts_with(refusal))
            }
            _ => false,
        };
        self.0.store(refused, Ordering::Relaxed);
    }
}

/// HTTP client whose streams fail when the byte budget is exhausted.
#[derive(Clone)]
pub(super) struct Client {
    inner: reqwest::Client,
    meter: ByteBudget,
    refused: Refused,
}

type Failed = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type Headers = HashMap<HeaderName, HeaderValue>;

impl Client {
    /// Charges one message that came as a complete body.
    fn measure(&self, message: &impl Serialize) -> Result<(), Failed> {
        let bytes = serde_json::to_vec(message)?.len();
        if bytes > MAX_MESSAGE_BYTES {
            return Err(Failed::ResponseBodyTooLarge { max_size: MAX_MESSAGE_BYTES });
        }
        Ok(self.meter.take(bytes + MESSAGE_COST)?)
    }

    fn metered(&self, events: Events) -> Events {
        let meter = self.meter.clone();
        let counted = events.map(move |event| {
            let event = event?;
            let bytes = event.data.as_ref().map_or(0, String::len);
            meter.take(bytes + MESSAGE_COST).map_err(|error| SseError::Body(Box::new(error)))?;
            Ok(event)
        });
        // Stop at the first error, so that a flooding server is not read further.
        counted
            .scan(false, |over, event| {
                let shown = (!*over).then_some(event);
                *over |= shown.as_ref().is_some_and(Result::is_err);
                std::future::ready(shown)
            })
            .boxed()
    }
}

impl StreamableHttpClient for Client {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let sent = self.inner.post_message_with_max_sse_event_size(
            uri,
            message,
            session,
            token,
            headers,
            MAX_MESSAGE_BYTES,
        );
        let answer = sent.await;
        self.refused.note(&answer);
        Ok(match answer? {
            StreamableHttpPostResponse::Sse(events, session) => {
                StreamableHttpPostResponse::Sse(self.metered(events), session)
            }
            StreamableHttpPostResponse::Json(message, session) => {
                self.measure(&message)?;
                StreamableHttpPostResponse::Json(message, session)
            }
            other => other,
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Failed> {
        self.inner.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failed> {
        let opened = self.inner.get_stream_with_max_sse_event_size(
            uri,
            session,
            last,
            token,
            headers,
            MAX_MESSAGE_BYTES,
        );
        Ok(self.metered(opened.await?))
    }
}
