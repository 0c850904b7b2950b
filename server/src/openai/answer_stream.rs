//! One streamed answer of an agent.

use std::time::Duration;

use plexus_domain::Error as Refusal;
use plexus_domain::{MessageId, Part, RunId, RunState, message::Message};
use plexus_hub::{
    Caller, Error,
    calls::{
        self, AnswerText, AuthorizedAgent, CallRequest, CancelOnDrop, SubscriptionScope, Task,
        TaskSubscription, TaskUpdate,
    },
};
use tokio::time::timeout;

use super::{
    caller_call::CallerCall,
    error::OpenAiError,
    models,
    reasoning::ReasoningText,
    response::{ResponseProgress, Status},
};
use crate::{app_state::AppState, web::event_stream::HEARTBEAT};

/// Maximum wait for the first output before the stream begins. Failures until then are reported by HTTP
/// status.
const TIMEOUT: Duration = Duration::from_secs(5);

pub struct AnswerStream {
    site: AppState,
    following: TaskSubscription,
    words: AnswerText,
    /// Number of bytes of the text that were returned so far.
    given: usize,
    guard: CancelOnDrop,
    /// The first event, if [`AnswerStream::wait_first`] has received it and it was not returned yet.
    first: Option<AnswerEvent>,
    /// Whether the agent may call tools of the caller. Parts of other agents are not trusted to be such calls.
    is_model: bool,
    /// Calls of the caller's tools, and how many of them were returned so far.
    calls: Vec<CallerCall>,
    given_calls: usize,
    reasoning: ReasoningText,
    pub task: Task,
    /// Id of the message that stores the answer.
    pub id: MessageId,
    /// Seconds since 1970.
    pub created: i64,
    /// The model name in the caller's spelling.
    pub model: String,
}

/// Next event of an answer.
pub enum AnswerEvent {
    /// Reasoning of the agent, before the text or call that it leads to.
    Reasoning(String),
    Text(String),
    /// A call of one of the caller's tools.
    Call(Box<CallerCall>),
    /// Keep-alive: nothing happened within the heartbeat interval.
    Silence,
    End(Result<(), OpenAiError>),
}

impl AnswerStream {
    /// Calls the agent that the caller names as `model`.
    pub async fn begin(
        site: AppState,
        authorized: &AuthorizedAgent,
        model: &str,
        call: CallRequest,
    ) -> Result<Self, OpenAiError> {
        let (task, following) = calls::start(&site.hub, authorized, call, SubscriptionScope::Settled).await?;
        let guard = CancelOnDrop::new(&site.hub, authorized, task.id);
        let last = task.agents_messages().last().map(|message| message.id);
        Ok(Self {
            words: AnswerText::of(&site.hub, authorized, &task).await?,
            given: 0,
            first: None,
            is_model: authorized.is_model(),
            calls: Vec::new(),
            given_calls: 0,
            reasoning: ReasoningText::default(),
            following,
            guard,
            id: last.ok_or_else(OpenAiError::ending)?,
            created: task.state_at.millis() / 1_000,
            task,
            model: model.to_owned(),
            site,
        })
    }

    /// Follows an answer that was begun before, from its beginning. The run continues without the client.
    pub async fn resume(
        site: AppState,
        authorized: &AuthorizedAgent,
        run: RunId,
        message: MessageId,
    ) -> Result<Self, OpenAiError> {
        let (task, following) =
            calls::subscribe(&site.hub, authorized, run, SubscriptionScope::Settled).await?;
        let mut guard = CancelOnDrop::new(&site.hub, authorized, task.id);
        guard.disarm();
        let answer = task.messages.iter().find(|known| known.id == message);
        let created = answer.map_or(task.state_at, |answer| answer.created).millis() / 1_000;
        let parts = answer.map(|answer| answer.parts.clone()).unwrap_or_default();
        let mut answering = Self {
            words: AnswerText::of(&site.hub, authorized, &task).await?,
            given: 0,
            first: None,
            is_model: authorized.is_model(),
            calls: Vec::new(),
            given_calls: 0,
            reasoning: ReasoningText::of(&parts),
            following,
            guard,
            id: message,
            created,
            task,
            model: models::id(&authorized.address()),
            site,
        };
        answering.take_calls(&parts);
        Ok(answering)
    }

