//! Merges streamed updates of an agent into deltas.
//!
//! Agents stream differently: some append from the first chunk on, some repeat the whole artifact at the end,
//! some send only whole tasks. An [`ArtifactMerger`] accepts all of these and reports each piece of content once.

use std::collections::{BTreeMap, BTreeSet};

use super::Update;
use crate::wire::v1::{Artifact, Message, Part, PartContent, TaskState, TaskStatus};

/// A delta: content that was not reported before. Artifacts are identified by id.
#[derive(Clone, Debug, PartialEq)]
pub enum ArtifactDelta {
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
            Update::Artifact(update) if update.append => self.append(&update.artifact),
            Update::Artifact(update) => self.replace(&update.artifact),
            Update::Task(task) => {
                let artifacts: Vec<_> =
                    task.artifacts.iter().flat_map(|artifact| self.replace(artifact)).collect();
                artifacts.into_iter().chain(self.status(&task.status)).collect()
            }
            Update::Error(_) => Vec::new(),
        }
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
        artifact.parts.iter().for_each(|part| join(known, part));
        artifact.parts.iter().filter_map(|part| news(artifact, part)).collect()
    }

    fn replace(&mut self, artifact: &Artifact) -> Vec<ArtifactDelta> {
        let known = self.artifacts.entry(artifact.artifact_id.clone()).or_default();
        let mut whole = Vec::new();
        artifact.parts.iter().for_each(|part| join(&mut whole, part));
        let (rest, is_other) = match beyond(known, &whole) {
            Some(rest) => (rest, false),
            None if beyond(&whole, known).is_some() => return Vec::new(),
            None => (whole.clone(), true),
        };
        *known = whole;
        let replaced = is_other.then(|| ArtifactDelta::Replaced { artifact: artifact.artifact_id.clone() });
        replaced.into_iter().chain(rest.iter().filter_map(|part| news(artifact, part))).collect()
    }
}

fn news(artifact: &Artifact, part: &Part) -> Option<ArtifactDelta> {
    let (id, name) = (artifact.artifact_id.clone(), artifact.name.clone());
    Some(match part.as_text() {
        Some("") => return None,
        Some(delta) => ArtifactDelta::Text { artifact: id, name, delta: delta.to_owned() },
        None => ArtifactDelta::Part { artifact: id, name, part: part.clone() },
    })
}

/// Appends a part; adjacent texts are merged.
fn join(parts: &mut Vec<Part>, part: &Part) {
    match (parts.last_mut().map(|last| &mut last.content), &part.content) {
        (_, PartContent::Text(text)) if text.is_empty() => {}
        (Some(PartContent::Text(before)), PartContent::Text(text)) => before.push_str(text),
        _ => parts.push(part.clone()),
    }
}

/// Returns what `whole` adds to `known`, or `None` if `known` is not a prefix of it.
fn beyond(known: &[Part], whole: &[Part]) -> Option<Vec<Part>> {
    let Some((last, before)) = known.split_last() else { return Some(whole.to_vec()) };
    let rest = whole.strip_prefix(before)?;
    let (next, after) = rest.split_first()?;
    let tail = match (last.as_text(), next.as_text()) {
        (Some(known), Some(text)) => Some(Part::text(text.strip_prefix(known)?)),
        _ if last.content == next.content => None,
        _ => return None,
    };
    Some(tail.into_iter().chain(after.iter().cloned()).collect())
}
