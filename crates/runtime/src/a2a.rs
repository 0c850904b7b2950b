//! Connector for remote agents that speak A2A 1.0 or 0.3.

mod answer_attributes;
mod call;
mod message;
mod repeated_parts;
mod response_stream;
mod status_text;

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use http::{HeaderMap, HeaderName, HeaderValue, Response};
use plexus_a2a::{
    A2aProtocol, Card,
    card::Binding,
    client::{self, AgentRequest, MAX_EVENT_BYTES, Update},
    wire::{
        rpc::{self, ErrorKind},
        v1::{GetTaskRequest, Message, SendMessageConfiguration, SendMessageRequest},
    },
};
use plexus_domain::{
    ForwardedAttributes,
    run::{Failure, FailureClass},
};
use tokio::time;
use tokio_util::sync::CancellationToken;
use url::Url;

pub use self::response_stream::{A2aResponse, UpdateEffect};
use self::{call::OpenedCall, message::message};
use crate::{
    Connector, ConnectorLimits, CredentialSource, Output, Redact, RemoteConversation, RunEnd, RunRequest,
    credentials::CredentialSession,
    outbound::{HttpResponse, OutboundClient, RunInterruption, WaitTimer, quote_foreign_text},
    sse::{IgnoredBytes, SseDecoder},
};

/// Maximum wait for the text of a question whose status came without one.
const WORDS_TIME: Duration = Duration::from_secs(10);
/// Poll interval of a task: starts at `FIRST_POLL`, grows by half each time, up to `LAST_POLL`.
const FIRST_POLL: Duration = Duration::from_millis(100);
const LAST_POLL: Duration = Duration::from_secs(3);
/// Number of history messages requested with a task. Some agents put their answer there.
const HISTORY: u32 = 10;

/// URL and protocol of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub url: Url,
    /// True for HTTP+JSON, which only 1.0 has; else JSON-RPC.
    pub is_http_json: bool,
    pub protocol: A2aProtocol,
    pub tenant: Option<String>,
    pub is_streaming: bool,
}

impl Endpoint {
    /// Returns the endpoint that the hub calls, chosen from the interfaces on the agent card.
    pub fn of(card: &Card) -> Option<Self> {
        let interface = card.best_interface()?;
        Some(Self {
            url: interface.url.clone(),
            is_http_json: interface.binding == Binding::HttpJson,
            protocol: interface.protocol()?,
            tenant: interface.tenant.clone(),
            is_streaming: card.capabilities.streaming,
        })
    }
}

pub type Headers = Vec<(HeaderName, HeaderValue)>;

/// Signer for calls to agents. Each call gets its own signature.
pub trait RequestSigner: Send + Sync {
    /// Returns the signature headers to add to a call.
    fn sign(&self, method: &str, url: &Url, body: &[u8]) -> Result<Headers, Failure>;
}

/// Response body as a stream of chunks.
pub type Body = BoxStream<'static, std::io::Result<Bytes>>;

/// Transport other than HTTP. Delivers the requests that would be posted to a URL.
#[async_trait]
pub trait CallTransport: Send + Sync {
    async fn carry(&self, url: &Url, headers: &HeaderMap, body: Bytes) -> Result<Response<Body>, Failure>;
}

/// A2A connector.
pub struct A2aConnector {
    outbound: OutboundClient,
    endpoint: Endpoint,
    access: CredentialSession,
    signer: Option<Arc<dyn RequestSigner>>,
    carrier: Option<Arc<dyn CallTransport>>,
    /// Send the timeout of the run to the agent.
    sends_timeout: bool,
}

/// Omits the signer, which holds a private key.
impl fmt::Debug for A2aConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("A2a").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl A2aConnector {
    /// Fails if `outbound` may not call the URL of the agent.
    pub fn new(outbound: OutboundClient, endpoint: Endpoint) -> Result<Self, Failure> {
        outbound.check(&endpoint.url)?;
        Ok(Self::reached(outbound, endpoint, None))
    }

    /// Calls the agent through another transport. `outbound` is not used for its calls.
    pub fn with_transport(
        carrier: Arc<dyn CallTransport>,
        outbound: OutboundClient,
        endpoint: Endpoint,
    ) -> Self {
        Self::reached(outbound, endpoint, Some(carrier))
    }

    fn reached(
        outbound: OutboundClient,
        endpoint: Endpoint,
        carrier: Option<Arc<dyn CallTransport>>,
    ) -> Self {
        Self {
            outbound,
            endpoint,
            access: CredentialSession::default(),
            signer: None,
            carrier,
            sends_timeout: false,
        }
    }

    /// Sends the timeout of the run with each message.
    #[must_use]
    pub fn with_caller_timeout(self) -> Self {
        Self { sends_timeout: true, ..self }
    }