    pub async fn next(&mut self) -> Result<AnswerEvent, OpenAiError> {
        if let Some(first) = self.first.take() {
            return Ok(first);
        }
        loop {
            if let Some(fresh) = self.reasoning.take_fresh() {
                return Ok(AnswerEvent::Reasoning(fresh));
            }
            if let Some(fresh) = self.words.text().get(self.given..).filter(|fresh| !fresh.is_empty()) {
                let fresh = fresh.to_owned();
                self.given += fresh.len();
                return Ok(AnswerEvent::Text(fresh));
            }
            if let Some(call) = self.calls.get(self.given_calls).cloned() {
                self.given_calls += 1;
                return Ok(AnswerEvent::Call(Box::new(call)));
            }
            let news = timeout(HEARTBEAT, self.following.next());
            let Some(news) = self.site.stop.run_until_cancelled(news).await else {
                return Err(OpenAiError::ending());
            };
            let Ok(news) = news else { return Ok(AnswerEvent::Silence) };
            let Some(news) = news? else {
                self.guard.disarm();
                return Ok(AnswerEvent::End(self.outcome()));
            };
            self.words.take(&news).await?;
            match news {
                TaskUpdate::Part { message, index, start, part } if message == self.id => {
                    self.reasoning.add(index, start, &part);
                    self.take_calls(&[part]);
                }
                TaskUpdate::Ended { message, .. } if message.id == self.id => {
                    self.reasoning.add_all(&message.parts);
                    self.take_calls(&message.parts);
                }
                TaskUpdate::State { task } => self.task = *task,
                _ => {}
            }
        }
    }

    /// Waits up to 5 seconds for the first event, which [`Self::next`] then returns. A failure before it can still
    /// be reported by the HTTP status.
    pub async fn wait_first(&mut self) -> Result<(), OpenAiError> {
        match timeout(TIMEOUT, self.next()).await {
            Err(_) | Ok(Ok(AnswerEvent::Silence)) => {}
            Ok(Ok(AnswerEvent::End(Err(failure)))) | Ok(Err(failure)) => return Err(failure),
            Ok(Ok(event)) => self.first = Some(event),
        }
        Ok(())
    }

    /// Waits for the complete answer.
    pub async fn whole(&mut self) -> Result<&str, OpenAiError> {
        loop {
            if let AnswerEvent::End(outcome) = self.next().await? {
                outcome?;
                return Ok(self.words.text());
            }
        }
    }

    /// Adds the calls of the caller's tools that are not known yet.
    fn take_calls(&mut self, parts: &[Part]) {
        if !self.is_model {
            return;
        }
        for call in caller_calls(parts) {
            if !self.calls.iter().any(|known| known.call_id == call.call_id) {
                self.calls.push(call);
            }
        }
    }

    /// Waits for the complete answer and returns its status.
    pub async fn ended(&mut self) -> Result<Status, OpenAiError> {
        self.whole().await?;
        Ok(if self.task.is_truncated { Status::Incomplete } else { Status::Completed })
    }

    /// Lets the run continue without the client.
    pub fn detach(&mut self) {
        self.guard.disarm();
    }

    pub fn text(&self) -> &str {
        self.words.text()
    }

    /// Returns all reasoning so far.
    pub fn reasoning(&self) -> &str {
        self.reasoning.text()
    }

    pub fn calls(&self) -> &[CallerCall] {
        &self.calls
    }

    /// Returns the reason for the end of the answer, as chat completions name it.
    pub const fn finish_reason(&self) -> &'static str {
        if self.task.is_truncated {
            "length"
        } else if self.calls.is_empty() {
            "stop"
        } else {
            "tool_calls"
        }
    }

    pub fn said(&self) -> ResponseProgress<'_> {
        ResponseProgress {
            message: self.id,
            reasoning: self.reasoning(),
            text: self.text(),
            calls: &self.calls,
            task: &self.task,
        }
    }

    fn outcome(&self) -> Result<(), OpenAiError> {
        outcome(&self.task, self.words.text())
    }
}

/// Authorizes the caller for the agent that it names as `model`.
pub async fn authorize(
    site: &AppState,
    caller: &Caller,
    model: &str,
) -> Result<AuthorizedAgent, OpenAiError> {
    let address = models::address(model)?;
    calls::authorize(&site.hub, caller, &address).await.map_err(no_model)
}

/// Returns the calls of the caller's tools that a message of the agent has.
pub fn calls_in(message: &Message) -> Vec<CallerCall> {
    caller_calls(&message.parts).collect()
}

fn caller_calls(parts: &[Part]) -> impl Iterator<Item = CallerCall> {
    parts.iter().filter_map(CallerCall::of)
}

/// Returns the outcome of a settled task.
pub fn outcome(task: &Task, text: &str) -> Result<(), OpenAiError> {
    match task.state {
        RunState::Completed | RunState::InputRequired | RunState::Stopped => Ok(()),
        RunState::AuthRequired if !text.is_empty() => Ok(()),
        _ => Err(OpenAiError::of_run(task)),
    }
}

/// Maps a missing agent to a missing model.
fn no_model(error: Error) -> OpenAiError {
    match error {
        Error::Refused(Refusal::NotFound { message }) => OpenAiError::no_model(message),
        error => OpenAiError::from(error),
    }
}
