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
    ApprovalId, Content, Digest, Part, RunId, Timestamp,
    part::Decision,
    run::{Failure, FailureClass, Usage},
};
use tokio::{
    sync::{Notify, SetOnce},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use super::frame::{FilePiece, News, Order, PIECE, Question, Told, Wish};
use crate::{Connector, File, Gate, Leave, Limits, Output, Remote, Request, leave, perform};

/// Maximum concurrent runs. The hub enforces its own bound; this one protects the program from a hub that
/// does not.
const MOST: usize = 64;
/// Maximum total bytes of files whose question has not arrived yet.
const MAX_FILES: usize = 64 << 20;

/// Executes the runs that a hub requests.
pub struct Worker {
    connector: Arc<dyn Connector>,
    outbox: Arc<Outbox>,
    running: HashMap<RunId, Running>,
    files: HashMap<(RunId, Digest), BytesMut>,
    tasks: JoinSet<RunId>,
}

/// Run in progress.
struct Running {
    stop: CancellationToken,
    wishes: Arc<Wishes>,
}

impl Worker {
    pub fn new(connector: Arc<dyn Connector>, outbox: Arc<Outbox>) -> Self {
        let (running, files) = (HashMap::new(), HashMap::new());
        Self { connector, outbox, running, files, tasks: JoinSet::new() }
    }

    pub fn order(&mut self, order: Order) {
        self.forget_ended();
        match order {
            Order::File { run, digest, bytes } => self.keep(run, digest, &bytes),
            Order::Ask(question) => self.begin(*question),
            Order::Decided { run, wish, decision } => {
                if let Some(running) = self.running.get(&run) {
                    running.wishes.decide(&wish, decision);
                }
            }
            Order::Stop { run } => {
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

    fn begin(&mut self, question: Question) {
        let run = question.run;
        if self.running.len() >= MOST || self.running.contains_key(&run) {
            let words = "The program behind this agent has too much to do at once. Try again in a while.";
            let news = Err(Failure::new(FailureClass::Refused, words)).into();
            return self.outbox.push(Told { run, news });
        }
        let stop = CancellationToken::new();
        let wishes = Arc::new(Wishes::new(run, self.outbox.clone()));
        let leave = Leave::of(wishes.clone(), question.wants_every);
        self.running.insert(run, Running { stop: stop.clone(), wishes });
        let request = Request { leave, ..self.request(question) };
        if request.files.iter().any(|(digest, bytes)| Digest::of(bytes) != *digest) {
            self.running.remove(&run);
            let words = "A file of the question did not come through whole. Send it again.";
            let news = Err(Failure::new(FailureClass::Garbage, words)).into();
            return self.outbox.push(Told { run, news });
        }
        let (connector, outbox) = (self.connector.clone(), self.outbox.clone());
        self.tasks.spawn(async move {
            let mut output = Post { run, outbox };
            let end = perform(connector.as_ref(), request, &mut output, &stop).await;
            output.tell(end.into());
            run
        });
    }

    fn request(&mut self, question: Question) -> Request {
        let run = question.run;
        let all = mem::take(&mut self.files);
        let (own, others): (HashMap<_, _>, HashMap<_, _>) =
            all.into_iter().partition(|((of, _), _)| *of == run);
        self.files = others;
        let files = own.into_iter().map(|((_, digest), bytes)| (digest, bytes.freeze())).collect();
        let whole = Duration::from_millis(question.whole_ms);
        let (max_answer_bytes, max_file_bytes) = (question.max_answer_bytes, question.max_file_bytes);
        let limits = Limits { whole, max_answer_bytes, max_file_bytes, ..Limits::default() };
        let (turns, called, remote) = (question.turns, question.called, question.remote);
        Request { run, turns, files, called, remote, limits, leave: Leave::nobody() }
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
pub struct Outbox {
    waiting: Mutex<VecDeque<Told>>,
    came: Notify,
}

impl Outbox {
    /// Returns the next message for the hub.
    pub async fn next(&self) -> Told {
        loop {
            let came = self.came.notified();
            if let Some(told) = self.lock().pop_front() {
                return told;
            }
            came.await;
        }
    }

    /// Queues a message. Merges consecutive text of the same run, so that a slow connection carries few large
    /// messages.
    fn push(&self, told: Told) {
        let mut waiting = self.lock();
        match (waiting.back_mut(), told) {
            (
                Some(Told { run, news: News::Text { text } }),
                Told { run: same, news: News::Text { text: more } },
            ) if *run == same && text.len() + more.len() <= PIECE => text.push_str(&more),
            (_, told) => waiting.push_back(told),
        }
        drop(waiting);
        self.came.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Told>> {
        self.waiting.lock()
    }
}

/// Output that sends to the hub.
struct Post {
    run: RunId,
    outbox: Arc<Outbox>,
}

impl Post {
    fn tell(&self, news: News) {
        self.outbox.push(Told { run: self.run, news });
    }
}

impl Output for Post {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        for piece in texts(delta) {
            self.tell(News::Text { text: piece.to_owned() });
        }
        Ok(())
    }

    fn part(&mut self, part: Part) -> Result<(), Failure> {
        self.tell(News::Part { part });
        Ok(())
    }

    fn artifact_text(&mut self, artifact: &str, name: Option<&str>, delta: &str) -> Result<(), Failure> {
        for piece in texts(delta) {
            let (artifact, name) = (artifact.to_owned(), name.map(str::to_owned));
            self.tell(News::ArtifactText { artifact, name, text: piece.to_owned() });
        }
        Ok(())
    }

    fn file(&mut self, file: File) -> Result<(), Failure> {
        for (n, bytes) in super::pieces(&file.bytes).enumerate() {
            let (artifact, name) = (file.artifact.clone(), file.name.clone());
            let (media_type, continues) = (file.media_type.clone(), file.continues || n > 0);
            self.tell(News::File(FilePiece { artifact, name, media_type, bytes, continues }));
        }
        Ok(())
    }

    fn remote(&mut self, remote: Remote) {
        self.tell(News::Remote(remote));
    }

    fn usage(&mut self, usage: Usage) {
        self.tell(News::Usage(usage));
    }

    fn status(&mut self, line: &str) {
        self.tell(News::Status { line: line.to_owned() });
    }

    /// Drops approval cards: the hub creates its own.
    fn put(&mut self, place: Option<usize>, part: Part) -> Result<usize, Failure> {
        if !matches!(part.content, Content::Approval { .. }) {
            self.part(part)?;
        }
        Ok(place.unwrap_or_default())
    }
}

/// Approval requests of one run that the hub has not decided yet (program side).
struct Wishes {
    run: RunId,
    outbox: Arc<Outbox>,
    waiting: Mutex<HashMap<ApprovalId, Arc<SetOnce<Decision>>>>,
    last: AtomicU32,
}

impl Wishes {
    fn new(run: RunId, outbox: Arc<Outbox>) -> Self {
        Self { run, outbox, waiting: Mutex::default(), last: AtomicU32::new(0) }
    }

    fn decide(&self, wish: &str, decision: Decision) {
        let waits = wish.parse().ok().and_then(|wish: ApprovalId| self.waiting.lock().get(&wish).cloned());
        if let Some(waits) = waits {
            let _ = waits.set(decision);
        }
    }
}

#[async_trait]
impl Gate for Wishes {
    async fn ask(&self, question: &leave::Question) -> Result<ApprovalId, Failure> {
        // The id only needs to be unique within the run, so a counter suffices.
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let wish = ApprovalId::new(Timestamp::from_millis(number.into()), &[0; 10]);
        self.waiting.lock().insert(wish, Arc::default());
        let (tool, arguments) = (question.tool.clone(), question.arguments.clone());
        let news = News::Wishes(Wish { wish: wish.to_string(), tool, arguments });
        self.outbox.push(Told { run: self.run, news });
        Ok(wish)
    }

    async fn decided(&self, id: ApprovalId, _question: &leave::Question) -> Result<Decision, Failure> {
        let waits = self.waiting.lock().get(&id).cloned();
        let Some(waits) = waits else { return Ok(Decision::Refused) };
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
