//! A run that goes on, told as the events of a stream.
//!
//! A feed turns what changes in a run into events, for one reader or for several at once. It begins with the task
//! as it stands, so a reader who comes later misses nothing and sees nothing twice: text is placed by its byte
//! offset, and what the first event holds already is dropped.

use std::collections::{BTreeMap, BTreeSet};

use plexus_domain::{
    Content, MessageId, Part, RunId, RunState, Timestamp,
    message::{Message, MessageState},
};

use super::{Run, artifact, is_told, note};
use crate::{
    client::{self, BlobUrl},
    wire::v1::{self, Artifact, StreamResponse, TaskArtifactUpdateEvent, TaskStatus, TaskStatusUpdateEvent},
};

/// Something that changed in a run.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// An open message has this part, whole or as far as it is there. Text is `start` bytes into the part.
    Part { message: MessageId, index: usize, start: usize, part: &'a Part },
    /// A message of the agent is finished; nothing is added to it.
    Ended { message: &'a Message },
    /// What is to be said of a run that waits for its turn.
    Waits { line: &'a str },
    /// The run is in another state.
    State { run: Run<'a> },
}

/// Text is missing between what was told and what came: the reader has to begin again with the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Text is missing before byte {start} of part {index} of message {message}.")]
pub struct Gap {
    pub message: MessageId,
    pub index: usize,
    pub start: usize,
}

/// What the readers of one task know.
#[derive(Clone, Debug)]
pub struct Feed {
    run: RunId,
    context: String,
    state: (RunState, Timestamp),
    /// The message whose words are the agent's own artifact now.
    own: Option<MessageId>,
    /// Named artifacts that began.
    begun: BTreeSet<String>,
    told: BTreeMap<MessageId, Told>,
}

/// How much of a message was told.
#[derive(Clone, Debug, Default)]
struct Told {
    /// Bytes of each text; 1 for any other part.
    parts: Vec<usize>,
    ended: bool,
}

impl Feed {
    /// A feed that goes on from the run as it stands, and the first event: the task.
    pub fn open(run: &Run<'_>, blob_url: &BlobUrl<'_>) -> (Self, StreamResponse) {
        let mut feed = Self {
            run: run.id,
            context: run.context.to_owned(),
            state: (run.state, run.state_at),
            own: None,
            begun: BTreeSet::new(),
            told: BTreeMap::new(),
        };
        run.messages.iter().filter(|message| run.is_agents(message)).for_each(|message| feed.know(message));
        (feed, StreamResponse::Task(run.to_task(blob_url)))
    }

    /// The events that tell of a change; none if readers know it already or may not.
    ///
    /// # Errors
    /// A [`Gap`] if text before the change was never told.
    pub fn apply(&mut self, change: Change<'_>, blob_url: &BlobUrl<'_>) -> Result<Vec<StreamResponse>, Gap> {
        if self.state.0.is_terminal() {
            return Ok(Vec::new());
        }
        match change {
            Change::Part { message, index, start, part } => {
                let news = self.news(message, index, start, part, blob_url)?;
                Ok(news.map(|news| self.chunk(message, part, vec![news], false)).into_iter().collect())
            }
            Change::Ended { message } => self.end(message, blob_url),
            Change::Waits { line } => Ok(self.waits(line).into_iter().collect()),
            Change::State { run } => Ok(self.state(&run, blob_url).into_iter().collect()),
        }
    }

    /// Takes note of a message that the first event holds.
    fn know(&mut self, message: &Message) {
        let parts = message.parts.iter().map(|part| part.as_text().map_or(1, str::len)).collect();
        self.told.insert(message.id, Told { parts, ended: message.state != MessageState::Open });
        for part in artifact::told(message) {
            match &part.artifact {
                None => self.own = Some(message.id),
                Some(id) => _ = self.begun.insert(id.clone()),
            }
        }
    }

    fn state(&mut self, run: &Run<'_>, blob_url: &BlobUrl<'_>) -> Option<StreamResponse> {
        let state = (run.state, run.state_at);
        if self.state == state {
            return None;
        }
        self.state = state;
        Some(StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id: self.run.to_string(),
            context_id: self.context.clone(),
            status: run.to_status(blob_url),
            metadata: None,
        }))
    }

    fn waits(&self, line: &str) -> Option<StreamResponse> {
        let (state, at) = self.state;
        let message = v1::Message {
            context_id: Some(self.context.clone()),
            task_id: Some(self.run.to_string()),
            ..note(self.run, line)
        };
        let status =
            TaskStatus { state: state.into(), message: Some(message), timestamp: Some(at.to_rfc3339()) };
        (state == RunState::Queued).then(|| {
            StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
                task_id: self.run.to_string(),
                context_id: self.context.clone(),
                status,
                metadata: None,
            })
        })
    }

    /// What of a part was not told yet, which it is from now on.
    fn news(
        &mut self,
        message: MessageId,
        index: usize,
        start: usize,
        part: &Part,
        blob_url: &BlobUrl<'_>,
    ) -> Result<Option<v1::Part>, Gap> {
        let told = self.told.entry(message).or_default();
        if told.ended || !is_told(part) {
            return Ok(None);
        }
        if told.parts.len() <= index {
            told.parts.resize(index + 1, 0);
        }
        let known = &mut told.parts[index];
        let Content::Text { text } = &part.content else {
            let is_new = *known == 0;
            *known = 1;
            return Ok(client::send(part, blob_url).filter(|_| is_new));
        };
        let end = start + text.len();
        if end <= *known {
            return Ok(None);
        }
        let fresh = known.checked_sub(start).and_then(|overlap| text.get(overlap..));
        let fresh = fresh.ok_or(Gap { message, index, start })?;
        *known = end;
        Ok(client::send(
            &Part { content: Content::Text { text: fresh.to_owned() }, ..part.clone() },
            blob_url,
        ))
    }

    /// Tells what is left of a message, and closes each of its artifacts.
    fn end(&mut self, message: &Message, blob_url: &BlobUrl<'_>) -> Result<Vec<StreamResponse>, Gap> {
        if self.told.get(&message.id).is_some_and(|told| told.ended) {
            return Ok(Vec::new());
        }
        let mut artifacts: Vec<(&Part, Vec<v1::Part>)> = Vec::new();
        for (index, part) in message.parts.iter().enumerate().filter(|(_, part)| is_told(part)) {
            let news = self.news(message.id, index, 0, part, blob_url)?;
            match artifacts.iter_mut().find(|(first, _)| first.artifact == part.artifact) {
                Some((_, rest)) => rest.extend(news),
                None => artifacts.push((part, news.into_iter().collect())),
            }
        }
        self.told.entry(message.id).or_default().ended = true;
        let close = |(first, rest)| self.last_chunk(message.id, first, rest);
        Ok(artifacts.into_iter().map(close).collect())
    }

    /// A chunk needs a part, also where everything was told.
    fn last_chunk(&mut self, message: MessageId, first: &Part, mut rest: Vec<v1::Part>) -> StreamResponse {
        if rest.is_empty() {
            rest.push(v1::Part::text(""));
        }
        self.chunk(message, first, rest, true)
    }

    /// The agent's own artifact begins anew with each message; a named one goes on.
    fn chunk(
        &mut self,
        message: MessageId,
        of: &Part,
        parts: Vec<v1::Part>,
        last_chunk: bool,
    ) -> StreamResponse {
        let append = match &of.artifact {
            None => self.own.replace(message) == Some(message),
            Some(id) => !self.begun.insert(id.clone()),
        };
        StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
            task_id: self.run.to_string(),
            context_id: self.context.clone(),
            artifact: Artifact::new(artifact::id(self.run, of), artifact::name(of), parts),
            append,
            last_chunk,
            metadata: None,
        })
    }
}
