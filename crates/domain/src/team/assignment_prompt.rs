//! Assignment prompt: the message to a member with selected context instead of the whole conversation.

use std::fmt::Write as _;

use super::{AssignmentNo, AssignmentState, LongText, Team};
use crate::sanitized_text;

/// Maximum number of characters of the goal that are included.
const MAX_GOAL: usize = 2_000;

impl Team {
    /// Renders an assignment as a message: task, acceptance
    /// criteria, team goal, input results and answered question.
    ///
    /// Returns `None` if the assignment does not exist.
    pub fn brief(&self, no: AssignmentNo) -> Option<String> {
        let work = self.assignment(no)?;
        // If the assignment is the whole goal, a title and the purpose would only repeat it.
        let goal = self.charter.goal.as_str();
        let is_whole = work.spec.description.as_str() == goal;
        let mut brief = match is_whole {
            true => format!("{goal}\n"),
            false => format!("# {}\n\n{}\n", work.spec.title, work.spec.description),
        };
        if let Some(criteria) = &work.spec.criteria {
            section(&mut brief, "Done when", criteria.as_str());
        }
        if !is_whole {
            section(&mut brief, "What it is for", &sanitized_text::ellipsize(goal, MAX_GOAL));
        }
        for input in work.spec.inputs.iter().filter_map(|no| self.assignment(*no)) {
            let result = input.result().map_or("There is no result.", LongText::as_str);
            section(&mut brief, &format!("Result of: {}", input.spec.title), result);
        }
        if let AssignmentState::Answered(answer) = &work.state {
            section(&mut brief, "Answer to your question", answer.as_str());
        }
        Some(brief)
    }
}

fn section(brief: &mut String, title: &str, body: &str) {
    // Writing to a `String` cannot fail.
    let _ = write!(brief, "\n## {title}\n\n{body}\n");
}
