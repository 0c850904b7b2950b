//! Artifacts of a run.

use plexus_domain::{Content, Part, RunId, message::Message};

use super::{Run, is_told, parts};
use crate::{
    client::{self, BlobUrl},
    wire::v1::Artifact,
};

/// Name of the artifact that holds the agent's main answer.
const OWN_NAME: &str = "answer";

/// Returns all artifacts: the main answer first, then the named ones in order of creation.
pub fn all(run: &Run<'_>, blob_url: &BlobUrl<'_>) -> Vec<Artifact> {
    let by_agent = || run.messages.iter().filter(|message| run.is_agents(message));
    let own = by_agent().rev().find(|message| told(message).any(|part| part.artifact.is_none()));
    let own = own.into_iter().flat_map(told).filter(|part| part.artifact.is_none());
    let named = by_agent().flat_map(told).filter(|part| part.artifact.is_some());

    let mut found: Vec<Artifact> = Vec::new();
    for part in own.chain(named) {
        let id = id(run.id, part);
        let at = found.iter().position(|artifact| artifact.artifact_id == id).unwrap_or_else(|| {
            found.push(Artifact::new(id, name(part), Vec::new()));
            found.len() - 1
        });
        found[at].parts.extend(client::send(part, blob_url));
    }
    found
}

/// Returns the parts of a message that are visible to callers.
pub fn told(message: &Message) -> impl Iterator<Item = &Part> {
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
        (Some(_), Content::Text { .. } | Content::Data { .. }) => part.name.clone(),
        (Some(_), _) => None,
    }
}
