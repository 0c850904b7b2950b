//! Streamable HTTP transport: rmcp's worker on an HTTP client that enforces the outbound policy and reads answers
//! leniently.

use std::{collections::HashMap, sync::Arc};

use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt, stream::BoxStream};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use plexus_domain::{media_type::essence, run::Failure};
use reqwest::Response;
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        StreamableHttpClientTransport,
        common::client_side_sse::NeverRetry,
        streamable_http_client::{
            SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
            StreamableHttpPostResponse,
        },
    },
};
use serde_json::Value;
use sse_stream::{Sse, SseStream};
use url::Url;

use super::{
    MAX_MESSAGE_BYTES, MAX_SESSION_BYTES,
    byte_budget::{ByteBudget, MESSAGE_COST},
    event_limit::EventLimit,
    failure::{LastRefusal, Refusal},
    lenient_json,
};
use crate::{
    Credentials,
    outbound::{OutboundClient, connection_failure, peer, quote_foreign_text},
};

/// Maximum bytes of an error response that are read.
const MAX_ERROR_BYTES: usize = 64 << 10;
const SESSION_HEADER: &str = "mcp-session-id";
const ACCEPTED_TYPES: &str = "application/json, text/event-stream";

pub(super) fn transport(
    outbound: &OutboundClient,
    url: &Url,
    shown: Option<&Credentials>,
    refused: LastRefusal,
) -> Result<StreamableHttpClientTransport<Client>, Failure> {
    let (peer, mut url, mut headers) = (peer(url), url.clone(), HeaderMap::new());
    if let Some(credentials) = shown {
        credentials.apply(&mut url, &mut headers)?;
    }
    let inner = outbound.client_for(&url)?;
    let client = Client { inner, meter: ByteBudget::new(MAX_SESSION_BYTES), refused, peer };
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    // Credentials go with every request as custom headers. rmcp's own field for bearer tokens is not redacted
    // in logs.
    config.custom_headers = headers.into_iter().filter_map(|(name, value)| Some((name?, value))).collect();
    config.max_sse_event_size = MAX_MESSAGE_BYTES;
    config.retry_config = Arc::new(NeverRetry::default());
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// HTTP client whose streams fail when the byte budget is exhausted.
#[derive(Clone)]
pub(super) struct Client {
    inner: reqwest::Client,
    meter: ByteBudget,
    refused: LastRefusal,
    /// Name of the server in failures of connections.
    peer: String,
}

type Failed = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// Error of a message that was not accepted.
enum PostError {
    Refused(Refusal),
    /// The server does not know the session any more. rmcp begins another one.
    SessionExpired,
}

impl From<Refusal> for PostError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Client {
    async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, PostError> {
        let mut request = self.inner.post(uri).header(header::ACCEPT, ACCEPTED_TYPES).json(message);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(session) = &session {
            request = request.header(SESSION_HEADER, &**session);
        }
        let sent = request.send().await;
        let response = sent.map_err(|error| Refusal::Connection(connection_failure(&error, &self.peer)))?;
        if response.status() == StatusCode::NOT_FOUND && session.is_some() {
            return Err(PostError::SessionExpired);
        }
        if response.headers().get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(Refusal::answer("sent compressed data, which was not asked for.").into());
        }
        let expects_answer = matches!(message, ClientJsonRpcMessage::Request(_));
        match response.status() {
            status if !status.is_success() => self.error_answer(response, message).await,
            _ if !expects_answer => Ok(StreamableHttpPostResponse::Accepted),
            status @ (StatusCode::ACCEPTED | StatusCode::NO_CONTENT) => {
                Err(Refusal::without_answer(status).into())
            }
            _ => self.answer(response, message).await,
        }
    }

    /// Reads the answer to a request: a stream of events, or one message. Its media type may be wrong.
    async fn answer(
        &self,
        response: Response,
        request: &ClientJsonRpcMessage,
    ) -> Result<StreamableHttpPostResponse, PostError> {
        let session = text_header(&response, SESSION_HEADER).map(str::to_owned);
        let media_type = text_header(&response, "content-type").unwrap_or_default().to_owned();
        if essence(&media_type) == "text/event-stream" {
            return Ok(StreamableHttpPostResponse::Sse(self.events(response), session));
        }
        let body = self.body(response, MAX_MESSAGE_BYTES).await?;
        let message = decode(&body, request).ok_or_else(|| Refusal::of_content(&media_type, &body))?;
        Ok(StreamableHttpPostResponse::Json(message, session))
    }

    /// Reads an error response. A JSON-RPC error in it is an answer.
    async fn error_answer(
        &self,
        response: Response,
        request: &ClientJsonRpcMessage,
    ) -> Result<StreamableHttpPostResponse, PostError> {
        let status = response.status();
        let session = text_header(&response, SESSION_HEADER).map(str::to_owned);
        let wait = text_header(&response, "retry-after").and_then(|seconds| seconds.parse().ok());
        let target = text_header(&response, "location").and_then(|target| response.url().join(target).ok());
        // Its query may repeat a key.
        let target = target.map(|url| {
            let origin = url.origin().ascii_serialization();
            quote_foreign_text(&format!("{origin}{}", url.path()))
        });
        let body = self.body(response, MAX_ERROR_BYTES).await.unwrap_or_default();
        let refusal = Refusal::of_status(status, wait, target.as_deref(), &body);
        if refusal == Refusal::Credentials || status == StatusCode::TOO_MANY_REQUESTS {
            return Err(refusal.into());
        }
        match decode(&body, request) {
            Some(message @ ServerJsonRpcMessage::Error(_)) => {
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            _ => Err(refusal.into()),
        }
    }

    async fn body(&self, mut response: Response, limit: usize) -> Result<Bytes, Refusal> {
        let too_large = || Refusal::answer(format!("sent an answer of more than {} KiB.", limit >> 10));
        let mut body = BytesMut::new();
        loop {
            let chunk = response.chunk().await;
            let chunk = chunk.map_err(|error| Refusal::Connection(connection_failure(&error, &self.peer)))?;
            let Some(chunk) = chunk else { break };
            if body.len() + chunk.len() > limit {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        let paid = self.meter.take(body.len() + MESSAGE_COST);
        paid.map_err(|_| Refusal::answer("sent more than this hub accepts in one run."))?;
        Ok(body.freeze())
    }

    fn events(&self, response: Response) -> Events {
        let mut limit = EventLimit::new(MAX_MESSAGE_BYTES);
        let bytes = response.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(std::io::Error::other)?;
            limit.check(&chunk).map(|()| chunk)
        });
        self.metered(SseStream::from_bytes_stream(bytes))
    }

    /// Charges each event to the budget and repairs its message. The stream ends at the first error, so that a
    /// flooding server is not read further.
    fn metered(&self, events: impl Stream<Item = Result<Sse, SseError>> + Send + 'static) -> Events {
        let meter = self.meter.clone();
        let counted = events.map(move |event| {
            let mut event = event?;
            let bytes = event.data.as_ref().map_or(0, String::len);
            meter.take(bytes + MESSAGE_COST).map_err(|error| SseError::Body(Box::new(error)))?;
            if let Some(message) =
                event.data.as_ref().and_then(|data| lenient_json::parse_message(data.as_bytes()))
            {
                event.data = Some(message.to_string());
            }
            Ok(event)
        });
        counted
            .scan(false, |over, event| {
                let shown = (!*over).then_some(event);
                *over |= shown.as_ref().is_some_and(Result::is_err);
                std::future::ready(shown)
            })
            .boxed()
    }
}

fn text_header<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    response.headers().get(name)?.to_str().ok()
}

/// Reads the answer to a request. Only this answer can be in the response, so a wrong id is corrected.
fn decode(body: &[u8], request: &ClientJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
    let mut message = lenient_json::parse_message(body)?;
    let ClientJsonRpcMessage::Request(request) = request else { return serde_json::from_value(message).ok() };
    let members = message.as_object_mut()?;
    if !members.contains_key("method") {
        // Without a result or an error it is another format.
        let is_answer = members.contains_key("result") || members.contains_key("error");
        members.insert("id".to_owned(), serde_json::to_value(&request.id).ok().filter(|_| is_answer)?);
    }
    serde_json::from_value::<ServerJsonRpcMessage>(Value::Object(members.clone())).ok()
}

impl StreamableHttpClient for Client {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        match self.post(&uri, &message, session, headers).await {
            Ok(answer) => {
                self.refused.set(None);
                Ok(answer)
            }
            Err(PostError::SessionExpired) => Err(Failed::SessionExpired),
            Err(PostError::Refused(refusal)) => {
                self.refused.set(Some(refusal));
                Err(Failed::UnexpectedServerResponse("the message was not accepted".into()))
            }
        }
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
