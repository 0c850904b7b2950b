//! MCP client: calls tools of MCP servers over streamable HTTP, or over stdio of a local program.

mod byte_budget;
mod elicitation;
mod event_limit;
mod failure;
mod http_transport;
mod input_schema;
mod lenient_json;
mod program_transport;
mod tool_list;
mod tool_result;

use std::{collections::HashSet, future::Future, pin::Pin, sync::Arc, time::Duration};

use futures::{FutureExt as _, future::BoxFuture};
use plexus_domain::run::{Failure, FailureClass};
use rmcp::{
    RoleClient,
    model::{
        CallToolRequestParams, CallToolResult, ClientRequest, ListToolsRequest, PaginatedRequestParams,
        ServerResult,
    },
    service::{RunningService, ServiceError, serve_client},
};
use serde_json::{Map, Value};
use tokio::{
    select,
    sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc},
    time,
};
use url::Url;

use self::{
    elicitation::ElicitationHandler,
    failure::{Explain, LastRefusal, Refusal},
};
pub use self::{
    elicitation::PendingQuestion,
    lenient_json::parse_message,
    tool_list::{McpTool, OmittedTool, ToolList, read_tool},
    tool_result::{ToolImage, ToolResult, outcome},
};
use crate::{
    Credentials, Redact,
    child_process::Process,
    outbound::{OutboundClient, peer},
    sandbox::{Sandbox, SandboxedCommand},
};

/// Timeout of the handshake and of each page of the tool list. A local program may need time to load.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Timeout of one tool call, and of its continuation after the answer to a question.
const CALL_TIME: Duration = Duration::from_mins(2);
/// Timeout of the whole tool list.
const LIST_TIME: Duration = Duration::from_mins(1);
/// Maximum bytes of a message: a screenshot of a large page in base64.
const MAX_MESSAGE_BYTES: usize = 4 << 20;
/// Maximum bytes that a server may send in one run.
const MAX_SESSION_BYTES: usize = 16 << 20;
/// Maximum pages of a tool list, against servers that paginate without end.
const MAX_PAGES: usize = 64;

/// Location of an MCP server.
#[derive(Clone, Debug)]
pub enum McpServer {
    /// Server at a URL with its credentials. `mend` tells the user how to fix rejected credentials.
    Remote { outbound: OutboundClient, url: Url, shown: Option<Credentials>, mend: String },
    /// Local program from the operator's configuration, started for each run and terminated with it.
    Program { program: Box<SandboxedCommand>, sandbox: Sandbox, places: McpProcessSlots },
}

impl McpServer {
    /// Returns the name shown to users.
    pub fn name(&self) -> String {
        match self {
            Self::Remote { url, .. } => peer(url),
            Self::Program { program, .. } => program.name.clone(),
        }
    }

    /// Adds the secrets of its calls to what is redacted.
    pub(crate) fn add_secrets(&self, redact: &Redact) {
        if let Self::Remote { shown: Some(credentials), .. } = self {
            credentials.add_to(redact);
        }
    }

    const fn places(&self) -> Option<&McpProcessSlots> {
        match self {
            Self::Program { places, .. } => Some(places),
            Self::Remote { .. } => None,
        }
    }
}

/// Limit on concurrent local MCP server processes of a hub.
#[derive(Clone, Debug)]
pub struct McpProcessSlots {
    free: Arc<Semaphore>,
    most: u32,
}

impl McpProcessSlots {
    pub fn new(most: u32) -> Self {
        Self { free: Arc::new(Semaphore::new(most as usize)), most }
    }
}

/// Permit for server processes, released on drop.
pub type McpProcessPermit = OwnedSemaphorePermit;

/// Acquires the slots for all local programs among `servers` at once. Acquiring them one by one could
/// deadlock. Fails after `TIMEOUT`.
pub async fn places(
    servers: impl IntoIterator<Item = &McpServer>,
) -> Result<Option<McpProcessPermit>, Failure> {
    let wanted: Vec<&McpProcessSlots> = servers.into_iter().filter_map(McpServer::places).collect();
    let Some(places) = wanted.first() else { return Ok(None) };
    let count = u32::try_from(wanted.len()).unwrap_or(u32::MAX).min(places.most);
    let taken = time::timeout(TIMEOUT, Arc::clone(&places.free).acquire_many_owned(count)).await;
    taken.ok().and_then(Result::ok).map(Some).ok_or_else(|| {
        let words = format!(
            "The limit of {} running MCP servers on this hub is reached. Try again later.",
            places.most
        );
        Failure::new(FailureClass::Unreachable, words)
    })
}

/// MCP session with one server, closed on drop.
pub struct McpSession {
    service: RunningService<RoleClient, ElicitationHandler>,
    /// Questions of the server during a call.
    questions: Mutex<mpsc::Receiver<PendingQuestion>>,
    peer: Peer,
    /// Terminated when the session is dropped.
    _process: Option<Process>,
}

impl McpSession {
    /// Starts a session. Fails if the server may not be called, or does not answer as an MCP server.
    pub async fn open(server: &McpServer) -> Result<Self, Failure> {
        let (handler, questions) = ElicitationHandler::new();
        let questions = Mutex::new(questions);
        match server {
            McpServer::Remote { outbound, url, shown, mend } => {
                let peer = Peer::remote(url, shown.is_some(), mend);
                let transport =
                    http_transport::transport(outbound, url, shown.as_ref(), peer.refused.clone())?;
                let service = peer.within(TIMEOUT, serve_client(handler, transport)).await?;
                Ok(Self { service, questions, peer, _process: None })
            }
            McpServer::Program { program, sandbox, .. } => {
                let peer = Peer::program(&program.name);
                let started = sandbox.launch(program)?.start().map_err(|failure| Failure {
                    message: format!("{} does not run: {}", peer.name, failure.message),
                    ..failure
                })?;
                let streams = program_transport::transport(started.stdin, started.stdout);
                let service = peer.within(TIMEOUT, serve_client(handler, streams)).await?;
                Ok(Self { service, questions, peer, _process: Some(started.process) })
            }
        }
    }

