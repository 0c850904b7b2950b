//! The artifacts of a run.

use plexus_domain::{Content, Part, RunId, message::Message};

use super::{Run, is_told, parts};
use crate::{
    client::{self, BlobUrl},
    wire::v1::Artifact,
};

/// What the agent says itself goes under this name.
const OWN_NAME: &str = "answer";

/// All artifacts: the agent's own words first, then the named ones in the order they began.
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

/// The parts of a message that callers are told of.
pub fn told(message: &Message) -> impl Iterator<Item = &Part> {
    parts(message).iter().filter(|part| is_told(part))
}

/// The artifact that a part belongs to.
pub fn id(run: RunId, part: &Part) -> String {
    part.artifact.clone().unwrap_or_else(|| run.to_string())
}

/// The artifact's title, as the part that begins it has it. A file's name is the file's own.
pub fn name(part: &Part) -> Option<String> {
    match (&part.artifact, &part.content) {
        (None, _) => Some(OWN_NAME.to_owned()),
        (Some(_), Content::Text { .. } | Content::Data { .. }) => part.name.clone(),
        (Some(_), _) => None,
    }
}