    /// Signs every call, except calls over another transport.
    #[must_use]
    pub fn with_signer(self, signer: Arc<dyn RequestSigner>) -> Self {
        Self { signer: Some(signer), ..self }
    }

    /// Authenticates with `shown`. Fails if the agent is not at `origin` (any URL of it), for which the
    /// credentials were entered.
    pub fn with_credentials(
        mut self,
        origin: &Url,
        shown: impl Into<CredentialSource>,
    ) -> Result<Self, Failure> {
        if self.endpoint.url.origin() != origin.origin() {
            let words = "The agent's URL has changed since its credentials were entered. Enter them again.";
            return Err(Failure::new(FailureClass::Policy, words));
        }
        self.access = CredentialSession::new(shown.into());
        Ok(self)
    }
}

#[async_trait]
impl Connector for A2aConnector {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        let mut exchange = A2aRun {
            agent: self,
            protocol: self.endpoint.protocol,
            limits: request.limits,
            answer: A2aResponse::new(output, self.peer()),
            pace: WaitTimer::new(stop, request.limits.whole),
            forwarded: request.options.forwarded.as_deref().cloned().unwrap_or_default(),
        };
        let mut message = message(&request);
        if self.sends_timeout {
            client::set_caller_timeout(&mut message, request.limits.whole);
        }
        let end = exchange.work(message).await;
        if end.is_err() {
            exchange.cancel().await;
        }
        match end {
            Ok(end) => Ok(end),
            Err(RunInterruption::Stopped) => Ok(RunEnd::Stopped),
            Err(RunInterruption::Failed(failure)) => Err(failure),
        }
    }

    fn redact(&self) -> Redact {
        self.access.redact()
    }

    async fn give_up(&self, waits: &RemoteConversation) {
        if let Some(task) = waits.task.clone() {
            self.cancel(self.endpoint.protocol, task).await;
        }
    }
}

/// Dialogue of one run with the agent.
struct A2aRun<'a> {
    agent: &'a A2aConnector,
    protocol: A2aProtocol,
    limits: ConnectorLimits,
    answer: A2aResponse<'a>,
    pace: WaitTimer<'a>,
    forwarded: ForwardedAttributes,
}

