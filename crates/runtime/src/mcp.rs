//! Tools elsewhere: the hub as a client of MCP servers, over streamable HTTP or on the standard streams of a program.

mod metered;
mod remote;
mod told;

use std::{fmt, future::Future, sync::Arc, time::Duration};

use plexus_domain::run::{Failure, FailureClass};
use rmcp::{
    RoleClient,
    model::{CallToolRequestParams, PaginatedRequestParams},
    service::{RunningService, serve_client},
    transport::async_rw::AsyncRwTransport,
};
use serde_json::{Map, Value};
use tokio::{
    process::{ChildStdin, ChildStdout},
    sync::{OwnedSemaphorePermit, Semaphore},
    time,
};
use url::Url;

pub use self::told::{outcome, tool};
use self::{
    metered::{Meter, Metered},
    remote::Refused,
};
use crate::{
    Credentials,
    outbound::{Outbound, peer, quote},
    program::Process,
    sandbox::{Program, Sandbox},
};

/// For the handshake, and for each page of the list of tools. A program may have to be loaded first.
const PATIENCE: Duration = Duration::from_secs(20);
/// For one call of a tool.
const CALL_TIME: Duration = Duration::from_mins(2);
/// Larger messages are not taken.
const MAX_MESSAGE_BYTES: usize = 1 << 20;
/// Of everything that a server sends in one run.
const MAX_SESSION_BYTES: usize = 16 << 20;
/// A server's other tools are not offered to a model.
const MAX_TOOLS: usize = 64;
/// A list that goes on for more pages has no end.
const MAX_PAGES: usize = 16;

/// Where an MCP server is.
#[derive(Clone, Debug)]
pub enum Server {
    /// At an address, and what it is shown there; `mend` says what to do where it wants something else.
    Remote { outbound: Outbound, url: Url, shown: Option<Credentials>, mend: String },
    /// A program that the operator listed, started for each run and ended with it.
    Program { program: Box<Program>, sandbox: Sandbox, places: Places },
}

impl Server {
    /// What people know it by.
    pub fn name(&self) -> String {
        match self {
            Self::Remote { url, .. } => peer(url),
            Self::Program { program, .. } => program.name.clone(),
        }
    }

    const fn places(&self) -> Option<&Places> {
        match self {
            Self::Program { places, .. } => Some(places),
            Self::Remote { .. } => None,
        }
    }
}

/// How many programs of a hub are servers at once.
#[derive(Clone, Debug)]
pub struct Places {
    free: Arc<Semaphore>,
    most: u32,
}

impl Places {
    pub fn new(most: u32) -> Self {
        Self { free: Arc::new(Semaphore::new(most as usize)), most }
    }
}

/// Places that are given back with this.
pub type Taken = OwnedSemaphorePermit;

/// The places that the programs among `servers` take, all at once: those that wait for each other's would wait for ever.
pub async fn places(servers: impl IntoIterator<Item = &Server>) -> Result<Option<Taken>, Failure> {
    let wanted: Vec<&Places> = servers.into_iter().filter_map(Server::places).collect();
    let Some(places) = wanted.first() else { return Ok(None) };
    let count = u32::try_from(wanted.len()).unwrap_or(u32::MAX).min(places.most);
    let taken = time::timeout(PATIENCE, Arc::clone(&places.free).acquire_many_owned(count)).await;
    taken.ok().and_then(Result::ok).map(Some).ok_or_else(|| {
        let words =
            format!("{} MCP servers run on this hub, the most at once. Try again in a while.", places.most);
        Failure::new(FailureClass::Unreachable, words)
    })
}

/// A tool as its server describes it, within bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// JSON Schema of its arguments.
    pub schema: Value,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub text: String,
    pub is_error: bool,
}

/// A conversation with one server, which ends when it is dropped.
pub struct Session {
    service: RunningService<RoleClient, ()>,
    peer: Peer,
    /// Ends with the session.
    _process: Option<Process>,
}

impl Session {
    /// Fails when the server may not be called, or does not answer as one.
    pub async fn open(server: &Server) -> Result<Self, Failure> {
        match server {
            Server::Remote { outbound, url, shown, mend } => {
                let peer = Peer::remote(url, shown.is_some(), mend);
                let transport = remote::transport(outbound, url, shown.as_ref(), peer.refused.clone())?;
                let service = peer.within(PATIENCE, serve_client((), transport)).await?;
                Ok(Self { service, peer, _process: None })
            }
            Server::Program { program, sandbox, .. } => {
                let peer = Peer::program(&program.name);
                let started = sandbox.launch(program)?.start().map_err(|failure| Failure {
                    message: format!("{} does not run: {}", peer.name, failure.message),
                    ..failure
                })?;
                let service = peer.within(PATIENCE, serve_client((), streams(started.stdin, started.stdout)));
                Ok(Self { service: service.await?, peer, _process: Some(started.process) })
            }
        }
    }

    /// What it offers, as far as a model can be told of it.
    pub async fn tools(&self) -> Result<Vec<Tool>, Failure> {
        let (mut tools, mut cursor) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let mut params = PaginatedRequestParams::default();
            params.cursor = cursor;
            let page = self.peer.within(PATIENCE, self.service.list_tools(Some(params))).await?;
            tools.extend(page.tools.into_iter().filter_map(tool));
            cursor = page.next_cursor;
            if cursor.is_none() || tools.len() >= MAX_TOOLS {
                break;
            }
        }
        tools.truncate(MAX_TOOLS);
        Ok(tools)
    }

    /// Calls a tool. What the tool itself says is wrong is an outcome, too: the model reads it.
    pub async fn call(&self, name: &str, arguments: Map<String, Value>) -> Result<Outcome, Failure> {
        let params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        let result = self.peer.within(CALL_TIME, self.service.call_tool(params)).await?;
        Ok(outcome(&result))
    }
}

type Streams = AsyncRwTransport<RoleClient, Metered<ChildStdout>, ChildStdin>;

fn streams(stdin: ChildStdin, stdout: ChildStdout) -> Streams {
    let stdout = Metered { inner: stdout, meter: Meter::new(MAX_SESSION_BYTES) };
    AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MAX_MESSAGE_BYTES)
}

/// The server of a session, as failures name it.
struct Peer {
    name: String,
    /// Set while the server refuses the caller and not the request.
    refused: Refused,
    /// What to say then.
    hint: String,
}

impl Peer {
    fn remote(url: &Url, is_shown: bool, mend: &str) -> Self {
        let wants = match is_shown {
            true => "did not accept the credentials.",
            false => "asks for credentials that this hub does not hold.",
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

    /// What a server answers to a caller without permission is not repeated: it may hold what it was shown.
    fn words(&self, error: &str) -> String {
        match self.refused.is_set() {
            true => format!("{} {}", self.name, self.hint),
            false => format!("{} did not do it: {}", self.name, quote(error)),
        }
    }
}
