//! A2A calls over libp2p: to agents of hubs without a public address, and from remote hubs to agents here.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures::{StreamExt as _, future::BoxFuture, stream::BoxStream};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use plexus_domain::{
    Error as Refusal,
    run::{Failure, FailureClass},
};
use plexus_federation::{
    HubId,
    net::streams::{
        IncomingStream, MAX_DURATION, RequestHead, ResponseHead, StreamCallError, StreamListener,
    },
};
use plexus_runtime::{
    a2a::{Body, CallTransport},
    outbound::OutboundClient,
};
use plexus_store::{agents::Agent, hubs};
use tokio::sync::Semaphore;
use url::Url;

use super::{
    hub_list::record_of,
    remote_users::{self, PERSON},
};
use crate::{Caller, Error, Hub, Result};

/// Concurrent calls from all hubs on probation together: a quarter of all call slots.
const NEWCOMERS_AT_ONCE: usize = 64;
/// Request headers that are forwarded.
const HEADERS: [&str; 4] = ["accept", "content-type", "a2a-version", PERSON];
/// Response headers that are forwarded.
const FORWARDED_HEADERS: [&str; 3] = ["content-type", "retry-after", "cache-control"];

/// A2A request received over libp2p.
pub struct P2pRequest {
    pub caller: Caller,
    /// Path that an HTTP request for the same resource has.
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

pub type P2pResponse = Response<BoxStream<'static, std::io::Result<Bytes>>>;

/// Handler of such requests: the protocol edge that also serves them over HTTP.
pub trait P2pHandler: Send + Sync {
    fn answer(&self, asked: P2pRequest) -> BoxFuture<'static, P2pResponse>;
}

/// Registers the handler of requests from remote hubs.
pub fn serve_p2p_calls(hub: &Hub, edge: Arc<dyn P2pHandler>) {
    *hub.federation().edge.lock() = Some(edge);
}

/// Accepts calls until the network stops.
pub(super) async fn take(hub: Hub, calls: Arc<tokio::sync::Mutex<StreamListener>>) {
    let mut calls = calls.lock().await;
    let newcomers = Arc::new(Semaphore::new(NEWCOMERS_AT_ONCE));
    while let Some(Some(coming)) = hub.stop().run_until_cancelled(calls.next()).await {
        let (hub, newcomers) = (hub.clone(), Arc::clone(&newcomers));
        hub.clone().spawn_once("federation call", async move {
            let stop = hub.stop().clone();
            let _ = stop.run_until_cancelled(let_in(&hub, &newcomers, coming)).await;
        });
    }
}

/// Admits a call before reading any of its body. Hubs on probation share a small number of slots, so that
/// made-up identities (Sybil attack) leave slots for the others.
async fn let_in(hub: &Hub, newcomers: &Semaphore, coming: IncomingStream) {
    let refusal = match remote_users::is_newcomer(hub, coming.from()).await {
        Ok(false) => return take_one(hub, coming).await,
        Ok(true) => match newcomers.try_acquire() {
            Ok(_place) => return take_one(hub, coming).await,
            Err(_) => crowded().into(),
        },
        Err(error) => error,
    };
    let told = ResponseHead {
        status: status(&refusal).as_u16(),
        headers: [("content-type".to_owned(), "application/json".to_owned())].into(),
    };
    coming.refuse(told, in_words(&refusal).as_bytes()).await;
}

fn crowded() -> Refusal {
    let message = "Too many calls of hubs on probation are in progress. Try again later.".to_owned();
    Refusal::RateLimited { message, retry_after_ms: 5_000 }
}

async fn take_one(hub: &Hub, coming: IncomingStream) {
    // Same size limit as over HTTP.
    let most = hub.config().limits.max_message_bytes.saturating_mul(2);
    let mut called = match coming.read(most).await {
        Ok(called) => called,
        Err(error) => return tracing::debug!(%error, "federation call: request unreadable"),
    };
    let body = std::mem::take(&mut called.body);
    let (told, body) = answer(hub, called.from, &called.question, body.into()).await.into_parts();
    let headers = FORWARDED_HEADERS.iter().filter_map(|name| {
        let value = told.headers.get(*name)?.to_str().ok()?;
        Some(((*name).to_owned(), value.to_owned()))
    });
    let told = ResponseHead { status: told.status.as_u16(), headers: headers.collect() };
    called.answer(told, body).await;
}

async fn answer(hub: &Hub, from: HubId, question: &RequestHead, body: Bytes) -> P2pResponse {
    let person = question.headers.get(PERSON).map(String::as_str).unwrap_or_default();
    let caller = match remote_users::authenticate_peer(hub, from, person).await {
        Ok(caller) => caller,
        Err(error) => return refused(&error),
    };
    let Some(edge) = hub.federation().edge.lock().clone() else {
        return refused(&Error::from(Refusal::unavailable("This hub is starting. Try again in a moment.")));
    };
    let RequestHead { path, headers, .. } = question;
    let headers = headers.iter().filter(|(name, _)| HEADERS.contains(&name.as_str()));
    let headers = headers.filter_map(|(name, value)| {
        Some((HeaderName::try_from(name).ok()?, HeaderValue::from_str(value).ok()?))
    });
    let asked = P2pRequest { caller, path: path.clone(), headers: headers.collect(), body };
    edge.answer(asked).await
}

fn status(error: &Error) -> StatusCode {
    match error {
        Error::Refused(Refusal::RateLimited { .. }) => StatusCode::TOO_MANY_REQUESTS,
        Error::Refused(Refusal::Unavailable { .. }) => StatusCode::SERVICE_UNAVAILABLE,
        Error::Refused(_) => StatusCode::FORBIDDEN,
        Error::Fault(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn refused(refusal: &Error) -> P2pResponse {
    let body = futures::stream::iter([Ok(Bytes::from(in_words(refusal)))]).boxed();
    let mut response = Response::new(body);
    *response.status_mut() = status(refusal);
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
    response
}

/// Formats an error as a JSON-RPC error response, as A2A requires.
fn in_words(refusal: &Error) -> String {
    let words = match refusal {
        Error::Refused(refusal) => refusal.to_string(),
        Error::Fault(fault) => {
            tracing::error!(error = %fault, "federation call failed");
            "Internal error. Try again later.".to_owned()
        }
    };
    let error = serde_json::json!({ "code": -32_600, "message": words });
    serde_json::json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string()
}

/// Returns the hub to call over libp2p for an agent, if its hub has no public address that this hub may call.
pub(crate) async fn transport_for(
    hub: &Hub,
    outbound: &OutboundClient,
    agent: &Agent,
    url: &Url,
) -> Result<Option<HubId>> {
    let row = hubs::find(&mut hub.store().read().await?, agent.hub).await?;
    let Some(row) = row.filter(|_| outbound.check(url).is_err()) else { return Ok(None) };
    let has_address = record_of(&row).is_some_and(|record| record.api.is_some());
    Ok(row.hub_key.filter(|_| !has_address).and_then(|peer| peer.parse().ok()))
}

/// A2A transport over libp2p, for one user of this hub.
pub(crate) struct P2pTransport {
    pub hub: Hub,
    pub home: HubId,
    pub pseudonym: String,
}

#[async_trait]
impl CallTransport for P2pTransport {
    async fn carry(&self, url: &Url, headers: &HeaderMap, body: Bytes) -> Result<Response<Body>, Failure> {
        let caller = self.hub.federation().running().and_then(|running| running.net.caller());
        let caller = caller.ok_or_else(|| not_reached("Federation is disabled on this hub."))?;
        let sent = HEADERS.iter().filter_map(|name| {
            let value = headers.get(*name)?.to_str().ok()?;
            Some(((*name).to_owned(), value.to_owned()))
        });
        let person = (PERSON.to_owned(), self.pseudonym.clone());
        let question = RequestHead {
            path: url.path().to_owned(),
            headers: sent.chain([person]).collect(),
            deadline_ms: u64::try_from(MAX_DURATION.as_millis()).unwrap_or(u64::MAX),
        };
        let answer = caller.ask(self.home, &question, &body).await.map_err(|error| match error {
            StreamCallError::NotReached => {
                not_reached(
                    "Its hub has no public URL and is unreachable over the federation. A relay of that hub may be \
                     restarting or busy: try again in a minute. If it stays unreachable, ask its operator to run \
                     `plexus doctor`.",
                )
            }
            StreamCallError::Broken(error) => {
                not_reached(&format!("The connection to its hub broke off ({error})."))
            }
        })?;
        let mut response = Response::builder().status(answer.told.status);
        for (name, value) in &answer.told.headers {
            response = response.header(name, value);
        }
        let pieces: Body = answer.into_body().map(|piece| piece.map(Bytes::from)).boxed();
        let garbage = |error| {
            Failure::new(FailureClass::Garbage, format!("Its hub sent an invalid response: {error}."))
        };
        response.body(pieces).map_err(garbage)
    }
}

fn not_reached(words: &str) -> Failure {
    Failure::new(FailureClass::Unreachable, words)
}
