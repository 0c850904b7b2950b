//! Human approval of tool calls. An approval is bound to the exact arguments of the call.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use plexus_domain::{
    AccountId, ApprovalId, ChatId, Error as Refusal, Part, PartBody, RunId, RunState, Timestamp,
    part::ApprovalDecision,
    run::{Failure, FailureClass},
};
use plexus_runtime::{ApprovalGate, ApprovalPolicy, ApprovalRequest};
use plexus_store::{
    Conn,
    approvals::{self, Approval, Decision as Kept},
    oauth_grants, runs,
};
use serde_json::Value;
use tokio::time::timeout;

use super::RunJob;
use crate::{
    Caller, Error, Hub, Result,
    accounts::{Preference, has_preference},
    caller::{AuthMethod, Scope},
    chats,
    cluster::ClusterNotice,
};

/// How long an approval request waits for a decision; without one it is refused.
const MAX_WAIT: Duration = Duration::from_mins(10);
/// Poll interval. Another instance may receive the decision, and its local wake-up does not reach this one.
const LOOKS: Duration = Duration::from_secs(3);
/// Approval requests that a user is shown at once.
const MAX_SHOWN: i64 = 100;

/// Returns the approval policy of a run: its requester decides. Without an account, nothing can be approved.
pub(super) async fn leave(hub: &Hub, job: &RunJob) -> Result<ApprovalPolicy> {
    if !job.version.connector.may_require_approval() {
        return Ok(ApprovalPolicy::unavailable());
    }
    let Some(person) = &job.asker.person else { return Ok(ApprovalPolicy::unavailable()) };
    let mut conn = hub.store().read().await?;
    let wants_every = has_preference(&mut conn, person.account, Preference::AskBeforeTools).await?;
    drop(conn);
    let approver = ChatApprovalGate { hub: hub.clone(), run: job.run, account: person.account };
    Ok(ApprovalPolicy::of(Arc::new(approver), wants_every))
}

/// Requests approvals in the chat of one run.
struct ChatApprovalGate {
    hub: Hub,
    run: RunId,
    /// Account of the requester, whose list of chats shows that the run waits.
    account: AccountId,
}

#[async_trait]
impl ApprovalGate for ChatApprovalGate {
    async fn ask(&self, question: &ApprovalRequest) -> Result<ApprovalId, Failure> {
        let id = self.keep(question).await.map_err(|error| unkept(&error))?;
        chats::notify_list_changed(&self.hub, self.account);
        Ok(id)
    }

    async fn decided(&self, id: ApprovalId, question: &ApprovalRequest) -> Result<ApprovalDecision, Failure> {
        loop {
            let woken = self.hub.wake_approval_waiters().notified();
            if let Some(decision) = self.look(id, question).await.map_err(|error| unkept(&error))? {
                chats::notify_list_changed(&self.hub, self.account);
                return Ok(decision);
            }
            // Read the store after a wake-up or a timeout alike.
            let _ = timeout(LOOKS, woken).await;
        }
    }
}

impl ChatApprovalGate {
    async fn keep(&self, question: &ApprovalRequest) -> Result<ApprovalId> {
        let env = self.hub.env();
        let approval = Approval {
            id: env.id(ApprovalId::new),
            run: self.run,
            tool: question.tool.clone(),
            arguments: question.arguments.clone(),
            args_sha256: question.digest(),
            decision: None,
            decided_by: None,
            expires_at: env.now() + MAX_WAIT,
        };
        let mut tx = self.hub.store().write().await?;
        approvals::insert(&mut tx, &approval).await?;
        tx.commit().await?;
        Ok(approval.id)
    }

    /// Returns the decision, once there is one. If the stored digest is that of other arguments, the result
    /// is unanswered.
    async fn look(&self, id: ApprovalId, question: &ApprovalRequest) -> Result<Option<ApprovalDecision>> {
        let found = approvals::find(&mut self.hub.store().read().await?, id).await?;
        let Some(found) = found.filter(|found| found.args_sha256 == question.digest()) else {
            return Ok(Some(ApprovalDecision::Unanswered));
        };
        let now = self.hub.env().now();
        if found.decision.is_none() && found.expires_at <= now {
            return self.close(id, now).await;
        }
        Ok(found.decision.map(decision_of))
    }

