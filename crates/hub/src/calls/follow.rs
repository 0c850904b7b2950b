//! Reading along with a task.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use plexus_domain::{
    ChatId, Content, Error as Refusal, MessageId, Part, RunId, RunState,
    event::Event,
    message::{Message, MessageState},
    run::Failure,
};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::{Door, Task, task};
use crate::{
    Hub, Result, accounts, federation,
    live::{Channel, Frame, FrameKind, Topic, Touched},
    views::MessageView,
};

/// How far a reader reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The run has ended, or waits for its caller.
    Settled,
    /// The run has ended.
    Ended,
}

/// What changed in a task. Text is placed by its byte offset: what a reader has already may come again.
#[derive(Clone, Debug)]
pub enum News {
    /// An open message has this part, whole or as far as it is there. Text is `start` bytes into the part.
    Part { message: MessageId, index: usize, start: usize, part: Part },
    /// A message of the agent is finished.
    Ended { message: Message },
    /// What the run does before anything is said: it waits for its turn.
    Waits { line: String },
    /// The run is in another state.
    State { task: Box<Task> },
}

/// One reader of one task.
pub struct Following {
    hub: Hub,
    door: Door,
    chat: ChatId,
    run: RunId,
    until: Until,
    seq: i64,
    state: RunState,
    /// The task as it was last seen, with the messages that readers were told of since, and whether any had ended.
    known: Task,
    heard_end: bool,
    ready: VecDeque<News>,
    receiver: Receiver<Arc<Frame>>,
    access: Receiver<Touched>,
    /// What is to be looked at in the store. It is noted before that is begun, since a reader may be given up on while
    /// it waits, and come again.
    due: Due,
    /// The agent's messages in this run, and what is known of each part of them.
    messages: HashSet<MessageId>,
    shapes: HashMap<(MessageId, usize), Part>,
    _channel: Channel,
}

#[derive(Default)]
struct Due {
    /// Whether the caller may still read.
    access: bool,
    /// All of the task: something was missed.
    all: bool,
    /// The task in a state that was told.
    state: Option<(RunState, Option<Failure>)>,
}

/// The task as it stands, and a reader of what comes after.
pub async fn follow(hub: &Hub, door: &Door, id: RunId, until: Until) -> Result<(Task, Following)> {
    let found = task::find(hub, &mut hub.store().read().await?, door, id).await?;
    // Watching begins before anything is read: what happens in between comes twice rather than never.
    let watch = Watch::begin(hub, door, found.chat);
    hub.mirror().follow(hub, &watch.channel).await?;
    let now = task::get(hub, door, id).await?;
    let following = watch.follow(&now, until);
    Ok((now, following))
}

/// The task once nobody works on it any more.
pub(super) async fn settle(hub: &Hub, door: &Door, id: RunId) -> Result<Task> {
    let (task, following) = follow(hub, door, id, Until::Settled).await?;
    following.settle(task).await
}

/// What happens in a chat from now on.
pub(super) struct Watch {
    hub: Hub,
    door: Door,
    chat: ChatId,
    channel: Channel,
    receiver: Receiver<Arc<Frame>>,
    access: Receiver<Touched>,
}

impl Watch {
    pub(super) fn begin(hub: &Hub, door: &Door, chat: ChatId) -> Self {
        let channel = hub.live().channels.hold(Topic::Chat(chat));
        let (receiver, access) = (channel.watch(), hub.live().access.watch());
        Self { hub: hub.clone(), door: door.clone(), chat, channel, receiver, access }
    }

    /// Reads on from `now`, which was read after the watch began.
    pub(super) fn follow(self, now: &Task, until: Until) -> Following {
        Following {
            hub: self.hub,
            door: self.door,
            chat: self.chat,
            run: now.id,
            until,
            seq: now.seq,
            state: now.state,
            known: now.clone(),
            heard_end: false,
            ready: VecDeque::new(),
            receiver: self.receiver,
            access: self.access,
            due: Due::default(),
            messages: now.agents_messages().map(|message| message.id).collect(),
            shapes: HashMap::new(),
            _channel: self.channel,
        }
    }
}

impl Following {
    /// Reads to the end; answers the task as it then is.
    pub async fn settle(mut self, mut task: Task) -> Result<Task> {
        while let Some(news) = self.next().await? {
            if let News::State { task: now } = news {
                task = *now;
            }
        }
        Ok(task)
    }

    /// The next change; none when the reader has come to the end. It may be given up on while it waits.
    pub async fn next(&mut self) -> Result<Option<News>> {
        loop {
            self.look().await?;
            if let Some(news) = self.ready.pop_front() {
                return Ok(Some(news));
            }
            if self.is_over() {
                return Ok(None);
            }
            tokio::select! {
                biased;
                touched = self.access.recv() => self.due.access |= self.concerns(&touched),
                frame = self.receiver.recv() => match frame {
                    Ok(frame) => self.take(&frame),
                    Err(RecvError::Lagged(_)) => self.due.all = true,
                    Err(RecvError::Closed) => return Err(Refusal::unavailable("The chat has ended.").into()),
                },
            }
        }
    }

    /// Looks at what is due in the store.
    async fn look(&mut self) -> Result<()> {
        if self.due.access {
            self.check_access().await?;
            self.due.access = false;
        }
        if self.due.all {
            self.catch_up().await?;
            self.due.all = false;
        }
        if let Some((state, failure)) = self.due.state.clone() {
            if !self.is_known_up_to(state) {
                self.reload().await?;
            }
            self.known.failure = failure;
            self.step(state);
            self.due.state = None;
        }
        Ok(())
    }

