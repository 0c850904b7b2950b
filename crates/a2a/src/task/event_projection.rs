//! Projects the changes of a running run to A2A stream events.
//!
//! One feed serves one or more subscribers. Its first event is the current task, so a late subscriber misses
//! nothing. Text is deduplicated by byte offset: what the first event already contains is dropped.

use std::collections::{BTreeMap, BTreeSet};

use plexus_domain::{
    MessageId, Part, PartBody, RunId, RunState, Timestamp,
    message::{Message, MessageState},
};

use super::{CallerRun, artifact, is_told, note, progress};
use crate::{
    client::{self, BlobUrl},
    wire::v1::{self, Artifact, StreamResponse, TaskArtifactUpdateEvent, TaskStatus, TaskStatusUpdateEvent},
};

/// Maximum size of an artifact that is repeated when it ends, as JSON. Clients bound the size of an event.
const MAX_WHOLE_BYTES: usize = 1 << 20;

/// A change in a run.
#[derive(Clone, Copy, Debug)]
pub enum RunChange<'a> {
    /// An open message has this part, complete or so far. Text starts at byte `start` of the part.
    Part { message: MessageId, index: usize, start: usize, part: &'a Part },
    /// A message of the agent is finished; nothing more is added to it. A question ([`CallerRun::is_question`]) is
    /// no artifact.
    Ended { message: &'a Message, is_question: bool },
    /// New status text of a run that is queued or works.
    Status { line: &'a str },
    /// The state of the run changed.
    State { run: CallerRun<'a> },
}

/// Error: text is missing between what was sent and this
/// change. The subscriber must start again with the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Text is missing before byte {start} of part {index} of message {message}.")]
pub struct MissingText {
    pub message: MessageId,
    pub index: usize,
    pub start: usize,
}

/// Event projector with the state known to the subscribers of one task.
#[derive(Clone, Debug)]
pub struct TaskEventProjector {
    run: RunId,
    context: String,
    state: (RunState, Timestamp),
    /// The message whose text is currently the main artifact.
    own: Option<MessageId>,
    /// Ids of named artifacts that were started.
    begun: BTreeSet<String>,
    /// The parts of named artifacts in finished messages, because a later message may continue an artifact.
    finished: BTreeMap<String, Vec<v1::Part>>,
    told: BTreeMap<MessageId, SentOffsets>,
    /// Number of status texts of the working run that were sent.
    statuses: u64,
}

/// How much of a message was sent.
#[derive(Clone, Debug, Default)]
struct SentOffsets {
    /// Bytes sent of each text part; 1 for any other part.
    parts: Vec<usize>,
    ended: bool,
}

impl TaskEventProjector {
    /// Creates a feed from the current run and returns it with the first event, the task.
    pub fn open(run: &CallerRun<'_>, blob_url: &BlobUrl<'_>) -> (Self, StreamResponse) {
        let mut feed = Self {
            run: run.id,
            context: run.context.to_owned(),
            state: (run.state, run.state_at),
            own: None,
            begun: BTreeSet::new(),
            finished: BTreeMap::new(),
            told: BTreeMap::new(),
            statuses: 0,
        };
        run.messages
            .iter()
            .filter(|message| run.is_agents(message))
            .for_each(|message| feed.know(message, blob_url));
        (feed, StreamResponse::Task(run.to_task(blob_url)))
    }

    /// Returns the events for a change. Empty if subscribers already know it or may not see it.
    ///
    /// # Errors
    /// Returns a [`MissingText`] if text before the change was never sent.
    pub fn apply(
        &mut self,
        change: RunChange<'_>,
        blob_url: &BlobUrl<'_>,
    ) -> Result<Vec<StreamResponse>, MissingText> {
        if self.state.0.is_terminal() {
            return Ok(Vec::new());
        }
        match change {
            RunChange::Part { message, index, start, part } => {
                let news = self.news(message, index, start, part, blob_url)?;
                Ok(news.map(|news| self.chunk(message, part, vec![news], false)).into_iter().collect())
            }
            RunChange::Ended { message, is_question } => self.end(message, is_question, blob_url),
            RunChange::Status { line } => Ok(self.status(line).into_iter().collect()),
            RunChange::State { run } => Ok(self.state(&run, blob_url).into_iter().collect()),
        }
    }

    /// Registers a message that is contained in the first event.
    fn know(&mut self, message: &Message, blob_url: &BlobUrl<'_>) {
        let parts = message.parts.iter().map(|part| part.as_text().map_or(1, str::len)).collect();
        self.told.insert(message.id, SentOffsets { parts, ended: message.state != MessageState::Open });
        for part in artifact::visible_parts(message) {
            match &part.artifact {
                None => self.own = Some(message.id),
                Some(id) => {
                    self.begun.insert(id.clone());
                    if message.state != MessageState::Open {
                        let sent = client::send(part, blob_url);
                        self.finished.entry(id.clone()).or_default().extend(sent);
                    }
                }
            }
        }
    }

    fn state(&mut self, run: &CallerRun<'_>, blob_url: &BlobUrl<'_>) -> Option<StreamResponse> {
        let state = (run.state, run.state_at);
        if self.state == state {
            return None;
        }
        self.state = state;
        Some(StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id: self.run.to_string(),
            context_id: self.context.clone(),
            status: run.to_status(blob_url),
            metadata: run.metadata(),
        }))
    }

    fn status(&mut self, line: &str) -> Option<StreamResponse> {
        if self.state.0 != RunState::Working {
            return self.waits(line);
        }
        self.statuses += 1;
        let progress = progress(self.run, &self.context, self.state.1, self.statuses, line);
        Some(StreamResponse::StatusUpdate(progress))
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

    /// Returns the unsent part of a part's content and marks it as sent.
    fn news(
        &mut self,
        message: MessageId,
        index: usize,
        start: usize,
        part: &Part,
        blob_url: &BlobUrl<'_>,
    ) -> Result<Option<v1::Part>, MissingText> {
        let told = self.told.entry(message).or_default();
        if told.ended || !is_told(part) {
            return Ok(None);
        }
        if told.parts.len() <= index {
            told.parts.resize(index + 1, 0);
        }
        let known = &mut told.parts[index];
        let PartBody::Text { text } = &part.content else {
            let is_new = *known == 0;
            *known = 1;
            return Ok(client::send(part, blob_url).filter(|_| is_new));
        };
        let end = start + text.len();
        if end <= *known {
            return Ok(None);
        }
        let fresh = known.checked_sub(start).and_then(|overlap| text.get(overlap..));
        let fresh = fresh.ok_or(MissingText { message, index, start })?;
        *known = end;
        Ok(client::send(
            &Part { content: PartBody::Text { text: fresh.to_owned() }, ..part.clone() },
            blob_url,
        ))
    }

    /// Sends the rest of a finished message and closes its artifacts.
    fn end(
        &mut self,
        message: &Message,
        is_question: bool,
        blob_url: &BlobUrl<'_>,
    ) -> Result<Vec<StreamResponse>, MissingText> {
        if self.told.get(&message.id).is_some_and(|told| told.ended) {
            return Ok(Vec::new());
        }
        let mut artifacts: Vec<(&Part, Vec<v1::Part>)> = Vec::new();
        // The beginning of a question that was streamed before the agent waited for input is an artifact.
        let is_said_in_status = is_question && self.own != Some(message.id);
        let is_sent = |part: &Part| is_told(part) && !(is_said_in_status && part.artifact.is_none());
        for (index, part) in message.parts.iter().enumerate().filter(|(_, part)| is_sent(part)) {
            let news = self.news(message.id, index, 0, part, blob_url)?;
            match artifacts.iter_mut().find(|(first, _)| first.artifact == part.artifact) {
                Some((_, rest)) => rest.extend(news),
                None => artifacts.push((part, news.into_iter().collect())),
            }
        }
        self.told.entry(message.id).or_default().ended = true;
        let close = |(first, rest)| self.last_chunk(message, first, rest, blob_url);
        Ok(artifacts.into_iter().map(close).collect())
    }

    /// Returns the closing event of an artifact: the whole artifact, because some clients keep only the event
    /// that is marked as the last. One of more than [`MAX_WHOLE_BYTES`] is closed by `rest`, what was not sent
    /// yet; a chunk needs a part, so an empty text is sent if nothing is left.
    fn last_chunk(
        &mut self,
        message: &Message,
        first: &Part,
        mut rest: Vec<v1::Part>,
        blob_url: &BlobUrl<'_>,
    ) -> StreamResponse {
        let mut whole = first.artifact.as_ref().and_then(|id| self.finished.remove(id)).unwrap_or_default();
        let parts = artifact::visible_parts(message).filter(|part| part.artifact == first.artifact);
        whole.extend(parts.filter_map(|part| client::send(part, blob_url)));
        if let Some(id) = &first.artifact {
            self.finished.insert(id.clone(), whole.clone());
        }
        let is_small = serde_json::to_string(&whole).is_ok_and(|json| json.len() <= MAX_WHOLE_BYTES);
        if !is_small && rest.is_empty() {
            rest.push(v1::Part::text(""));
        }
        let mut event = self.chunk(message.id, first, if is_small { whole } else { rest }, true);
        if let StreamResponse::ArtifactUpdate(update) = &mut event {
            update.append &= !is_small;
            let given = first.artifact.as_deref().and_then(|id| artifact::attributes(message, id));
            update.artifact = artifact::given_attributes(update.artifact.clone(), given);
        }
        event
    }

    /// Returns an artifact update. Each message restarts the main artifact; a named one is continued.
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
