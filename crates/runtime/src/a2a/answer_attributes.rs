//! Attributes of the answer of an A2A agent: metadata, extensions and descriptions. The hub passes them on.

use plexus_a2a::{
    client::{Update, non_empty},
    wire::{
        Metadata,
        v1::{Artifact, Message, Task, TaskStatus},
    },
};
use plexus_domain::{ArtifactAttributes, MessageAttributes};

/// Maximum size of all attributes of an answer as JSON, in bytes.
const MAX_BYTES: usize = 64 << 10;

/// Attributes of an answer so far.
#[derive(Debug, Default)]
pub struct AnswerAttributes {
    known: MessageAttributes,
    is_full: bool,
}

impl AnswerAttributes {
    pub const fn get(&self) -> &MessageAttributes {
        &self.known
    }

    /// Adds the attributes of an update. Returns true if they changed something. What exceeds the limit is omitted.
    pub fn take(&mut self, update: &Update) -> bool {
        if self.is_full {
            return false;
        }
        let mut next = self.known.clone();
        match update {
            Update::Message(message) => take_message(&mut next, message),
            Update::Task(task) => take_task(&mut next, task),
            Update::Status(update) => {
                extend(&mut next.task_metadata, update.metadata.as_ref());
                take_status(&mut next, &update.status);
            }
            Update::Artifact(update) => take_artifact(&mut next, &update.artifact),
            Update::Error(_) => {}
        }
        if next == self.known {
            return false;
        }
        self.is_full = serde_json::to_string(&next).is_ok_and(|json| json.len() > MAX_BYTES);
        if self.is_full {
            tracing::debug!(limit = MAX_BYTES, "attributes of an answer omitted: too large");
            return false;
        }
        self.known = next;
        true
    }
}

fn take_task(next: &mut MessageAttributes, task: &Task) {
    extend(&mut next.task_metadata, task.metadata.as_ref());
    take_status(next, &task.status);
    task.artifacts.iter().for_each(|artifact| take_artifact(next, artifact));
}

fn take_status(next: &mut MessageAttributes, status: &TaskStatus) {
    if let Some(message) = &status.message {
        take_message(next, message);
    }
}

/// Of several messages, the last one with attributes counts.
fn take_message(next: &mut MessageAttributes, message: &Message) {
    let metadata = message.metadata.clone().and_then(non_empty);
    if let Some(metadata) = metadata {
        next.metadata = metadata;
    }
    if !message.extensions.is_empty() {
        next.extensions.clone_from(&message.extensions);
    }
}

fn take_artifact(next: &mut MessageAttributes, artifact: &Artifact) {
    let Artifact { description, metadata, extensions, .. } = artifact.clone();
    let given = ArtifactAttributes { description, metadata: metadata.unwrap_or_default(), extensions };
    if given == ArtifactAttributes::default() {
        return;
    }
    let known = next.artifacts.entry(artifact.artifact_id.clone()).or_default();
    known.description = given.description.or(known.description.take());
    extend(&mut known.metadata, Some(&given.metadata));
    known.extensions.extend(given.extensions);
    known.extensions.sort_unstable();
    known.extensions.dedup();
}

fn extend(known: &mut Metadata, given: Option<&Metadata>) {
    known.extend(given.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
}
