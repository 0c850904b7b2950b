//! Connector for models with instructions, on any server with the OpenAI chat completions API.

mod agent_loop;
mod answer_image;
mod call_assembler;
mod call_options;
mod chunk;
mod completion;
mod data_images;
mod embeddings;
mod error;
mod files;
mod image_tokens;
mod knowledge;
mod lenient_json;
mod messages;
mod refused_options;
mod returned_members;
mod think_tag;
mod tool_call;
mod toolbox;

use std::{fmt, str::FromStr, sync::Arc};

use async_trait::async_trait;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use plexus_domain::{
    CallOptions,
    agent::{AnswerLimits, ModelParameters},
    money,
    run::{Failure, FailureClass, Usage},
};
use reqwest::RequestBuilder;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;

use self::{agent_loop::AgentLoop, messages::Message, refused_options::RefusedOptions};
pub use self::{
    completion::CompletionStream,
    embeddings::{Embeddings, EmbeddingsClient},
    knowledge::{PassageSearch, RetrievedPassage},
    toolbox::ToolServer,
};
pub(crate) use self::{
    files::Files,
    messages::{conversation, with_author_names},
};
use crate::{
    Connector, ConnectorLimits, Credentials, Output, Redact, RunEnd, RunRequest, Secret,
    outbound::{HttpResponse, OutboundClient, RunInterruption, WaitTimer, peer, subject},
};

/// Model on a server.
#[derive(Clone, Debug)]
pub struct ModelEndpoint {
    /// Name of its server in reports of usage.
    pub provider: String,
    /// Base URL such as `https://models.example/v1`, to which `/chat/completions` is appended.
    pub base: Url,
    /// Name of its server in failure texts, which callers read: they may not see its address. `None` if the hub has one
    /// server.
    pub server_name: Option<String>,
    pub key: Option<Secret>,
    pub key_owner: KeyOwner,
    /// Name of the model on its server.
    pub name: String,
    /// Maximum bytes of the conversation that are sent. The oldest turns are left out first.
    pub history_bytes: usize,
    /// True if the context window of the model is not known, and `history_bytes` is a guess: then the whole
    /// conversation is sent first, and only shortened to this size if the model's server refuses it.
    pub is_window_unknown: bool,
    /// Whether images of the conversation are sent to it.
    pub reads_images: bool,
    pub prices: Prices,
}

/// Whose API key a request has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyOwner {
    #[default]
    Hub,
    /// The user who started the run.
    Requester,
}

/// Price of a million tokens, in millionths of the currency unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    pub sent: u64,
    pub received: u64,
}

/// Parses the prices of a million input and output tokens, such as `0.15/0.60`. Empty text means no prices.
impl FromStr for Prices {
    type Err = InvalidPrices;

    fn from_str(text: &str) -> Result<Self, InvalidPrices> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let (sent, received) = text.split_once('/').ok_or(InvalidPrices)?;
        let price = |text: &str| money::parse_micros(text).ok_or(InvalidPrices);
        Ok(Self { sent: price(sent)?, received: price(received)? })
    }
}

/// Formats the prices as they are parsed; empty without prices.
impl fmt::Display for Prices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::default() {
            return Ok(());
        }
        write!(f, "{}/{}", money::format_micros(self.sent), money::format_micros(self.received))
    }
}

/// The text of prices cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write two numbers, as in 0.15/0.60")]
pub struct InvalidPrices;

impl Prices {
    /// Returns the usage with its cost.
    fn of(self, usage: Usage) -> Usage {
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let cost = (part(usage.tokens_in, self.sent) + part(usage.tokens_out, self.received)) / 1_000_000;
        Usage { cost_micro: u64::try_from(cost).unwrap_or(u64::MAX), ..usage }
    }
}

/// Client of one model: the model and the outbound client to call it.
#[derive(Clone, Debug)]
struct ModelClient {
    outbound: OutboundClient,
    endpoint: Url,
    model: ModelEndpoint,
    redact: Redact,
}

/// What one turn asks of a model.
#[derive(Clone, Copy)]
struct TurnRequest<'a> {
    messages: &'a [Message],
    functions: &'a [Value],
    options: &'a CallOptions,
    parameters: ModelParameters,
    limits: &'a ConnectorLimits,
}

impl ModelEndpoint {
    /// Returns how callers read of its server, within a sentence.
    fn server(&self) -> String {
        match &self.server_name {
            Some(name) => format!("the model server {name}"),
            None => "the model server".to_owned(),
        }
    }

    /// Returns what its server may quote and callers may not see.
    fn redact(&self) -> Redact {
        let redact = Redact::default();
        redact.add_address(&self.base);
        if let Some(key) = &self.key {
            redact.add(key.reveal());
        }
        redact
    }
}

impl ModelClient {
    fn new(outbound: OutboundClient, model: ModelEndpoint) -> Result<Self, Failure> {
        let mut endpoint = model.base.clone();
        endpoint.set_path(&format!("{}/chat/completions", model.base.path().trim_end_matches('/')));
        outbound.check(&endpoint)?;
        let redact = model.redact();
        Ok(Self { outbound, endpoint, model, redact })
    }

    /// Returns the server as the subject of a sentence.
    fn subject(&self) -> String {
        subject(&self.model.server())
    }

    fn call(&self, body: String) -> Result<RequestBuilder, Failure> {
        let mut url = self.endpoint.clone();
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = &self.model.key {
            Credentials::Bearer(key.clone()).apply(&mut url, &mut headers)?;
        }
        Ok(self.outbound.request(Method::POST, &url)?.headers(headers).body(body))
    }

