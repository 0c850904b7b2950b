//! One streamed answer of an agent.

use std::time::Duration;

use plexus_domain::Error as Refusal;
use plexus_domain::{MessageId, RunState};
use plexus_hub::{
    Caller, Error,
    calls::{self, Call, Following, Leash, Task, Until, Words},
};
use tokio::time::timeout;

use super::{failure::Failure, models, response::Said};
use crate::{state::Site, web::event_stream::HEARTBEAT};

/// Maximum wait for the first output before the stream begins. Failures until then are reported by HTTP
/// status.
const PATIENCE: Duration = Duration::from_secs(5);

pub struct Answering {
    site: Site,
    following: Following,
    words: Words,
    /// Number of bytes of the text that were returned so far.
    given: usize,
    leash: Leash,
    pub task: Task,
    /// Id of the message that stores the answer.
    pub id: MessageId,
    /// Seconds since 1970.
    pub created: i64,
    /// The model name in the caller's spelling.
    pub model: String,
}

/// Next event of an answer.
pub enum Piece {
    Text(String),
    /// Keep-alive: nothing happened within the heartbeat interval.
    Silence,
    End(Result<(), Failure>),
}

impl Answering {
    pub async fn begin(site: Site, caller: &Caller, model: &str, call: Call) -> Result<Self, Failure> {
        let address = models::address(model)?;
        let door = calls::enter(&site.hub, caller, &address).await.map_err(no_model)?;
        let (task, following) = calls::begin(&site.hub, &door, call, Until::Settled).await?;
        let leash = Leash::new(&site.hub, &door, task.id);
        let last = task.agents_messages().last().map(|message| message.id);
        Ok(Self {
            words: Words::of(&site.hub, &task),
            given: 0,
            following,
            leash,
            id: last.ok_or_else(Failure::ending)?,
            created: task.state_at.millis() / 1_000,
            task,
            model: model.to_owned(),
            site,
        })
    }

    pub async fn next(&mut self) -> Result<Piece, Failure> {
        loop {
            if let Some(fresh) = self.words.text().get(self.given..).filter(|fresh| !fresh.is_empty()) {
                let fresh = fresh.to_owned();
                self.given += fresh.len();
                return Ok(Piece::Text(fresh));
            }
            let news = timeout(HEARTBEAT, self.following.next());
            let Some(news) = self.site.stop.run_until_cancelled(news).await else {
                return Err(Failure::ending());
            };
            let Ok(news) = news else { return Ok(Piece::Silence) };
            let Some(news) = news? else {
                self.leash.let_go();
                return Ok(Piece::End(self.outcome()));
            };
            self.words.take(&news);
            if let calls::News::State { task } = news {
                self.task = *task;
            }
        }
    }

    /// Returns the first event if it arrives within 5 seconds. A failure before it can still be reported
    /// by the HTTP status.
    pub async fn first(&mut self) -> Result<Option<Piece>, Failure> {
        match timeout(PATIENCE, self.next()).await {
            Err(_) | Ok(Ok(Piece::Silence)) => Ok(None),
            Ok(Ok(Piece::End(Err(failure)))) | Ok(Err(failure)) => Err(failure),
            Ok(Ok(piece)) => Ok(Some(piece)),
        }
    }

    /// Waits for the complete answer.
    pub async fn whole(&mut self) -> Result<&str, Failure> {
        loop {
            if let Piece::End(outcome) = self.next().await? {
                outcome?;
                return Ok(self.words.text());
            }
        }
    }

    pub fn text(&self) -> &str {
        self.words.text()
    }

    pub fn said(&self) -> Said<'_> {
        Said { message: self.id, text: self.text(), task: &self.task }
    }

    fn outcome(&self) -> Result<(), Failure> {
        outcome(&self.task, self.words.text())
    }
}

/// Returns the outcome of a settled task.
pub fn outcome(task: &Task, text: &str) -> Result<(), Failure> {
    match task.state {
        RunState::Completed | RunState::InputRequired | RunState::Stopped => Ok(()),
        RunState::AuthRequired if !text.is_empty() => Ok(()),
        _ => Err(Failure::of_run(task)),
    }
}

/// Maps a missing agent to a missing model.
fn no_model(error: Error) -> Failure {
    match error {
        Error::Refused(Refusal::NotFound { message }) => Failure::no_model(message),
        error => Failure::from(error),
    }
}
