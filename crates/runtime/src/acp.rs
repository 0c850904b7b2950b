//! Connector for programs that speak the Agent Client Protocol 1 (agentclientprotocol.com) over stdio.
//!
//! The message types come from the protocol's own crate. Its connection is not used (`docs/adr/0024`): its
//! incoming queue is unbounded, so a flooding program would exhaust the hub's memory. Here the pipe applies
//! backpressure to the program.

mod jsonrpc_lines;
mod permission;
mod prompt;
mod session;
mod session_pool;
mod turn_output;

use std::sync::Arc;

use async_trait::async_trait;
use plexus_domain::run::Failure;
use tokio_util::sync::CancellationToken;

pub use self::{
    jsonrpc_lines::{Incoming, read},
    session_pool::AcpSessionPool,
    turn_output::AcpTurnOutput,
};
use self::{
    session::{AcpSession, AcpTurnResult},
    session_pool::{PooledSession, SessionKey},
};
use crate::{
    Connector, Output, RemoteConversation, RunEnd, RunRequest,
    child_process::ProcessSpec,
    outbound::{RunInterruption, WaitTimer},
};

/// Prepares the program to be started. Called once per session.
pub type Launcher = Arc<dyn Fn() -> Result<ProcessSpec, Failure> + Send + Sync>;

/// ACP connector. The session of the program stays open for the next message of the same conversation. If it
/// is gone, a new session receives the earlier conversation as text.
pub struct AcpConnector {
    sessions: AcpSessionPool,
    /// Owner scope of the sessions. Sessions of another scope are not found.
    scope: String,
    launcher: Launcher,
}

impl AcpConnector {
    pub fn new(sessions: AcpSessionPool, scope: impl Into<String>, launcher: Launcher) -> Self {
        Self { sessions, scope: scope.into(), launcher }
    }

    async fn answer(
        &self,
        request: &RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, RunInterruption> {
        let mut pace = WaitTimer::new(stop, request.limits.whole);
        let (key, mut held, is_new) = self.session(request, output, &mut pace).await?;
        output.remote(RemoteConversation { task: None, context: Some(key.context.clone()) });
        let prompt = prompt::blocks(request, is_new, held.session.takes());
        let mut answer =
            AcpTurnOutput::new(output, &request.approval_policy, request.limits.max_answer_bytes);
        pace.set_limit(request.limits.whole);
        let turn = held.session.prompt(prompt, &mut answer, &request.limits, &mut pace).await;
        let closed = answer.close();
        let AcpTurnResult { end, goes_on } = turn?;
        closed?;
        if goes_on {
            self.sessions.keep(key, held);
        }
        Ok(end)
    }

    /// Returns the session of the conversation, and whether it is new.
    async fn session(
        &self,
        request: &RunRequest,
        output: &mut dyn Output,
        pace: &mut WaitTimer<'_>,
    ) -> Result<(SessionKey, PooledSession, bool), RunInterruption> {
        let known = request.remote.as_ref().and_then(|remote| remote.context.as_ref());
        if let Some(context) = known {
            let key = SessionKey { scope: self.scope.clone(), context: context.clone() };
            if let Some(mut held) = self.sessions.take(&key)
                && held.session.drain()
            {
                return Ok((key, held, false));
            }
        }
        let place = self.sessions.place(output, pace).await?;
        output.status("Starting the program");
        let session = AcpSession::open((self.launcher)()?, pace).await?;
        let key = SessionKey { scope: self.scope.clone(), context: request.run.to_string() };
        Ok((key, PooledSession::new(session, place), true))
    }
}

#[async_trait]
impl Connector for AcpConnector {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        match self.answer(&request, output, stop).await {
            Ok(end) => Ok(end),
            Err(RunInterruption::Stopped) => Ok(RunEnd::Stopped),
            Err(RunInterruption::Failed(failure)) => Err(failure),
        }
    }
}

#[cfg(test)]
mod tests;
