//! Human approval of tool calls, and answers to questions of tools. An approval is bound to the exact arguments of the
//! call.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use plexus_domain::{
    AccountId, ApprovalId, ChatId, Digest, Error as Refusal, Part, PartBody, RunId, RunState, Timestamp,
    form_question::{FormAnswer, FormQuestion},
    part::ApprovalDecision,
    run::{Failure, FailureClass},
};
use plexus_runtime::{ApprovalGate, ApprovalPolicy, ApprovalRequest, ToolQuestion};
use plexus_store::{
    Conn,
    approvals::{self, Approval, Decision as Kept},
    oauth_grants, runs,
};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::RunJob;
use crate::{
    Caller, Error, Hub, Result,
    accounts::{Preference, has_preference},
    bus::ClusterNotice,
    caller::{AuthMethod, Scope},
    chats,
};

/// How long an approval request waits for a decision; without one it is refused.
const MAX_WAIT: Duration = Duration::from_mins(10);
/// Poll interval. Another instance may receive the decision, and its local wake-up does not reach this one.
const LOOKS: Duration = Duration::from_secs(3);
/// Approval requests that a user is shown at once.
const MAX_SHOWN: i64 = 100;

/// Returns the approval policy of a run: its requester decides. Without an account, nothing can be approved.
pub(super) async fn approval_policy(hub: &Hub, job: &RunJob) -> Result<ApprovalPolicy> {
    if !job.version.connector.may_require_approval() {
        return Ok(ApprovalPolicy::unavailable());
    }
    let Some(person) = &job.requester.person else { return Ok(ApprovalPolicy::unavailable()) };
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
        let approval = Approval {
            tool: question.tool.clone(),
            arguments: question.arguments.clone(),
            args_sha256: question.digest(),
            ..self.pending()
        };
        self.keep(approval).await.map_err(|error| unkept(&error))
    }

    async fn decided(&self, id: ApprovalId, question: &ApprovalRequest) -> Result<ApprovalDecision, Failure> {
        let found = self.wait(id).await.map_err(|error| unkept(&error))?;
        let decided = found.filter(|found| found.args_sha256 == question.digest());
        let decision = decided.and_then(|found| found.decision);
        Ok(decision.map_or(ApprovalDecision::Unanswered, decision_of))
    }

    async fn ask_question(&self, asked: &ToolQuestion) -> Result<Option<ApprovalId>, Failure> {
        let question = Some(asked.question.clone());
        let approval = Approval { tool: asked.tool.clone(), question, ..self.pending() };
        Ok(Some(self.keep(approval).await.map_err(|error| unkept(&error))?))
    }

    async fn answered(&self, id: ApprovalId) -> Result<FormAnswer, Failure> {
        let found = self.wait(id).await.map_err(|error| unkept(&error))?;
        Ok(found.map_or(FormAnswer::Unanswered, |found| answer_of(found.decision, found.answer)))
    }
}

impl ChatApprovalGate {
    /// Returns the row of a new request, without its content.
    fn pending(&self) -> Approval {
        let env = self.hub.env();
        Approval {
            id: env.id(ApprovalId::new),
            run: self.run,
            tool: String::new(),
            arguments: json!({}),
            question: None,
            answer: None,
            args_sha256: Digest::of(""),
            decision: None,
            decided_by: None,
            expires_at: env.now() + MAX_WAIT,
        }
    }

    async fn keep(&self, approval: Approval) -> Result<ApprovalId> {
        let mut tx = self.hub.store().write().await?;
        approvals::insert(&mut tx, &approval).await?;
        tx.commit().await?;
        chats::notify_list_changed(&self.hub, self.account);
        Ok(approval.id)
    }

    /// Waits until the request is decided or has expired, and returns it as stored; `None` if it was deleted.
    async fn wait(&self, id: ApprovalId) -> Result<Option<Approval>> {
        loop {
            let woken = self.hub.wake_approval_waiters().notified();
            let found = approvals::find(&mut self.hub.store().read().await?, id).await?;
            let now = self.hub.env().now();
            let is_over = match &found {
                Some(open) if open.decision.is_none() => {
                    open.expires_at <= now && self.close(id, now).await?
                }
                Some(_) | None => true,
            };
            if is_over {
                chats::notify_list_changed(&self.hub, self.account);
                return Ok(found);
            }
            // Read the store after a wake-up or a timeout alike.
            let _ = timeout(LOOKS, woken).await;
        }
    }