    /// Closes an expired request. A decision may win the race; then it counts, and the next poll finds it.
    async fn close(&self, id: ApprovalId, now: Timestamp) -> Result<Option<ApprovalDecision>> {
        let mut tx = self.hub.store().write().await?;
        let is_closed = approvals::close(&mut tx, id, now).await?;
        tx.commit().await?;
        Ok(is_closed.then_some(ApprovalDecision::Unanswered))
    }
}

fn unkept(error: &Error) -> Failure {
    tracing::error!(%error, "saving the approval request failed");
    Failure::new(FailureClass::Internal, "The hub could not request approval for a tool call. Try again.")
}

const fn decision_of(kept: Kept) -> ApprovalDecision {
    match kept {
        Kept::Yes => ApprovalDecision::Allowed,
        Kept::No => ApprovalDecision::Refused,
    }
}

/// Returns the approvals of a run as parts of its answer, for a run that ended without writing them.
pub(super) async fn asked(conn: &mut Conn, run: RunId) -> Result<Vec<Part>> {
    let asked = approvals::list_by_run(conn, run).await?.into_iter();
    let part = |kept: Approval| {
        let decision = Some(kept.decision.map_or(ApprovalDecision::Unanswered, decision_of));
        let Approval { id: approval, tool, arguments, .. } = kept;
        PartBody::Approval { approval, tool, arguments, decision }.into()
    };
    Ok(asked.map(part).collect())
}

/// An approval request that waits for a decision.
#[derive(Clone, Debug)]
pub struct PendingToolApproval {
    pub id: ApprovalId,
    pub run: RunId,
    pub chat: ChatId,
    pub tool: String,
    pub arguments: Value,
    /// Without a decision until then the call is refused.
    pub expires: Timestamp,
}

/// Lists the approval requests that wait for the caller's decision, the oldest first.
pub async fn waiting(hub: &Hub, caller: &Caller) -> Result<Vec<PendingToolApproval>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    let found = approvals::list_waiting(&mut conn, person.principal, hub.env().now(), MAX_SHOWN).await?;
    let ids: Vec<RunId> = found.iter().map(|found| found.run).collect();
    let runs = runs::list(&mut conn, &ids).await?;
    let chat = |run: RunId| runs.iter().find(|one| one.id == run).map(|run| run.chat);
    let waiting = |found: Approval| {
        let Approval { id, run, tool, arguments, expires_at: expires, .. } = found;
        Some(PendingToolApproval { id, run, chat: chat(run)?, tool, arguments, expires })
    };
    Ok(found.into_iter().filter_map(waiting).collect())
}

/// Rejects OAuth clients: a program that acts for a user must not approve tool calls that it caused itself.
async fn check_is_own(conn: &mut Conn, caller: &Caller) -> Result<()> {
    if let AuthMethod::Token { hash, .. } = &caller.via
        && oauth_grants::by_token(conn, hash).await?.is_some()
    {
        let words = "Answer this in the chat, or with an API token that you created yourself.";
        return Err(Refusal::forbidden(words).into());
    }
    Ok(())
}

/// Decides an approval request. Only the requester of the run may decide, once, and before it expires.
///
/// Repeating the same decision is allowed (idempotent).
pub async fn decide(hub: &Hub, caller: &Caller, question: ApprovalId, allow: bool) -> Result<ChatId> {
    let person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    check_is_own(&mut tx, caller).await?;
    let gone = || Refusal::not_found("Approval request not found.");
    let approval = approvals::find(&mut tx, question).await?.ok_or_else(gone)?;
    let run = runs::find(&mut tx, approval.run).await?.ok_or_else(gone)?;
    chats::membership_or(&mut tx, person, run.chat, gone).await?;
    if run.caller != person.principal {
        let words = "Only the user whose message started this answer can decide about its tool calls.";
        return Err(Refusal::forbidden(words).into());
    }
    let decision = if allow { Kept::Yes } else { Kept::No };
    if approval.decision == Some(decision) {
        return Ok(run.chat);
    }
    let now = hub.env().now();
    let waits = run.state == RunState::Working;
    if !waits || !approvals::decide(&mut tx, question, decision, person.principal, now).await? {
        return Err(Refusal::conflict("This approval request has expired. Ask the agent again.").into());
    }
    tx.commit().await?;
    hub.cluster_notifier().enqueue(ClusterNotice::Decided);
    hub.wake_approval_waiters().notify_waiters();
    Ok(run.chat)
}
