//! One streamed answer of an agent.

use std::time::Duration;

use plexus_domain::Error as Refusal;
use plexus_domain::{MessageId, RunState};
use plexus_hub::{
    Caller, Error,
    calls::{self, AnswerText, CallRequest, CancelOnDrop, SubscriptionScope, Task, TaskSubscription},
};
use tokio::time::timeout;

use super::{error::OpenAiError, models, response::ResponseProgress};
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
    Text(String),
    /// Keep-alive: nothing happened within the heartbeat interval.
    Silence,
    End(Result<(), OpenAiError>),
}

impl AnswerStream {
    pub async fn begin(
        site: AppState,
        caller: &Caller,
        model: &str,
        call: CallRequest,
    ) -> Result<Self, OpenAiError> {
        let address = models::address(model)?;
        let door = calls::authorize(&site.hub, caller, &address).await.map_err(no_model)?;
        let (task, following) = calls::start(&site.hub, &door, call, SubscriptionScope::Settled).await?;
        let guard = CancelOnDrop::new(&site.hub, &door, task.id);
        let last = task.agents_messages().last().map(|message| message.id);
        Ok(Self {
            words: AnswerText::of(&site.hub, &task),
            given: 0,
            following,
            guard,
            id: last.ok_or_else(OpenAiError::ending)?,
            created: task.state_at.millis() / 1_000,
            task,
            model: model.to_owned(),
            site,
        })
    }

    pub async fn next(&mut self) -> Result<AnswerEvent, OpenAiError> {
        loop {
            if let Some(fresh) = self.words.text().get(self.given..).filter(|fresh| !fresh.is_empty()) {
                let fresh = fresh.to_owned();
                self.given += fresh.len();
                return Ok(AnswerEvent::Text(fresh));
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
            self.words.take(&news);
            if let calls::TaskUpdate::State { task } = news {
                self.task = *task;
            }
        }
    }

    /// Returns the first event if it arrives within 5 seconds. A failure before it can still be reported
    /// by the HTTP status.
    pub async fn first(&mut self) -> Result<Option<AnswerEvent>, OpenAiError> {
        match timeout(TIMEOUT, self.next()).await {
            Err(_) | Ok(Ok(AnswerEvent::Silence)) => Ok(None),
            Ok(Ok(AnswerEvent::End(Err(failure)))) | Ok(Err(failure)) => Err(failure),
            Ok(Ok(piece)) => Ok(Some(piece)),
        }
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

    pub fn text(&self) -> &str {
        self.words.text()
    }

    pub fn said(&self) -> ResponseProgress<'_> {
        ResponseProgress { message: self.id, text: self.text(), task: &self.task }
    }

    fn outcome(&self) -> Result<(), OpenAiError> {
        outcome(&self.task, self.words.text())
    }
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
