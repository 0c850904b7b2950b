//! Conversation starters: the example messages of an agent's card.

use plexus_a2a::Card;

/// Maximum number of starters per agent.
const MAX_STARTERS: usize = 4;

/// Returns the first examples of the skills of a card.
pub fn starters(card: &Card) -> Vec<String> {
    let examples = card.skills.iter().flat_map(|skill| &skill.examples);
    examples.filter(|example| !example.trim().is_empty()).take(MAX_STARTERS).cloned().collect()
}
