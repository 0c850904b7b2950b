//! Assembles the answer of an A2A agent. Events, task snapshots and plain responses may repeat the same
//! content, so it is deduplicated here.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use plexus_a2a::{
    client::{IncomingPart, Update, receive},
    wire::{
        rpc,
        v1::{Artifact, Message, Part, PartContent, Role, Task, TaskStatus},
    },
};
use plexus_domain::{
    Digest, RunState,
    run::{Failure, FailureClass},
};

use crate::{
    Output, OutputFile, RemoteConversation, RunEnd, outbound::quote_foreign_text, transcript::linkable,
};

/// Bounds on remote ids, because they are stored in memory.
const MAX_ID_BYTES: usize = 256;
const MAX_IDS: usize = 4_096;
/// Maximum bytes of status text stored as a fallback answer, in case no other answer comes.
const MAX_MUTTERED_BYTES: usize = 64 << 10;

/// Assembles one answer of one agent and emits it to an [`Output`].
pub struct A2aResponse<'a> {
    output: &'a mut dyn Output,
    peer: String,
    remote: RemoteConversation,
    /// Content already emitted, by artifact id.
    artifacts: HashMap<String, ReceivedFile>,
    /// Messages already emitted, or older than this run. Identified by id and content, because some agents
    /// give all their messages the same id.
    heard: HashSet<(String, Digest)>,
    /// Status of the task before this run continued it. Cleared when the status changes.
    old_status: Option<TaskStatus>,
    muttered: String,
    last_muttered: Option<String>,
    has_said: bool,
    has_text: bool,
    is_over: bool,
}