    /// News that was missed may have been about anybody.
    fn concerns(&self, touched: &Result<Touched, RecvError>) -> bool {
        match touched {
            Ok(Touched::Account(account)) => self.door.asker.account() == Some(*account),
            Ok(Touched::Chat(chat)) => *chat == self.chat,
            Ok(Touched::Hubs) => self.door.asker.guest.is_some(),
            Ok(Touched::Anything) | Err(_) => true,
        }
    }

    /// Refuses whoever is no longer let in, and whose task is gone.
    async fn check_access(&self) -> Result<()> {
        let mut conn = self.hub.store().read().await?;
        let caller = &self.door.caller;
        if caller.person.is_some() && !accounts::still_lets_in(&self.hub, &mut conn, caller).await? {
            return Err(Refusal::unauthenticated("You are signed out.").into());
        }
        if let Some(guest) = caller.guest() {
            federation::still_lets_in(&self.hub, &mut conn, guest.hub).await?;
        }
        task::find(&self.hub, &mut conn, &self.door, self.run).await?;
        Ok(())
    }

    const fn is_over(&self) -> bool {
        self.state.is_terminal() || (self.state.is_waiting() && matches!(self.until, Until::Settled))
    }

    fn take(&mut self, frame: &Frame) {
        match &frame.kind {
            FrameKind::Event { since, seq, event, view } if *seq > self.seq => {
                self.due.all |= *since > self.seq;
                self.seq = *seq;
                self.event(event, view.as_deref());
            }
            FrameKind::Text { message, part, start, body } if self.messages.contains(message) => {
                self.text(*message, *part, *start, body);
            }
            FrameKind::Snapshot(snapshot) if self.messages.contains(&snapshot.message) => {
                // A file is told when its message ends: only then can it be had.
                let is_file = |part: &Part| matches!(part.content, Content::File { .. });
                if let Some(part) = snapshot.whole.clone().filter(|part| !is_file(part)) {
                    let (message, index) = (snapshot.message, snapshot.part);
                    self.ready.push_back(News::Part { message, index, start: 0, part });
                }
            }
            FrameKind::Status { message, line }
                if self.state == RunState::Queued && !line.is_empty() && self.messages.contains(message) =>
            {
                self.ready.push_back(News::Waits { line: line.to_string() });
            }
            _ => {}
        }
    }

    fn event(&mut self, event: &Event, view: Option<&MessageView>) {
        match event {
            Event::Message { message, run: Some(run) } if *run == self.run => {
                self.messages.insert(*message);
            }
            Event::Ended { message, .. } => {
                if let Some(view) = view.filter(|_| self.messages.contains(message)) {
                    self.know(view);
                }
            }
            Event::Run { run, state, failure } if *run == self.run && *state != self.state => {
                self.due.state = Some((*state, failure.clone()));
            }
            _ => {}
        }
    }

    /// Keeps a message that has ended, and what its run came to.
    fn know(&mut self, view: &MessageView) {
        let Some(run) = &view.run else { return };
        let known = self.known.messages.iter_mut().find(|known| known.id == view.message.id);
        if let (Some(known), Some(ended)) = (known, run.ended) {
            *known = Message { seq: known.seq, ..view.message.clone() };
            self.heard_end = true;
            self.known.usage = run.usage;
            self.known.state_at = ended;
        }
    }

    /// Whether nothing is missing of a run that has come to an end: its answers were told before.
    fn is_known_up_to(&self, state: RunState) -> bool {
        let is_known = |id: &MessageId| self.known.messages.iter().any(|known| known.id == *id);
        state.is_terminal()
            && self.heard_end
            && self.messages.iter().all(is_known)
            && self.known.agents_messages().all(|message| message.state != MessageState::Open)
    }

    /// Begins again with the task as it is; what readers have of it they drop by its place.
    async fn catch_up(&mut self) -> Result<()> {
        self.reload().await?;
        self.seq = self.seq.max(self.known.seq);
        self.messages = self.known.agents_messages().map(|message| message.id).collect();
        for message in self.known.agents_messages().filter(|message| message.state == MessageState::Open) {
            for (index, part) in message.parts.iter().cloned().enumerate() {
                self.ready.push_back(News::Part { message: message.id, index, start: 0, part });
            }
        }
        self.step(self.known.state);
        Ok(())
    }

    /// Finished messages are told before the state that ends them.
    fn step(&mut self, state: RunState) {
        if state.is_terminal() || state.is_waiting() {
            let ended = self.known.agents_messages().filter(|message| message.state != MessageState::Open);
            self.ready.extend(ended.map(|message| News::Ended { message: message.clone() }));
        }
        if state != self.state {
            self.state = state;
            self.known.state = state;
            self.ready.push_back(News::State { task: Box::new(self.known.clone()) });
        }
    }

    fn text(&mut self, message: MessageId, index: usize, start: usize, body: &str) {
        let Some(shape) = self.shape(message, index) else { return };
        let part = Part { content: Content::Text { text: body.to_owned() }, ..shape };
        self.ready.push_back(News::Part { message, index, start, part });
    }

    /// What is known of a part besides its text. A message that has ended meanwhile is told whole.
    fn shape(&mut self, message: MessageId, index: usize) -> Option<Part> {
        if let Some(shape) = self.shapes.get(&(message, index)) {
            return Some(shape.clone());
        }
        let part = self.hub.live().parts(message)?.into_iter().nth(index)?;
        let shape = Part { content: Content::Text { text: String::new() }, ..part };
        self.shapes.insert((message, index), shape.clone());
        Some(shape)
    }

    async fn reload(&mut self) -> Result<()> {
        self.known = task::reload(&self.hub, &mut self.hub.store().snapshot().await?, self.run).await?;
        self.heard_end = false;
        Ok(())
    }
}
