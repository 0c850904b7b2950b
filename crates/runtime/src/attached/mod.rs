//! Attached programs: agents on their owner's machine. The program opens one WebSocket to the hub ([`protocol`]
//! is the protocol), so it needs no reachable address.
//!
//! On the hub, a [`AttachedConnection`] is that connection and [`AttachedConnector`] the connector that sends runs over it. On the
//! owner's machine, a [`AttachedWorker`] executes the runs with any other connector. Neither depends on the transport
//! of the messages.

mod approvals;
pub mod protocol;
mod worker;

use std::{collections::HashMap, sync::Arc};

use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use plexus_domain::{
    RunId,
    part::plain_text,
    run::{Failure, FailureClass},
};
use tokio::{select, sync::mpsc};
use tokio_util::sync::CancellationToken;

pub use self::worker::{AttachedWorker, FrameQueue};
use self::{
    approvals::PendingApprovals,
    protocol::{HubFrame, PIECE, ProgramEvent, ProgramFrame, RunRequestFrame},
};
use crate::{Connector, Output, RunEnd, RunRequest, transcript::recent};

/// Capacity of the send queue of a connection. When it is full, runs wait (backpressure).
const SEND_QUEUE: usize = 64;
/// Capacity of the receive queue of a run. When it is full, the connection waits (backpressure).
const NEWS: usize = 64;
/// Maximum bytes of the conversation sent with a question.
const TURNS_BYTES: usize = 256 << 10;

/// Hub side of the connection of one program.
pub struct AttachedConnection {
    frames: mpsc::Sender<HubFrame>,
    runs: Mutex<HashMap<RunId, mpsc::Sender<ProgramEvent>>>,
    broken: CancellationToken,
}

impl AttachedConnection {
    /// Creates a connection and the queue of messages to send over it. The caller cancels `broken` when the
    /// connection ends.
    pub fn new(broken: CancellationToken) -> (Arc<Self>, mpsc::Receiver<HubFrame>) {
        let (frames, to_send) = mpsc::channel(SEND_QUEUE);
        (Arc::new(Self { frames, runs: Mutex::default(), broken }), to_send)
    }

    /// Delivers a message of the program to its run, waiting while the queue of the run is full. Messages for
    /// an unknown run are dropped: the run was stopped, or belongs to another program.
    pub async fn take(&self, frame: ProgramFrame) {
        let waiting = self.lock().get(&frame.run).cloned();
        if let Some(waiting) = waiting {
            // A send error means that the run ended meanwhile.
            let _ = waiting.send(frame.news).await;
        }
    }

    /// Closes the connection. Its runs fail.
    pub fn close(&self) {
        self.broken.cancel();
    }

    fn hold(&self, run: RunId) -> (PendingReply<'_>, mpsc::Receiver<ProgramEvent>) {
        let (sender, news) = mpsc::channel(NEWS);
        self.lock().insert(run, sender);
        (PendingReply { link: self, run }, news)
    }

    async fn send(&self, frame: HubFrame) -> Result<(), Failure> {
        select! {
            biased;
            () = self.broken.cancelled() => Err(lost()),
            sent = self.frames.send(frame) => sent.map_err(|_| lost()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, mpsc::Sender<ProgramEvent>>> {
        self.runs.lock()
    }
}

/// Registration of a run for incoming messages, removed on drop.
struct PendingReply<'a> {
    link: &'a AttachedConnection,
    run: RunId,
}

impl Drop for PendingReply<'_> {
    fn drop(&mut self) {
        self.link.lock().remove(&self.run);
    }
}

/// Connector for an attached program.
pub struct AttachedConnector {
    link: Arc<AttachedConnection>,
}

impl AttachedConnector {
    pub const fn new(link: Arc<AttachedConnection>) -> Self {
        Self { link }
    }

    /// Stops the run in the program, which might otherwise continue although the hub discards its output.
    /// Returns `failure`.
    fn give_up(&self, run: RunId, failure: Failure) -> Failure {
        let _ = self.link.frames.try_send(HubFrame::Cancel { run });
        failure
    }

