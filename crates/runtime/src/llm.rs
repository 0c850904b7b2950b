//! Agents that are a model with instructions, on any server that speaks the OpenAI chat completions API.

mod answer;
mod chunk;
mod history;
mod refusal;

use async_trait::async_trait;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use plexus_domain::run::{Failure, FailureClass};
use reqwest::RequestBuilder;
use tokio_util::sync::CancellationToken;
use url::Url;

pub use self::answer::Answer;
use self::history::body;
pub(crate) use self::history::conversation;
use crate::{
    Connector, Credentials, End, Limits, Output, Request, Secret,
    outbound::{Halt, Outbound, Pace, Reply, peer},
    sse::Decoder,
};

/// A model on a server.
#[derive(Clone, Debug)]
pub struct Model {
    /// What `/chat/completions` is appended to, such as `https://models.example/v1`.
    pub base: Url,
    pub key: Option<Secret>,
    /// What the server calls it.
    pub name: String,
    /// How much of a conversation is sent, in bytes; the oldest turns are left out first.
    pub history_bytes: usize,
}

/// Larger events hold no token.
const MAX_EVENT_BYTES: usize = 1 << 20;

/// Answers with a model that follows instructions.
#[derive(Debug)]
pub struct Llm {
    outbound: Outbound,
    endpoint: Url,
    model: Model,
    instructions: String,
}

impl Llm {
    /// Fails when `outbound` may not call the model's server.
    pub fn new(outbound: Outbound, model: Model, instructions: String) -> Result<Self, Failure> {
        let mut endpoint = model.base.clone();
        endpoint.set_path(&format!("{}/chat/completions", model.base.path().trim_end_matches('/')));
        outbound.check(&endpoint)?;
        Ok(Self { outbound, endpoint, model, instructions })
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

    async fn answer(
        &self,
        request: &Request,
        answer: &mut Answer<'_>,
        pace: &mut Pace<'_>,
    ) -> Result<End, Halt> {
        let body = body(&self.model, &self.instructions, &request.turns);
        answer.set_tokens_in(body.len());
        let reply = Reply::to(self.call(body)?, &peer(&self.endpoint), pace).await?;
        if reply.status() != StatusCode::OK {
            return Err(refusal::read(reply, &self.model.name, pace).await.into());
        }
        if reply.is_of_type("text/event-stream") {
            return read_stream(reply, answer, &request.limits, pace).await;
        }
        if reply.is_of_type("application/json") {
            let whole = reply.body(request.limits.max_answer_bytes, pace).await?;
            answer.event(&whole)?;
            return Ok(answer.end()?);
        }
        let kind = reply.header(header::CONTENT_TYPE).unwrap_or("something without a type");
        let words =
            format!("{} answered with {kind}, not with a chat completion. Check its address.", reply.peer());
        Err(Failure::new(FailureClass::Garbage, words).into())
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
        let mut pace = Pace::new(stop, request.limits.first_byte);
        let mut answer = Answer::new(output, peer(&self.endpoint), request.limits.max_answer_bytes);
        let end = self.answer(&request, &mut answer, &mut pace).await;
        answer.report_usage();
        match end {
            Ok(end) => Ok(end),
            Err(Halt::Stopped) => Ok(End::Stopped),
            Err(Halt::Failed(failure)) => Err(failure),
        }
    }
}

#[cfg(test)]
mod tests;
