//! One running ACP program with one session.

use std::{collections::VecDeque, time::Duration};

use agent_client_protocol_schema::{
    ProtocolVersion,
    v1::{
        CancelNotification, ClientCapabilities, ContentBlock, Error, Implementation, InitializeRequest,
        InitializeResponse, NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest,
        PromptResponse, RequestId, RequestPermissionRequest, RequestPermissionResponse, SessionId,
    },
};
use bytes::BytesMut;
use futures::FutureExt as _;
use plexus_domain::run::{Failure, FailureClass};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{ChildStdin, ChildStdout},
};
use tokio_util::sync::CancellationToken;

use super::{
    jsonrpc_lines::{self, Incoming},
    permission,
    turn_output::AcpTurnOutput,
};
use crate::{
    ConnectorLimits, RunEnd,
    child_process::{ChildProcess, Process, ProcessSpec},
    outbound::{RunInterruption, WaitInterrupted, WaitTimer},
    rpc_error::error_text,
    sse::{IgnoredBytes, LineDecoder, TooLong},
};

/// Maximum bytes of a line: enough for an image.
const MAX_LINE_BYTES: usize = 4 << 20;
/// Size of one read from stdout.
const PIECE_BYTES: usize = 16 << 10;
/// Maximum output of an idle program, in bytes. A program that exceeds it is terminated.
const MAX_MEANWHILE_BYTES: usize = 256 << 10;
/// Timeout for a program to confirm a cancel. Slightly less than the grace period of a stopped run (5 s).
const GOODBYE: Duration = Duration::from_secs(4);
/// The program requires authentication (ACP, "Error codes").
const AUTH_REQUIRED: i32 = -32_000;

pub(super) struct AcpSession {
    process: Process,
    stdin: ChildStdin,
    stdout: ChildStdout,
    cutter: LineDecoder,
    /// Lines read together with the last returned one, not consumed yet.
    lines: VecDeque<Vec<u8>>,
    last_call: i64,
    id: SessionId,
    takes: PromptCapabilities,
}

/// Result of a turn.
pub(super) struct AcpTurnResult {
    pub end: RunEnd,
    /// True if the session accepts another prompt.
    pub goes_on: bool,
}