    async fn ask(&self, request: RunRequest) -> Result<(), Failure> {
        let run = request.run;
        for (digest, bytes) in request.files {
            for piece in pieces(&bytes) {
                self.link.send(HubFrame::File { run, digest, bytes: piece }).await?;
            }
        }
        let limits = request.limits;
        let question = RunRequestFrame {
            run,
            text: request.turns.last().map(|turn| plain_text(&turn.parts)).unwrap_or_default(),
            turns: recent(request.turns, TURNS_BYTES),
            message_id: request.called,
            remote_conversation: request.remote,
            timeout_ms: u64::try_from(limits.whole.as_millis()).unwrap_or(u64::MAX),
            max_answer_bytes: limits.max_answer_bytes,
            max_file_bytes: limits.max_file_bytes,
            approve_every_call: request.approval_policy.asks_always(),
        };
        self.link.send(HubFrame::Message(Box::new(question))).await
    }
}

#[async_trait]
impl Connector for AttachedConnector {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        let run = request.run;
        let (_held, mut news) = self.link.hold(run);
        let mut approvals = PendingApprovals::new(request.approval_policy.clone());
        self.ask(request).await?;
        let mut told_to_stop = false;
        loop {
            select! {
                biased;
                () = self.link.broken.cancelled() => return Err(lost()),
                () = stop.cancelled(), if !told_to_stop => {
                    told_to_stop = true;
                    self.link.send(HubFrame::Cancel { run }).await?;
                }
                decided = approvals.next() => match decided.show(output) {
                    Ok((approval_id, decision)) => {
                        self.link.send(HubFrame::ApprovalResult { run, approval_id, decision }).await?;
                    }
                    Err(failure) => return Err(self.give_up(run, failure)),
                },
                next = news.recv() => {
                    let taken = match next.ok_or_else(lost)? {
                        ProgramEvent::ApprovalRequest(request) => approvals.put(request, output).await.map(|()| None),
                        news => news.say(output),
                    };
                    match taken {
                        Ok(None) => {}
                        Ok(Some(end)) => return Ok(end),
                        Err(failure) => return Err(self.give_up(run, failure)),
                    }
                }
            }
        }
    }
}

/// Splits a file into pieces. An empty file is one empty piece.
fn pieces(bytes: &bytes::Bytes) -> impl Iterator<Item = bytes::Bytes> {
    let count = bytes.len().div_ceil(PIECE).max(1);
    (0..count).map(move |n| bytes.slice(n * PIECE..bytes.len().min((n + 1) * PIECE)))
}

