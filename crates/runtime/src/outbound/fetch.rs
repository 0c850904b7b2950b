//! Fetches a document by HTTP GET, with limits on size, redirects and time.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, StatusCode, header};
use plexus_domain::run::{Failure, FailureClass};
use tokio::time;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{
    OutboundClient,
    deadline::{RunInterruption, WaitTimer},
    refusal,
    response::{HttpResponse, peer},
};
use crate::Secret;

const MAX_REDIRECTS: usize = 3;
/// Timeout of the response head, and between two pieces of the response.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of the whole fetch, redirects included.
const WHOLE: Duration = Duration::from_secs(30);

/// Fetched document, with its final URL after redirects.
#[derive(Clone, Debug)]
pub struct Fetched {
    pub url: Url,
    pub status: StatusCode,
    pub media_type: Option<String>,
    pub body: Bytes,
}

impl OutboundClient {
    /// Fetches `url` without credentials. Follows at most three redirects, each validated against the
    /// destination policy.
    pub async fn fetch(&self, url: &Url, max_bytes: usize) -> Result<Fetched, Failure> {
        self.fetch_as(url, None, max_bytes).await
    }

    /// Fetches `url` with a bearer token. The token is not sent to any other origin.
    pub async fn fetch_as(
        &self,
        url: &Url,
        key: Option<&Secret>,
        max_bytes: usize,
    ) -> Result<Fetched, Failure> {
        let stop = CancellationToken::new();
        let fetch = time::timeout(WHOLE, self.follow(url.clone(), key, max_bytes, &stop));
        match fetch.await {
            Ok(Ok(fetched)) => Ok(fetched),
            Ok(Err(RunInterruption::Failed(failure))) => Err(failure),
            Ok(Err(RunInterruption::Stopped)) | Err(_) => {
                let words = format!("{} did not finish within {} s.", peer(url), WHOLE.as_secs());
                Err(Failure::new(FailureClass::TimedOut, words))
            }
        }
    }

    async fn follow(
        &self,
        mut url: Url,
        key: Option<&Secret>,
        max_bytes: usize,
        stop: &CancellationToken,
    ) -> Result<Fetched, RunInterruption> {
        let mut pace = WaitTimer::new(stop, TIMEOUT);
        let origin = url.origin();
        for _ in 0..=MAX_REDIRECTS {
            let mut request =
                self.request(Method::GET, &url)?.header(header::ACCEPT, "application/json, */*;q=0.1");
            if let Some(key) = key.filter(|_| url.origin() == origin) {
                request = request.bearer_auth(key.reveal());
            }
            let reply = HttpResponse::to(request, &peer(&url), &mut pace).await?;
            if !reply.status().is_redirection() {
                let (status, media_type) =
                    (reply.status(), reply.header(header::CONTENT_TYPE).map(str::to_owned));
                let body = reply.body(max_bytes, &mut pace).await?;
                return Ok(Fetched { url, status, media_type, body });
            }
            url = target(&url, &reply)?;
        }
        Err(refusal(format!("{} redirects more than {MAX_REDIRECTS} times.", peer(&url))).into())
    }
}

fn target(url: &Url, reply: &HttpResponse) -> Result<Url, Failure> {
    reply.header(header::LOCATION).and_then(|place| url.join(place).ok()).ok_or_else(|| {
        Failure::new(FailureClass::Garbage, format!("{} redirects without a location.", reply.peer()))
    })
}
