//! Assembles the answer of an A2A agent. Events, task snapshots and plain responses may repeat the same
//! content, so it is deduplicated here.

use std::collections::{HashMap, HashSet};

use plexus_a2a::{
    client::{ArtifactDelta, ArtifactMerger, IncomingPart, Update, receive},
    wire::{
        rpc,
        v1::{Artifact, Message, Part, PartContent, Role, Task, TaskStatus},
    },
};
use plexus_domain::{
    Digest, RunState,
    run::{Failure, FailureClass},
};

use super::{answer_attributes::AnswerAttributes, repeated_parts::ArtifactParts, status_text::StatusText};
use crate::{
    Output, OutputFile, RemoteConversation, RunEnd, outbound::quote_foreign_text, transcript::linkable,
};

/// Bounds on remote ids, because they are stored in memory.
const MAX_ID_BYTES: usize = 256;
const MAX_IDS: usize = 4_096;
/// Maximum bytes of text emitted at once, so that what fits within the limit of the answer is kept.
const TEXT_PIECE_BYTES: usize = 16 << 10;

/// Assembles one answer of one agent and emits it to an [`Output`].
pub struct A2aResponse<'a> {
    output: &'a mut dyn Output,
    peer: String,
    remote: RemoteConversation,
    /// Artifacts already emitted.
    artifacts: ArtifactMerger,
    /// Ids of the artifacts that were emitted, in order.
    emitted: Vec<String>,
    /// Name and type of the last file of each artifact: appended bytes may continue it.
    files: HashMap<String, FileKind>,
    /// Messages already emitted, or older than this run. Identified by id and content, because some agents
    /// give all their messages the same id.
    heard: HashSet<(String, Digest)>,
    /// Status of the task before this run continued it. Cleared when the status changes.
    old_status: Option<TaskStatus>,
    status_text: StatusText,
    has_said: bool,
    /// The last thing that was emitted is text outside of artifacts.
    ends_in_text: bool,
    is_over: bool,
    attributes: AnswerAttributes,
}

/// Name and media type of a file.
type FileKind = (Option<String>, Option<String>);

/// Effect of an update on the run.
#[derive(Debug, PartialEq)]
pub enum UpdateEffect {
    More,
    End(RunEnd),
    Refused(rpc::Error),
}

impl<'a> A2aResponse<'a> {
    pub fn new(output: &'a mut dyn Output, peer: String) -> Self {
        Self {
            output,
            peer,
            remote: RemoteConversation::default(),
            artifacts: ArtifactMerger::default(),
            emitted: Vec::new(),
            files: HashMap::new(),
            heard: HashSet::new(),
            old_status: None,
            status_text: StatusText::default(),
            has_said: false,
            ends_in_text: false,
            is_over: false,
            attributes: AnswerAttributes::default(),
        }
    }

    /// Returns the id of the task that the agent created for the request, once known.
    pub fn task(&self) -> Option<&str> {
        self.remote.task.as_deref()
    }

    /// Returns true if any part of the answer was emitted.
    pub const fn has_output(&self) -> bool {
        self.has_said
    }

    /// Returns the id of the task while it has not reached a terminal state.
    pub fn open_task(&self) -> Option<&str> {
        self.task().filter(|_| !self.is_over)
    }

    /// Records the state of a task before this run. None of its content counts as an answer.
    pub fn skip_known(&mut self, task: &Task) -> Result<(), Failure> {
        for artifact in &task.artifacts {
            self.id(&artifact.artifact_id)?;
            self.artifacts.merge(artifact, false);
        }
        for message in task.history.iter().chain(&task.status.message) {
            self.hear(message)?;
        }
        self.old_status = Some(task.status.clone());
        Ok(())
    }