#[derive(Default)]
struct ReceivedFile {
    text: String,
    others: usize,
    /// Name and type of the last part if it was a file: appended bytes may continue it.
    file: Option<FileKind>,
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
            artifacts: HashMap::new(),
            heard: HashSet::new(),
            old_status: None,
            muttered: String::new(),
            last_muttered: None,
            has_said: false,
            has_text: false,
            is_over: false,
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
            let (text, others) = split(&artifact.parts);
            let given = ReceivedFile { text, others: others.len(), file: None };
            self.artifacts.insert(self.id(&artifact.artifact_id)?, given);
        }
        for message in task.history.iter().chain(&task.status.message) {
            self.hear(message)?;
        }
        self.old_status = Some(task.status.clone());
        Ok(())
    }

    pub fn take(&mut self, update: Update) -> Result<UpdateEffect, Failure> {
        self.note_ids(&update)?;
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
                self.status(&task.status, &task.history)
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
            Update::Status(update) => self.status(&update.status, &[]),
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

    fn status(&mut self, status: &TaskStatus, history: &[Message]) -> Result<UpdateEffect, Failure> {
        self.old_status = None;
        self.is_over = status.state.is_terminal();
        let refused = |words: String| Err(Failure::new(FailureClass::Refused, words));
        match status.state.run_state() {
            None | Some(RunState::Queued | RunState::Working) => self.mutter(status.message.as_ref()),
            Some(RunState::Completed) => {
                self.say(status.message.as_ref())?;
                self.say_what_is_left(history)?;
                Ok(UpdateEffect::End(RunEnd::Completed))
            }
            Some(RunState::InputRequired) => {
                self.ask(status.message.as_ref(), history).map(|()| UpdateEffect::End(RunEnd::InputRequired))
            }
            Some(RunState::AuthRequired) => {
                self.ask(status.message.as_ref(), history).map(|()| UpdateEffect::End(RunEnd::AuthRequired))
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
    fn mutter(&mut self, message: Option<&Message>) -> Result<UpdateEffect, Failure> {
        let is_new = |message: &&Message| self.last_muttered.as_ref() != Some(&message.message_id);
        if let Some(message) = message.filter(is_new) {
            self.last_muttered = Some(self.id(&message.message_id)?);
            let text = text_of(message);
            if self.muttered.len() + text.len() <= MAX_MUTTERED_BYTES {
                self.muttered.push_str(&text);
            }
            self.output.status(&quote_foreign_text(&text));
        }
        Ok(UpdateEffect::More)
    }

    fn say(&mut self, message: Option<&Message>) -> Result<(), Failure> {
        message.map_or(Ok(()), |message| self.say_message(message))
    }

    /// Emits a question. Not deduplicated: a question may be repeated in the same words.
    fn ask(&mut self, message: Option<&Message>, history: &[Message]) -> Result<(), Failure> {
        match message.filter(|message| !message.parts.is_empty()) {
            Some(question) => self.say_parts(question),
            None => self.say_last_of(history),
        }
    }

    fn say_message(&mut self, message: &Message) -> Result<(), Failure> {
        if message.parts.is_empty() || self.heard.contains(&self.heard_as(message)?) {
            return Ok(());
        }
        self.say_parts(message)
    }

    fn say_parts(&mut self, message: &Message) -> Result<(), Failure> {
        self.hear(message)?;
        for part in &message.parts {
            self.part(part.clone(), None)?;
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
        let muttered = std::mem::take(&mut self.muttered);
        if self.has_said || muttered.is_empty() { Ok(()) } else { self.output.text(&muttered) }
    }

    /// Emits the new content of an artifact update: an appended piece, or a full snapshot of which the known
    /// prefix is skipped.
    fn artifact(&mut self, artifact: &Artifact, append: bool) -> Result<(), Failure> {
        let id = self.id(&artifact.artifact_id)?;
        let (text, others) = split(&artifact.parts);
        let given = match self.artifacts.entry(id.clone()) {
            Entry::Occupied(given) => given.into_mut(),
            Entry::Vacant(place) => place.insert(ReceivedFile::default()),
        };
        let (new_text, known_others) = match text.strip_prefix(given.text.as_str()) {
            _ if append => (text, 0),
            Some(rest) => (rest.to_owned(), given.others),
            None => (format!("\n\n{text}"), given.others),
        };
        let new_others = others.into_iter().skip(known_others);
        let new_others: Vec<Part> = new_others.cloned().collect();
        given.others += new_others.len();
        if !new_text.is_empty() {
            self.output.artifact_text(&id, artifact.name.as_deref(), &new_text)?;
            given.text.push_str(&new_text);
            self.has_said = true;
        }
        for part in new_others {
            let continues = self.continues_file(&id, &part) && append;
            self.part(part, Some(ArtifactContext { id: &id, title: artifact.name.as_deref(), continues }))?;
        }
        Ok(())
    }

    /// Returns true if bytes appended to an artifact continue its last file. That requires the same name and
    /// type, or neither of them. Updates the record of the last file.
    fn continues_file(&mut self, artifact: &str, part: &Part) -> bool {
        let Some(given) = self.artifacts.get_mut(artifact) else { return false };
        let kind = file_kind(part);
        let goes_on = match (&given.file, &kind) {
            (Some(last), Some(kind)) => kind == last || *kind == (None, None),
            _ => false,
        };
        if !goes_on {
            given.file = kind;
        }
        goes_on
    }

    fn part(&mut self, part: Part, artifact: Option<ArtifactContext<'_>>) -> Result<(), Failure> {
        let id = artifact.map(|within| within.id.to_owned());
        let title = artifact.and_then(|within| within.title.map(str::to_owned));
        match receive(part) {
            IncomingPart::Bytes { bytes, name, media_type } => {
                let continues = artifact.is_some_and(|within| within.continues);
                let file = OutputFile {
                    artifact: id,
                    name: name.or(title),
                    media_type,
                    bytes: bytes.into(),
                    continues,
                };
                self.output.file(file)?;
            }
            IncomingPart::Part(part) if artifact.is_none() && part.as_text().is_some() => {
                let gap = if std::mem::replace(&mut self.has_text, true) { "\n\n" } else { "" };
                self.output.text(&format!("{gap}{}", part.as_text().unwrap_or_default()))?;
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
        if id.len() > MAX_ID_BYTES || self.heard.len() + self.artifacts.len() > MAX_IDS {
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

/// Splits the parts of an artifact into its text and its other parts.
fn split(parts: &[Part]) -> (String, Vec<&Part>) {
    let text = parts.iter().filter_map(Part::as_text).collect();
    (text, parts.iter().filter(|part| part.as_text().is_none()).collect())
}

fn text_of(message: &Message) -> String {
    message.parts.iter().filter_map(Part::as_text).collect()
}
