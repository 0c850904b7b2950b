//! One call to an A2A agent, over JSON-RPC or HTTP+JSON.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use plexus_a2a::{
    A2aProtocol,
    client::{self, AgentRequest, HttpJsonRequest, MAX_ANSWER_BYTES, Update},
    team_extension,
    wire::v1::CancelTaskRequest,
};
use plexus_domain::{
    TraceContext,
    run::{Failure, FailureClass},
};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{A2aConnector, is_other_dialect, other};
use crate::{
    Credentials,
    outbound::{ErrorHints, HttpResponse, RunInterruption, WaitTimer, by_status, peer, retry_after},
};

/// JSON-RPC request id. Constant, because each HTTP request has exactly one response.
const ID: i64 = 1;

/// Media type of JSON-RPC, and of HTTP+JSON with servers that do not know its own.
const JSON: &str = "application/json";

/// Timeout of a `CancelTask` call.
const CANCEL_TIME: Duration = Duration::from_secs(3);

/// Start of the response to a call: a stream, or a complete update.
pub(super) enum OpenedCall {
    Stream(HttpResponse),
    Whole(Box<Update>),
}

/// An HTTP request to an agent, before credentials and signature.
#[derive(Clone)]
struct AgentHttpRequest {
    verb: Method,
    url: Url,
    headers: HeaderMap,
    body: Bytes,
}

fn whole(update: Update) -> OpenedCall {
    OpenedCall::Whole(Box::new(update))
}

