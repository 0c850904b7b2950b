//! Program side of the connection: executes the hub's messages and queues the results to send.

use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use parking_lot::{Mutex, MutexGuard};
use plexus_domain::{
    ApprovalId, CallOptions, Digest, Part, PartBody, RunId, Timestamp,
    part::ApprovalDecision,
    run::{Failure, FailureClass, Usage},
};
use tokio::{
    sync::{Notify, SetOnce},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use super::protocol::{
    ApprovalRequestFrame, FilePiece, HubFrame, PIECE, ProgramEvent, ProgramFrame, RunRequestFrame,
};
use crate::{
    ApprovalGate, ApprovalPolicy, Connector, ConnectorLimits, Output, OutputFile, RemoteConversation,
    RunRequest, approval, run_connector,
};

/// Maximum concurrent runs. The hub enforces its own bound; this one protects the program from a hub that
/// does not.
const MAX_ITEMS: usize = 64;
/// Maximum total bytes of files whose question has not arrived yet.
const MAX_FILES: usize = 64 << 20;

/// Executes the runs that a hub requests.
pub struct AttachedWorker {
    connector: Arc<dyn Connector>,
    outbox: Arc<FrameQueue>,
    running: HashMap<RunId, ActiveRun>,
    files: HashMap<(RunId, Digest), BytesMut>,
    tasks: JoinSet<RunId>,
}

/// Run in progress.
struct ActiveRun {
    stop: CancellationToken,
    approvals: Arc<RemoteApprovals>,
}

impl AttachedWorker {
    pub fn new(connector: Arc<dyn Connector>, outbox: Arc<FrameQueue>) -> Self {
        let (running, files) = (HashMap::new(), HashMap::new());
        Self { connector, outbox, running, files, tasks: JoinSet::new() }
    }

    pub fn handle(&mut self, frame: HubFrame) {
        self.forget_ended();
        match frame {
            HubFrame::File { run, digest, bytes } => self.keep(run, digest, &bytes),
            HubFrame::Message(question) => self.begin(*question),
            HubFrame::ApprovalResult { run, approval_id, decision } => {
                if let Some(running) = self.running.get(&run) {
                    running.approvals.decide(&approval_id, decision);
                }
            }
            HubFrame::Cancel { run } => {
                self.files.retain(|(of, _), _| *of != run);
                if let Some(running) = self.running.get(&run) {
                    running.stop.cancel();
                }
            }
        }
    }

    /// Cancels all runs and waits until they have ended.
    pub async fn close(mut self) {
        self.running.values().for_each(|running| running.stop.cancel());
        while self.tasks.join_next().await.is_some() {}
    }

    fn keep(&mut self, run: RunId, digest: Digest, bytes: &Bytes) {
        let held: usize = self.files.values().map(BytesMut::len).sum();
        if held + bytes.len() <= MAX_FILES {
            self.files.entry((run, digest)).or_default().extend_from_slice(bytes);
        }
    }

    fn begin(&mut self, question: RunRequestFrame) {
        let run = question.run;
        if self.running.len() >= MAX_ITEMS || self.running.contains_key(&run) {
            let words = "The attached program is overloaded. Try again later.";
            let news = Err(Failure::new(FailureClass::Refused, words)).into();
            return self.outbox.push(ProgramFrame { run, news });
        }
        let stop = CancellationToken::new();
        let approvals = Arc::new(RemoteApprovals::new(run, self.outbox.clone()));
        let approval_policy = ApprovalPolicy::of(approvals.clone(), question.approve_every_call);
        self.running.insert(run, ActiveRun { stop: stop.clone(), approvals });
        let request = RunRequest { approval_policy, ..self.request(question) };
        if request.files.iter().any(|(digest, bytes)| Digest::of(bytes) != *digest) {
            self.running.remove(&run);
            let words = "A file of the message arrived incomplete. Send it again.";
            let news = Err(Failure::new(FailureClass::Garbage, words)).into();
            return self.outbox.push(ProgramFrame { run, news });
        }
        let (connector, outbox) = (self.connector.clone(), self.outbox.clone());
        self.tasks.spawn(async move {
            let mut output = FrameOutput { run, outbox };
            let end = run_connector(connector.as_ref(), request, &mut output, &stop).await;
            output.tell(end.into());
            run
        });
    }

    fn request(&mut self, question: RunRequestFrame) -> RunRequest {
        let run = question.run;
        let all = mem::take(&mut self.files);
        let (own, others): (HashMap<_, _>, HashMap<_, _>) =
            all.into_iter().partition(|((of, _), _)| *of == run);
        self.files = others;
        let files = own.into_iter().map(|((_, digest), bytes)| (digest, bytes.freeze())).collect();
        let whole = Duration::from_millis(question.timeout_ms);
        let (max_answer_bytes, max_file_bytes) = (question.max_answer_bytes, question.max_file_bytes);
        let limits =
            ConnectorLimits { whole, max_answer_bytes, max_file_bytes, ..ConnectorLimits::default() };
        let (turns, called, remote) = (question.turns, question.message_id, question.remote_conversation);
        let (approval_policy, options) = (ApprovalPolicy::unavailable(), CallOptions::default());
        RunRequest { run, turns, files, called, remote, limits, approval_policy, options }
    }

    fn forget_ended(&mut self) {
        while let Some(ended) = self.tasks.try_join_next() {
            match ended {
                Ok(run) => drop(self.running.remove(&run)),
                // A panicked connector loses its run id. Once no task is left, all remaining entries are
                // stale.
                Err(_) if self.tasks.is_empty() => self.running.clear(),
                Err(_) => {}
            }
        }
    }
}

/// Queue of messages to send to the hub. Bounded by the answer limits of the concurrent runs.
#[derive(Default)]
pub struct FrameQueue {
    waiting: Mutex<VecDeque<ProgramFrame>>,
    came: Notify,
}

impl FrameQueue {
    /// Returns the next message for the hub.
    pub async fn next(&self) -> ProgramFrame {
        loop {
            let came = self.came.notified();
            if let Some(frame) = self.lock().pop_front() {
                return frame;
            }
            came.await;
        }
    }

    /// Queues a message. Merges consecutive text of the same run, so that a slow connection carries few large
    /// messages.
    fn push(&self, frame: ProgramFrame) {
        let mut waiting = self.lock();
        match (waiting.back_mut(), frame) {
            (
                Some(ProgramFrame { run, news: ProgramEvent::Text { text } }),
                ProgramFrame { run: same, news: ProgramEvent::Text { text: more } },
            ) if *run == same && text.len() + more.len() <= PIECE => text.push_str(&more),
            (_, frame) => waiting.push_back(frame),
        }
        drop(waiting);
        self.came.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<ProgramFrame>> {
        self.waiting.lock()
    }
}

/// Output that sends to the hub.
struct FrameOutput {
    run: RunId,
    outbox: Arc<FrameQueue>,
}

impl FrameOutput {
    fn tell(&self, news: ProgramEvent) {
        self.outbox.push(ProgramFrame { run: self.run, news });
    }
}

impl Output for FrameOutput {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        for piece in texts(delta) {
            self.tell(ProgramEvent::Text { text: piece.to_owned() });
        }
        Ok(())
    }

    fn part(&mut self, part: Part) -> Result<(), Failure> {
        self.tell(ProgramEvent::Part { part });
        Ok(())
    }

    fn artifact_text(&mut self, artifact: &str, name: Option<&str>, delta: &str) -> Result<(), Failure> {
        for piece in texts(delta) {
            let (artifact, name) = (artifact.to_owned(), name.map(str::to_owned));
            self.tell(ProgramEvent::ArtifactText { artifact, name, text: piece.to_owned() });
        }
        Ok(())
    }

    fn file(&mut self, file: OutputFile) -> Result<(), Failure> {
        for (n, bytes) in super::pieces(&file.bytes).enumerate() {
            let (artifact, name) = (file.artifact.clone(), file.name.clone());
            let (media_type, continues) = (file.media_type.clone(), file.continues || n > 0);
            self.tell(ProgramEvent::File(FilePiece { artifact, name, media_type, bytes, continues }));
        }
        Ok(())
    }

    fn remote(&mut self, remote: RemoteConversation) {
        self.tell(ProgramEvent::RemoteConversation(remote));
    }

    fn usage(&mut self, usage: Usage) {
        self.tell(ProgramEvent::Usage(usage));
    }

    fn status(&mut self, line: &str) {
        self.tell(ProgramEvent::Status { line: line.to_owned() });
    }

    /// Drops the cards of approvals and questions: the hub creates its own.
    fn put(&mut self, place: Option<usize>, part: Part) -> Result<usize, Failure> {
        if !matches!(part.content, PartBody::Approval { .. } | PartBody::Question { .. }) {
            self.part(part)?;
        }
        Ok(place.unwrap_or_default())
    }
}

/// Approval requests of one run that the hub has not decided yet (program side).
struct RemoteApprovals {
    run: RunId,
    outbox: Arc<FrameQueue>,
    waiting: Mutex<HashMap<ApprovalId, Arc<SetOnce<ApprovalDecision>>>>,
    last: AtomicU32,
}

impl RemoteApprovals {
    fn new(run: RunId, outbox: Arc<FrameQueue>) -> Self {
        Self { run, outbox, waiting: Mutex::default(), last: AtomicU32::new(0) }
    }

    fn decide(&self, approval_id: &str, decision: ApprovalDecision) {
        let waits = approval_id.parse().ok().and_then(|id: ApprovalId| self.waiting.lock().get(&id).cloned());
        if let Some(waits) = waits {
            let _ = waits.set(decision);
        }
    }
}

#[async_trait]
impl ApprovalGate for RemoteApprovals {
    async fn ask(&self, question: &approval::ApprovalRequest) -> Result<ApprovalId, Failure> {
        // The id only needs to be unique within the run, so a counter suffices.
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let id = ApprovalId::new(Timestamp::from_millis(number.into()), &[0; 10]);
        self.waiting.lock().insert(id, Arc::default());
        let (tool, arguments) = (question.tool.clone(), question.arguments.clone());
        let approval_id = id.to_string();
        let news = ProgramEvent::ApprovalRequest(ApprovalRequestFrame { approval_id, tool, arguments });
        self.outbox.push(ProgramFrame { run: self.run, news });
        Ok(id)
    }

    async fn decided(
        &self,
        id: ApprovalId,
        _question: &approval::ApprovalRequest,
    ) -> Result<ApprovalDecision, Failure> {
        let waits = self.waiting.lock().get(&id).cloned();
        let Some(waits) = waits else { return Ok(ApprovalDecision::Refused) };
        let decision = *waits.wait().await;
        self.waiting.lock().remove(&id);
        Ok(decision)
    }
}

/// Splits text into pieces that fit into a message.
fn texts(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let (piece, rest) = text.split_at(text.floor_char_boundary(PIECE));
        text = rest;
        Some(piece)
    })
}
