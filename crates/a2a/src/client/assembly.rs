//! What each update of an agent adds to what it said before.
//!
//! Agents differ in how they stream: some append from the first chunk on, some send the whole artifact once more
//! at the end, some only ever send whole tasks. An [`Assembly`] takes any of it and tells each piece once.

use std::collections::{BTreeMap, BTreeSet};

use super::Update;
use crate::wire::v1::{Artifact, Message, Part, PartContent, TaskState, TaskStatus};

/// Something that was not known before. Artifacts are named by their id.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// Text that follows the text of this artifact.
    Text { artifact: String, name: Option<String>, delta: String },
    /// Another part of this artifact.
    Part { artifact: String, name: Option<String>, part: Part },
    /// What was said of this artifact does not hold any more; all of it follows anew.
    Replaced { artifact: String },
    /// A message: a question, a last word or a word on the way, by the task's state; the whole answer if there is
    /// no task.
    Said { state: Option<TaskState>, message: Message },
}

/// What an agent said in one run so far. It grows with the answer, so whoever feeds it bounds the answer.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    artifacts: BTreeMap<String, Vec<Part>>,
    said: BTreeSet<String>,
}

impl Assembly {
    /// What is new in an update. An error of the agent is no news of its answer.
    pub fn take(&mut self, update: &Update) -> Vec<News> {
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

    fn status(&mut self, status: &TaskStatus) -> Option<News> {
        self.say(Some(status.state), status.message.as_ref()?)
    }

    fn say(&mut self, state: Option<TaskState>, message: &Message) -> Option<News> {
        let is_new = self.said.insert(message.message_id.clone());
        is_new.then(|| News::Said { state, message: message.clone() })
    }

    fn append(&mut self, artifact: &Artifact) -> Vec<News> {
        let known = self.artifacts.entry(artifact.artifact_id.clone()).or_default();
        artifact.parts.iter().for_each(|part| join(known, part));
        artifact.parts.iter().filter_map(|part| news(artifact, part)).collect()
    }

    fn replace(&mut self, artifact: &Artifact) -> Vec<News> {
        let known = self.artifacts.entry(artifact.artifact_id.clone()).or_default();
        let mut whole = Vec::new();
        artifact.parts.iter().for_each(|part| join(&mut whole, part));
        let (rest, is_other) = match beyond(known, &whole) {
            Some(rest) => (rest, false),
            None if beyond(&whole, known).is_some() => return Vec::new(),
            None => (whole.clone(), true),
        };
        *known = whole;
        let replaced = is_other.then(|| News::Replaced { artifact: artifact.artifact_id.clone() });
        replaced.into_iter().chain(rest.iter().filter_map(|part| news(artifact, part))).collect()
    }
}

fn news(artifact: &Artifact, part: &Part) -> Option<News> {
    let (id, name) = (artifact.artifact_id.clone(), artifact.name.clone());
    Some(match part.as_text() {
        Some("") => return None,
        Some(delta) => News::Text { artifact: id, name, delta: delta.to_owned() },
        None => News::Part { artifact: id, name, part: part.clone() },
    })
}

/// Adds a part; text in pieces is the same as text in one.
fn join(parts: &mut Vec<Part>, part: &Part) {
    match (parts.last_mut().map(|last| &mut last.content), &part.content) {
        (_, PartContent::Text(text)) if text.is_empty() => {}
        (Some(PartContent::Text(before)), PartContent::Text(text)) => before.push_str(text),
        _ => parts.push(part.clone()),
    }
}

/// What `whole` has after `known`; none if it does not begin with it.
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
