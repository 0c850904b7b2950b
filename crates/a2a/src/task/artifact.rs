//! Artifacts of a run.

use plexus_domain::{ArtifactAttributes, Part, PartBody, RunId, message::Message};

use super::{CallerRun, is_told, parts};
use crate::{
    client::{self, BlobUrl},
    wire::v1::Artifact,
};

/// Name of the artifact that holds the agent's main answer.
const OWN_NAME: &str = "answer";

/// Returns all artifacts: the main answer first, then the named ones in order of creation. Questions are none.
pub fn all(run: &CallerRun<'_>, blob_url: &BlobUrl<'_>) -> Vec<Artifact> {
    let by_agent = || run.messages.iter().filter(|message| run.is_agents(message));
    let is_own = |message: &&Message| {
        !run.is_question(message) && visible_parts(message).any(|part| part.artifact.is_none())
    };
    let own = by_agent().rev().find(is_own);
    let own = own.into_iter().flat_map(visible_parts).filter(|part| part.artifact.is_none());
    let named = by_agent().flat_map(visible_parts).filter(|part| part.artifact.is_some());

    let mut found: Vec<Artifact> = Vec::new();
    let attributes = |id: &str| by_agent().rev().find_map(|message| attributes(message, id));
    for part in own.chain(named) {
        let id = id(run.id, part);
        let at = found.iter().position(|artifact| artifact.artifact_id == id).unwrap_or_else(|| {
            let given = part.artifact.as_deref().and_then(attributes);
            found.push(given_attributes(Artifact::new(id, name(part), Vec::new()), given));
            found.len() - 1
        });
        found[at].parts.extend(client::send(part, blob_url));
    }
    found
}

/// Returns the attributes that the agent gave an artifact.
pub fn attributes<'a>(message: &'a Message, id: &str) -> Option<&'a ArtifactAttributes> {
    message.attributes.as_deref()?.artifacts.get(id)
}

/// Adds attributes to an artifact.
pub fn given_attributes(artifact: Artifact, given: Option<&ArtifactAttributes>) -> Artifact {
    let ArtifactAttributes { description, metadata, extensions } = given.cloned().unwrap_or_default();
    Artifact { description, metadata: client::non_empty(metadata), extensions, ..artifact }
}

/// Returns the parts of a message that are visible to callers.
pub fn visible_parts(message: &Message) -> impl Iterator<Item = &Part> {
    parts(message).iter().filter(|part| is_told(part))
}

/// Returns the id of the artifact that a part belongs to.
pub fn id(run: RunId, part: &Part) -> String {
    part.artifact.clone().unwrap_or_else(|| run.to_string())
}

/// Returns the artifact's title, taken from its first part.
/// Files and links have none: their name is a file name.
pub fn name(part: &Part) -> Option<String> {
    match (&part.artifact, &part.content) {
        (None, _) => Some(OWN_NAME.to_owned()),
        (Some(_), PartBody::Text { .. } | PartBody::Data { .. }) => part.name.clone(),
        (Some(_), _) => None,
    }
}
