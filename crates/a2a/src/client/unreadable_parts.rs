//! Replaces what cannot be read in an answer by a text that says so: the rest of the answer is kept.

use plexus_domain::{agent::A2aProtocol, sanitized_text::ellipsize};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use crate::wire::{v1, v03};

/// Maximum length of the reason in the text, in characters.
const REASON_CHARS: usize = 200;
/// Id of an artifact that has none.
const ARTIFACT: &str = "artifact";

/// Replaces unreadable parts, and names artifacts that have no id. Returns the number of changes.
pub fn replace_unreadable_parts(protocol: A2aProtocol, value: &mut Value) -> usize {
    match value {
        Value::Object(members) => {
            members.iter_mut().map(|(name, inner)| in_member(protocol, name, inner)).sum()
        }
        Value::Array(items) => items.iter_mut().map(|item| replace_unreadable_parts(protocol, item)).sum(),
        _ => 0,
    }
}

fn in_member(protocol: A2aProtocol, name: &str, value: &mut Value) -> usize {
    match (name, value) {
        // The content of these members belongs to the agent.
        ("data" | "metadata", _) => 0,
        ("parts", Value::Array(parts)) => {
            (1..).zip(parts).map(|(number, part)| usize::from(in_part(protocol, number, part))).sum()
        }
        ("artifact", Value::Object(artifact)) => in_artifact(protocol, 0, artifact),
        ("artifacts", Value::Array(artifacts)) => {
            let artifacts = artifacts.iter_mut().enumerate();
            let objects = artifacts.filter_map(|(at, artifact)| Some((at, artifact.as_object_mut()?)));
            objects.map(|(at, artifact)| in_artifact(protocol, at, artifact)).sum()
        }
        (_, value) => replace_unreadable_parts(protocol, value),
    }
}

fn in_artifact(protocol: A2aProtocol, at: usize, artifact: &mut Map<String, Value>) -> usize {
    let has_id =
        ["artifactId", "artifact_id"].iter().any(|name| artifact.get(*name).is_some_and(Value::is_string));
    if !has_id {
        let id = if at == 0 { ARTIFACT.to_owned() } else { format!("{ARTIFACT}-{at}") };
        artifact.insert("artifactId".to_owned(), Value::String(id));
    }
    let in_parts = artifact.get_mut("parts").map_or(0, |parts| in_member(protocol, "parts", parts));
    in_parts + usize::from(!has_id)
}

/// Returns true if the part was replaced.
fn in_part(protocol: A2aProtocol, number: usize, part: &mut Value) -> bool {
    let error = match protocol {
        A2aProtocol::V1 => v1::Part::deserialize(&*part).err(),
        A2aProtocol::V03 => v03::Part::deserialize(&*part).err(),
    };
    let Some(error) = error else { return false };
    let reason = ellipsize(&error.to_string(), REASON_CHARS);
    let text = format!("\n\n[Part {number} could not be read: {reason}.]\n\n");
    *part = match protocol {
        A2aProtocol::V1 => json!({ "text": text }),
        A2aProtocol::V03 => json!({ "kind": "text", "text": text }),
    };
    true
}
