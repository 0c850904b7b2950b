//! What an A2A agent says, made into one answer: events, snapshots and plain answers may all tell the same things.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use plexus_a2a::{
    client::{Received, Update, receive},
    wire::{
        rpc,
        v1::{Artifact, Message, Part, PartContent, Role, Task, TaskStatus},
    },
};
use plexus_domain::{
    Digest, RunState,
    run::{Failure, FailureClass},
};

use crate::{End, File, Output, Remote, outbound::quote, transcript::linkable};

/// Ids of others are kept, so their size and number are bounded.
const MAX_ID_BYTES: usize = 256;
const MAX_IDS: usize = 4_096;
/// What an agent says while it works is kept in case it says nothing else.
const MAX_MUTTERED_BYTES: usize = 64 << 10;

/// One answer of one agent. What it says goes to an [`Output`].
pub struct Answer<'a> {
    output: &'a mut dyn Output,
    peer: String,
    remote: Remote,
    /// What has been given on of each artifact.
    artifacts: HashMap<String, Given>,
    /// Messages that have been given on, or that are older than this run. Some agents give each of theirs the same id,
    /// so what a message says counts, too.
    heard: HashSet<(String, Digest)>,
    /// Where a task stood before this run continued it, until it has moved on.
    old_status: Option<TaskStatus>,
    muttered: String,
    last_muttered: Option<String>,
    has_said: bool,
    has_text: bool,
    is_over: bool,
}

#[derive(Default)]
struct Given {
    text: String,
    others: usize,
    /// Its last part was a file, with this name and type: bytes that are appended may belong to it.
    file: Option<FileKind>,
}

/// The name and media type that a file came with.
type FileKind = (Option<String>, Option<String>);

/// What an update comes to.
#[derive(Debug, PartialEq)]
pub enum Taken {
    More,
    End(End),
    Refused(rpc::Error),
}