    pub fn take(&mut self, update: Update) -> Result<UpdateEffect, Failure> {
        self.note_ids(&update)?;
        if self.attributes.take(&update) {
            self.output.attributes(self.attributes.get());
        }
        match update {
            Update::Error(error) => Ok(UpdateEffect::Refused(error)),
            Update::Message(message) => {
                self.say_message(&message)?;
                Ok(UpdateEffect::End(RunEnd::Completed))
            }
            Update::Task(task) => {
                for artifact in &task.artifacts {
                    self.artifact(artifact, false)?;
                }
                if self.old_status.as_ref() == Some(&task.status) && !self.has_news(&task.history)? {
                    return Ok(UpdateEffect::More);
                }
                self.status(&task.status, Some(&task.history))
            }
            Update::Artifact(update) => {
                self.artifact(&update.artifact, update.append).map(|()| UpdateEffect::More)
            }
            // A stream may begin with the old status. A status without a timestamp cannot be recognised as
            // old.
            Update::Status(update)
                if update.status.timestamp.is_some() && self.old_status.as_ref() == Some(&update.status) =>
            {
                Ok(UpdateEffect::More)
            }
            Update::Status(update) => self.status(&update.status, None),
        }
    }

    /// Returns true if the agent added a message since the task was recorded. Only messages behind the last
    /// known one count: of a long task only the last messages were fetched.
    fn has_news(&self, history: &[Message]) -> Result<bool, Failure> {
        for message in history.iter().rev() {
            if self.heard.contains(&self.heard_as(message)?) {
                return Ok(false);
            }
            if message.role == Role::Agent {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn note_ids(&mut self, update: &Update) -> Result<(), Failure> {
        let task = update.task_id().map(|id| self.id(id)).transpose()?;
        let context = update.context_id().map(|id| self.id(id)).transpose()?;
        let known = &self.remote;
        let now = RemoteConversation {
            task: task.or_else(|| known.task.clone()),
            context: context.or_else(|| known.context.clone()),
        };
        if now != *known {
            self.output.remote(now.clone());
            self.remote = now;
        }
        Ok(())
    }

    /// `history`: the history of the task, if the status came with the whole task.
    fn status(&mut self, status: &TaskStatus, history: Option<&[Message]>) -> Result<UpdateEffect, Failure> {
        let (is_snapshot, history) = (history.is_some(), history.unwrap_or_default());
        self.old_status = None;
        self.is_over = status.state.is_terminal();
        let refused = |words: String| Err(Failure::new(FailureClass::Refused, words));
        match status.state.run_state() {
            None | Some(RunState::Queued | RunState::Working) => {
                self.show_status_text(status.message.as_ref(), is_snapshot)
            }
            Some(RunState::Completed) => {
                let message = self.complete(status.message.as_ref(), is_snapshot, StatusText::take_all);
                self.say(message.as_ref())?;
                self.say_what_is_left(history)?;
                Ok(UpdateEffect::End(RunEnd::Completed))
            }
            Some(state @ (RunState::InputRequired | RunState::AuthRequired)) => {
                let message = self.complete(status.message.as_ref(), is_snapshot, StatusText::take_current);
                self.output.begin_question();
                self.ask(message.as_ref(), history)?;
                let is_question = state == RunState::InputRequired;
                Ok(UpdateEffect::End(if is_question { RunEnd::InputRequired } else { RunEnd::AuthRequired }))
            }
            Some(RunState::Rejected) => {
                Ok(UpdateEffect::End(RunEnd::Rejected { reason: self.reason(status, "declined") }))
            }
            Some(RunState::Failed) => refused(self.reason(status, "reported that it failed")),
            Some(RunState::Stopped) => refused(self.reason(status, "cancelled the work")),
        }
    }

    fn reason(&self, status: &TaskStatus, what: &str) -> String {
        let words =
            status.message.as_ref().map(|message| quote_foreign_text(&text_of(message))).unwrap_or_default();
        let words = if words.is_empty() { ".".to_owned() } else { format!(": {words}") };
        format!("The agent at {} {what}{words}", self.peer)
    }

    /// Shows status text as the activity line, and stores it as a fallback answer.
    fn show_status_text(
        &mut self,
        message: Option<&Message>,
        is_snapshot: bool,
    ) -> Result<UpdateEffect, Failure> {
        if let Some(message) = message {
            let (id, text) = (self.id(&message.message_id)?, text_of(message));
            if self.status_text.add(&id, &text, is_snapshot) {
                self.output.status(&quote_foreign_text(&text));
            }
        }
        Ok(UpdateEffect::More)
    }

    /// Returns the last message with the text of its earlier chunks, which `take` takes. A message that came
    /// at once is returned as it is.
    fn complete(
        &mut self,
        message: Option<&Message>,
        is_snapshot: bool,
        take: impl FnOnce(&mut StatusText) -> String,
    ) -> Option<Message> {
        let mut message = message?.clone();
        let text = text_of(&message);
        if !self.has_said && self.status_text.is_current(&message.message_id) {
            self.status_text.add(&message.message_id, &text, is_snapshot);
            message.parts.retain(|part| part.as_text().is_none());
            message.parts.insert(0, Part::text(take(&mut self.status_text)));
        }
        Some(message)
    }

    fn say(&mut self, message: Option<&Message>) -> Result<(), Failure> {
        message.map_or(Ok(()), |message| self.say_message(message))
    }

    /// Emits a question. Not deduplicated: a question may be repeated in the same words.
    fn ask(&mut self, message: Option<&Message>, history: &[Message]) -> Result<(), Failure> {
        match message.filter(|message| has_content(message)) {
            Some(question) => self.say_parts(question),
            None => self.say_last_of(history),
        }
    }

    fn say_message(&mut self, message: &Message) -> Result<(), Failure> {
        if !has_content(message) || self.heard.contains(&self.heard_as(message)?) {
            return Ok(());
        }
        self.say_parts(message)
    }

    fn say_parts(&mut self, message: &Message) -> Result<(), Failure> {
        self.hear(message)?;
        let said = ArtifactParts::new(self.emitted.iter().map(|id| self.artifacts.parts(id)).collect());
        for part in said.not_repeated(message) {
            self.part(part, None)?;
        }
        Ok(())
    }

    /// Emits a fallback answer. Some agents answer only in their history, others only in status messages.
    fn say_what_is_left(&mut self, history: &[Message]) -> Result<(), Failure> {
        if self.has_said {
            return Ok(());
        }
        self.say_last_of(history)?;
        self.emit_status_text()
    }

    fn say_last_of(&mut self, history: &[Message]) -> Result<(), Failure> {
        self.say(history.iter().rev().find(|message| message.role == Role::Agent))
    }

    /// Emits the stored status text as the answer if nothing else was emitted.
    pub fn emit_status_text(&mut self) -> Result<(), Failure> {
        let text = self.status_text.take_all();
        if self.has_said { Ok(()) } else { self.emit_text(&text) }
    }

    fn emit_text(&mut self, mut text: &str) -> Result<(), Failure> {
        while !text.is_empty() {
            let (piece, rest) = text.split_at(text.floor_char_boundary(TEXT_PIECE_BYTES));
            self.output.text(piece)?;
            text = rest;
        }
        Ok(())
    }

    /// Emits the new content of an artifact update, in order. What the update replaces is discarded.
    fn artifact(&mut self, artifact: &Artifact, append: bool) -> Result<(), Failure> {
        let id = self.id(&artifact.artifact_id)?;
        let deltas = self.artifacts.merge(artifact, append);
        if !deltas.is_empty() && !self.emitted.contains(&id) {
            self.emitted.push(id);
        }
        for delta in deltas {
            match delta {
                ArtifactDelta::TextBegins { artifact, name, metadata } => {
                    self.output.begin_artifact_text(&artifact, name.as_deref(), metadata.map(Box::new))?;
                }
                ArtifactDelta::Text { artifact, name, delta } => {
                    self.output.artifact_text(&artifact, name.as_deref(), &delta)?;
                    (self.has_said, self.ends_in_text) = (true, false);
                }
                ArtifactDelta::Part { artifact, name, part } => {
                    let continues = self.continues_file(&artifact, &part) && append;
                    let context = ArtifactContext { id: &artifact, title: name.as_deref(), continues };
                    self.part(part, Some(context))?;
                }
                ArtifactDelta::Replaced { artifact } => {
                    self.files.remove(&artifact);
                    self.output.discard_artifact(&artifact)?;
                }
                ArtifactDelta::Said { .. } => {}
            }
        }
        Ok(())
    }

    /// Returns true if bytes appended to an artifact continue its last file. That requires the same name and
    /// type, or neither of them. Updates the record of the last file.
    fn continues_file(&mut self, artifact: &str, part: &Part) -> bool {
        let Some(kind) = file_kind(part) else {
            self.files.remove(artifact);
            return false;
        };
        let is_next = self.files.get(artifact).is_some_and(|last| kind == *last || kind == (None, None));
        if !is_next {
            self.files.insert(artifact.to_owned(), kind);
        }
        is_next
    }

    fn part(&mut self, part: Part, artifact: Option<ArtifactContext<'_>>) -> Result<(), Failure> {
        let id = artifact.map(|within| within.id.to_owned());
        let title = artifact.and_then(|within| within.title.map(str::to_owned));
        let is_plain = artifact.is_none() && part.is_plain_text() && part.metadata.is_none();
        let follows_text = std::mem::replace(&mut self.ends_in_text, is_plain);
        match receive(part) {
            IncomingPart::Bytes { bytes, name, media_type, metadata } => {
                let continues = artifact.is_some_and(|within| within.continues);
                let file = OutputFile {
                    artifact: id,
                    name: name.or(title),
                    media_type,
                    metadata,
                    bytes: bytes.into(),
                    continues,
                };
                self.output.file(file)?;
            }
            IncomingPart::Part(part) if is_plain => {
                if follows_text {
                    self.output.text("\n\n")?;
                }
                self.emit_text(part.as_text().unwrap_or_default())?;
            }
            IncomingPart::Part(mut part) => {
                part.artifact = id;
                part.name = part.name.or(title);
                self.output.part(linkable(*part))?;
            }
        }
        self.has_said = true;
        Ok(())
    }

    fn hear(&mut self, message: &Message) -> Result<(), Failure> {
        let heard = self.heard_as(message)?;
        self.heard.insert(heard);
        Ok(())
    }

    fn heard_as(&self, message: &Message) -> Result<(String, Digest), Failure> {
        let id = self.id(&message.message_id)?;
        let parts = serde_json::to_vec(&message.parts).map_err(|error| {
            Failure::new(FailureClass::Internal, format!("A message cannot be written as JSON: {error}."))
        })?;
        Ok((id, Digest::of(parts)))
    }

    fn id(&self, id: &str) -> Result<String, Failure> {
        if id.len() > MAX_ID_BYTES || self.heard.len() + self.artifacts.artifacts() > MAX_IDS {
            let words = format!(
                "The agent at {} uses ids of more than {MAX_ID_BYTES} bytes, or more than {MAX_IDS} of them.",
                self.peer
            );
            return Err(Failure::new(FailureClass::Garbage, words));
        }
        Ok(id.to_owned())
    }
}

/// Artifact that a part belongs to.
#[derive(Clone, Copy)]
struct ArtifactContext<'a> {
    id: &'a str,
    title: Option<&'a str>,
    continues: bool,
}

fn file_kind(part: &Part) -> Option<FileKind> {
    let is_file = matches!(part.content, PartContent::Raw(_));
    is_file.then(|| (part.filename.clone(), part.media_type.clone()))
}

/// Returns true if any part of the message is not an empty text.
fn has_content(message: &Message) -> bool {
    message.parts.iter().any(|part| part.as_text() != Some(""))
}

fn text_of(message: &Message) -> String {
    message.parts.iter().filter_map(Part::as_text).collect()
}
