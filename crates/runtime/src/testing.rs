//! Test helpers of this crate: requests, an output that records, and servers on loopback.

use std::{net::SocketAddr, pin::pin};

use async_trait::async_trait;
use axum::Router;
use futures::poll;
use plexus_domain::{
    ApprovalId, Part, PartBody, RunId,
    part::ApprovalDecision,
    run::{Failure, Usage},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::{
    ApprovalGate, ApprovalPolicy, ApprovalRequest, Connector, ConnectorLimits, ConversationTurn, ModelUsage,
    Output, OutputFile, RemoteConversation, RunEnd, RunRequest, TurnRole, run_connector,
};

/// Checks that a connector with `asks_first` (`plexus_domain::agent::Connector`) emits nothing before its
/// first response.
pub async fn check_asks_first(connector: &dyn Connector) {
    let mut heard = Recorder::default();
    let (request, stop) = (ask("Hi"), CancellationToken::new());
    {
        let mut asking = pin!(run_connector(connector, request, &mut heard, &stop));
        assert!(poll!(&mut asking).is_pending());
    }
    let Recorder { text, parts, artifacts, files, status, .. } = heard;
    assert!(
        text.is_empty() && parts.is_empty() && artifacts.is_empty() && files.is_empty() && status.is_empty()
    );
}

/// Output that records everything.
#[derive(Debug, Default)]
pub struct Recorder {
    pub text: String,
    pub parts: Vec<Part>,
    /// Id, name and text of each artifact.
    pub artifacts: Vec<(String, Option<String>, String)>,
    pub files: Vec<OutputFile>,
    pub remote: Option<RemoteConversation>,
    pub usage: Option<Usage>,
    pub model_usage: Vec<ModelUsage>,
    pub status: Vec<String>,
    /// If set, cancelled by the first text.
    stop: Option<CancellationToken>,
}

impl Recorder {
    fn press_stop(&self) {
        if let Some(stop) = &self.stop {
            stop.cancel();
        }
    }
}

impl Output for Recorder {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        self.text.push_str(delta);
        self.press_stop();
        Ok(())
    }

    /// Knows all text as one: only that of runs with one turn can become reasoning.
    fn reclassify_text_as_reasoning(&mut self) -> Result<(), Failure> {
        let text = std::mem::take(&mut self.text);
        self.part(PartBody::Reasoning { text }.into())
    }

    fn part(&mut self, part: Part) -> Result<(), Failure> {
        self.parts.push(part);
        Ok(())
    }

    fn put(&mut self, place: Option<usize>, part: Part) -> Result<usize, Failure> {
        let place = place.unwrap_or(self.parts.len());
        self.parts.truncate(place);
        self.parts.push(part);
        Ok(place)
    }

    fn artifact_text(&mut self, artifact: &str, name: Option<&str>, delta: &str) -> Result<(), Failure> {
        match self.artifacts.iter_mut().find(|(id, ..)| id == artifact) {
            Some((.., text)) => text.push_str(delta),
            None => self.artifacts.push((artifact.to_owned(), name.map(str::to_owned), delta.to_owned())),
        }
        self.press_stop();
        Ok(())
    }

    fn discard_artifact(&mut self, artifact: &str) -> Result<(), Failure> {
        self.artifacts.retain(|(id, ..)| id != artifact);
        self.parts.retain(|part| part.artifact.as_deref() != Some(artifact));
        self.files.retain(|file| file.artifact.as_deref() != Some(artifact));
        Ok(())
    }

    fn file(&mut self, file: OutputFile) -> Result<(), Failure> {
        self.files.push(file);
        Ok(())
    }

    fn remote(&mut self, remote: RemoteConversation) {
        self.remote = Some(remote);
    }

    fn usage(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    fn model_usage(&mut self, usage: &[ModelUsage]) {
        self.model_usage = usage.to_vec();
    }

    fn status(&mut self, line: &str) {
        self.status.push(line.to_owned());
    }
}

/// Gate that gives every request the same decision, or never decides if `None`.
pub struct Answers(pub Option<ApprovalDecision>);

#[async_trait]
impl ApprovalGate for Answers {
    async fn ask(&self, _question: &ApprovalRequest) -> Result<ApprovalId, Failure> {
        Ok("0191b2c4-0000-7000-8000-000000000001".parse().unwrap())
    }

    async fn decided(
        &self,
        _id: ApprovalId,
        _question: &ApprovalRequest,
    ) -> Result<ApprovalDecision, Failure> {
        match self.0 {
            Some(answer) => Ok(answer),
            None => std::future::pending().await,
        }
    }
}

/// Creates a request with one message in a new chat.
pub fn ask(question: &str) -> RunRequest {
    RunRequest {
        run: "0191b2c4-0000-7000-8000-000000000000".parse::<RunId>().unwrap(),
        turns: vec![person(question)],
        files: std::collections::HashMap::new(),
        called: None,
        remote: None,
        limits: ConnectorLimits::default(),
        approval_policy: ApprovalPolicy::unavailable(),
        options: plexus_domain::CallOptions::default(),
    }
}

pub fn person(text: &str) -> ConversationTurn {
    ConversationTurn { speaker: TurnRole::Person { name: "Ada".to_owned() }, parts: vec![Part::text(text)] }
}

/// Runs a connector to its end, without cancelling it.
pub async fn run(connector: &dyn Connector, request: RunRequest) -> Result<(RunEnd, Recorder), Failure> {
    let mut heard = Recorder::default();
    let end = connector.run(request, &mut heard, &CancellationToken::new()).await?;
    Ok((end, heard))
}

/// Runs a connector and cancels it at the first text.
pub async fn run_until_first_word(
    connector: &dyn Connector,
    request: RunRequest,
) -> (Result<RunEnd, Failure>, Recorder) {
    let stop = CancellationToken::new();
    let mut heard = Recorder { stop: Some(stop.clone()), ..Recorder::default() };
    let end = run_connector(connector, request, &mut heard, &stop).await;
    (end, heard)
}

/// Starts an HTTP server on loopback for the rest of the test.
pub async fn serve(router: Router) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    base(address)
}

/// Starts a server that reads a request, answers each connection with exactly `bytes`, and closes it.
pub async fn serve_bytes(bytes: impl Into<Vec<u8>>) -> Url {
    let bytes = bytes.into();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = [0; 16 << 10];
            let _ = socket.read(&mut request).await;
            let _ = socket.write_all(&bytes).await;
            let _ = socket.shutdown().await;
        }
    });
    base(address)
}

/// Returns an address without a listener.
pub async fn nowhere() -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    base(listener.local_addr().unwrap())
}

fn base(address: SocketAddr) -> Url {
    format!("http://{address}/").parse().unwrap()
}
