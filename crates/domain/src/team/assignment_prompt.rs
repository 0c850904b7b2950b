//! Assignment prompt: the message to a member with selected context instead of the whole conversation.

use super::{AssignmentNo, AssignmentState, LongText, Team, assignment::BETWEEN_PARTS};
use crate::sanitized_text;

/// Maximum number of characters of the goal that are included.
const MAX_GOAL: usize = 2_000;

/// Message for an assignment. The words of the work stand alone, since agents that take commands read only these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignmentPrompt {
    /// The work, in the words of the goal.
    pub words: String,
    /// What it is for, acceptance criteria, results that it builds on and the answered question, as markdown sections.
    /// `None` if the work is the whole goal and nothing precedes it.
    pub context: Option<String>,
}

impl AssignmentPrompt {
    /// Name of the message part with the context.
    pub const CONTEXT_NAME: &str = "context.md";
}

impl Team {
    /// Renders an assignment. Returns `None` if it does not exist.
    pub fn assignment_prompt(&self, no: AssignmentNo) -> Option<AssignmentPrompt> {
        let work = self.assignment(no)?;
        let goal = self.charter.goal.as_str();
        let mut sections = Vec::new();
        let mut section = |title: &str, body: &str| sections.push(format!("## {title}\n\n{body}\n"));
        if let Some(criteria) = &work.spec.criteria {
            section("Done when", criteria.as_str());
        }
        for input in work.spec.inputs.iter().filter_map(|no| self.assignment(*no)) {
            let result = input.result().map_or("There is no result.", LongText::as_str);
            section(&format!("Result of: {}", input.spec.title), result);
        }
        if let AssignmentState::Answered(answer) = &work.state {
            section("Answer to your question", answer.as_str());
        }
        if work.spec.description.as_str() != goal {
            section(
                "The goal of the team that this is a part of",
                &sanitized_text::ellipsize(goal, MAX_GOAL),
            );
        }
        let context = (!sections.is_empty()).then(|| sections.join("\n"));
        let (title, description) = (work.spec.title.as_str(), work.spec.description.as_str());
        // The rules repeat the words of the goal as title; a model writes a title of its own.
        let words = match description == goal || description.replace('\n', BETWEEN_PARTS) == title {
            true => description.to_owned(),
            false => format!("{title}\n\n{description}"),
        };
        Some(AssignmentPrompt { words, context })
    }
}
