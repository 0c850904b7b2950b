//! Live subscription to a task.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use plexus_domain::{
    ChatId, Error as Refusal, MessageId, Part, PartBody, RunId, RunState,
    chat_event::Event,
    message::{Message, MessageState},
    run::Failure,
};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::{AuthorizedAgent, Task, task};
use crate::{
    Hub, Result, accounts, agents,
    bus::AccessChange,
    federation,
    streaming::{Channel, FrameKind, StreamFrame, Topic},
    views::MessageView,
};

/// The state of the run at which a subscription ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionScope {
    /// The run has ended, or waits for input from its caller.
    Settled,
    /// The run has ended.
    Ended,
}

/// An update of a task. Text carries its byte offset, because updates may be repeated (at-least-once
/// delivery).
#[derive(Clone, Debug)]
pub enum TaskUpdate {
    /// Content of a part of an open message: a whole part, or text that starts `start` bytes into the part.
    Part { message: MessageId, index: usize, start: usize, part: Part },
    /// A message of the agent is finished. A question is no answer.
    Ended { message: Message, is_question: bool },
    /// What a run that works does now, or the position of one that is queued.
    Status { line: String },
    /// The run changed its state.
    State { task: Box<Task> },
}

/// A subscription to one task.
pub struct TaskSubscription {
    hub: Hub,
    authorized: AuthorizedAgent,
    chat: ChatId,
    run: RunId,
    until: SubscriptionScope,
    seq: i64,
    state: RunState,
    /// The task as last known, with the messages that were published since, and whether one of them has
    /// ended.
    known: Task,
    heard_end: bool,
    ready: VecDeque<TaskUpdate>,
    receiver: Receiver<Arc<StreamFrame>>,
    access: Receiver<AccessChange>,
    /// Pending reads of the store. Each is recorded before it starts, so that a cancelled `next` can be
    /// called again.
    due: BufferedUpdate,
    /// The agent's messages in this run, and the known attributes of each of their parts.
    messages: HashSet<MessageId>,
    shapes: HashMap<(MessageId, usize), Part>,
    _channel: Channel,
}

#[derive(Default)]
struct BufferedUpdate {
    /// Re-check whether the caller may still read.
    access: bool,
    /// Reload the whole task: some frames were missed.
    all: bool,
    /// Deliver this state, which was published.
    state: Option<(RunState, Option<Failure>)>,
}

/// Subscribes to a task. Returns its current state and a subscription to what follows.
pub async fn subscribe(
    hub: &Hub,
    authorized: &AuthorizedAgent,
    id: RunId,
    until: SubscriptionScope,
) -> Result<(Task, TaskSubscription)> {
    let found = task::find(hub, &mut hub.store().read().await?, authorized, id).await?;
    // Subscribe before reading: a change in between is delivered twice rather than lost.
    let watch = ChatWatch::begin(hub, authorized, found.chat);
    hub.mirror().mirror_chat(hub, &watch.channel).await?;
    let now = task::get(hub, authorized, id).await?;
    let following = watch.subscribe(&now, until);
    Ok((now, following))
}

/// Waits until the task has ended or waits for input, and returns it.
pub(super) async fn wait_settled(hub: &Hub, authorized: &AuthorizedAgent, id: RunId) -> Result<Task> {
    let (task, following) = subscribe(hub, authorized, id, SubscriptionScope::Settled).await?;
    following.wait_settled(task).await
}

/// A subscription to the channel of a chat, opened before its task is read or created.
pub(super) struct ChatWatch {
    hub: Hub,
    authorized: AuthorizedAgent,
    chat: ChatId,
    channel: Channel,
    receiver: Receiver<Arc<StreamFrame>>,
    access: Receiver<AccessChange>,
}

impl ChatWatch {
    pub(super) fn begin(hub: &Hub, authorized: &AuthorizedAgent, chat: ChatId) -> Self {
        let channel = hub.live().channels.acquire(Topic::Chat(chat));
        let (receiver, access) = (channel.subscribe(), hub.live().access.watch());
        Self { hub: hub.clone(), authorized: authorized.clone(), chat, channel, receiver, access }
    }

    /// Turns the watch into a subscription. No event after `now` may be older than the watch.
    pub(super) fn subscribe(self, now: &Task, until: SubscriptionScope) -> TaskSubscription {
        TaskSubscription {
            hub: self.hub,
            authorized: self.authorized,
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
            due: BufferedUpdate::default(),
            messages: now.agents_messages().map(|message| message.id).collect(),
            shapes: HashMap::new(),
            _channel: self.channel,
        }
    }
}

impl TaskSubscription {
    /// Consumes updates until the subscription ends; returns the final task.
    pub async fn wait_settled(mut self, mut task: Task) -> Result<Task> {
        while let Some(news) = self.next().await? {
            if let TaskUpdate::State { task: now } = news {
                task = *now;
            }
        }
        Ok(task)
    }

