//! Human approval of tool calls, and questions of tools to the user. An approval is bound to the digest of the tool name
//! and the exact arguments.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use plexus_domain::{
    ApprovalId, Digest, Part, PartBody,
    form_question::{FormAnswer, FormQuestion},
    part::ApprovalDecision,
    run::Failure,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{Output, outbound::RunInterruption};

/// Tool call that needs a human decision.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRequest {
    /// Name of the tool, with the name of its provider.
    pub tool: String,
    /// Arguments exactly as the tool will receive them.
    pub arguments: Value,
}

/// Maximum bytes of arguments that a human can review (64 KiB). Longer arguments cannot be approved.
const MAX_ARGUMENTS: usize = 64 << 10;

impl ApprovalRequest {
    /// Returns true if the arguments are too long for a human to review.
    pub(crate) fn is_too_long(&self) -> bool {
        self.arguments.to_string().len() > MAX_ARGUMENTS
    }

    /// Returns the digest of tool and arguments, to which the decision is bound.
    pub fn digest(&self) -> Digest {
        Digest::of(json!([self.tool, self.arguments]).to_string())
    }

    fn card(&self, approval: ApprovalId, decision: Option<ApprovalDecision>) -> Part {
        let Self { tool, arguments } = self.clone();
        PartBody::Approval { approval, tool, arguments, decision }.into()
    }
}

/// Question of a tool's server to the user.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolQuestion {
    /// Name of the tool, with the name of its provider.
    pub tool: String,
    pub question: FormQuestion,
}

impl ToolQuestion {
    fn card(&self, approval: ApprovalId, answer: Option<FormAnswer>) -> Part {
        let Self { tool, question } = self.clone();
        PartBody::Question { approval, tool, question, answer }.into()
    }
}

/// Stores approval requests and waits for their decisions.
#[async_trait]
pub trait ApprovalGate: Send + Sync {
    async fn ask(&self, question: &ApprovalRequest) -> Result<ApprovalId, Failure>;

    /// Waits for the decision on exactly this request, up to the approval timeout of the gate.
    async fn decided(&self, id: ApprovalId, question: &ApprovalRequest) -> Result<ApprovalDecision, Failure>;

    /// Returns `None` if the user cannot be asked questions, which is so unless the gate implements it.
    async fn ask_question(&self, _question: &ToolQuestion) -> Result<Option<ApprovalId>, Failure> {
        Ok(None)
    }

    /// Waits for the answer to a question, up to the approval timeout of the gate.
    async fn answered(&self, _id: ApprovalId) -> Result<FormAnswer, Failure> {
        Ok(FormAnswer::Unanswered)
    }
}

/// Approval policy of a run: whether a requester can be asked, and for which calls.
#[derive(Clone)]
pub struct ApprovalPolicy {
    gate: Option<Arc<dyn ApprovalGate>>,
    wants_every: bool,
}

impl ApprovalPolicy {
    /// Creates a policy that asks through `gate`. `wants_every` asks for approval of every tool call.
    pub fn of(gate: Arc<dyn ApprovalGate>, wants_every: bool) -> Self {
        Self { gate: Some(gate), wants_every }
    }

    /// Creates a policy without a requester: calls that need approval are refused.
    pub const fn unavailable() -> Self {
        Self { gate: None, wants_every: false }
    }

    /// Returns true if the requester wants to approve every call, even calls that the agent's owner exempted.
    pub const fn asks_always(&self) -> bool {
        self.wants_every
    }