impl A2aConnector {
    /// Makes a call. Reads the response unless it is a stream.
    pub(super) async fn open(
        &self,
        protocol: A2aProtocol,
        call: AgentRequest,
        trace: Option<&TraceContext>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<OpenedCall, RunInterruption> {
        let method = call.method();
        let reply = self.post(protocol, call, trace, pace).await?;
        if !reply.status().is_success() {
            return self.read_refusal(protocol, method, reply, pace).await.map(whole);
        }
        if reply.is_of_type("text/event-stream") {
            return Ok(OpenedCall::Stream(reply));
        }
        let is_json =
            reply.is_of_type(JSON) || self.endpoint.is_http_json && reply.is_of_type(client::MEDIA_TYPE);
        if !is_json {
            let kind = reply.header(header::CONTENT_TYPE).unwrap_or("something without a type");
            let words = format!(
                "The agent at {} answered with {kind}, not with A2A. Check its address.",
                reply.peer()
            );
            return Err(Failure::new(FailureClass::Garbage, words).into());
        }
        let body = reply.body(MAX_ANSWER_BYTES, pace).await?;
        let update = match self.endpoint.is_http_json {
            true => client::http_json_answer(method, &body),
            false => client::answer(protocol, method, &body),
        };
        Ok(whole(update.map_err(|error| self.not_understood(&error))?))
    }

    /// Makes a call whose response is a single update.
    pub(super) async fn ask(
        &self,
        protocol: A2aProtocol,
        call: AgentRequest,
        trace: Option<&TraceContext>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<Update, RunInterruption> {
        match self.open(protocol, call, trace, pace).await? {
            OpenedCall::Whole(update) => Ok(*update),
            OpenedCall::Stream(_) => {
                let words = format!("The agent at {} answered a plain question with a stream.", self.peer());
                Err(Failure::new(FailureClass::Garbage, words).into())
            }
        }
    }

    /// Cancels the agent's task. Errors are only logged.
    pub(super) async fn cancel(&self, protocol: A2aProtocol, id: String) {
        let never = CancellationToken::new();
        let mut pace = WaitTimer::new(&never, CANCEL_TIME);
        let dialects =
            [protocol, other(protocol)].into_iter().take(if self.endpoint.is_http_json { 1 } else { 2 });
        for protocol in dialects {
            let (tenant, id) = (self.endpoint.tenant.clone(), id.clone());
            let call = AgentRequest::CancelTask(CancelTaskRequest { tenant, id, metadata: None });
            match self.ask(protocol, call, None, &mut pace).await {
                Ok(Update::Error(error)) if is_other_dialect(&error) => {}
                Ok(Update::Error(error)) => {
                    return tracing::debug!(code = error.code, "task cancellation refused by agent");
                }
                Err(RunInterruption::Failed(failure)) => {
                    let class = failure.class.as_str();
                    return tracing::debug!(error = class, "task cancellation request failed");
                }
                Ok(_) | Err(RunInterruption::Stopped) => return,
            }
        }
    }

    pub(super) fn not_understood(&self, error: &client::DecodeError) -> Failure {
        let words = format!("Invalid response from the agent at {}. {error}", self.peer());
        Failure::new(error.class(), words)
    }

    pub(super) fn peer(&self) -> String {
        peer(&self.endpoint.url)
    }

    async fn post(
        &self,
        protocol: A2aProtocol,
        call: AgentRequest,
        trace: Option<&TraceContext>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<HttpResponse, RunInterruption> {
        let headers = headers(protocol, &call, trace, self.endpoint.is_http_json)?;
        let mut request = self.request(protocol, call, headers)?;
        let shown = self.access.credentials(pace).await?;
        let mut reply = self.send(request.clone(), shown.as_ref(), pace).await?;
        if reply.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && self.endpoint.is_http_json {
            request.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
            reply = self.send(request.clone(), shown.as_ref(), pace).await?;
        }
        if reply.status() != StatusCode::UNAUTHORIZED {
            return Ok(reply);
        }
        match self.access.refresh(shown.as_ref(), pace).await? {
            Some(other) => self.send(request, Some(&other), pace).await,
            None => Ok(reply),
        }
    }

    fn request(
        &self,
        protocol: A2aProtocol,
        call: AgentRequest,
        headers: HeaderMap,
    ) -> Result<AgentHttpRequest, Failure> {
        let failed = |error: serde_json::Error| {
            let words = format!("The message could not be written as JSON: {error}.");
            Failure::new(FailureClass::Internal, words)
        };
        if !self.endpoint.is_http_json {
            let body = client::body(protocol, ID, call).map_err(failed)?.into();
            return Ok(AgentHttpRequest {
                verb: Method::POST,
                url: self.endpoint.url.clone(),
                headers,
                body,
            });
        }
        let HttpJsonRequest { verb, url, body } =
            HttpJsonRequest::of(&self.endpoint.url, call).map_err(failed)?;
        let verb = if verb == Method::GET.as_str() { Method::GET } else { Method::POST };
        Ok(AgentHttpRequest { verb, url, headers, body: body.into() })
    }

    async fn send(
        &self,
        request: AgentHttpRequest,
        shown: Option<&Credentials>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<HttpResponse, RunInterruption> {
        let AgentHttpRequest { verb, mut url, mut headers, body } = request;
        if let Some(credentials) = shown {
            credentials.apply(&mut url, &mut headers)?;
        }
        if let Some(carrier) = &self.carrier {
            if verb != Method::POST {
                let words = "Agents of other hubs are called over JSON-RPC. The agent card names no such interface first.";
                return Err(Failure::new(FailureClass::Policy, words).into());
            }
            return HttpResponse::from_transport(carrier.carry(&url, &headers, body), &self.peer(), pace)
                .await;
        }
        if let Some(signer) = &self.signer {
            headers.extend(signer.sign(verb.as_str(), &url, &body)?);
        }
        let request = self.outbound.request(verb, &url)?.headers(headers).body(body);
        HttpResponse::to(request, &self.peer(), pace).await
    }

    /// Reads an error response. Agents may send a JSON-RPC error with any HTTP status; otherwise the status
    /// determines the failure.
    async fn read_refusal(
        &self,
        protocol: A2aProtocol,
        method: plexus_a2a::wire::Method,
        reply: HttpResponse,
        pace: &mut WaitTimer<'_>,
    ) -> Result<Update, RunInterruption> {
        let (status, wait) = (reply.status(), retry_after(&reply));
        let body = reply.beginning(pace).await;
        if self.endpoint.is_http_json {
            return match client::http_json_error(Some(status.as_u16()), &body) {
                Some(error) => Ok(Update::Error(error)),
                None => Err(self.refusal(status, wait).into()),
            };
        }
        if let Ok(update @ Update::Error(_)) = client::answer(protocol, method, &body) {
            return Ok(update);
        }
        Err(self.refusal(status, wait).into())
    }

    fn refusal(&self, status: StatusCode, wait: Option<u32>) -> Failure {
        let hints = ErrorHints {
            credentials: self.access.hint(),
            missing: None,
            moved: "Its card must contain the new URL.",
        };
        let (class, what) = by_status(status, wait, &hints);
        Failure::new(class, format!("The agent at {} {what}", self.peer()))
    }
}

/// Builds the headers of a call, independent of credentials and signature.
fn headers(
    protocol: A2aProtocol,
    call: &AgentRequest,
    trace: Option<&TraceContext>,
    is_http_json: bool,
) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    let accepted = match (call.method().is_streaming(), is_http_json) {
        (true, true) => "text/event-stream, application/a2a+json, application/json",
        (true, false) => "text/event-stream, application/json",
        (false, true) => "application/a2a+json, application/json",
        (false, false) => JSON,
    };
    headers.insert(header::ACCEPT, HeaderValue::from_static(accepted));
    let sent = if is_http_json { client::MEDIA_TYPE } else { JSON };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(sent));
    headers.insert(client::VERSION_HEADER, HeaderValue::from_static(client::version(protocol)));
    if !call.extensions().is_empty() {
        let used = HeaderValue::try_from(call.extensions().join(", ")).map_err(|error| {
            Failure::new(FailureClass::Internal, format!("An extension has no name: {error}."))
        })?;
        headers.insert(team_extension::header(protocol), used);
    }
    if let Some(TraceContext { traceparent, tracestate }) = trace {
        let values = [("traceparent", Some(traceparent)), ("tracestate", tracestate.as_ref())];
        for (name, value) in values.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            // Validated when it was received.
            headers.extend(
                HeaderValue::try_from(value).ok().map(|value| (HeaderName::from_static(name), value)),
            );
        }
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use plexus_a2a::wire::v1::{GetTaskRequest, Message, Role};

    use super::*;

    #[test]
    fn what_a_message_makes_use_of_is_named_in_the_words_of_the_version() {
        let message =
            Message { extensions: vec!["urn:x".to_owned()], ..Message::new("1", Role::User, Vec::new()) };
        let calls = [
            AgentRequest::SendMessage(message.clone().into()),
            AgentRequest::SendStreamingMessage(message.into()),
            AgentRequest::GetTask(GetTaskRequest::default()),
        ];
        for (protocol, name, other) in [
            (A2aProtocol::V1, "a2a-extensions", "x-a2a-extensions"),
            (A2aProtocol::V03, "x-a2a-extensions", "a2a-extensions"),
        ] {
            let named = calls.iter().map(|call| headers(protocol, call, None, false).unwrap());
            let named = named.map(|headers| (headers.get(name).cloned(), headers.contains_key(other)));
            let used = || Some(HeaderValue::from_static("urn:x"));
            assert_eq!(named.collect::<Vec<_>>(), [(used(), false), (used(), false), (None, false)]);
        }
    }
}
