//! View models of feedback on the messages of agents.

use plexus_domain::{Address, ChatId, MessageId, Timestamp};

use super::Form;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rating {
    Up,
    Down,
}

impl Rating {
    /// Returns the value in forms.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }
}

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
    /// Reason as a label.
    pub reason: Option<&'static str>,
    pub comment: Option<String>,
    pub at: Timestamp,
}

/// Reasons: the value in forms, the rating that each is for, and its label.
pub const REASONS: [(&str, Rating, &str); 7] = [
    ("correct", Rating::Up, "Correct"),
    ("clear", Rating::Up, "Clear and useful"),
    ("incorrect", Rating::Down, "Incorrect"),
    ("incomplete", Rating::Down, "Incomplete"),
    ("off_topic", Rating::Down, "Did not do what I asked for"),
    ("harmful", Rating::Down, "Harmful or offensive"),
    ("slow", Rating::Down, "Too slow"),
];

/// Returns the label of a reason.
pub fn reason_label(reason: &str) -> Option<&'static str> {
    REASONS.iter().find(|(value, ..)| *value == reason).map(|(.., label)| *label)
}
