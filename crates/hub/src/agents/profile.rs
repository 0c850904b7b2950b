//! Profile of an agent without a card of its own, and the agent card that the hub generates from it.

use plexus_a2a::{Card, card::LocalCard, wire::v1::AgentSkill};
use plexus_domain::{Error as Refusal, sanitized_text};
use plexus_store::agents::Agent;
use serde::{Deserialize, Serialize};

use crate::{Error, Hub, Result};

const MAX_TITLE: usize = 60;
const MAX_SUMMARY: usize = 300;
const MAX_STARTERS: usize = 5;
const MAX_STARTER: usize = 200;
const MAX_TAGS: usize = 10;
const MAX_TAG: usize = 30;

/// Profile form. Empty `starters` and `tags` are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentProfile {
    pub title: String,
    pub summary: String,
    pub starters: Vec<String>,
    pub tags: Vec<String>,
}

impl AgentProfile {
    /// Returns the cleaned profile; an error if a field is out of bounds.
    pub(super) fn checked(&self) -> Result<Self, Refusal> {
        Ok(Self {
            title: line(&self.title, MAX_TITLE).ok_or_else(|| {
                Refusal::invalid("title", format!("Write a title of 1 to {MAX_TITLE} characters."))
            })?,
            summary: line(&self.summary, MAX_SUMMARY).ok_or_else(|| {
                Refusal::invalid("summary", format!("Write a summary of 1 to {MAX_SUMMARY} characters."))
            })?,
            starters: list("starters", "first messages", &self.starters, MAX_STARTERS, MAX_STARTER)?,
            tags: list("tags", "tags", &self.tags, MAX_TAGS, MAX_TAG)?,
        })
    }

    /// Reads the profile back from a generated card.
    pub(super) fn of(card: &Card) -> Self {
        let skill = card.skills.first();
        Self {
            title: card.name.clone(),
            summary: card.description.clone(),
            starters: skill.map(|skill| skill.examples.clone()).unwrap_or_default(),
            tags: skill.map(|skill| skill.tags.clone()).unwrap_or_default(),
        }
    }

    /// Generates the agent's card at this hub. `reads_images` adds images to its input modes.
    pub(super) fn card(&self, hub: &Hub, agent: &Agent, number: &str, reads_images: bool) -> Result<Vec<u8>> {
        let skill = AgentSkill {
            id: agent.name.canonical(),
            name: self.title.clone(),
            description: self.summary.clone(),
            tags: self.tags.clone(),
            examples: self.starters.clone(),
            ..AgentSkill::default()
        };
        let address = agent.address();
        let path = format!("a2a/{}/{}/", address.owner, address.name);
        let card = LocalCard {
            name: self.title.clone(),
            description: self.summary.clone(),
            version: number.to_owned(),
            base: hub.config().public_url.join(&path).map_err(Error::fault)?,
            provider: None,
            documentation_url: None,
            skills: vec![skill],
        };
        let mut card = card.build();
        if reads_images {
            card.default_input_modes.push("image/*".to_owned());
        }
        serde_json::to_vec(&card).map_err(Error::fault)
    }
}

/// Returns the cleaned line, or `None` if it is empty or longer than `most` characters.
fn line(raw: &str, most: usize) -> Option<String> {
    let clean = sanitized_text::one_line(raw);
    (1..=most).contains(&clean.chars().count()).then_some(clean)
}

fn list(
    field: &str,
    what: &str,
    raw: &[String],
    most: usize,
    longest: usize,
) -> Result<Vec<String>, Refusal> {
    let mut clean: Vec<String> = raw.iter().map(|item| sanitized_text::one_line(item)).collect();
    clean.retain(|item| !item.is_empty());
    if clean.len() > most {
        return Err(Refusal::invalid(field, format!("Give at most {most} {what}.")));
    }
    if clean.iter().any(|item| item.chars().count() > longest) {
        return Err(Refusal::invalid(field, format!("Each has at most {longest} characters.")));
    }
    Ok(clean)
}