impl AcpSession {
    /// Starts the program and opens a session with it.
    pub async fn open(launch: ProcessSpec, pace: &mut WaitTimer<'_>) -> Result<Self, RunInterruption> {
        let folder = launch.folder().to_owned();
        let ChildProcess { stdin, stdout, process } = launch.start()?;
        let mut session = Self {
            process,
            stdin,
            stdout,
            cutter: LineDecoder::new(MAX_LINE_BYTES),
            lines: VecDeque::new(),
            last_call: 0,
            id: SessionId::new(""),
            takes: PromptCapabilities::default(),
        };
        // No file or terminal capability is offered: the program has its own folder and shell.
        let hub = Implementation::new("plexus", env!("CARGO_PKG_VERSION"));
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::default())
            .client_info(hub);
        let welcome: InitializeResponse = session.ask("initialize", hello, pace).await?;
        if welcome.protocol_version != ProtocolVersion::V1 {
            let words = format!("speaks ACP {}, and this hub speaks ACP 1", welcome.protocol_version);
            return Err(garbage(&words).into());
        }
        session.takes = welcome.agent_capabilities.prompt_capabilities;
        let begun: NewSessionResponse =
            session.ask("session/new", NewSessionRequest::new(folder), pace).await?;
        session.id = begun.session_id;
        Ok(session)
    }

    pub const fn takes(&self) -> &PromptCapabilities {
        &self.takes
    }

    /// Drains output that the program wrote while idle. Returns false if the program has ended, wrote too
    /// much, or waits for a response to a request of its own.
    pub fn drain(&mut self) -> bool {
        let mut left = MAX_MEANWHILE_BYTES;
        loop {
            match self.read().now_or_never() {
                None => break,
                Some(Ok(bytes @ 1..)) if bytes < left => left -= bytes,
                Some(_) => return false,
            }
        }
        let said = std::mem::take(&mut self.lines);
        !said.iter().any(|line| matches!(jsonrpc_lines::read(line), Incoming::Request { .. }))
    }

    /// Sends a prompt and forwards the output to `answer` until the turn ends.
    pub async fn prompt(
        &mut self,
        prompt: Vec<ContentBlock>,
        answer: &mut AcpTurnOutput<'_>,
        limits: &ConnectorLimits,
        pace: &mut WaitTimer<'_>,
    ) -> Result<AcpTurnResult, RunInterruption> {
        let request = PromptRequest::new(self.id.clone(), prompt);
        let id = self.begin("session/prompt", request, pace).await?;
        let turn = match self.hear(id, answer, Some(limits), pace).await {
            Err(RunInterruption::Stopped) => return Ok(self.cancel(id, answer).await),
            turn => turn?,
        };
        let ended: PromptResponse = self.result("session/prompt", turn)?;
        Ok(AcpTurnResult { end: answer.end(&ended)?, goes_on: true })
    }

    /// Cancels the turn and waits for the program to confirm. Only then can the session be reused.
    async fn cancel(&mut self, id: i64, answer: &mut AcpTurnOutput<'_>) -> AcpTurnResult {
        let never = CancellationToken::new();
        let pace = &mut WaitTimer::new(&never, GOODBYE);
        let cancel = jsonrpc_lines::call(None, "session/cancel", CancelNotification::new(self.id.clone()));
        let stopped = async {
            self.write(&cancel, pace).await?;
            self.hear(id, answer, None, pace).await
        };
        let goes_on = matches!(tokio::time::timeout(GOODBYE, stopped).await, Ok(Ok(_)));
        AcpTurnResult { end: RunEnd::Stopped, goes_on }
    }

    /// Calls a method outside a turn, when no output is expected.
    async fn ask<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: impl Serialize,
        pace: &mut WaitTimer<'_>,
    ) -> Result<T, RunInterruption> {
        let id = self.begin(method, params, pace).await?;
        let mut noise = IgnoredBytes::default();
        loop {
            let line = self.line(pace).await?;
            noise.add(line.len())?;
            match jsonrpc_lines::read(&line) {
                Incoming::Answer { id: theirs, result } if theirs == RequestId::Number(id) => {
                    return Ok(self.result(method, result.map(ToOwned::to_owned))?);
                }
                Incoming::Request { id, method, params } => {
                    self.serve(id, permission::asked(&method, params), None, pace).await?;
                }
                _ => {}
            }
        }
    }

    async fn begin(
        &mut self,
        method: &str,
        params: impl Serialize,
        pace: &mut WaitTimer<'_>,
    ) -> Result<i64, RunInterruption> {
        self.last_call += 1;
        let id = self.last_call;
        self.write(&jsonrpc_lines::call(Some(id), method, params), pace).await?;
        Ok(id)
    }

    /// Reads lines until the response to call `id`, and handles requests and notifications meanwhile.
    async fn hear(
        &mut self,
        id: i64,
        answer: &mut AcpTurnOutput<'_>,
        limits: Option<&ConnectorLimits>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<Result<Box<RawValue>, Error>, RunInterruption> {
        let mut is_first = true;
        loop {
            let line = self.line(pace).await?;
            answer.count_received(line.len())?;
            match jsonrpc_lines::read(&line) {
                Incoming::Answer { id: theirs, result } if theirs == RequestId::Number(id) => {
                    return Ok(result.map(ToOwned::to_owned));
                }
                Incoming::Request { id, method, params } => {
                    let asked = permission::asked(&method, params);
                    self.serve(id, asked, Some(answer), pace).await?;
                }
                Incoming::Notice { method, params: Some(params) } if method == "session/update" => {
                    answer.on_update(&self.id.0, params)?;
                }
                _ => {}
            }
            if std::mem::take(&mut is_first)
                && let Some(limits) = limits
            {
                pace.set_limit(limits.idle);
            }
        }
    }

    /// Answers a request of the program. Only permission requests are supported, and the requester decides
    /// them.
    async fn serve(
        &mut self,
        id: RequestId,
        asked: Option<RequestPermissionRequest>,
        answer: Option<&mut AcpTurnOutput<'_>>,
        pace: &mut WaitTimer<'_>,
    ) -> Result<(), RunInterruption> {
        let Some(asked) = asked else {
            let unknown: Result<RequestPermissionResponse, _> = Err(Error::method_not_found());
            return self.write(&jsonrpc_lines::reply(id, unknown), pace).await;
        };
        let decision = match answer {
            Some(answer) => answer.request_approval(&asked.tool_call, pace.stop()).await,
            None => Ok(None),
        };
        pace.go_on();
        // ACP requires that a cancelled turn also cancels its open permission requests.
        let outcome = match &decision {
            Ok(decision) => permission::answer(&asked, *decision),
            Err(_) => permission::cancel(),
        };
        let reply = jsonrpc_lines::reply(id, Ok(outcome));
        if let Err(halt) = decision {
            self.stdin.write_all(&reply).await.ok();
            return Err(halt);
        }
        self.write(&reply, pace).await
    }

    fn result<T: DeserializeOwned>(
        &self,
        method: &str,
        result: Result<Box<RawValue>, Error>,
    ) -> Result<T, Failure> {
        match result {
            Ok(raw) => jsonrpc_lines::parse(&raw)
                .ok_or_else(|| garbage(&format!("sent an invalid response to {method}"))),
            Err(error) => Err(self.refused(method, &error)),
        }
    }

    fn refused(&self, method: &str, error: &Error) -> Failure {
        self.log(method);
        let code = i32::from(error.code);
        let words = error_text(&error.message, error.data.as_ref());
        if code == AUTH_REQUIRED {
            let words =
                format!("The agent program requires sign-in ({words}). Its operator must sign in first.");
            return Failure::new(FailureClass::Refused, words);
        }
        let words = format!("The agent program answered {method} with an error: {words} ({code})");
        Failure::new(FailureClass::Refused, words)
    }

    /// Returns the next line that is not empty.
    async fn line(&mut self, pace: &mut WaitTimer<'_>) -> Result<Vec<u8>, RunInterruption> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Ok(line);
            }
            match pace.wait(self.read()).await.map_err(interrupted)? {
                Ok(0) => return Err(self.ended().await.into()),
                Ok(_) => {}
                Err(failure) => return Err(failure.into()),
            }
        }
    }

    /// Reads a chunk and splits it into lines. Returns its size, 0 at the end of stdout.
    async fn read(&mut self) -> Result<usize, Failure> {
        let mut piece = BytesMut::with_capacity(PIECE_BYTES);
        let bytes = self.stdout.read_buf(&mut piece).await.unwrap_or(0);
        let lines = &mut self.lines;
        self.cutter
            .push(&piece, |line| {
                lines.push_back(line.to_vec());
                Ok::<_, TooLong>(())
            })
            .map_err(|TooLong(most)| garbage(&format!("wrote a line of more than {most} bytes")))?;
        Ok(bytes)
    }

    async fn write(&mut self, line: &[u8], pace: &mut WaitTimer<'_>) -> Result<(), RunInterruption> {
        let written = pace.wait(self.stdin.write_all(line)).await.map_err(interrupted)?;
        match written {
            Ok(()) => Ok(()),
            Err(_) => Err(self.ended().await.into()),
        }
    }

    async fn ended(&mut self) -> Failure {
        let how = self.process.ending().await;
        self.log(&how);
        let when = if self.id.0.is_empty() { "before it was ready" } else { "in the middle of its answer" };
        let words = format!(
            "The agent program {how} {when}. The next message restarts it; the hub's log has its error \
             output."
        );
        Failure::new(FailureClass::Unreachable, words)
    }

    fn log(&self, what: &str) {
        let complaints = self.process.complaints();
        tracing::warn!(error = what, complaints, "agent program failed");
    }
}

pub(super) fn interrupted(interrupted: WaitInterrupted) -> RunInterruption {
    match interrupted {
        WaitInterrupted::Stopped => RunInterruption::Stopped,
        WaitInterrupted::Late(limit) => {
            let words = format!(
                "The agent program sent nothing for {} s. Try again, or ask for less at once.",
                limit.as_secs_f32()
            );
            Failure::new(FailureClass::TimedOut, words).into()
        }
    }
}

fn garbage(what: &str) -> Failure {
    Failure::new(FailureClass::Garbage, format!("The agent program {what}."))
}
