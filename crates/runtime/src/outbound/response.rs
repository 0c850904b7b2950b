//! HTTP response, read in pieces within size and time limits.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{StatusCode, header};
use plexus_domain::{
    media_type::essence,
    run::{Failure, FailureClass},
    sanitized_text::{ellipsize, one_line},
};
use reqwest::RequestBuilder;
use tokio::time;
use url::Url;

use super::{
    connection_failure::connection_failure,
    deadline::{RunInterruption, WaitInterrupted, WaitTimer},
};
use crate::{ConnectorLimits, a2a::Body};

/// Maximum bytes of an error response that are searched for its text.
const WORDS_BYTES: usize = 8 << 10;
const WORDS_CHARS: usize = 300;
/// Maximum wait for the end of a body whose content is complete.
const FINISH: Duration = Duration::from_secs(1);

/// Response whose head was received.
pub(crate) struct HttpResponse {
    response: reqwest::Response,
    peer: String,
}

impl HttpResponse {
    /// Sends the request and waits for the response head.
    pub async fn to(
        request: RequestBuilder,
        peer: &str,
        pace: &mut WaitTimer<'_>,
    ) -> Result<Self, RunInterruption> {
        let response = match pace.wait(request.send()).await {
            Ok(sent) => sent.map_err(|error| connection_failure(&error, peer))?,
            Err(interrupted) => return Err(connection_error(interrupted, peer)),
        };
        let encoding = response.headers().get(header::CONTENT_ENCODING);
        if encoding.is_some_and(|encoding| encoding != "identity") {
            let words = format!("{} sent compressed data, which was not asked for.", subject(peer));
            return Err(Failure::new(FailureClass::Garbage, words).into());
        }
        Ok(Self { response, peer: peer.to_owned() })
    }

    /// Creates a response from a transport other than HTTP.
    pub async fn from_transport(
        answer: impl Future<Output = Result<http::Response<Body>, Failure>>,
        peer: &str,
        pace: &mut WaitTimer<'_>,
    ) -> Result<Self, RunInterruption> {
        let response = match pace.wait(answer).await {
            Ok(answered) => answered?.map(reqwest::Body::wrap_stream),
            Err(interrupted) => return Err(connection_error(interrupted, peer)),
        };
        Ok(Self { response: response.into(), peer: peer.to_owned() })
    }

    pub fn peer(&self) -> &str {
        &self.peer
    }

    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    pub fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// Returns true if the response has this media type. Parameters are ignored.
    pub fn is_of_type(&self, media_type: &str) -> bool {
        self.header(header::CONTENT_TYPE).map(essence).as_deref() == Some(media_type)
    }

    /// Returns the next chunk of the body, or `None` at its end. Drops the headers, because they would retain
    /// the receive buffer while the body streams.
    pub async fn next(&mut self, pace: &mut WaitTimer<'_>) -> Result<Option<Bytes>, RunInterruption> {
        self.response.headers_mut().clear();
        match pace.wait(self.response.chunk()).await {
            Ok(chunk) => Ok(chunk.map_err(|error| connection_failure(&error, &self.peer))?),
            Err(interrupted) => Err(connection_error(interrupted, &self.peer)),
        }
    }

    /// Reads the whole body of an answer within the limits of its run. The idle timeout counts from its first byte.
    pub async fn body_within(
        self,
        limits: &ConnectorLimits,
        pace: &mut WaitTimer<'_>,
    ) -> Result<Bytes, RunInterruption> {
        self.read_body(limits.max_answer_bytes, Some(limits.idle), pace).await
    }

    /// Reads the whole body. Fails if it exceeds `limit` bytes.
    pub async fn body(self, limit: usize, pace: &mut WaitTimer<'_>) -> Result<Bytes, RunInterruption> {
        self.read_body(limit, None, pace).await
    }

    async fn read_body(
        mut self,
        limit: usize,
        mut idle: Option<Duration>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<Bytes, RunInterruption> {
        let announced = self.response.content_length().unwrap_or(0);
        let mut body = BytesMut::new();
        if usize::try_from(announced).map_or(true, |bytes| bytes > limit) {
            return Err(self.too_large(limit).into());
        }
        while let Some(chunk) = self.next(pace).await? {
            if let Some(idle) = idle.take() {
                pace.set_limit(idle);
            }
            if body.len() + chunk.len() > limit {
                return Err(self.too_large(limit).into());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    }

    /// Reads the start of an error body. Read errors are ignored.
    pub async fn beginning(mut self, pace: &mut WaitTimer<'_>) -> Bytes {
        let mut body = BytesMut::new();
        while let Ok(Some(chunk)) = self.next(pace).await {
            body.extend_from_slice(&chunk[..chunk.len().min(WORDS_BYTES - body.len())]);
            if body.len() == WORDS_BYTES {
                break;
            }
        }
        body.freeze()
    }

    /// Reads one more chunk in the background, with a short timeout, so that the connection can be reused.
    pub fn finish(mut self) {
        tokio::spawn(async move {
            let _ = time::timeout(FINISH, self.response.chunk()).await;
        });
    }

    fn too_large(&self, limit: usize) -> Failure {
        let words = format!("{} sent more than the limit of {limit} bytes.", subject(&self.peer));
        Failure::new(FailureClass::TooLarge, words)
    }
}

/// Sanitises and truncates untrusted text, for quoting it in a message.
pub(crate) fn quote_foreign_text(words: &str) -> String {
    ellipsize(&one_line(words), WORDS_CHARS)
}

/// Returns the name of a destination as the subject of a sentence. Hosts stay as they are.
pub(crate) fn subject(peer: &str) -> String {
    peer.strip_prefix("the ").map_or_else(|| peer.to_owned(), |name| format!("The {name}"))
}

/// Returns the seconds of the `Retry-After` header.
pub(crate) fn retry_after(reply: &HttpResponse) -> Option<u32> {
    reply.header(header::RETRY_AFTER)?.parse().ok()
}

/// Returns the display name of a destination: its host, and its port unless it is the default.
pub(crate) fn peer(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

pub(crate) fn connection_error(interrupted: WaitInterrupted, peer: &str) -> RunInterruption {
    match interrupted {
        WaitInterrupted::Stopped => RunInterruption::Stopped,
        WaitInterrupted::Late(limit) => {
            let words = format!("{} sent nothing for {} s.", subject(peer), limit.as_secs_f32());
            Failure::new(FailureClass::TimedOut, words).into()
        }
    }
}
