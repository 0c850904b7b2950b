//! MCP client: calls tools of MCP servers over streamable HTTP, or over stdio of a local program.

mod byte_budget;
mod elicitation;
mod http_transport;
mod told;

use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use plexus_domain::run::{Failure, FailureClass};
use rmcp::{
    RoleClient,
    model::{CallToolRequestParams, CallToolResult, PaginatedRequestParams},
    service::{RunningService, ServiceError, serve_client},
    transport::async_rw::AsyncRwTransport,
};
use serde_json::{Map, Value};
use tokio::{
    process::{ChildStdin, ChildStdout},
    select,
    sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc},
    time,
};
use url::Url;

use self::{
    byte_budget::{ByteBudget, MeteredReader},
    elicitation::ElicitationHandler,
    http_transport::Refused,
};
pub use self::{
    elicitation::PendingQuestion,
    told::{outcome, tool},
};
use crate::{
    Credentials, Redact,
    child_process::Process,
    outbound::{OutboundClient, peer, quote_foreign_text},
    sandbox::{Sandbox, SandboxedCommand},
};

/// Timeout of the handshake and of each page of the tool list. A local program may need time to load.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Timeout of one tool call, and of its continuation after the answer to a question.
const CALL_TIME: Duration = Duration::from_mins(2);
/// Maximum bytes of a message.
const MAX_MESSAGE_BYTES: usize = 1 << 20;
/// Maximum bytes that a server may send in one run.
const MAX_SESSION_BYTES: usize = 16 << 20;
/// Maximum tools of a server. Further ones are not offered.
const MAX_TOOLS: usize = 64;
/// Maximum pages of a tool list, against servers that paginate without end.
const MAX_PAGES: usize = 16;

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

/// Tool description from a server, within size limits.
#[derive(Clone, Debug, PartialEq)]
pub struct McpTool {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub schema: Value,
}

/// Result of a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    pub text: String,
    pub is_error: bool,
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
                let streams = streams(started.stdin, started.stdout);
                let service = peer.within(TIMEOUT, serve_client(handler, streams)).await?;
                Ok(Self { service, questions, peer, _process: Some(started.process) })
            }
        }
    }

    /// Lists the server's tools, except those that exceed the limits.
    pub async fn tools(&self) -> Result<Vec<McpTool>, Failure> {
        let (mut tools, mut cursor) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let mut params = PaginatedRequestParams::default();
            params.cursor = cursor;
            let page = self.peer.within(TIMEOUT, self.service.list_tools(Some(params))).await?;
            tools.extend(page.tools.into_iter().filter_map(tool));
            cursor = page.next_cursor;
            if cursor.is_none() || tools.len() >= MAX_TOOLS {
                break;
            }
        }
        tools.truncate(MAX_TOOLS);
        Ok(tools)
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

type Streams = AsyncRwTransport<RoleClient, MeteredReader<ChildStdout>, ChildStdin>;

fn streams(stdin: ChildStdin, stdout: ChildStdout) -> Streams {
    let stdout = MeteredReader { inner: stdout, meter: ByteBudget::new(MAX_SESSION_BYTES) };
    AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MAX_MESSAGE_BYTES)
}

/// Description of a session's server for failure texts.
struct Peer {
    name: String,
    /// Set while the server rejects the credentials (401 or 403) rather than the request.
    refused: Refused,
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
        Self { name, refused: Refused::default(), hint: format!("{wants} {mend}") }
    }

    fn program(name: &str) -> Self {
        let name = format!("The MCP server “{name}”");
        Self { name, refused: Refused::default(), hint: String::new() }
    }

    async fn within<T, E: fmt::Display>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Failure> {
        match time::timeout(limit, work).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => Err(Failure::new(FailureClass::Refused, self.words(&error.to_string()))),
            Err(_) => {
                let words = format!("{} did not answer within {} s.", self.name, limit.as_secs());
                Err(Failure::new(FailureClass::TimedOut, words))
            }
        }
    }

    /// Builds the failure text. An error of an unauthorized call is not quoted: it may contain the
    /// credentials.
    fn words(&self, error: &str) -> String {
        match self.refused.is_set() {
            true => format!("{} {}", self.name, self.hint),
            false => format!("{} did not do it: {}", self.name, quote_foreign_text(error)),
        }
    }
}