    /// Runs one turn of the model and parses its text and tool calls. Options that the server refuses are left out, and
    /// the request is sent again.
    async fn turn(
        &self,
        request: TurnRequest<'_>,
        refused: &mut RefusedOptions,
        answer: &mut CompletionStream<'_>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<RunEnd, RunInterruption> {
        let TurnRequest { messages, functions, options, parameters, limits } = request;
        let tokens = messages::estimated_tokens(&self.model, messages, functions);
        loop {
            let mut members = call_options::members(options, parameters, &self.model);
            refused.apply(&mut members);
            let body = messages::body(&self.model, messages, functions, &members);
            answer.set_tokens_in(tokens);
            let mut status = None;
            let failure = match self.send(body, limits, &mut status, answer, pace).await {
                Err(RunInterruption::Failed(failure)) => failure,
                ended => return ended,
            };
            let may_retry = !answer.is_begun() && failure.class != FailureClass::Budget;
            if !may_retry || !refused.learn(status, &failure.message, &members) {
                return Err(self.shown(&failure).into());
            }
            tracing::info!(
                model = self.model.name,
                error = self.redact.error(&failure.message),
                "model request refused: retrying with fewer options"
            );
            answer.begin_answer();
        }
    }

    /// Sends a request and reads the answer. `status` is set if the server answers with an error.
    async fn send(
        &self,
        body: String,
        limits: &ConnectorLimits,
        status: &mut Option<StatusCode>,
        answer: &mut CompletionStream<'_>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<RunEnd, RunInterruption> {
        pace.set_limit(limits.whole);
        let reply = HttpResponse::to(self.call(body)?, &self.model.server(), pace).await?;
        if !reply.status().is_success() {
            *status = Some(reply.status());
            return Err(error::read(reply, &self.subject(), &self.model, &self.redact, pace).await.into());
        }
        if reply.is_of_type("text/html") {
            let words = format!(
                "{} answered with a web page, not with a chat completion. Check its address.",
                self.subject()
            );
            return Err(Failure::new(FailureClass::Garbage, words).into());
        }
        read_stream(reply, answer, limits, pace).await
    }

    /// Logs a failure with the address of the server, and returns it as callers may see it.
    fn shown(&self, failure: &Failure) -> Failure {
        let message = self.redact.error(&failure.message);
        let (server, model) = (peer(&self.endpoint), &self.model.name);
        tracing::info!(server, model, error = message, "model request failed");
        Failure::new(failure.class, self.redact.without_addresses(&message))
    }
}

/// Model connector: answers with a model that follows instructions and may call tools.
pub struct LlmConnector {
    /// Models in order of preference. The next is tried if one does not answer.
    providers: Vec<ModelClient>,
    instructions: String,
    tools: Vec<ToolServer>,
    knowledge: Option<Arc<dyn PassageSearch>>,
    budget: AnswerLimits,
    parameters: ModelParameters,
}

impl LlmConnector {
    /// Fails if `outbound` may not call the model's server.
    pub fn new(
        outbound: OutboundClient,
        model: ModelEndpoint,
        instructions: String,
    ) -> Result<Self, Failure> {
        let providers = vec![ModelClient::new(outbound, model)?];
        let (tools, budget) = (Vec::new(), AnswerLimits::default());
        Ok(Self {
            providers,
            instructions,
            tools,
            knowledge: None,
            budget,
            parameters: ModelParameters::default(),
        })
    }

    /// Adds a fallback model, for when the models before it do not answer.
    pub fn with_fallback(mut self, outbound: OutboundClient, model: ModelEndpoint) -> Result<Self, Failure> {
        self.providers.push(ModelClient::new(outbound, model)?);
        Ok(self)
    }

    /// Offers the tools of these servers to the model.
    #[must_use]
    pub fn with_tools(self, tools: Vec<ToolServer>) -> Self {
        Self { tools, ..self }
    }

    /// Gives the model passages of the agent's files with each message.
    #[must_use]
    pub fn with_knowledge(self, knowledge: Arc<dyn PassageSearch>) -> Self {
        Self { knowledge: Some(knowledge), ..self }
    }

    /// Sets the parameters that are sent with each request to a model.
    #[must_use]
    pub fn with_parameters(self, parameters: ModelParameters) -> Self {
        Self { parameters, ..self }
    }

    /// Sets the budget of one answer: turns, tokens, time and cost.
    #[must_use]
    pub fn with_limits(self, budget: AnswerLimits) -> Self {
        Self { budget, ..self }
    }
}

async fn read_stream(
    mut reply: HttpResponse,
    answer: &mut CompletionStream<'_>,
    limits: &ConnectorLimits,
    pace: &mut WaitTimer<'_>,
) -> Result<RunEnd, RunInterruption> {
    let mut is_first = true;
    while !answer.is_done() {
        let Some(bytes) = reply.next(pace).await? else { return Ok(answer.finish()?) };
        if std::mem::take(&mut is_first) {
            pace.set_limit(limits.idle);
        }
        answer.push(&bytes)?;
    }
    reply.finish();
    Ok(answer.finish()?)
}

#[async_trait]
impl Connector for LlmConnector {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        match AgentLoop::new(self, &request, output, stop).run().await {
            Ok(end) => Ok(end),
            Err(RunInterruption::Stopped) => Ok(RunEnd::Stopped),
            Err(RunInterruption::Failed(failure)) => Err(failure),
        }
    }

    fn counts_tokens(&self) -> bool {
        true
    }

    fn redact(&self) -> Redact {
        let redact = Redact::default();
        self.providers.iter().for_each(|provider| redact.add_all(&provider.redact));
        self.tools.iter().for_each(|tools| tools.server.add_secrets(&redact));
        redact
    }
}

#[cfg(test)]
mod tests;
