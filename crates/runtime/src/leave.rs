//! Asking the person before something is done, with exactly the arguments that it will be done with.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use plexus_domain::{ApprovalId, Content, Digest, Part, part::Decision, run::Failure};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{Output, outbound::Halt};

/// What somebody is asked to allow.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Whose it is included.
    pub tool: String,
    /// As they will be used.
    pub arguments: Value,
}

/// Of arguments that a person could look through before allowing them, in bytes.
const MAX_ARGUMENTS: usize = 64 << 10;

impl Question {
    /// Whether nobody could look through it.
    pub(crate) fn is_too_long(&self) -> bool {
        self.arguments.to_string().len() > MAX_ARGUMENTS
    }

    /// What the answer is bound to: the tool and its arguments.
    pub fn digest(&self) -> Digest {
        Digest::of(json!([self.tool, self.arguments]).to_string())
    }

    fn card(&self, approval: ApprovalId, decision: Option<Decision>) -> Part {
        let Self { tool, arguments } = self.clone();
        Content::Approval { approval, tool, arguments, decision }.into()
    }
}

/// Keeps questions, and waits for their answers.
#[async_trait]
pub trait Gate: Send + Sync {
    async fn ask(&self, question: &Question) -> Result<ApprovalId, Failure>;

    /// Waits for the answer to exactly this question, for as long as the gate lets people think.
    async fn decided(&self, id: ApprovalId, question: &Question) -> Result<Decision, Failure>;
}

/// Whom a run asks before it does what needs leave.
#[derive(Clone)]
pub struct Leave {
    gate: Option<Arc<dyn Gate>>,
    wants_every: bool,
}

impl Leave {
    /// The person behind `gate`, who may want to be asked before every use of a tool.
    pub fn of(gate: Arc<dyn Gate>, wants_every: bool) -> Self {
        Self { gate: Some(gate), wants_every }
    }

    /// Nobody could answer: what needs leave is not done.
    pub const fn nobody() -> Self {
        Self { gate: None, wants_every: false }
    }

    /// Whether the person wants to be asked even where the owner of the agent does not.
    pub const fn wants_every(&self) -> bool {
        self.wants_every
    }

    /// Puts the question as a card of the answer, and waits. None where there is nobody to ask, and no card.
    pub(crate) async fn ask(
        &self,
        question: &Question,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<Option<Decision>, Halt> {
        let Some(asked) = self.put(question.clone(), output).await? else { return Ok(None) };
        let decided = stop.run_until_cancelled(asked.decided()).await;
        let decision = decided.ok_or(Halt::Stopped)??;
        asked.close(decision, output)?;
        Ok(Some(decision))
    }

    /// Puts the question as a card of the answer, and lets the answer go on. None where there is nobody to ask.
    pub(crate) async fn put(
        &self,
        question: Question,
        output: &mut dyn Output,
    ) -> Result<Option<Asked>, Failure> {
        let Some(gate) = self.gate.clone() else { return Ok(None) };
        let approval = gate.ask(&question).await?;
        let place = output.put(None, question.card(approval, None))?;
        Ok(Some(Asked { gate, approval, question, place }))
    }
}

/// A question that was put.
pub(crate) struct Asked {
    gate: Arc<dyn Gate>,
    approval: ApprovalId,
    question: Question,
    place: usize,
}

impl Asked {
    pub async fn decided(&self) -> Result<Decision, Failure> {
        self.gate.decided(self.approval, &self.question).await
    }

    /// Shows what was decided on the card.
    pub fn close(self, decision: Decision, output: &mut dyn Output) -> Result<(), Failure> {
        output.put(Some(self.place), self.question.card(self.approval, Some(decision))).map(drop)
    }
}

impl fmt::Debug for Leave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leave")
            .field("asks", &self.gate.is_some())
            .field("wants_every", &self.wants_every)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Answers, Recorder};

    fn question() -> Question {
        Question { tool: "rm".to_owned(), arguments: json!({ "path": "/" }) }
    }

    async fn ask(leave: Leave) -> (Result<Option<Decision>, Halt>, Vec<Part>) {
        let mut heard = Recorder::default();
        let decision = leave.ask(&question(), &mut heard, &CancellationToken::new()).await;
        (decision, heard.parts)
    }

    #[tokio::test]
    async fn a_question_is_a_card_that_keeps_its_answer() {
        for given in [Decision::Allowed, Decision::Refused, Decision::Unanswered] {
            let (decision, parts) = ask(Leave::of(Arc::new(Answers(Some(given))), false)).await;
            assert_eq!(decision, Ok(Some(given)));
            let [Part { content: Content::Approval { tool, decision, .. }, .. }] = &parts[..] else {
                panic!()
            };
            assert_eq!((tool.as_str(), *decision), ("rm", Some(given)));
        }
    }

    #[tokio::test]
    async fn nobody_gives_no_leave_and_a_stop_ends_the_waiting() {
        assert_eq!(ask(Leave::nobody()).await, (Ok(None), Vec::new()));
        let (stop, mut heard) = (CancellationToken::new(), Recorder::default());
        stop.cancel();
        let leave = Leave::of(Arc::new(Answers(None)), false);
        assert_eq!(leave.ask(&question(), &mut heard, &stop).await, Err(Halt::Stopped));
    }

    #[test]
    fn an_answer_is_bound_to_tool_and_arguments() {
        let one = question();
        let other = Question { arguments: json!({ "path": "/tmp" }), ..one.clone() };
        let tool = Question { tool: "ls".to_owned(), ..one.clone() };
        assert!(one.digest() == question().digest());
        assert!(one.digest() != other.digest() && one.digest() != tool.digest());
    }
}
