//! View models of feedback on the messages of agents.

use plexus_domain::{
    Address, ChatId, MessageId, Timestamp,
    feedback::{FeedbackReason, Rating},
};

use super::Form;

/// Feedback on one message at `/chat/{id}/feedback?message={message}`.
///
/// Posts `message`, `rating` (`up`, `down`, or `none` to take it back), `reason`, `comment` and `shown` (`yes`).
#[derive(Clone, Debug)]
pub struct FeedbackPage {
    pub chat: ChatId,
    pub message: MessageId,
    pub agent: Address,
    /// Whether the agent is on another hub, whose owner does not see the feedback.
    pub is_remote: bool,
    /// Whether there is feedback to take back.
    pub is_given: bool,
    pub form: Form,
}

/// Feedback on an agent, for its owner, at `/@{owner}/{agent}/feedback`.
#[derive(Clone, Debug)]
pub struct AgentFeedback {
    /// Oldest first, without gaps.
    pub weeks: Vec<FeedbackWeek>,
    /// Newest first.
    pub comments: Vec<FeedbackComment>,
}

#[derive(Clone, Copy, Debug)]
pub struct FeedbackWeek {
    /// Its Monday.
    pub begins: Timestamp,
    pub up: u64,
    pub down: u64,
}

#[derive(Clone, Debug)]
pub struct FeedbackComment {
    pub rating: Rating,
    pub reason: Option<FeedbackReason>,
    pub comment: Option<String>,
    pub at: Timestamp,
}
