//! Deciding what a member says next: what a decider is asked, and what may be made of its answer.
//!
//! A decider is a model, a person, an agent that takes the floor or only answers in words, or the [`rules`]. Whoever it
//! is gets a [`Request`] and its answer is checked against the team. A model, or an agent that takes the floor, may repair
//! its answer once; then the rules decide, whose answers are always allowed.

mod act;
mod plain;
mod request;
pub mod rules;
mod schema;

use serde::de::DeserializeOwned;

pub use act::act;
pub use plain::plain;
pub use request::Request;
pub use schema::schema;

use super::{Seat, Team, Utterance};
use crate::text;

/// Largest answer of a model that is parsed, in bytes.
const MAX_ANSWER: usize = 128 * 1024;

/// What is wrong with an answer, in words for the model that gave it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Problem(pub String);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    First,
    Repaired,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Verdict<T> {
    /// What the decider chose.
    Take(T),
    /// Ask the decider once more and tell it what was wrong.
    Repair(Problem),
    /// What the rules chose, since the decider gave nothing that can be used.
    Default(T),
}

/// What becomes of an answer that was checked.
pub fn judge<T>(attempt: Attempt, checked: Result<T, Problem>, default: impl FnOnce() -> T) -> Verdict<T> {
    match (checked, attempt) {
        (Ok(choice), _) => Verdict::Take(choice),
        (Err(problem), Attempt::First) => Verdict::Repair(problem),
        (Err(_), Attempt::Repaired) => Verdict::Default(default()),
    }
}

/// The utterance in a model's answer, when the member may say it now.
pub fn check(team: &Team, seat: Seat, raw: &str) -> Result<Utterance, Problem> {
    let utterance: Utterance = read(raw)?;
    team.may_say(seat, &utterance).map_err(|refusal| Problem(refusal.to_string()))?;
    Ok(utterance)
}

/// The JSON value in a model's answer, with or without the fence that models like to put around it.
pub(super) fn read<T: DeserializeOwned>(raw: &str) -> Result<T, Problem> {
    if raw.len() > MAX_ANSWER {
        return Err(Problem("The answer is too long.".to_owned()));
    }
    let bare = raw.trim();
    let bare = bare.strip_prefix("```json").or_else(|| bare.strip_prefix("```")).unwrap_or(bare);
    let bare = bare.strip_suffix("```").unwrap_or(bare);
    serde_json::from_str(bare.trim())
        .map_err(|error| Problem(format!("The answer does not fit the schema: {error}")))
}

/// Words of others as a decider may see them: nothing invisible, cut short.
pub(super) fn quoted(text: &str, max: usize) -> String {
    text::shorten(text::multi_line(text).trim(), max)
}

/// A question as JSON, to be put before a model as data. Angle brackets and backticks are escaped: no quoted text can
/// spell the markers with which a model's own input separates who is speaking, nor end the fence around it.
pub fn as_data(question: &impl serde::Serialize) -> serde_json::Result<String> {
    let data = serde_json::to_string(question)?;
    Ok(data.replace('<', "\\u003c").replace('>', "\\u003e").replace('`', "\\u0060"))
}