    /// Closes an expired request. Returns false if a decision wins the race; then it counts, and the next poll finds it.
    async fn close(&self, id: ApprovalId, now: Timestamp) -> Result<bool> {
        let mut tx = self.hub.store().write().await?;
        let is_closed = approvals::close(&mut tx, id, now).await?;
        tx.commit().await?;
        Ok(is_closed)
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

fn answer_of(decision: Option<Kept>, values: Option<Map<String, Value>>) -> FormAnswer {
    match decision {
        Some(Kept::Yes) => FormAnswer::Given { values: values.unwrap_or_default() },
        Some(Kept::No) => FormAnswer::Declined,
        None => FormAnswer::Unanswered,
    }
}

/// Returns the approvals of a run as parts of its answer, for a run that ended without writing them.
pub(super) async fn asked(conn: &mut Conn, run: RunId) -> Result<Vec<Part>> {
    let asked = approvals::list_by_run(conn, run).await?.into_iter();
    let part = |kept: Approval| {
        let Approval { id: approval, tool, arguments, question, answer, decision, .. } = kept;
        match question {
            Some(question) => {
                let answer = Some(answer_of(decision, answer));
                PartBody::Question { approval, tool, question, answer }.into()
            }
            None => {
                let decision = Some(decision.map_or(ApprovalDecision::Unanswered, decision_of));
                PartBody::Approval { approval, tool, arguments, decision }.into()
            }
        }
    };
    Ok(asked.map(part).collect())
}

/// An approval request, or a question of a tool, that waits for the user.
#[derive(Clone, Debug)]
pub struct PendingToolApproval {
    pub id: ApprovalId,
    pub run: RunId,
    pub chat: ChatId,
    pub tool: String,
    /// Arguments of the call to approve; empty for a question.
    pub arguments: Value,
    pub question: Option<FormQuestion>,
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
        let Approval { id, run, tool, arguments, question, expires_at: expires, .. } = found;
        Some(PendingToolApproval { id, run, chat: chat(run)?, tool, arguments, question, expires })
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

/// What a user decides about an approval request, or answers to a question.
#[derive(Clone, Debug)]
pub enum ApprovalReply {
    Allow,
    /// Refuses the call, or declines to answer the question.
    Refuse,
    Answer(AnswerInput),
}

/// Values of an answer.
#[derive(Clone, Debug)]
pub enum AnswerInput {
    Json(Map<String, Value>),
    /// Texts of the inputs of an HTML form, by their names.
    Texts(HashMap<String, String>),
}

/// Decides an approval request or answers a question. Only the requester of the run may do it, once, and before it
/// expires.
///
/// Repeating the same reply is allowed (idempotent).
pub async fn decide(
    hub: &Hub,
    caller: &Caller,
    question: ApprovalId,
    reply: ApprovalReply,
) -> Result<ChatId> {
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
    let (decision, answer) = decision(&approval, reply)?;
    if approval.decision == Some(decision) && approval.answer == answer {
        return Ok(run.chat);
    }
    let now = hub.env().now();
    let waits = run.state == RunState::Working;
    if !waits || !approvals::decide(&mut tx, question, decision, answer, person.principal, now).await? {
        return Err(Refusal::conflict("This approval request has expired. Ask the agent again.").into());
    }
    tx.commit().await?;
    hub.cluster_notifier().enqueue(ClusterNotice::Decided);
    hub.wake_approval_waiters().notify_waiters();
    Ok(run.chat)
}

/// Checks a reply against what was asked.
fn decision(
    approval: &Approval,
    reply: ApprovalReply,
) -> Result<(Kept, Option<Map<String, Value>>), Refusal> {
    match (&approval.question, reply) {
        (_, ApprovalReply::Refuse) => Ok((Kept::No, None)),
        (None, ApprovalReply::Allow) => Ok((Kept::Yes, None)),
        (None, ApprovalReply::Answer(_)) => {
            Err(Refusal::invalid("answer", "An approval request has no answer. Allow or refuse the call."))
        }
        (Some(question), ApprovalReply::Allow) => Ok((Kept::Yes, Some(question.check(Map::new())?))),
        (Some(question), ApprovalReply::Answer(AnswerInput::Json(values))) => {
            Ok((Kept::Yes, Some(question.check(values)?)))
        }
        (Some(question), ApprovalReply::Answer(AnswerInput::Texts(texts))) => {
            Ok((Kept::Yes, Some(question.read(|name| texts.get(name).cloned())?)))
        }
    }
}
