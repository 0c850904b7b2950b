//! Summary of a listing for lists, pages and the index, stored as JSON beside the listing.

use std::time::Duration;

use plexus_a2a::Card;
use plexus_domain::{
    Timestamp,
    agent::{A2aProtocol, Connector},
    sanitized_text,
};
use serde::{Deserialize, Serialize};

/// An agent counts as online this long after its last answer.
pub const ONLINE: Duration = Duration::from_secs(15 * 60);

const SUMMARY_CHARS: usize = 160;
const TAGS: usize = 16;
const CAPABILITIES: usize = 32;
const EXAMPLES: usize = 5;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListingSummary {
    /// Name on the card.
    pub title: String,
    /// One line.
    pub summary: String,
    pub description: String,
    pub tags: Vec<String>,
    /// Ids of its skills.
    pub capabilities: Vec<String>,
    /// Example messages.
    pub examples: Vec<String>,
    /// Version on its card; may be empty.
    pub version: String,
    /// Names, descriptions and examples of its skills, for the index.
    pub skills: String,
    /// Protocol by which it is called, such as "A2A 1.0".
    pub protocol: String,
    pub kind: String,
    /// True if every called origin is verified or trusted.
    pub verified: bool,
    /// Time of its last successful card fetch or run.
    pub online_at: Option<Timestamp>,
    /// Runs in the last 30 days, as last counted for the index.
    pub uses: u64,
}

impl ListingSummary {
    pub fn new(card: &Card, connector: &Connector, verified: bool) -> Self {
        let mut tags: Vec<String> = card.skills.iter().flat_map(|skill| skill.tags.clone()).collect();
        tags.iter_mut().for_each(|tag| *tag = tag.trim().to_lowercase());
        tags.retain(|tag| !tag.is_empty());
        tags.sort();
        tags.dedup();
        tags.truncate(TAGS);
        Self {
            title: card.name.clone(),
            summary: first_sentence(&card.description),
            description: card.description.clone(),
            tags,
            capabilities: card.skills.iter().map(|skill| skill.id.clone()).take(CAPABILITIES).collect(),
            examples: card.skills.iter().flat_map(|skill| skill.examples.clone()).take(EXAMPLES).collect(),
            version: card.version.clone(),
            skills: skills(card),
            protocol: protocol(connector).to_owned(),
            kind: connector.kind().to_owned(),
            verified,
            online_at: None,
            uses: 0,
        }
    }

    /// Returns whether the agent is online. Built-in agents always are.
    pub fn is_online(&self, now: Timestamp) -> bool {
        self.is_built_in() || self.online_at.is_some_and(|at| now.since(at) < ONLINE)
    }
}

impl ListingSummary {
    fn is_built_in(&self) -> bool {
        self.kind == Connector::BUILTIN_KIND
    }

    /// Returns the time of the last answer for the index. Built-in agents get the
    /// maximum, so that they never expire.
    pub fn alive_at(&self) -> Option<Timestamp> {
        if self.is_built_in() { Some(Timestamp::from_millis(i64::MAX)) } else { self.online_at }
    }
}

const fn protocol(connector: &Connector) -> &'static str {
    match connector {
        Connector::A2a { protocol: A2aProtocol::V1, .. } => "A2A 1.0",
        Connector::A2a { protocol: A2aProtocol::V03, .. } => "A2A 0.3",
        Connector::Llm { .. } => "Model",
        Connector::Http { .. } => "HTTP",
        Connector::Process { .. } => "Program",
        Connector::Attached => "Attached",
        Connector::Builtin { .. } => "Built in",
    }
}

fn skills(card: &Card) -> String {
    let words = card.skills.iter().flat_map(|skill| {
        [skill.name.as_str(), skill.description.as_str()]
            .into_iter()
            .chain(skill.examples.iter().map(String::as_str))
    });
    words.collect::<Vec<_>>().join("\n")
}

fn first_sentence(description: &str) -> String {
    let line = sanitized_text::one_line(description);
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    sanitized_text::ellipsize(&line[..end], SUMMARY_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_one_short_line() {
        assert_eq!(first_sentence("Counts words. And more."), "Counts words.");
        assert_eq!(first_sentence("a\nb"), "a b");
        assert!(first_sentence(&"word ".repeat(100)).chars().count() <= SUMMARY_CHARS);
    }
}
