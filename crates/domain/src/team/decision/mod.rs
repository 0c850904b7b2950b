//! Decisions: what a decision maker is asked about a member's next utterance, and validation of its answer.
//!
//! A decision maker is a model, a person, an agent (with or without team support) or the [`rule_based`]. It gets a
//! [`DecisionRequest`], and its answer is checked against the team. A model, or an agent that supports teams, may
//! repair an invalid answer once. Then the rules decide; their answers are always valid.

mod conclusion;
mod parse_utterance;
mod request;
pub mod rule_based;
mod schema;
mod text_reply;

use serde::de::DeserializeOwned;

pub use parse_utterance::parse_utterance;
pub use request::DecisionRequest;
pub use schema::schema;
pub use text_reply::from_text;

use super::{Seat, Team, Utterance};
use crate::sanitized_text;

/// Maximum size of a model's answer in bytes, checked before parsing.
const MAX_ANSWER: usize = 128 * 1024;

/// Why an answer is invalid, worded for the model that gave it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DecisionError(pub String);

/// Whether an answer is the first one or a repaired one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionAttempt {
    First,
    Repaired,
}

/// What to do with the answer of a decision maker.
#[derive(Clone, Debug, PartialEq)]
pub enum DecisionOutcome<T> {
    /// The valid answer of the decision maker.
    Take(T),
    /// Ask the decision maker once more, with the error.
    Repair(DecisionError),
    /// The fallback of the rules, because the decision maker gave no valid answer.
    Default(T),
}

/// Returns the outcome of a checked answer: accept, retry once, or fall back to the rules.
pub fn evaluate<T>(
    attempt: DecisionAttempt,
    checked: Result<T, DecisionError>,
    default: impl FnOnce() -> T,
) -> DecisionOutcome<T> {
    match (checked, attempt) {
        (Ok(choice), _) => DecisionOutcome::Take(choice),
        (Err(problem), DecisionAttempt::First) => DecisionOutcome::Repair(problem),
        (Err(_), DecisionAttempt::Repaired) => DecisionOutcome::Default(default()),
    }
}

/// Parses the utterance in a model's answer and checks that the member may say it now.
pub fn check(team: &Team, seat: Seat, raw: &str) -> Result<Utterance, DecisionError> {
    let utterance = read::<conclusion::Answer>(raw)?.into_utterance(team)?;
    team.may_say(seat, &utterance).map_err(|refusal| DecisionError(refusal.to_string()))?;
    Ok(utterance)
}

/// Deserializes the JSON value in a model's answer, with or without a Markdown code fence.
pub(super) fn read<T: DeserializeOwned>(raw: &str) -> Result<T, DecisionError> {
    if raw.len() > MAX_ANSWER {
        return Err(DecisionError("The answer is too long.".to_owned()));
    }
    let bare = raw.trim();
    let bare = bare.strip_prefix("```json").or_else(|| bare.strip_prefix("```")).unwrap_or(bare);
    let bare = bare.strip_suffix("```").unwrap_or(bare);
    serde_json::from_str(bare.trim())
        .map_err(|error| DecisionError(format!("The answer does not fit the schema: {error}")))
}

/// Sanitizes and truncates text of others for a prompt.
pub(super) fn quoted(text: &str, max: usize) -> String {
    sanitized_text::ellipsize(sanitized_text::multi_line(text).trim(), max)
}

/// Serializes a question as JSON to be put into a prompt as data.
///
/// Prompt injection: angle brackets and backticks are escaped, so quoted text can neither spell the role
/// markers of a model's input format nor close a code fence.
pub fn as_data(question: &impl serde::Serialize) -> serde_json::Result<String> {
    let data = serde_json::to_string(question)?;
    Ok(data.replace('<', "\\u003c").replace('>', "\\u003e").replace('`', "\\u0060"))
}