fn lost() -> Failure {
    let words = "The connection to the program behind this agent broke off. It runs on its owner's machine; try again \
                 when it is back.";
    Failure::new(FailureClass::Unreachable, words)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use plexus_domain::{Digest, PartBody, part::ApprovalDecision};
    use serde_json::json;
    use tokio::task::JoinHandle;

    use super::*;
    use crate::{
        ApprovalPolicy, OutputFile, approval,
        testing::{Answers, Recorder, ask, run, run_until_first_word},
    };

    /// Answers with the question and its files. The message id selects how the run ends.
    struct Echo;

    #[async_trait]
    impl Connector for Echo {
        async fn run(
            &self,
            request: RunRequest,
            output: &mut dyn Output,
            stop: &CancellationToken,
        ) -> Result<RunEnd, Failure> {
            output.status("thinking");
            output.text(&request.question())?;
            for bytes in request.files.into_values() {
                output.file(OutputFile {
                    artifact: None,
                    name: None,
                    media_type: None,
                    metadata: None,
                    bytes,
                    continues: false,
                })?;
            }
            match request.turns.last().map(|_| request.called.as_deref()) {
                Some(Some("wait")) => {
                    stop.cancelled().await;
                    Ok(RunEnd::Stopped)
                }
                Some(Some("ask")) => {
                    let question = approval::ApprovalRequest {
                        tool: "rm".to_owned(),
                        arguments: json!({ "path": "/" }),
                    };
                    match request.approval_policy.ask(&question, output, stop).await {
                        Ok(decision) => output.text(&format!(" {decision:?}"))?,
                        Err(_) => return Ok(RunEnd::Stopped),
                    }
                    Ok(RunEnd::Completed)
                }
                Some(Some("fail")) => Err(Failure::new(FailureClass::Refused, "No.")),
                _ => Ok(RunEnd::InputRequired),
            }
        }
    }

    /// Connects a hub side and a program side without a network.
    fn pair(broken: &CancellationToken) -> (AttachedConnector, JoinHandle<()>) {
        let (link, mut frames) = AttachedConnection::new(broken.clone());
        let theirs = link.clone();
        let program = tokio::spawn(async move {
            let outbox = Arc::new(FrameQueue::default());
            let mut worker = AttachedWorker::new(Arc::new(Echo), outbox.clone());
            loop {
                select! {
                    frame = frames.recv() => match frame {
                        Some(frame) => worker.handle(frame),
                        None => break,
                    },
                    frame = outbox.next() => theirs.take(frame).await,
                }
            }
        });
        (AttachedConnector::new(link), program)
    }

    #[tokio::test]
    async fn a_program_elsewhere_answers_as_one_here() {
        let (agent, program) = pair(&CancellationToken::new());
        let mut request = ask("hello");
        let large = Bytes::from(vec![7; PIECE + 1]);
        request.files.insert(Digest::of(&large), large.clone());
        let (end, heard) = run(&agent, request).await.unwrap();
        assert_eq!((end, heard.text.as_str()), (RunEnd::InputRequired, "hello"));
        assert_eq!(heard.status, ["thinking"]);
        let sent: Vec<&[u8]> = heard.files.iter().map(|file| file.bytes.as_ref()).collect();
        assert!(sent.concat() == large && heard.files.iter().skip(1).all(|file| file.continues));
        program.abort();
    }

    #[tokio::test]
    async fn a_stop_and_a_failure_come_through() {
        let (agent, program) = pair(&CancellationToken::new());
        let waiting = RunRequest { called: Some("wait".to_owned()), ..ask("hello") };
        let (end, heard) = run_until_first_word(&agent, waiting).await;
        assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Stopped), "hello"));
        let failing = RunRequest { called: Some("fail".to_owned()), ..ask("hello") };
        assert_eq!(run(&agent, failing).await.unwrap_err().message, "No.");
        program.abort();
    }

    #[tokio::test]
    async fn what_a_program_elsewhere_wants_is_put_to_the_person() {
        let (agent, program) = pair(&CancellationToken::new());
        let asking = || RunRequest { called: Some("ask".to_owned()), ..ask("hello") };
        for (given, said) in [(ApprovalDecision::Allowed, "Allowed"), (ApprovalDecision::Refused, "Refused")]
        {
            let approval_policy = ApprovalPolicy::of(Arc::new(Answers(Some(given))), false);
            let (_, heard) = run(&agent, RunRequest { approval_policy, ..asking() }).await.unwrap();
            assert_eq!(heard.text, format!("hello Some({said})"));
            let cards = heard.parts.iter().filter_map(|part| match &part.content {
                PartBody::Approval { tool, decision, .. } => Some((tool.as_str(), *decision)),
                _ => None,
            });
            assert_eq!(cards.collect::<Vec<_>>(), [("rm", Some(given))], "one card, and it keeps its answer");
        }
        let (_, heard) = run(&agent, asking()).await.unwrap();
        assert_eq!(heard.text, "hello Some(Refused)", "no person can be asked");
        let waits =
            RunRequest { approval_policy: ApprovalPolicy::of(Arc::new(Answers(None)), false), ..asking() };
        assert_eq!(
            run_until_first_word(&agent, waits).await.0,
            Ok(RunEnd::Stopped),
            "a stop ends the waiting"
        );
        program.abort();
    }

    #[tokio::test]
    async fn a_broken_connection_fails_what_was_asked_over_it() {
        let broken = CancellationToken::new();
        let (agent, program) = pair(&broken);
        let waiting = RunRequest { called: Some("wait".to_owned()), ..ask("hello") };
        let mut heard = Recorder::default();
        let stop = CancellationToken::new();
        let work = agent.run(waiting, &mut heard, &stop);
        let (end, ()) = tokio::join!(work, async {
            tokio::task::yield_now().await;
            broken.cancel();
        });
        assert_eq!(end.unwrap_err().class, FailureClass::Unreachable);
        assert!(agent.link.lock().is_empty());
        program.abort();
    }
}
