//! Connector for models with instructions, on any server with the OpenAI chat completions API.

mod agent_loop;
mod call_options;
mod chunk;
mod completion;
mod embeddings;
mod error;
mod files;
mod knowledge;
mod messages;
mod think_tag;
mod tool_call;
mod toolbox;

use std::{fmt, str::FromStr, sync::Arc};

use async_trait::async_trait;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use plexus_domain::{
    agent::{AnswerLimits, ModelParameters},
    money,
    run::{Failure, FailureClass, Usage},
};
use reqwest::RequestBuilder;
use tokio_util::sync::CancellationToken;
use url::Url;

use self::agent_loop::AgentLoop;
pub use self::{
    completion::CompletionStream,
    embeddings::{Embeddings, EmbeddingsClient},
    knowledge::{PassageSearch, RetrievedPassage},
    toolbox::ToolServer,
};
pub(crate) use self::{files::Files, messages::conversation};
use crate::{
    Connector, ConnectorLimits, Credentials, Output, RunEnd, RunRequest, Secret,
    outbound::{HttpResponse, OutboundClient, RunInterruption, WaitTimer, peer},
    sse::SseDecoder,
};

/// Model on a server.
#[derive(Clone, Debug)]
pub struct ModelEndpoint {
    /// Name of its server in reports of usage.
    pub provider: String,
    /// Base URL such as `https://models.example/v1`, to which `/chat/completions` is appended.
    pub base: Url,
    pub key: Option<Secret>,
    /// Name of the model on its server.
    pub name: String,
    /// Maximum bytes of the conversation that are sent. The oldest turns are left out first.
    pub history_bytes: usize,
    /// Whether images of the conversation are sent to it.
    pub reads_images: bool,
    pub prices: Prices,
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

/// Maximum bytes of a streamed event.
const MAX_EVENT_BYTES: usize = 1 << 20;

/// Client of one model: the model and the outbound client to call it.
#[derive(Clone, Debug)]
struct ModelClient {
    outbound: OutboundClient,
    endpoint: Url,
    model: ModelEndpoint,
}

impl ModelClient {
    fn new(outbound: OutboundClient, model: ModelEndpoint) -> Result<Self, Failure> {
        let mut endpoint = model.base.clone();
        endpoint.set_path(&format!("{}/chat/completions", model.base.path().trim_end_matches('/')));
        outbound.check(&endpoint)?;
        Ok(Self { outbound, endpoint, model })
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

    /// Runs one turn of the model and parses its text and tool calls.
    async fn turn(
        &self,
        body: String,
        limits: &ConnectorLimits,
        answer: &mut CompletionStream<'_>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<RunEnd, RunInterruption> {
        answer.set_tokens_in(body.len());
        pace.set_limit(limits.first_byte);
        let reply = HttpResponse::to(self.call(body)?, &peer(&self.endpoint), pace).await?;
        if reply.status() != StatusCode::OK {
            return Err(error::read(reply, &self.model.name, pace).await.into());
        }
        if reply.is_of_type("text/event-stream") {
            return read_stream(reply, answer, limits, pace).await;
        }
        if reply.is_of_type("application/json") {
            let whole = reply.body(limits.max_answer_bytes, pace).await?;
            answer.event(&whole)?;
            return Ok(answer.end()?);
        }
        let kind = reply.header(header::CONTENT_TYPE).unwrap_or("something without a type");
        let words =
            format!("{} answered with {kind}, not with a chat completion. Check its address.", reply.peer());
        Err(Failure::new(FailureClass::Garbage, words).into())
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
    let mut decoder = SseDecoder::new(MAX_EVENT_BYTES);
    let mut is_first = true;
    while !answer.is_done() {
        let Some(bytes) = reply.next(pace).await? else { return Ok(answer.end()?) };
        if std::mem::take(&mut is_first) {
            pace.set_limit(limits.idle);
        }
        answer.count_received(bytes.len())?;
        decoder.push(&bytes, |event| answer.event(event))?;
    }
    reply.finish();
    Ok(answer.end()?)
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
}

#[cfg(test)]
mod tests;