impl<'a> Answer<'a> {
    pub fn new(output: &'a mut dyn Output, peer: String) -> Self {
        Self {
            output,
            peer,
            remote: Remote::default(),
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

    /// The task that the agent made of the request, as soon as it is known.
    pub fn task(&self) -> Option<&str> {
        self.remote.task.as_deref()
    }

    /// Whether anything of the answer has come.
    pub const fn has_said(&self) -> bool {
        self.has_said
    }

    /// The task, as long as the agent may still work on it.
    pub fn open_task(&self) -> Option<&str> {
        self.task().filter(|_| !self.is_over)
    }

    /// Takes a task as it was before this run: nothing of it is an answer.
    pub fn remember(&mut self, task: &Task) -> Result<(), Failure> {
        for artifact in &task.artifacts {
            let (text, others) = split(&artifact.parts);
            let given = Given { text, others: others.len(), file: None };
            self.artifacts.insert(self.id(&artifact.artifact_id)?, given);
        }
        for message in task.history.iter().chain(&task.status.message) {
            self.hear(message)?;
        }
        self.old_status = Some(task.status.clone());
        Ok(())
    }

    pub fn take(&mut self, update: Update) -> Result<Taken, Failure> {
        self.note_ids(&update)?;
        match update {
            Update::Error(error) => Ok(Taken::Refused(error)),
            Update::Message(message) => {
                self.say_message(&message)?;
                Ok(Taken::End(End::Completed))
            }
            Update::Task(task) => {
                for artifact in &task.artifacts {
                    self.artifact(artifact, false)?;
                }
                if self.old_status.as_ref() == Some(&task.status) && !self.has_news(&task.history)? {
                    return Ok(Taken::More);
                }
                self.status(&task.status, &task.history)
            }
            Update::Artifact(update) => self.artifact(&update.artifact, update.append).map(|()| Taken::More),
            // A stream may open with where the task stood. A status without a time says nothing of when it was.
            Update::Status(update)
                if update.status.timestamp.is_some() && self.old_status.as_ref() == Some(&update.status) =>
            {
                Ok(Taken::More)
            }
            Update::Status(update) => self.status(&update.status, &[]),
        }
    }

    /// Whether the agent has said something since the task was remembered: behind the last message that is known, since of a
    /// long task only the last messages were.
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
        let now = Remote {
            task: task.or_else(|| known.task.clone()),
            context: context.or_else(|| known.context.clone()),
        };
        if now != *known {
            self.output.remote(now.clone());
            self.remote = now;
        }
        Ok(())
    }

    fn status(&mut self, status: &TaskStatus, history: &[Message]) -> Result<Taken, Failure> {
        self.old_status = None;
        self.is_over = status.state.is_terminal();
        let refused = |words: String| Err(Failure::new(FailureClass::Refused, words));
        match status.state.run_state() {
            None | Some(RunState::Queued | RunState::Working) => self.mutter(status.message.as_ref()),
            Some(RunState::Completed) => {
                self.say(status.message.as_ref())?;
                self.say_what_is_left(history)?;
                Ok(Taken::End(End::Completed))
            }
            Some(RunState::InputRequired) => {
                self.ask(status.message.as_ref(), history).map(|()| Taken::End(End::InputRequired))
            }
            Some(RunState::AuthRequired) => {
                self.ask(status.message.as_ref(), history).map(|()| Taken::End(End::AuthRequired))
            }
            Some(RunState::Rejected) => {
                Ok(Taken::End(End::Rejected { reason: self.reason(status, "declined") }))
            }
            Some(RunState::Failed) => refused(self.reason(status, "reported that it failed")),
            Some(RunState::Stopped) => refused(self.reason(status, "cancelled the work")),
        }
    }

    fn reason(&self, status: &TaskStatus, what: &str) -> String {
        let words = status.message.as_ref().map(|message| quote(&text_of(message))).unwrap_or_default();
        let words = if words.is_empty() { ".".to_owned() } else { format!(": {words}") };
        format!("The agent at {} {what}{words}", self.peer)
    }

    /// A line on what the agent does; the answer itself only when nothing else comes.
    fn mutter(&mut self, message: Option<&Message>) -> Result<Taken, Failure> {
        let is_new = |message: &&Message| self.last_muttered.as_ref() != Some(&message.message_id);
        if let Some(message) = message.filter(is_new) {
            self.last_muttered = Some(self.id(&message.message_id)?);
            let text = text_of(message);
            if self.muttered.len() + text.len() <= MAX_MUTTERED_BYTES {
                self.muttered.push_str(&text);
            }
            self.output.status(&quote(&text));
        }
        Ok(Taken::More)
    }

    fn say(&mut self, message: Option<&Message>) -> Result<(), Failure> {
        message.map_or(Ok(()), |message| self.say_message(message))
    }

    /// A question that is asked once more in the same words is one all the same.
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

    /// Some agents answer only in their history, some only in what they say while they work.
    fn say_what_is_left(&mut self, history: &[Message]) -> Result<(), Failure> {
        if self.has_said {
            return Ok(());
        }
        self.say_last_of(history)?;
        self.say_muttered()
    }

    fn say_last_of(&mut self, history: &[Message]) -> Result<(), Failure> {
        self.say(history.iter().rev().find(|message| message.role == Role::Agent))
    }

    /// Where nothing else was said, what was said on the way is the answer.
    pub fn say_muttered(&mut self) -> Result<(), Failure> {
        let muttered = std::mem::take(&mut self.muttered);
        if self.has_said || muttered.is_empty() { Ok(()) } else { self.output.text(&muttered) }
    }

    /// A piece that follows, or the whole of an artifact, of which only what is new is given on.
    fn artifact(&mut self, artifact: &Artifact, append: bool) -> Result<(), Failure> {
        let id = self.id(&artifact.artifact_id)?;
        let (text, others) = split(&artifact.parts);
        let given = match self.artifacts.entry(id.clone()) {
            Entry::Occupied(given) => given.into_mut(),
            Entry::Vacant(place) => place.insert(Given::default()),
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
            self.part(part, Some(Within { id: &id, title: artifact.name.as_deref(), continues }))?;
        }
        Ok(())
    }

    /// Whether bytes that are appended to an artifact go on with its last file: their name and type are the same, or
    /// not said again. Remembers what the last file was.
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

    fn part(&mut self, part: Part, artifact: Option<Within<'_>>) -> Result<(), Failure> {
        let id = artifact.map(|within| within.id.to_owned());
        let title = artifact.and_then(|within| within.title.map(str::to_owned));
        match receive(part) {
            Received::Bytes { bytes, name, media_type } => {
                let continues = artifact.is_some_and(|within| within.continues);
                let file =
                    File { artifact: id, name: name.or(title), media_type, bytes: bytes.into(), continues };
                self.output.file(file)?;
            }
            Received::Part(part) if artifact.is_none() && part.as_text().is_some() => {
                let gap = if std::mem::replace(&mut self.has_text, true) { "\n\n" } else { "" };
                self.output.text(&format!("{gap}{}", part.as_text().unwrap_or_default()))?;
            }
            Received::Part(mut part) => {
                part.artifact = id;
                part.name = part.name.or(title);
                self.output.part(linkable(part))?;
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

/// The artifact that a part belongs to.
#[derive(Clone, Copy)]
struct Within<'a> {
    id: &'a str,
    title: Option<&'a str>,
    continues: bool,
}

fn file_kind(part: &Part) -> Option<FileKind> {
    let is_file = matches!(part.content, PartContent::Raw(_));
    is_file.then(|| (part.filename.clone(), part.media_type.clone()))
}

/// The text of an artifact, and its other parts.
fn split(parts: &[Part]) -> (String, Vec<&Part>) {
    let text = parts.iter().filter_map(Part::as_text).collect();
    (text, parts.iter().filter(|part| part.as_text().is_none()).collect())
}

fn text_of(message: &Message) -> String {
    message.parts.iter().filter_map(Part::as_text).collect()
}
