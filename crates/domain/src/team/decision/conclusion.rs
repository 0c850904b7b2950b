use serde::Deserialize;

use super::DecisionError;
use crate::team::{AssignmentNo, LongText, ShortText, Team, Utterance};

/// The answer of a decision maker: an utterance, and the assignments whose results a conclusion includes whole.
///
/// A decision maker sees long results cut, and copying them costs tokens and loses text, so it names them.
#[derive(Deserialize)]
pub(super) struct Answer {
    #[serde(flatten)]
    utterance: Utterance,
    #[serde(default)]
    results: Vec<AssignmentNo>,
}

impl Answer {
    /// Returns the utterance, with the named results after the text of a conclusion.
    ///
    /// # Errors
    /// If a named assignment has no result, another utterance names results, or the text gets too long.
    pub fn into_utterance(self, team: &Team) -> Result<Utterance, DecisionError> {
        let Self { utterance, results } = self;
        if results.is_empty() {
            return Ok(utterance);
        }
        let Utterance::Conclude { text } = utterance else {
            return Err(DecisionError("Only a conclusion has `results`.".to_owned()));
        };
        let mut sections: Vec<String> = text.iter().map(ToString::to_string).collect();
        let mut named = Vec::new();
        for no in results {
            let work = team.assignment(no).and_then(|work| Some((&work.spec.title, work.result()?)));
            named.push(work.ok_or_else(|| DecisionError(format!("Assignment {} has no result.", no.0)))?);
        }
        sections.extend(render_results(&named));
        let whole = LongText::try_from(sections.join("\n\n"));
        let text = whole.map_err(|error| DecisionError(format!("The text and its results: {error}")))?;
        Ok(Utterance::Conclude { text: Some(text) })
    }
}

/// Returns results under their titles; a single one without.
pub(super) fn render_results(results: &[(&ShortText, &LongText)]) -> Vec<String> {
    match results {
        [(_, only)] => vec![only.to_string()],
        several => several.iter().map(|(title, result)| format!("## {title}\n\n{result}")).collect(),
    }
}