    /// Shows an approval card in the answer and waits for the decision. Returns `None`, without a card, if no
    /// requester can be asked.
    pub(crate) async fn ask(
        &self,
        question: &ApprovalRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<Option<ApprovalDecision>, RunInterruption> {
        let Some(asked) = self.request(question.clone(), output).await? else { return Ok(None) };
        let decided = stop.run_until_cancelled(asked.decided()).await;
        let decision = decided.ok_or(RunInterruption::Stopped)??;
        asked.close(decision, output)?;
        Ok(Some(decision))
    }

    /// Shows a question of a tool in the answer and waits for its answer. Returns `None`, without a card, if no
    /// requester can be asked.
    pub(crate) async fn ask_question(
        &self,
        question: &ToolQuestion,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<Option<FormAnswer>, RunInterruption> {
        let Some(gate) = &self.gate else { return Ok(None) };
        let Some(id) = gate.ask_question(question).await? else { return Ok(None) };
        let place = output.put(None, question.card(id, None))?;
        let answered = stop.run_until_cancelled(gate.answered(id)).await;
        let answer = answered.ok_or(RunInterruption::Stopped)??;
        output.put(Some(place), question.card(id, Some(answer.clone())))?;
        Ok(Some(answer))
    }

    /// Shows an approval card in the answer and returns without waiting. Returns `None` if no requester can
    /// be asked.
    pub(crate) async fn request(
        &self,
        question: ApprovalRequest,
        output: &mut dyn Output,
    ) -> Result<Option<PendingApproval>, Failure> {
        let Some(gate) = self.gate.clone() else { return Ok(None) };
        let approval = gate.ask(&question).await?;
        let place = output.put(None, question.card(approval, None))?;
        Ok(Some(PendingApproval { gate, approval, question, place }))
    }
}

/// Approval request that awaits its decision.
pub(crate) struct PendingApproval {
    gate: Arc<dyn ApprovalGate>,
    approval: ApprovalId,
    question: ApprovalRequest,
    place: usize,
}

impl PendingApproval {
    pub async fn decided(&self) -> Result<ApprovalDecision, Failure> {
        self.gate.decided(self.approval, &self.question).await
    }

    /// Shows the decision on the card.
    pub fn close(self, decision: ApprovalDecision, output: &mut dyn Output) -> Result<(), Failure> {
        output.put(Some(self.place), self.question.card(self.approval, Some(decision))).map(drop)
    }
}

impl fmt::Debug for ApprovalPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApprovalPolicy")
            .field("asks", &self.gate.is_some())
            .field("wants_every", &self.wants_every)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Answers, Recorder};

    fn question() -> ApprovalRequest {
        ApprovalRequest { tool: "rm".to_owned(), arguments: json!({ "path": "/" }) }
    }

    async fn ask(
        approval_policy: ApprovalPolicy,
    ) -> (Result<Option<ApprovalDecision>, RunInterruption>, Vec<Part>) {
        let mut heard = Recorder::default();
        let decision = approval_policy.ask(&question(), &mut heard, &CancellationToken::new()).await;
        (decision, heard.parts)
    }

    #[tokio::test]
    async fn a_question_is_a_card_that_keeps_its_answer() {
        for given in [ApprovalDecision::Allowed, ApprovalDecision::Refused, ApprovalDecision::Unanswered] {
            let (decision, parts) = ask(ApprovalPolicy::of(Arc::new(Answers(Some(given))), false)).await;
            assert_eq!(decision, Ok(Some(given)));
            let [Part { content: PartBody::Approval { tool, decision, .. }, .. }] = &parts[..] else {
                panic!()
            };
            assert_eq!((tool.as_str(), *decision), ("rm", Some(given)));
        }
    }

    #[tokio::test]
    async fn nobody_gives_no_leave_and_a_stop_ends_the_waiting() {
        assert_eq!(ask(ApprovalPolicy::unavailable()).await, (Ok(None), Vec::new()));
        let (stop, mut heard) = (CancellationToken::new(), Recorder::default());
        stop.cancel();
        let approval_policy = ApprovalPolicy::of(Arc::new(Answers(None)), false);
        assert_eq!(approval_policy.ask(&question(), &mut heard, &stop).await, Err(RunInterruption::Stopped));
    }

    #[test]
    fn an_answer_is_bound_to_tool_and_arguments() {
        let one = question();
        let other = ApprovalRequest { arguments: json!({ "path": "/tmp" }), ..one.clone() };
        let tool = ApprovalRequest { tool: "ls".to_owned(), ..one.clone() };
        assert!(one.digest() == question().digest());
        assert!(one.digest() != other.digest() && one.digest() != tool.digest());
    }
}
