//! Approval requests of an attached program (hub side). The run continues while a decision is pending.

use futures::{FutureExt as _, StreamExt as _, future, future::BoxFuture, stream::FuturesUnordered};
use plexus_domain::{
    part::ApprovalDecision,
    run::{Failure, FailureClass},
};

use super::protocol::{ApprovalRequestFrame, MAX_ID, label};
use crate::{
    ApprovalPolicy, Output,
    approval::{ApprovalRequest, PendingApproval},
};

/// Maximum pending approval requests of one run.
const MAX_ITEMS: usize = 16;

/// Pending approval requests of one run (hub side).
pub(super) struct PendingApprovals {
    approval_policy: ApprovalPolicy,
    waiting: FuturesUnordered<BoxFuture<'static, ResolvedApproval>>,
}

/// Resolved approval request, with the card on which the requester was asked.
pub(super) struct ResolvedApproval {
    approval_id: String,
    decision: Result<ApprovalDecision, Failure>,
    asked: Option<PendingApproval>,
}

impl PendingApprovals {
    pub fn new(approval_policy: ApprovalPolicy) -> Self {
        Self { approval_policy, waiting: FuturesUnordered::new() }
    }

    /// Asks the requester. Refuses at once if no requester can be asked, too many requests are pending, or
    /// the arguments are too long to review.
    pub async fn put(
        &mut self,
        request: ApprovalRequestFrame,
        output: &mut dyn Output,
    ) -> Result<(), Failure> {
        let ApprovalRequestFrame { approval_id, tool, arguments } = request;
        if approval_id.len() > MAX_ID {
            let words = format!("The attached program sent an approval id of more than {MAX_ID} bytes.");
            return Err(Failure::new(FailureClass::Garbage, words));
        }
        let question = ApprovalRequest { tool: label(&tool), arguments };
        let is_too_much = self.waiting.len() >= MAX_ITEMS || question.is_too_long();
        let asked = if is_too_much { None } else { self.approval_policy.request(question, output).await? };
        let waits = async move {
            let decision = match &asked {
                Some(asked) => asked.decided().await,
                None => Ok(ApprovalDecision::Refused),
            };
            ResolvedApproval { approval_id, decision, asked }
        };
        self.waiting.push(waits.boxed());
        Ok(())
    }

    /// Returns the next resolved request. Pending forever while no request is open, for use in `select!`.
    pub async fn next(&mut self) -> ResolvedApproval {
        match self.waiting.next().await {
            Some(decided) => decided,
            None => future::pending().await,
        }
    }
}

impl ResolvedApproval {
    /// Shows the decision on its card.
    pub fn show(self, output: &mut dyn Output) -> Result<(String, ApprovalDecision), Failure> {
        let decision = self.decision?;
        if let Some(asked) = self.asked {
            asked.close(decision, output)?;
        }
        Ok((self.approval_id, decision))
    }
}
