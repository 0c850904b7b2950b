//! Merges streamed updates of an agent into deltas.
//!
//! Agents stream differently: some append from the first chunk on, some repeat the whole artifact at the end,
//! some send only whole tasks. An [`ArtifactMerger`] accepts all of these and reports each piece of content once.

use std::collections::{BTreeMap, BTreeSet};

use super::Update;
use crate::wire::{
    Metadata,
    v1::{Artifact, Message, Part, PartContent, TaskState, TaskStatus},
};

/// A delta: content that was not reported before. Artifacts are identified by id.
#[derive(Clone, Debug, PartialEq)]
pub enum ArtifactDelta {
    /// The text that follows is a part of its own in this artifact, with this metadata.
    TextBegins { artifact: String, name: Option<String>, metadata: Option<Metadata> },
    /// Text to append to this artifact.
    Text { artifact: String, name: Option<String>, delta: String },
    /// Another part of this artifact.
    Part { artifact: String, name: Option<String>, part: Part },
    /// The previous content of this artifact is invalid; the complete new content follows.
    Replaced { artifact: String },
    /// A message: a question, final or intermediate message, depending on the task's state.
    /// Without a task it is the whole answer.
    Said { state: Option<TaskState>, message: Message },
}

/// State of the answer so far. Memory grows with the answer: the caller must limit its size.
#[derive(Clone, Debug, Default)]
pub struct ArtifactMerger {
    artifacts: BTreeMap<String, Vec<Part>>,
    said: BTreeSet<String>,
}

impl ArtifactMerger {
    /// Returns the deltas of an update. Errors of the agent yield none.
    pub fn take(&mut self, update: &Update) -> Vec<ArtifactDelta> {
        match update {
            Update::Message(message) => self.say(None, message).into_iter().collect(),
            Update::Status(update) => self.status(&update.status).into_iter().collect(),
            Update::Artifact(update) => self.merge(&update.artifact, update.append),
            Update::Task(task) => {
                let artifacts: Vec<_> =
                    task.artifacts.iter().flat_map(|artifact| self.merge(artifact, false)).collect();
                artifacts.into_iter().chain(self.status(&task.status)).collect()
            }
            Update::Error(_) => Vec::new(),
        }
    }

    /// Returns the deltas of an artifact. `append`: its parts continue the artifact; otherwise they are all of
    /// it.
    pub fn merge(&mut self, artifact: &Artifact, append: bool) -> Vec<ArtifactDelta> {
        if append { self.append(artifact) } else { self.replace(artifact) }
    }

