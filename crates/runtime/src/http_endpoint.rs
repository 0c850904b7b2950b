//! Connector for HTTP endpoints of any format, called by a request template.

mod placeholder_values;
mod reader;
mod response;

use async_trait::async_trait;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use plexus_domain::{
    agent::http_endpoint::{
        EndpointTemplate, Method as Verb, Placeholder, PlaceholderValues, ResponseFormat,
    },
    run::{Failure, FailureClass},
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;

pub use self::response::EndpointResponse;
use self::{placeholder_values::asked, reader::EndpointReader, response::id_at};
use crate::{
    Connector, ConnectorLimits, CredentialSource, Credentials, Output, Redact, RemoteConversation, RunEnd,
    RunRequest,
    credentials::CredentialSession,
    outbound::{
        ErrorHints, HttpResponse, OutboundClient, RunInterruption, WaitTimer, by_status, error_message, peer,
        quote_foreign_text, retry_after, subject,
    },
};

/// How callers read of an endpoint, whose address only its owner sees.
const ENDPOINT: &str = "the agent's endpoint";
/// Minimum bytes of a value in a template that may be a secret.
const MIN_SECRET: usize = 8;
/// Maximum number of requests for one answer.
const MAX_STEPS: u32 = 50;

/// HTTP endpoint connector.
#[derive(Debug)]
pub struct HttpConnector {
    outbound: OutboundClient,
    url: Url,
    template: EndpointTemplate,
    access: CredentialSession,
}

impl HttpConnector {
    /// Fails if `outbound` may not call the endpoint.
    pub fn new(outbound: OutboundClient, template: EndpointTemplate) -> Result<Self, Failure> {
        // Placeholders cannot change the host or port.
        let url = parse(&template.request().url)?;
        outbound.check(&url)?;
        Ok(Self { outbound, url, template, access: CredentialSession::default() })
    }

    /// Authenticates with `shown`. Fails if the endpoint is not at `origin` (any URL of it), for which the
    /// credentials were entered.
    pub fn with_credentials(
        mut self,
        origin: &Url,
        shown: impl Into<CredentialSource>,
    ) -> Result<Self, Failure> {
        if self.url.origin() != origin.origin() {
            let words =
                "The endpoint's URL has changed since its credentials were entered. Enter them again.";
            return Err(Failure::new(FailureClass::Policy, words));
        }
        self.access = CredentialSession::new(shown.into());
        Ok(self)
    }

    async fn call(
        &self,
        verb: Verb,
        url: &str,
        body: Option<Value>,
        asked: &PlaceholderValues,
        pace: &mut WaitTimer<'_>,
    ) -> Result<HttpResponse, RunInterruption> {
        let url = parse(url)?;
        if url.origin() != self.url.origin() {
            return Err(self.garbage("was to be called at another address than its own").into());
        }
        let shown = self.access.credentials(pace).await?;
        let mut reply = self.send(verb, &url, body.as_ref(), asked, shown.as_ref(), pace).await?;
        if reply.status() == StatusCode::UNAUTHORIZED
            && let Some(other) = self.access.refresh(shown.as_ref(), pace).await?
        {
            reply = self.send(verb, &url, body.as_ref(), asked, Some(&other), pace).await?;
        }
        if reply.status().is_success() { Ok(reply) } else { Err(self.refusal(reply, pace).await.into()) }
    }

    async fn send(
        &self,
        verb: Verb,
        url: &Url,
        body: Option<&Value>,
        asked: &PlaceholderValues,
        shown: Option<&Credentials>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<HttpResponse, RunInterruption> {
        let (mut url, mut headers) = (url.clone(), self.headers(asked)?);
        if let Some(credentials) = shown {
            credentials.apply(&mut url, &mut headers)?;
        }
        let method = match verb {
            Verb::Get => Method::GET,
            Verb::Post => Method::POST,
            Verb::Put => Method::PUT,
        };
        let request = self.outbound.request(method, &url)?;
        let request = match body {
            Some(body) => request.body(body.to_string()).header(header::CONTENT_TYPE, "application/json"),
            None => request,
        };
        HttpResponse::to(request.headers(headers), ENDPOINT, pace).await
    }

    fn headers(&self, asked: &PlaceholderValues) -> Result<HeaderMap, Failure> {
        let request = self.template.request();
        let mut headers = HeaderMap::new();
        if request.response_format == ResponseFormat::Events {
            headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        }
        for (name, value) in &request.headers {
            let unusable = |_| self.garbage(&format!("has a header that cannot be sent ({name})"));
            let value = HeaderValue::try_from(asked.header(value)).map_err(|_| unusable(()))?;
            headers.insert(HeaderName::try_from(name).map_err(|_| unusable(()))?, value);
        }
        Ok(headers)
    }

    async fn refusal(&self, reply: HttpResponse, pace: &mut WaitTimer<'_>) -> Failure {
        let hints = ErrorHints {
            credentials: self.access.hint(),
            missing: Some("has nothing at this address (404). Check the address of the request."),
            moved: "Enter the address that it redirects to.",
        };
        let (class, what) = by_status(reply.status(), retry_after(&reply), &hints);
        let words = error_message(&reply.beginning(pace).await);
        Failure::new(class, format!("{} {what}{words}", subject(ENDPOINT)))
    }

    fn garbage(&self, what: &str) -> Failure {
        Failure::new(FailureClass::Garbage, format!("{} {what}.", subject(ENDPOINT)))
    }

    /// Logs a failure with the address of the endpoint, and returns it as callers may see it.
    fn shown(&self, failure: &Failure) -> Failure {
        let redact = self.redact();
        let message = redact.error(&failure.message);
        tracing::info!(endpoint = peer(&self.url), error = message, "HTTP endpoint request failed");
        Failure::new(failure.class, redact.without_addresses(&message))
    }

    /// Sends the template's init request and stores the task id from the response.
    async fn init(
        &self,
        asked: &mut PlaceholderValues,
        limits: &ConnectorLimits,
        pace: &mut WaitTimer<'_>,
    ) -> Result<(), RunInterruption> {
        let Some(init) = self.template.init() else { return Ok(()) };
        let body = init.body.map(|body| asked.body(body));
        let reply = self.call(Verb::Post, &asked.url(init.url), body, asked, pace).await?;
        let body = reply.body_within(limits, pace).await?;
        asked.task = id_at(&body, init.id_path).ok_or_else(|| {
            self.garbage(&format!(
                "answered the first request without an id at {}",
                quote_foreign_text(init.id_path)
            ))
        })?;
        Ok(())
    }

    async fn work(
        &self,
        asked: &mut PlaceholderValues,
        answer: &mut EndpointReader<'_>,
        limits: &ConnectorLimits,
        pace: &mut WaitTimer<'_>,
    ) -> Result<RunEnd, RunInterruption> {
        self.init(asked, limits, pace).await?;
        let request = self.template.request();
        for step in 1..=MAX_STEPS {
            pace.set_limit(limits.whole);
            let body = request.body.as_ref().map(|body| asked.body(body));
            let reply = self.call(request.method, &asked.url(&request.url), body, asked, pace).await?;
            if reply.is_of_type("text/html") {
                return Err(self
                    .garbage("answered with a web page. Check the address of the request")
                    .into());
            }
            let whole = answer.read(reply, limits, pace).await?;
            let Some(done_path) = &request.done_path else { return answer.end() };
            if whole.as_ref().and_then(|whole| whole.pointer(done_path)).is_some_and(is_true) {
                return answer.end();
            }
            answer.begin_step(step + 1);
        }
        Err(self.garbage(&format!("was polled {MAX_STEPS} times and did not finish")).into())
    }
}

fn is_true(value: &Value) -> bool {
    matches!(value, Value::Bool(true)) || value.as_str() == Some("true")
}

fn parse(url: &str) -> Result<Url, Failure> {
    url.parse().map_err(|error| {
        Failure::new(FailureClass::Policy, format!("The address of the request cannot be used: {error}."))
    })
}

#[async_trait]
impl Connector for HttpConnector {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        let mut asked = asked(&request, &self.template);
        if self.template.uses(Placeholder::Conversation) {
            output.remote(RemoteConversation { task: None, context: Some(asked.conversation.clone()) });
        }
        let mut pace = WaitTimer::new(stop, request.limits.whole);
        let limit = request.limits.max_answer_bytes;
        let mut answer = EndpointReader::new(output, &self.template, limit);
        match self.work(&mut asked, &mut answer, &request.limits, &mut pace).await {
            Ok(end) => Ok(end),
            Err(RunInterruption::Stopped) => Ok(RunEnd::Stopped),
            Err(RunInterruption::Failed(failure)) => Err(self.shown(&failure)),
        }
    }

    fn redact(&self) -> Redact {
        let redact = self.access.redact();
        redact.add_address(&self.url);
        // Templates often hold a key that their owner has written into a header or the query.
        let headers = self.template.request().headers.iter().map(|(name, value)| (name.into(), value.into()));
        for (name, value) in self.url.query_pairs().chain(headers) {
            if is_secret_name(&name) && !value.contains("{{") {
                let token = value.split_once(' ').map_or(&*value, |(_, token)| token);
                [&*value, token].iter().filter(|it| it.len() >= MIN_SECRET).for_each(|it| redact.add(it));
            }
        }
        redact
    }
}

/// Returns whether a header or parameter of this name usually holds credentials.
fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["authorization", "cookie", "token", "secret", "key", "password"].iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests;
