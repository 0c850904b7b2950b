//! Feedback on the messages of agents: given by a member of the chat, counted for the owner of the agent.

use std::collections::HashMap;

use plexus_domain::{
    Address, Error as Refusal, MessageId, Timestamp,
    feedback::{FeedbackReason, Rating},
    message::MessageState,
    sanitized_text::multi_line,
};
use plexus_store::{
    Conn,
    agents::{self, Agent},
    message_feedback::{self, MessageFeedback},
    messages::{self, MessageHeader},
};

use super::{check_may_post, membership_or, post_message::lock, send::check_kind};
use crate::{
    Caller, Hub, Result,
    agents::agent_owned_by,
    caller::{Person, Scope},
    limits::Rate,
};

/// Maximum length of a comment in characters.
pub const MAX_COMMENT: usize = 1_000;
/// Weeks that the owner of an agent sees.
const WEEKS: u32 = 12;
/// Comments that the owner of an agent sees.
const SHOWN: u32 = 50;

/// Feedback to be stored.
#[derive(Clone, Debug)]
pub struct NewFeedback {
    pub rating: Rating,
    pub reason: Option<FeedbackReason>,
    pub comment: String,
    /// Whether the owner of the agent may read reason and comment.
    pub shown_to_owner: bool,
}

/// The caller's feedback on a message.
pub struct OwnFeedback {
    /// The agent that wrote the message.
    pub agent: Address,
    /// Whether the agent is on another hub, whose owner does not see the feedback.
    pub is_remote: bool,
    pub given: Option<MessageFeedback>,
}

/// Feedback on an agent, for its owner.
pub struct AgentFeedback {
    /// Oldest first, without gaps, up to the current week.
    pub weeks: Vec<FeedbackWeek>,
    /// Newest first.
    pub comments: Vec<MessageFeedback>,
}

#[derive(Clone, Copy, Debug)]
pub struct FeedbackWeek {
    /// Its Monday.
    pub begins: Timestamp,
    pub up: u64,
    pub down: u64,
}

/// Gives feedback on an agent's message in a chat of the caller, instead of earlier feedback.
pub async fn give_feedback(hub: &Hub, caller: &Caller, message: MessageId, new: NewFeedback) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let comment = multi_line(&new.comment).trim().to_owned();
    if comment.chars().count() > MAX_COMMENT {
        let words = format!("The text may have at most {MAX_COMMENT} characters.");
        return Err(Refusal::invalid("comment", words).into());
    }
    if new.reason.is_some_and(|reason| reason.rating() != new.rating) {
        return Err(Refusal::invalid("reason", "Choose a reason that fits the rating.").into());
    }
    hub.limits().take(Rate::Feedback, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let chat = messages::find(&mut tx, message).await?.ok_or_else(gone)?.chat;
    check_kind(&lock(&mut tx, chat).await?)?;
    let (header, agent) = answer(&mut tx, person, message).await?;
    check_may_post(&membership_or(&mut tx, person, header.chat, gone).await?)?;
    if matches!(header.state, MessageState::Open | MessageState::Deleted) {
        return Err(Refusal::conflict("Rate an answer after it has ended, and before it is deleted.").into());
    }
    let feedback = MessageFeedback {
        message,
        author: person.principal,
        agent: agent.id,
        rating: new.rating,
        reason: new.reason,
        comment: Some(comment).filter(|comment| !comment.is_empty()),
        // The feedback stays on this hub.
        shown_to_owner: new.shown_to_owner && agent.home.is_none(),
        created_at: hub.env().now(),
    };
    message_feedback::put(&mut tx, &feedback).await?;
    Ok(tx.commit().await?)
}

/// Takes the caller's feedback on a message back. Idempotent.
pub async fn take_back_feedback(hub: &Hub, caller: &Caller, message: MessageId) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().take(Rate::Feedback, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let (header, _) = answer(&mut tx, person, message).await?;
    check_may_post(&membership_or(&mut tx, person, header.chat, gone).await?)?;
    message_feedback::delete(&mut tx, message, person.principal).await?;
    Ok(tx.commit().await?)
}

/// Returns the caller's feedback on an agent's message.
pub async fn own_feedback(hub: &Hub, caller: &Caller, message: MessageId) -> Result<OwnFeedback> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().snapshot().await?;
    let (_, agent) = answer(&mut conn, person, message).await?;
    let given = message_feedback::find(&mut conn, message, person.principal).await?;
    Ok(OwnFeedback { agent: agent.address(), is_remote: agent.home.is_some(), given })
}

/// Returns the caller's ratings of these messages.
pub async fn own_ratings(
    hub: &Hub,
    caller: &Caller,
    messages: &[MessageId],
) -> Result<HashMap<MessageId, Rating>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    Ok(message_feedback::list_ratings(&mut conn, messages, person.principal).await?.into_iter().collect())
}

/// Returns the feedback on an agent of the caller.
pub async fn agent_feedback(hub: &Hub, caller: &Caller, address: &Address) -> Result<AgentFeedback> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = agent_owned_by(&mut conn, person, address).await?;
    let week = hub.env().now().week();
    let first = week - i64::from(WEEKS) + 1;
    let counted = message_feedback::count_by_week(&mut conn, agent.id, Timestamp::of_week(first)).await?;
    let weeks = (first..=week).map(|week| {
        let counts = counted.iter().find(|counts| counts.week == week);
        let (up, down) = counts.map_or((0, 0), |counts| (counts.up, counts.down));
        FeedbackWeek { begins: Timestamp::of_week(week), up, down }
    });
    let comments = message_feedback::list_shown(&mut conn, agent.id, SHOWN).await?;
    Ok(AgentFeedback { weeks: weeks.collect(), comments })
}

/// Returns an agent's message in a chat of this person, with the agent.
async fn answer(conn: &mut Conn, person: &Person, message: MessageId) -> Result<(MessageHeader, Agent)> {
    let header = messages::find(conn, message).await?.ok_or_else(gone)?;
    membership_or(conn, person, header.chat, gone).await?;
    let agent = agents::by_principal(conn, header.author).await?;
    let agent = agent.ok_or_else(|| Refusal::conflict("Only messages of agents are rated."))?;
    Ok((header, agent))
}

fn gone() -> Refusal {
    Refusal::not_found("Message not found.")
}