impl A2aRun<'_> {
    async fn work(&mut self, mut message: Message) -> Result<RunEnd, RunInterruption> {
        if let Some(task) = message.task_id.clone() {
            self.recall(&mut message, task).await?;
        }
        let mut taken = self.send(message.clone()).await?;
        if let UpdateEffect::Refused(error) = &taken
            && !self.agent.endpoint.is_http_json
            && is_other_dialect(error)
        {
            self.protocol = other(self.protocol);
            taken = self.send(message).await?;
        }
        let end = match taken {
            UpdateEffect::End(end) => end,
            UpdateEffect::Refused(error) => return Err(self.refused(&error).into()),
            UpdateEffect::More => self.follow().await?,
        };
        if matches!(end, RunEnd::InputRequired | RunEnd::AuthRequired) && !self.answer.has_output() {
            return Ok(self.look_for_words().await?.unwrap_or(end));
        }
        Ok(end)
    }

    /// Fetches the task to get the text of a question that the stream only announced. Returns `None` if the
    /// text is unavailable; it is a question all the same. Returns the end of the task if it ended meanwhile
    /// in another state.
    async fn look_for_words(&mut self) -> Result<Option<RunEnd>, RunInterruption> {
        let Some(task) = self.answer.task().map(str::to_owned) else { return Ok(None) };
        self.pace.set_limit(self.limits.whole.min(WORDS_TIME));
        let taken = match self.get(task).await {
            Ok(update @ Update::Task(_)) => self.answer.take(update)?,
            Ok(_) | Err(RunInterruption::Failed(_)) => UpdateEffect::More,
            Err(RunInterruption::Stopped) => return Err(RunInterruption::Stopped),
        };
        self.answer.emit_status_text()?;
        Ok(match taken {
            UpdateEffect::End(end) => Some(end),
            UpdateEffect::More | UpdateEffect::Refused(_) => None,
        })
    }

    /// Fetches a task before continuing it, so that its earlier output is not mistaken for the answer. A task
    /// that has ended is not continued: the message starts a new task.
    async fn recall(&mut self, message: &mut Message, task: String) -> Result<(), RunInterruption> {
        match self.get(task).await? {
            Update::Task(task) if !task.status.state.is_terminal() => Ok(self.answer.skip_known(&task)?),
            _ => {
                message.task_id = None;
                Ok(())
            }
        }
    }

    async fn send(&mut self, message: Message) -> Result<UpdateEffect, RunInterruption> {
        let is_streaming = self.agent.endpoint.is_streaming;
        let configuration = SendMessageConfiguration {
            accepted_output_modes: self.forwarded.accepted_output_modes.clone(),
            return_immediately: !is_streaming,
            ..SendMessageConfiguration::default()
        };
        let request = SendMessageRequest {
            tenant: self.tenant(),
            metadata: client::non_empty(self.forwarded.metadata.clone()),
            configuration: (configuration != SendMessageConfiguration::default()).then_some(configuration),
            ..message.into()
        };
        let call = if is_streaming {
            AgentRequest::SendStreamingMessage(request)
        } else {
            AgentRequest::SendMessage(request)
        };
        let trace = self.forwarded.trace.as_ref();
        match self.agent.open(self.protocol, call, trace, &mut self.pace).await? {
            OpenedCall::Whole(update) => Ok(self.answer.take(*update)?),
            OpenedCall::Stream(reply) => self.listen(reply).await,
        }
    }

    /// Reads a stream to its end. A broken stream does not end the task: the task is then polled.
    async fn listen(&mut self, mut reply: HttpResponse) -> Result<UpdateEffect, RunInterruption> {
        let mut decoder = SseDecoder::new(MAX_EVENT_BYTES);
        let mut noise = IgnoredBytes::default();
        loop {
            let bytes = match reply.next(&mut self.pace).await {
                Ok(Some(bytes)) => bytes,
                Ok(None) => return Ok(UpdateEffect::More),
                Err(RunInterruption::Failed(failure)) if self.can_recover(&failure) => {
                    return Ok(UpdateEffect::More);
                }
                Err(halt) => return Err(halt),
            };
            self.pace.set_limit(self.limits.idle);
            noise.add(bytes.len())?;
            let taken = self.take_events(&mut decoder, &mut noise, &bytes)?;
            if taken != UpdateEffect::More {
                reply.finish();
                return Ok(taken);
            }
        }
    }

    fn take_events(
        &mut self,
        decoder: &mut SseDecoder,
        noise: &mut IgnoredBytes,
        bytes: &[u8],
    ) -> Result<UpdateEffect, Failure> {
        let mut taken = UpdateEffect::More;
        decoder.push(bytes, |data| {
            if taken == UpdateEffect::More {
                let update = match self.agent.endpoint.is_http_json {
                    true => client::http_json_event(data),
                    false => client::event(self.protocol, data),
                };
                let update = update.map_err(|error| self.agent.not_understood(&error))?;
                noise.clear();
                taken = self.answer.take(update)?;
            }
            Ok::<_, Failure>(())
        })?;
        Ok(taken)
    }

    fn can_recover(&self, failure: &Failure) -> bool {
        failure.class == FailureClass::Unreachable && self.answer.task().is_some()
    }

    /// Polls the task until it ends.
    async fn follow(&mut self) -> Result<RunEnd, RunInterruption> {
        let Some(task) = self.answer.task().map(str::to_owned) else {
            let words = format!(
                "The agent at {} ended the answer early. The partial answer is saved.",
                self.agent.peer()
            );
            return Err(Failure::new(FailureClass::Unreachable, words).into());
        };
        let mut pause = FIRST_POLL;
        loop {
            self.pace.set_limit(pause + self.limits.whole);
            self.pace.wait(time::sleep(pause)).await.map_err(|_| RunInterruption::Stopped)?;
            pause = (pause * 3 / 2).min(LAST_POLL);
            let update = self.get(task.clone()).await?;
            match self.answer.take(update)? {
                UpdateEffect::More => {}
                UpdateEffect::End(end) => return Ok(end),
                UpdateEffect::Refused(error) => return Err(self.refused(&error).into()),
            }
        }
    }

    async fn get(&mut self, id: String) -> Result<Update, RunInterruption> {
        let call = AgentRequest::GetTask(GetTaskRequest {
            tenant: self.tenant(),
            id,
            history_length: Some(HISTORY),
        });
        self.agent.ask(self.protocol, call, self.forwarded.trace.as_ref(), &mut self.pace).await
    }

    async fn cancel(&mut self) {
        if let Some(id) = self.answer.open_task().map(str::to_owned) {
            self.agent.cancel(self.protocol, id).await;
        }
    }

    fn refused(&self, error: &rpc::Error) -> Failure {
        let words = format!(
            "The agent at {} refused: {} ({}).",
            self.agent.peer(),
            quote_foreign_text(&error.message),
            error.code
        );
        Failure::new(FailureClass::Refused, words)
    }

    fn tenant(&self) -> Option<String> {
        self.agent.endpoint.tenant.clone()
    }
}

fn is_other_dialect(error: &rpc::Error) -> bool {
    matches!(error.kind(), Some(ErrorKind::VersionNotSupported | ErrorKind::MethodNotFound))
}

const fn other(protocol: A2aProtocol) -> A2aProtocol {
    match protocol {
        A2aProtocol::V1 => A2aProtocol::V03,
        A2aProtocol::V03 => A2aProtocol::V1,
    }
}

#[cfg(test)]
mod tests;
