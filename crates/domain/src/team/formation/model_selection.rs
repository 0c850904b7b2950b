//! Member selection by a model: the prompt with the candidates, and validation of its answer.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{COVERS, Candidate, Skill};
use crate::team::{
    MemberIdentity,
    decision::{DecisionError, quoted, read},
    member::Invitee,
};

/// Maximum number of candidates shown to the model, best index matches first.
pub const MAX_SHOWN: usize = 24;

/// Prompt: a goal and numbered candidates with their own descriptions, truncated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SelectionPrompt {
    goal: String,
    /// The assignee, when helpers for its assignment are chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    member: Option<MemberSelfDescription>,
    needs: Vec<Skill>,
    least: u16,
    places: u16,
    candidates: Vec<CandidateCard>,
}

/// The assignee as shown to the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct MemberSelfDescription {
    name: String,
    summary: String,
}

/// A candidate as shown to the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct CandidateCard {
    number: usize,
    name: String,
    summary: String,
}

/// The model's answer: numbers of chosen candidates.
#[derive(Deserialize)]
struct SelectionAnswer {
    members: Vec<usize>,
}

impl SelectionPrompt {
    /// Builds the prompt. `summaries` are the candidates' own descriptions, in the same order.
    pub fn new(
        goal: &str,
        needs: &[Skill],
        places: u16,
        candidates: &[Candidate],
        summaries: &[String],
    ) -> Self {
        let shown = candidates.iter().zip(summaries).take(MAX_SHOWN).enumerate();
        Self {
            goal: quoted(goal, 2_000),
            member: None,
            needs: needs.to_vec(),
            least: 1,
            places,
            candidates: shown
                .map(|(number, (candidate, summary))| CandidateCard {
                    number,
                    name: quoted(&candidate.identity.to_string(), 120),
                    summary: quoted(summary, 300),
                })
                .collect(),
        }
    }

    /// Turns it into the choice of helpers for an assignment of `member`; choosing none is allowed.
    #[must_use]
    pub fn helping(self, member: &MemberIdentity, summary: &str) -> Self {
        let doer =
            MemberSelfDescription { name: quoted(&member.to_string(), 120), summary: quoted(summary, 300) };
        Self { member: Some(doer), least: 0, ..self }
    }

    /// Returns the chosen candidates, if the answer is valid: listed numbers, as many as allowed.
    pub fn check(&self, raw: &str, candidates: &[Candidate]) -> Result<Vec<Invitee>, DecisionError> {
        let SelectionAnswer { members } = read(raw)?;
        let numbers: BTreeSet<usize> = members.iter().copied().collect();
        if !(usize::from(self.least)..=usize::from(self.places)).contains(&numbers.len()) {
            return Err(DecisionError(format!("Choose between {} and {} members.", self.least, self.places)));
        }
        let chosen = numbers.into_iter().map(|number| {
            let listed = number < self.candidates.len();
            let candidate = candidates.get(number).filter(|_| listed);
            candidate.ok_or_else(|| DecisionError(format!("There is no candidate with the number {number}.")))
        });
        chosen.map(|found| found.map(|candidate| candidate.invitee(self.roles(candidate)))).collect()
    }

    /// Returns the JSON Schema of the model's answer.
    pub fn schema(&self) -> serde_json::Value {
        let numbers: Vec<usize> = (0..self.candidates.len()).collect();
        serde_json::json!({
            "type": "object",
            "properties": { "members": {
                "type": "array", "minItems": self.least, "maxItems": self.places, "items": { "enum": numbers },
            } },
            "required": ["members"],
            "additionalProperties": false,
        })
    }

    fn roles(&self, candidate: &Candidate) -> Vec<Skill> {
        self.needs.iter().filter(|need| candidate.fit(need) >= COVERS).cloned().collect()
    }
}
