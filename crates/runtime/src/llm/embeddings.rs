//! Embeddings of texts from a server with the OpenAI embeddings API.

use std::time::Duration;

use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use plexus_domain::run::{Failure, FailureClass, Usage};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{ModelEndpoint, error};
use crate::{
    Credentials, ModelUsage,
    outbound::{HttpResponse, OutboundClient, RunInterruption, WaitTimer, subject},
};

/// Maximum dimension of a vector.
const MAX_DIMENSIONS: usize = 4_096;
/// Maximum bytes of a number in JSON, with its separator and white space.
const MAX_NUMBER_BYTES: usize = 32;
/// Maximum bytes of a response around its numbers.
const MAX_ENVELOPE_BYTES: usize = 64 << 10;

/// Client of one embeddings model.
pub struct EmbeddingsClient {
    outbound: OutboundClient,
    url: Url,
    model: ModelEndpoint,
}

/// Vectors of texts, in their order and of the same dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Embeddings {
    pub vectors: Vec<Vec<f32>>,
    pub usage: ModelUsage,
}

#[derive(Serialize)]
struct EmbeddingsRequest<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct EmbeddingsResponse {
    data: Vec<EmbeddingObject>,
    usage: Option<EmbeddingsUsage>,
}

#[derive(Deserialize)]
struct EmbeddingObject {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct EmbeddingsUsage {
    prompt_tokens: Option<u64>,
}

impl EmbeddingsClient {
    /// Fails if `outbound` may not call the model's server.
    pub fn new(outbound: OutboundClient, model: ModelEndpoint) -> Result<Self, Failure> {
        let mut url = model.base.clone();
        url.set_path(&format!("{}/embeddings", model.base.path().trim_end_matches('/')));
        outbound.check(&url)?;
        Ok(Self { outbound, url, model })
    }

    /// Returns the vectors of a few texts, within `limit` of time. The response may have `MAX_DIMENSIONS` numbers for
    /// each.
    pub async fn embed(&self, texts: &[&str], limit: Duration) -> Result<Embeddings, Failure> {
        let stop = CancellationToken::new();
        let mut pace = WaitTimer::new(&stop, limit);
        match timeout(limit, self.call(texts, &mut pace)).await {
            Ok(Ok(body)) => self.read(&body, texts.len()),
            Ok(Err(RunInterruption::Failed(failure))) => Err(self.model.redact().failure(failure)),
            Ok(Err(RunInterruption::Stopped)) | Err(_) => {
                let words = format!("{} did not answer within {limit:?}.", self.subject());
                Err(Failure::new(FailureClass::TimedOut, words))
            }
        }
    }

    async fn call(&self, texts: &[&str], pace: &mut WaitTimer<'_>) -> Result<bytes::Bytes, RunInterruption> {
        let request = EmbeddingsRequest { model: &self.model.name, input: texts, encoding_format: "float" };
        let body = serde_json::to_string(&request)
            .map_err(|error| Failure::new(FailureClass::Internal, error.to_string()))?;
        let mut url = self.url.clone();
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = &self.model.key {
            Credentials::Bearer(key.clone()).apply(&mut url, &mut headers)?;
        }
        let request = self.outbound.request(Method::POST, &url)?.headers(headers).body(body);
        let reply = HttpResponse::to(request, &self.model.server(), pace).await?;
        if reply.status() != StatusCode::OK {
            let redact = self.model.redact();
            return Err(error::read(reply, &self.subject(), &self.model, &redact, pace).await.into());
        }
        let limit = MAX_ENVELOPE_BYTES + texts.len() * MAX_DIMENSIONS * MAX_NUMBER_BYTES;
        reply.body(limit, pace).await
    }

    fn subject(&self) -> String {
        subject(&self.model.server())
    }

    /// Checks the number of vectors, their order, their dimensions and their numbers.
    fn read(&self, body: &[u8], expected: usize) -> Result<Embeddings, Failure> {
        let garbage = |what: &str| {
            let words = format!("{} sent {what}.", self.subject());
            Failure::new(FailureClass::Garbage, words)
        };
        let response: EmbeddingsResponse =
            serde_json::from_slice(body).map_err(|_| garbage("something other than embeddings"))?;
        if response.data.len() != expected {
            return Err(garbage(&format!("{} embeddings for {expected} texts", response.data.len())));
        }
        let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); expected];
        for EmbeddingObject { index, embedding } in response.data {
            let is_direction = embedding.iter().any(|number| *number != 0.0);
            if !embedding.iter().all(|number| number.is_finite()) || !is_direction {
                return Err(garbage("an embedding that has no direction"));
            }
            if embedding.len() > MAX_DIMENSIONS {
                return Err(garbage(&format!("an embedding of more than {MAX_DIMENSIONS} numbers")));
            }
            match vectors.get_mut(index).filter(|vector| vector.is_empty()) {
                Some(vector) => *vector = embedding,
                None => return Err(garbage("two embeddings of a text")),
            }
        }
        if !vectors.iter().is_sorted_by_key(|vector| vector.len())
            || vectors.first().map(Vec::len) != vectors.last().map(Vec::len)
        {
            return Err(garbage("embeddings of different dimensions"));
        }
        let tokens_in = response.usage.and_then(|usage| usage.prompt_tokens).unwrap_or(0);
        let usage = self.model.prices.of(Usage { tokens_in, ..Usage::default() });
        let (provider, model) = (self.model.provider.clone(), self.model.name.clone());
        Ok(Embeddings { vectors, usage: ModelUsage { provider, model, usage } })
    }
}