    /// Returns the next update, or none at the end of the subscription. Cancellation safe.
    pub async fn next(&mut self) -> Result<Option<TaskUpdate>> {
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

    /// Performs the pending reads of the store.
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

    /// Returns whether an access change may concern this caller. A missed notification may concern any
    /// caller.
    fn concerns(&self, touched: &Result<AccessChange, RecvError>) -> bool {
        match touched {
            Ok(AccessChange::Account(account)) => self.authorized.requester.account() == Some(*account),
            Ok(AccessChange::Chat(chat)) => *chat == self.chat,
            Ok(AccessChange::Agent(agent)) => *agent == self.authorized.reached.agent.id,
            Ok(AccessChange::Hubs) => self.authorized.requester.remote_user.is_some(),
            Ok(AccessChange::Anything) | Err(_) => true,
        }
    }

    /// Fails if the caller has lost access or the task was deleted.
    async fn check_access(&self) -> Result<()> {
        let mut conn = self.hub.store().read().await?;
        let caller = &self.authorized.caller;
        if caller.person.is_some() && !accounts::still_lets_in(&self.hub, &mut conn, caller).await? {
            return Err(Refusal::unauthenticated("You are signed out.").into());
        }
        if let Some(remote_user) = caller.remote_user() {
            federation::ensure_not_blocked(&self.hub, &mut conn, remote_user.hub).await?;
        }
        agents::ensure_access(&mut conn, &self.authorized.requester, self.authorized.reached.agent.id)
            .await?;
        task::find(&self.hub, &mut conn, &self.authorized, self.run).await?;
        Ok(())
    }

    const fn is_over(&self) -> bool {
        self.state.is_terminal()
            || (self.state.is_waiting() && matches!(self.until, SubscriptionScope::Settled))
    }

    fn take(&mut self, frame: &StreamFrame) {
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
                // A file becomes downloadable when its message ends, and is published then.
                let is_file = |part: &Part| matches!(part.content, PartBody::File { .. });
                if let Some(part) = snapshot.whole.clone().filter(|part| !is_file(part)) {
                    let (message, index) = (snapshot.message, snapshot.part);
                    self.ready.push_back(TaskUpdate::Part { message, index, start: 0, part });
                }
            }
            FrameKind::Status { message, line }
                if matches!(self.state, RunState::Queued | RunState::Working)
                    && !line.is_empty()
                    && self.messages.contains(message) =>
            {
                self.ready.push_back(TaskUpdate::Status { line: line.to_string() });
            }
            _ => {}
        }
    }

    fn event(&mut self, event: &Event, view: Option<&MessageView>) {
        match event {
            Event::MessageCreated { message, run: Some(run) } if *run == self.run => {
                self.messages.insert(*message);
            }
            Event::MessageCompleted { message, .. } => {
                if let Some(view) = view.filter(|_| self.messages.contains(message)) {
                    self.know(view);
                }
            }
            Event::RunUpdated { run, state, failure } if *run == self.run && *state != self.state => {
                self.due.state = Some((*state, failure.clone()));
            }
            _ => {}
        }
    }

    /// Caches a finished message, and the usage and end time of its run.
    fn know(&mut self, view: &MessageView) {
        let Some(run) = &view.run else { return };
        let known = self.known.messages.iter_mut().find(|known| known.id == view.message.id);
        if let (Some(known), Some(ended)) = (known, run.ended) {
            *known = Message { seq: known.seq, ..view.message.clone() };
            self.heard_end = true;
            self.known.usage = run.usage;
            self.known.is_truncated = run.is_truncated;
            self.known.state_at = ended;
        }
    }

    /// Returns whether `known` is complete for a run that has ended, so that no reload is needed.
    fn is_known_up_to(&self, state: RunState) -> bool {
        let is_known = |id: &MessageId| self.known.messages.iter().any(|known| known.id == *id);
        state.is_terminal()
            && self.heard_end
            && self.messages.iter().all(is_known)
            && self.known.agents_messages().all(|message| message.state != MessageState::Open)
    }

    /// Reloads the task after frames were missed, and publishes its open parts again.
    ///
    /// Subscribers discard by byte offset what they have already.
    async fn catch_up(&mut self) -> Result<()> {
        self.reload().await?;
        self.seq = self.seq.max(self.known.seq);
        self.messages = self.known.agents_messages().map(|message| message.id).collect();
        for message in self.known.agents_messages().filter(|message| message.state == MessageState::Open) {
            for (index, part) in message.parts.iter().cloned().enumerate() {
                self.ready.push_back(TaskUpdate::Part { message: message.id, index, start: 0, part });
            }
        }
        self.step(self.known.state);
        Ok(())
    }

    /// Publishes a new state. Finished messages are published before the state that ends them.
    fn step(&mut self, state: RunState) {
        if state.is_terminal() || state.is_waiting() {
            self.known.state = state;
            let run = self.known.as_run();
            let ended = self.known.agents_messages().filter(|message| message.state != MessageState::Open);
            let ended = ended.map(|message| {
                let is_question = run.is_question(message);
                TaskUpdate::Ended { message: message.clone(), is_question }
            });
            self.ready.extend(ended);
        }
        if state != self.state {
            self.state = state;
            self.known.state = state;
            self.ready.push_back(TaskUpdate::State { task: Box::new(self.known.clone()) });
        }
    }

    fn text(&mut self, message: MessageId, index: usize, start: usize, body: &str) {
        let Some(shape) = self.shape(message, index) else { return };
        let part = Part { content: PartBody::Text { text: body.to_owned() }, ..shape };
        self.ready.push_back(TaskUpdate::Part { message, index, start, part });
    }

    /// Returns the attributes of a part besides its text. None if the message is closed: it will be published
    /// whole.
    fn shape(&mut self, message: MessageId, index: usize) -> Option<Part> {
        if let Some(shape) = self.shapes.get(&(message, index)) {
            return Some(shape.clone());
        }
        let part = self.hub.live().parts(message)?.into_iter().nth(index)?;
        let shape = Part { content: PartBody::Text { text: String::new() }, ..part };
        self.shapes.insert((message, index), shape.clone());
        Some(shape)
    }

    async fn reload(&mut self) -> Result<()> {
        self.known = task::reload(&self.hub, &mut self.hub.store().snapshot().await?, self.run).await?;
        self.heard_end = false;
        Ok(())
    }
}
