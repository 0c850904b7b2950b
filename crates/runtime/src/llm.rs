//! Connector for models with instructions, on any server with the OpenAI chat completions API.

mod answer;
mod call;
mod chunk;
mod history;
mod refusal;
mod tools;
mod work;

use async_trait::async_trait;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use plexus_domain::{
    agent::Budget,
    run::{Failure, FailureClass, Usage},
};
use reqwest::RequestBuilder;
use tokio_util::sync::CancellationToken;
use url::Url;

pub(crate) use self::history::conversation;
use self::work::Work;
pub use self::{answer::Answer, tools::ToolServer};
use crate::{
    Connector, Credentials, End, Limits, Output, Request, Secret,
    outbound::{Halt, Outbound, Pace, Reply, peer},
    sse::Decoder,
};

/// Model on a server.
#[derive(Clone, Debug)]
pub struct Model {
    /// Base URL such as `https://models.example/v1`, to which `/chat/completions` is appended.
    pub base: Url,
    pub key: Option<Secret>,
    /// Name of the model on its server.
    pub name: String,
    /// Maximum bytes of the conversation that are sent. The oldest turns are left out first.
    pub history_bytes: usize,
    pub prices: Prices,
}

/// Price of a million tokens, in millionths of the currency unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    pub sent: u64,
    pub received: u64,
}

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
struct Provider {
    outbound: Outbound,
    endpoint: Url,
    model: Model,
}

impl Provider {
    fn new(outbound: Outbound, model: Model) -> Result<Self, Failure> {
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
        limits: &Limits,
        answer: &mut Answer<'_>,
        pace: &mut Pace<'_>,
    ) -> Result<End, Halt> {
        answer.set_tokens_in(body.len());
        pace.set_limit(limits.first_byte);
        let reply = Reply::to(self.call(body)?, &peer(&self.endpoint), pace).await?;
        if reply.status() != StatusCode::OK {
            return Err(refusal::read(reply, &self.model.name, pace).await.into());
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
pub struct Llm {
    /// Models in order of preference. The next is tried if one does not answer.
    providers: Vec<Provider>,
    instructions: String,
    tools: Vec<ToolServer>,
    budget: Budget,
}

impl Llm {
    /// Fails if `outbound` may not call the model's server.
    pub fn new(outbound: Outbound, model: Model, instructions: String) -> Result<Self, Failure> {
        let providers = vec![Provider::new(outbound, model)?];
        Ok(Self { providers, instructions, tools: Vec::new(), budget: Budget::default() })
    }

    /// Adds a fallback model, for when the models before it do not answer.
    pub fn with_fallback(mut self, outbound: Outbound, model: Model) -> Result<Self, Failure> {
        self.providers.push(Provider::new(outbound, model)?);
        Ok(self)
    }

    /// Offers the tools of these servers to the model.
    #[must_use]
    pub fn with_tools(self, tools: Vec<ToolServer>) -> Self {
        Self { tools, ..self }
    }

    /// Sets the budget of one answer: turns, tokens, time and cost.
    #[must_use]
    pub fn within(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }
}

async fn read_stream(
    mut reply: Reply,
    answer: &mut Answer<'_>,
    limits: &Limits,
    pace: &mut Pace<'_>,
) -> Result<End, Halt> {
    let mut decoder = Decoder::new(MAX_EVENT_BYTES);
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
impl Connector for Llm {
    async fn run(
        &self,
        request: Request,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<End, Failure> {
        match Work::new(self, &request, output, stop).run().await {
            Ok(end) => Ok(end),
            Err(Halt::Stopped) => Ok(End::Stopped),
            Err(Halt::Failed(failure)) => Err(failure),
        }
    }
}

#[cfg(test)]
mod tests;