    /// Lists the server's tools. Those that cannot be used are named. Pages that fail or repeat end the list;
    /// only the first one must succeed.
    pub fn tools(&self) -> BoxFuture<'_, Result<ToolList, Failure>> {
        self.list_tools().boxed()
    }

    async fn list_tools(&self) -> Result<ToolList, Failure> {
        let deadline = time::Instant::now() + LIST_TIME;
        let (mut list, mut cursor, mut seen) = (ToolList::default(), None, HashSet::new());
        let mut last_page = Value::Null;
        for number in 0..MAX_PAGES {
            let left = deadline.saturating_duration_since(time::Instant::now()).min(TIMEOUT);
            let page = match self.peer.within(left, self.page(cursor)).await {
                Ok(page) => page,
                Err(failure) if number == 0 => return Err(failure),
                Err(failure) => {
                    list.omit_rest(&failure.message);
                    break;
                }
            };
            if page["tools"] == last_page || !list.add_page(&page) {
                break;
            }
            // An empty cursor is a cursor (2026-07-28). A repeated one leads to a page that was read.
            cursor = page["nextCursor"].as_str().map(str::to_owned);
            if cursor.clone().is_none_or(|cursor| !seen.insert(cursor)) {
                break;
            }
            last_page = page["tools"].clone();
        }
        Ok(list)
    }

    /// Requests a page of the tool list, as JSON: rmcp's type for it refuses all tools because of one.
    async fn page(&self, cursor: Option<String>) -> Result<Value, ServiceError> {
        let mut params = PaginatedRequestParams::default();
        params.cursor = cursor;
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
        match self.service.send_request(request).await? {
            ServerResult::CustomResult(page) => Ok(page.0),
            page => serde_json::to_value(page).map_err(|_| ServiceError::UnexpectedResponse),
        }
    }

    /// Starts the call of a tool; [`RunningCall::next`] executes it.
    pub fn call(&self, name: &str, arguments: Map<String, Value>) -> RunningCall<'_> {
        // A question that an earlier call left must not be taken for one of this call.
        if let Ok(mut questions) = self.questions.try_lock() {
            while questions.try_recv().is_ok() {}
        }
        let params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        RunningCall { session: self, call: Box::pin(self.service.call_tool(params)) }
    }
}

/// A call of a tool, which may ask questions before it ends. Dropping it cancels the call.
pub struct RunningCall<'a> {
    session: &'a McpSession,
    call: Pin<Box<dyn Future<Output = Result<CallToolResult, ServiceError>> + Send + 'a>>,
}

/// What a running call waits for, or how it ended.
pub enum CallEvent {
    Question(PendingQuestion),
    /// An error that the tool reports is a result as well, for the model to read.
    Ended(Result<ToolResult, Failure>),
}

impl RunningCall<'_> {
    /// Waits for the next event. Must not be called after the end.
    pub async fn next(&mut self) -> CallEvent {
        let mut questions = self.session.questions.lock().await;
        select! {
            ended = self.session.peer.within(CALL_TIME, &mut self.call) => {
                CallEvent::Ended(ended.map(|result| outcome(&result)))
            }
            Some(question) = questions.recv() => CallEvent::Question(question),
        }
    }
}

/// Description of a session's server for failure texts.
struct Peer {
    name: String,
    /// Why the server did not accept the last message.
    refused: LastRefusal,
    /// Failure text for rejected credentials.
    hint: String,
}

impl Peer {
    fn remote(url: &Url, is_shown: bool, mend: &str) -> Self {
        let wants = match is_shown {
            true => "did not accept the credentials.",
            false => "requires credentials that this hub does not have.",
        };
        let name = format!("The MCP server {}", peer(url));
        Self { name, refused: LastRefusal::default(), hint: format!("{wants} {mend}") }
    }

    fn program(name: &str) -> Self {
        let name = format!("The MCP server “{name}”");
        Self { name, refused: LastRefusal::default(), hint: String::new() }
    }

    async fn within<T, E: Explain>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Failure> {
        match time::timeout(limit, work).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => Err(self.failure(&error)),
            Err(_) => {
                let words =
                    format!("{} did not answer within {} s. Try again later.", self.name, limit.as_secs());
                Err(Failure::new(FailureClass::TimedOut, words))
            }
        }
    }

    /// Returns the failure of a call. An error of an unauthorized call is not quoted: it may contain the
    /// credentials.
    fn failure(&self, error: &impl Explain) -> Failure {
        let (class, end) = match self.refused.get() {
            Some(Refusal::Credentials) => (FailureClass::Refused, self.hint.clone()),
            Some(Refusal::Answer(class, end)) => (class, end),
            Some(Refusal::Connection(Failure { class, message, .. })) => {
                (class, format!("cannot be reached. {message}"))
            }
            None => (FailureClass::Refused, error.explain()),
        };
        Failure::new(class, format!("{} {end}", self.name))
    }
}

#[cfg(test)]
mod tests;
