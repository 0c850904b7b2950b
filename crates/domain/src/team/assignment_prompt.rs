//! Assignment prompt: the message to a member with selected context instead of the whole conversation.

use super::{AssignmentNo, AssignmentState, LongText, Team, assignment::BETWEEN_PARTS, formation::title_of};

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
    /// Beginning of the headings of results.
    const RESULT_OF: &str = "Result of: ";
    const GOAL_HEADING: &str = "The goal of the team that this is a part of";

    /// Divides a context into the results of earlier work, without their headings, and the goal. Either is empty if there
    /// is none.
    pub fn results_and_goal(context: &str) -> (String, &str) {
        let heading = format!("## {}\n", Self::GOAL_HEADING);
        // The goal is the last section. Results come from members, and may have the same heading in them.
        let (before, goal) = match context.rfind(&heading) {
            Some(at) => (&context[..at], context[at + heading.len()..].trim()),
            None => (context, ""),
        };
        let result_of = format!("## {}", Self::RESULT_OF);
        let results = before.find(&result_of).map_or("", |at| &before[at..]);
        let lines: Vec<&str> = results.lines().filter(|line| !line.starts_with(&result_of)).collect();
        (lines.join("\n").trim().to_owned(), goal)
    }
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
            section(&format!("{}{}", AssignmentPrompt::RESULT_OF, input.spec.title), result);
        }
        if let AssignmentState::Answered(answer) = &work.state {
            section("Answer to your question", answer.as_str());
        }
        if work.spec.description.as_str() != goal {
            section(AssignmentPrompt::GOAL_HEADING, goal);
        }
        let context = (!sections.is_empty()).then(|| sections.join("\n"));
        let (title, description) = (work.spec.title.as_str(), work.spec.description.as_str());
        // The rules repeat the words of the goal as title; a model writes a title of its own.
        let is_by_rules = title_of(description).replace('\n', BETWEEN_PARTS) == title;
        let words = match description == goal || is_by_rules {
            true => description.to_owned(),
            false => format!("{title}\n\n{description}"),
        };
        Some(AssignmentPrompt { words, context })
    }
}
