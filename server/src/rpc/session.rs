//! Dispatches the requests of one caller and collects the responses.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

use jsonrpsee::{
    BoundedSubscriptions, ConnectionId, Extensions, MethodCallback, MethodResponse, MethodSink, Methods,
    SubscriptionState,
    core::traits::IdProvider,
    types::{ErrorObjectOwned, Id as NoId, Params, SubscriptionId},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{Caller, limits::Rate};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::mpsc;

use super::{
    envelope::{self, BatchEntry, Id, Read, Request, present},
    error::{INVALID_REQUEST, METHOD_NOT_FOUND, RpcError},
};
use crate::app_state::AppState;

/// Maximum size of one response, in bytes. All responses of a batch together have at most twice as much.
const LARGEST_ANSWER: usize = 32 << 20;
/// Buffered events of one subscription. When the buffer is full, its sender blocks (backpressure) and then
/// catches up from the chat's log.
const QUEUE_CAPACITY: usize = 64;

pub struct Session {
    site: AppState,
    methods: Methods,
    caller: Caller,
    connection: Option<Connection>,
}

/// State of a WebSocket connection, which subscriptions require.
pub struct Connection {
    id: ConnectionId,
    subscriptions: BoundedSubscriptions,
    ids: Counter,
}

/// Encoded events of a subscription, ready to be sent.
pub type SessionEvents = mpsc::Receiver<Box<RawValue>>;

pub struct Answer {
    /// `None` if there is nothing to respond, as for notifications.
    pub text: Option<String>,
    /// Subscriptions that the response announces.
    pub begun: Vec<SessionEvents>,
}

impl Connection {
    pub fn new(id: ConnectionId, subscriptions: u32) -> Self {
        Self { id, subscriptions: BoundedSubscriptions::new(subscriptions), ids: Counter::default() }
    }
}

impl Session {
    pub const fn new(
        site: AppState,
        methods: Methods,
        caller: Caller,
        connection: Option<Connection>,
    ) -> Self {
        Self { site, methods, caller, connection }
    }

    pub const fn site(&self) -> &AppState {
        &self.site
    }

    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns the maximum size of a message, in bytes.
    pub fn largest(&self) -> usize {
        self.site.hub.config().limits.max_message_bytes.saturating_mul(2)
    }

    /// Executes the requests in one message; a batch is executed sequentially.
    pub async fn answer(&self, message: &[u8]) -> Answer {
        let mut begun = Vec::new();
        let text = match envelope::read(message, self.largest()) {
            Err(failure) => Some(refused(&Id::default(), failure)),
            Ok(Read::One(entry)) => self.enter(entry, &mut begun).await,
            Ok(Read::Batch(entries)) => self.batch(entries, &mut begun).await,
        };
        Answer { text, begun }
    }

    async fn batch(&self, entries: Vec<BatchEntry>, begun: &mut Vec<SessionEvents>) -> Option<String> {
        let mut answers = String::new();
        for entry in entries {
            let answer = if answers.len() > LARGEST_ANSWER {
                let words = "The batch reached its size limit. Send the remaining requests again.";
                entry.id.map(|id| refused(&id, RpcError::of_protocol(INVALID_REQUEST, words)))
            } else {
                self.enter(entry, begun).await
            };
            if let Some(answer) = answer {
                answers.push(if answers.is_empty() { '[' } else { ',' });
                answers.push_str(&answer);
            }
        }
        (!answers.is_empty()).then(|| answers + "]")
    }

    async fn enter(&self, entry: BatchEntry, begun: &mut Vec<SessionEvents>) -> Option<String> {
        let BatchEntry { id, request } = entry;
        let Some(request) = request else {
            let words = "A request has \"jsonrpc\": \"2.0\", a method, and an id that is a text or a number.";
            return Some(refused(&id.unwrap_or_default(), RpcError::of_protocol(INVALID_REQUEST, words)));
        };
        let outcome = self.call(request, id.is_some(), begun).await;
        let id = id?;
        Some(match outcome {
            Ok(response) => answered(&id, &response),
            Err(failure) => refused(&id, failure),
        })
    }

    /// Applies the rate limits of the connection and of the caller.
    fn admit(&self) -> Result<(), Refusal> {
        let limits = self.site.hub.limits();
        if let Some(connection) = &self.connection {
            limits.take(Rate::RpcCallsPerConnection, &connection.id.0.to_string())?;
        }
        limits.take(Rate::RpcCalls, &self.caller.key())
    }

    async fn call(
        &self,
        request: Request,
        is_awaited: bool,
        begun: &mut Vec<SessionEvents>,
    ) -> Result<MethodResponse, RpcError> {
        self.admit()?;
        let missing = || RpcError::of_protocol(METHOD_NOT_FOUND, "Method not found. See /docs/api.");
        let method = self.methods.method(&request.method).ok_or_else(missing)?;
        let params = Params::new(request.params.as_deref().map(RawValue::get)).into_owned();
        let mut extensions = Extensions::new();
        extensions.insert(self.caller.clone());
        Ok(match (method, &self.connection) {
            (MethodCallback::Sync(call), _) => call(NoId::Null, params, LARGEST_ANSWER, extensions),
            (MethodCallback::Async(call), connection) => {
                let connection = connection.as_ref().map_or(ConnectionId(0), |connection| connection.id);
                call(NoId::Null, params, connection, LARGEST_ANSWER, extensions).await
            }
            (MethodCallback::Unsubscription(call), Some(connection)) => {
                call(NoId::Null, params, connection.id, LARGEST_ANSWER, extensions)
            }
            // A subscription as notification is rejected: without a response, the client would not know the
            // subscription id.
            (MethodCallback::Subscription(call), Some(connection)) if is_awaited => {
                let (sender, mut events) = mpsc::channel(QUEUE_CAPACITY);
                let state = connection.state()?;
                let response = call(NoId::Null, params, MethodSink::new(sender), state, extensions).await;
                // The response is sent over this channel, too.
                if events.recv().await.is_some() && response.is_success() {
                    begun.push(events);
                }
                response
            }
            (MethodCallback::Subscription(_) | MethodCallback::Unsubscription(_), _) => {
                return Err(RpcError::of_protocol(
                    INVALID_REQUEST,
                    "Open a WebSocket at this address for events.",
                ));
            }
        })
    }
}

impl Connection {
    fn state(&self) -> Result<SubscriptionState<'_>, RpcError> {
        let permit = self.subscriptions.acquire().ok_or_else(|| {
            let words = format!("One connection subscribes to at most {} chats.", self.subscriptions.max());
            Refusal::conflict(words)
        })?;
        Ok(SubscriptionState { conn_id: self.id, id_provider: &self.ids, subscription_permit: permit })
    }
}

/// Generates subscription ids, unique within one connection.
#[derive(Default)]
struct Counter(AtomicU64);

impl IdProvider for Counter {
    fn next_id(&self) -> SubscriptionId<'static> {
        SubscriptionId::Num(self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A response object (specification section 5).
#[derive(Serialize, Deserialize)]
struct Response<'a> {
    jsonrpc: &'a str,
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow, default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    error: Option<&'a RawValue>,
}

/// Writes a response with the caller's id. jsonrpsee supports fewer kinds of ids than the specification, so
/// it receives null.
fn answered(id: &Id, response: &MethodResponse) -> String {
    let written = response.as_json().get();
    let response = serde_json::from_str::<Response<'_>>(written);
    response.map_or_else(|_| written.to_owned(), |response| write(&Response { id: id.as_raw(), ..response }))
}

pub fn refused(id: &Id, failure: RpcError) -> String {
    let error = to_raw_value(&ErrorObjectOwned::from(failure)).unwrap_or_default();
    write(&Response { jsonrpc: "2.0", id: id.as_raw(), result: None, error: Some(&error) })
}

fn write(response: &Response<'_>) -> String {
    serde_json::to_string(response).unwrap_or_default()
}