    /// Returns the parts of an artifact so far.
    pub fn parts(&self, artifact: &str) -> &[Part] {
        self.artifacts.get(artifact).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the number of artifacts.
    pub fn artifacts(&self) -> usize {
        self.artifacts.len()
    }

    fn status(&mut self, status: &TaskStatus) -> Option<ArtifactDelta> {
        self.say(Some(status.state), status.message.as_ref()?)
    }

    fn say(&mut self, state: Option<TaskState>, message: &Message) -> Option<ArtifactDelta> {
        let is_new = self.said.insert(message.message_id.clone());
        is_new.then(|| ArtifactDelta::Said { state, message: message.clone() })
    }

    fn append(&mut self, artifact: &Artifact) -> Vec<ArtifactDelta> {
        let known = self.artifacts.entry(artifact.artifact_id.clone()).or_default();
        let deltas = |part: &Part| {
            let before = known.last().cloned();
            let is_joined = join(known, part);
            news(artifact, part, before.as_ref(), is_joined)
        };
        artifact.parts.iter().flat_map(deltas).collect()
    }

    fn replace(&mut self, artifact: &Artifact) -> Vec<ArtifactDelta> {
        let known = self.artifacts.entry(artifact.artifact_id.clone()).or_default();
        let mut whole = Vec::new();
        artifact.parts.iter().for_each(|part| {
            join(&mut whole, part);
        });
        let rest = beyond(known, &whole).or_else(|| beyond(&join_files(known), &join_files(&whole)));
        let (rest, is_other) = match rest {
            Some(rest) => (rest, false),
            None if beyond(&whole, known).is_some() => return Vec::new(),
            None => (whole.clone(), true),
        };
        let last = known.last().filter(|_| !is_other).cloned();
        let continues_text = last.as_ref().is_some_and(|last| last.as_text().is_some());
        *known = whole;
        let replaced = is_other.then(|| ArtifactDelta::Replaced { artifact: artifact.artifact_id.clone() });
        let before = [&last].into_iter().map(Option::as_ref).chain(rest.iter().map(Some));
        let rest = rest.iter().zip(before).enumerate();
        let rest =
            rest.flat_map(|(at, (part, before))| news(artifact, part, before, at == 0 && continues_text));
        replaced.into_iter().chain(rest).collect()
    }
}

/// Returns the deltas of a part that follows `before`. `is_joined`: it is text that continues the text before it.
fn news(artifact: &Artifact, part: &Part, before: Option<&Part>, is_joined: bool) -> Vec<ArtifactDelta> {
    let (id, name) = (artifact.artifact_id.clone(), artifact.name.clone());
    match part.as_text() {
        Some("") => Vec::new(),
        Some(text) if part.is_plain_text() => {
            let metadata = part.metadata.clone();
            let follows_other =
                before.is_some_and(|before| before.as_text().is_some() && before.metadata.is_some());
            let begins = !is_joined && (metadata.is_some() || follows_other);
            let begin = ArtifactDelta::TextBegins { artifact: id.clone(), name: name.clone(), metadata };
            let text = ArtifactDelta::Text { artifact: id, name, delta: text.to_owned() };
            begins.then_some(begin).into_iter().chain([text]).collect()
        }
        _ => vec![ArtifactDelta::Part { artifact: id, name, part: part.clone() }],
    }
}

/// Appends a part. Adjacent texts of one name, media type and metadata are merged. Returns true if they were.
fn join(parts: &mut Vec<Part>, part: &Part) -> bool {
    match (parts.last_mut(), &part.content) {
        (_, PartContent::Text(text)) if text.is_empty() => {}
        (
            Some(Part { content: PartContent::Text(before), filename, media_type, metadata }),
            PartContent::Text(text),
        ) if (&*filename, &*media_type, &*metadata) == (&part.filename, &part.media_type, &part.metadata) => {
            before.push_str(text);
            return true;
        }
        _ => parts.push(part.clone()),
    }
    false
}

/// Merges adjacent chunks of a file: bytes of the same name and type, or of neither.
fn join_files(parts: &[Part]) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        match (joined.last_mut(), &part.content) {
            (
                Some(Part { content: PartContent::Raw(before), filename, media_type, .. }),
                PartContent::Raw(bytes),
            ) if (&*filename, &*media_type) == (&part.filename, &part.media_type)
                || (&part.filename, &part.media_type) == (&None, &None) =>
            {
                before.extend_from_slice(bytes);
            }
            _ => joined.push(part.clone()),
        }
    }
    joined
}

/// Returns what `whole` adds to `known`, or `None` if `known` is not a prefix of it.
fn beyond(known: &[Part], whole: &[Part]) -> Option<Vec<Part>> {
    let Some((last, before)) = known.split_last() else { return Some(whole.to_vec()) };
    let (start, rest) = whole.split_at_checked(before.len())?;
    let (next, after) = rest.split_first()?;
    let is_same = |a: &Part, b: &Part| a.content == b.content && has_labels_of(a, b);
    if !start.iter().zip(before).all(|(a, b)| is_same(a, b)) || !has_labels_of(last, next) {
        return None;
    }
    let tail = match (last.as_text(), next.as_text()) {
        (Some(known), Some(text)) => {
            let rest = text.strip_prefix(known)?.to_owned();
            Some(Part { content: PartContent::Text(rest), ..next.clone() })
        }
        _ if last.content == next.content => None,
        _ => return None,
    };
    Some(tail.into_iter().chain(after.iter().cloned()).collect())
}

fn has_labels_of(a: &Part, b: &Part) -> bool {
    (&a.filename, &a.media_type, &a.metadata) == (&b.filename, &b.media_type, &b.metadata)
}
