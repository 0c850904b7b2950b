//! Skills of an agent card.

use serde_json::Value;

use super::{json_node::JsonNode, problem::Severity::Warning};

const MAX_SKILLS: usize = 64;
const MAX_TAGS: usize = 16;
const MAX_EXAMPLES: usize = 16;
const MAX_ID: usize = 128;
const MAX_NAME: usize = 100;
const MAX_DESCRIPTION: usize = 2_000;
const MAX_TAG: usize = 50;
const MAX_EXAMPLE: usize = 500;
/// Maximum size of a skill's input schema in bytes.
const MAX_SCHEMA: usize = 16 * 1024;
/// Maximum number of media types of a card or a skill, and length of one (RFC 6838 section 4.2).
const MAX_MODES: usize = 32;
const MAX_MODE: usize = 255;

/// A skill of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    pub id: String,
    pub name: String,
    pub description: String,
    pub tags: Vec<String>,
    /// Example prompts.
    pub examples: Vec<String>,
    /// Media types; if empty, the card's defaults apply.
    pub input_modes: Vec<String>,
    pub output_modes: Vec<String>,
    /// JSON Schema of the skill's input. Not part of the A2A specification; written by agents that offer
    /// their skills to models as tools.
    pub input_schema: Option<Value>,
}

/// Parses the skills of a card.
pub fn read(card: &JsonNode<'_>) -> Vec<Skill> {
    let Some(list) = card.expect("skills", Warning, "what the agent can do; it helps people to find it")
    else {
        return Vec::new();
    };
    list.items(MAX_SKILLS).iter().filter_map(read_one).collect()
}

/// Parses the media types of a card or a skill.
pub fn read_modes(list: &JsonNode<'_>) -> Vec<String> {
    list.lines(MAX_MODES, MAX_MODE)
}

fn read_one(skill: &JsonNode<'_>) -> Option<Skill> {
    if !skill.is_object() {
        return None;
    }
    let line =
        |member: &str, max: usize| skill.get(member).and_then(|text| text.line(max)).unwrap_or_default();
    let (id, name) = (line("id", MAX_ID), line("name", MAX_NAME));
    for (member, value) in [("id", &id), ("name", &name)] {
        if value.is_empty() {
            skill.note_at(member, Warning, "This is missing or empty.");
        }
    }
    let modes = |member: &str| skill.get(member).map(|list| read_modes(&list)).unwrap_or_default();
    let lines =
        |member: &str, count, max| skill.get(member).map(|list| list.lines(count, max)).unwrap_or_default();
    Some(Skill {
        name: if name.is_empty() { id.clone() } else { name },
        id,
        description: skill
            .get("description")
            .and_then(|text| text.block(MAX_DESCRIPTION))
            .unwrap_or_default(),
        tags: lines("tags", MAX_TAGS, MAX_TAG),
        // Examples may be multi-line.
        examples: skill
            .get("examples")
            .map(|list| list.blocks(MAX_EXAMPLES, MAX_EXAMPLE))
            .unwrap_or_default(),
        input_modes: modes("inputModes"),
        output_modes: modes("outputModes"),
        input_schema: skill.get("inputSchema").and_then(|schema| input_schema(&schema)),
    })
}

fn input_schema(schema: &JsonNode<'_>) -> Option<Value> {
    let value = schema.value();
    let is_of_objects = match value.get("type") {
        // Without a type, a schema allows objects too.
        None => value.is_object(),
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
    };
    if !is_of_objects || value.to_string().len() > MAX_SCHEMA {
        schema.warn(format!(
            "Invalid schema: it must describe an object in at most {MAX_SCHEMA} bytes. It is ignored."
        ));
        return None;
    }
    Some(value.clone())
}
