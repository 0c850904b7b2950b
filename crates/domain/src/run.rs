//! Runs: one agent's work on one request until a terminal state.

use std::fmt;

use serde::{Deserialize, Serialize};

/// State of a run. Maps one-to-one to A2A's `TaskState`.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Accepted, not started.
    Queued,
    Working,
    /// The agent asked for input. The caller's next message resumes the run.
    InputRequired,
    /// The agent needs credentials that the hub does not have.
    AuthRequired,
    Completed,
    Failed,
    /// Cancelled by a user or a program.
    Stopped,
    /// The agent declined the request.
    Rejected,
}

impl RunState {
    pub const ALL: [Self; 8] = [
        Self::Queued,
        Self::Working,
        Self::InputRequired,
        Self::AuthRequired,
        Self::Completed,
        Self::Failed,
        Self::Stopped,
        Self::Rejected,
    ];

    /// Returns true if no other state can follow.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Stopped | Self::Rejected)
    }

    /// Returns true if the run waits for its caller.
    pub const fn is_waiting(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }

    /// Returns true if the transition from this state to `next` is valid.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Queued => !matches!(next, Self::Queued | Self::Completed) && !next.is_waiting(),
            Self::Working => !matches!(next, Self::Queued | Self::Working),
            Self::InputRequired | Self::AuthRequired => {
                matches!(next, Self::Working | Self::Failed | Self::Stopped)
            }
            Self::Completed | Self::Failed | Self::Stopped | Self::Rejected => false,
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::AuthRequired => "auth_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Rejected => "rejected",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Category of a run failure, for metrics and for choosing the error text.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// Could not connect to the agent.
    Unreachable,
    /// The agent responded with an error.
    Refused,
    TimedOut,
    /// The response violates the agent's protocol.
    Garbage,
    /// The response exceeded the hub's size limit.
    TooLarge,
    /// The conversation, with the tools of its caller, does not fit into the model's context window.
    PromptTooLong,
    /// The hub's policy forbids connecting to this destination.
    Policy,
    /// The token, time or cost limit was exceeded.
    Budget,
    /// The hub shut down during the run.
    Interrupted,
    /// An internal error of the hub.
    Internal,
}

impl FailureClass {
    pub const ALL: [Self; 10] = [
        Self::Unreachable,
        Self::Refused,
        Self::TimedOut,
        Self::Garbage,
        Self::TooLarge,
        Self::PromptTooLong,
        Self::Policy,
        Self::Budget,
        Self::Interrupted,
        Self::Internal,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Refused => "refused",
            Self::TimedOut => "timed_out",
            Self::Garbage => "garbage",
            Self::TooLarge => "too_large",
            Self::PromptTooLong => "prompt_too_long",
            Self::Policy => "policy",
            Self::Budget => "budget",
            Self::Interrupted => "interrupted",
            Self::Internal => "internal",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == text)
    }
}

/// Failure of a run: its class and a message for people (what happened, where, what to do).
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub class: FailureClass,
    pub message: String,
}

impl Failure {
    pub fn new(class: FailureClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into() }
    }
}

/// Resource usage of a run. Tokens are as counted by the model provider, if it reports them.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Cost in millionths of the currency unit that the model is priced in.
    pub cost_micro: u64,
}

impl Usage {
    /// Length of a token in bytes of UTF-8: about what tokenizers of large models reach on prose.
    const BYTES_PER_TOKEN: u64 = 4;

    /// Estimates the tokens of a call from the bytes of question and answer, rounded up. The cost stays unknown.
    pub fn estimate(question: usize, answer: usize) -> Self {
        let tokens = |bytes: usize| (bytes as u64).div_ceil(Self::BYTES_PER_TOKEN);
        Self { tokens_in: tokens(question), tokens_out: tokens(answer), cost_micro: 0 }
    }

    /// Returns the sum of both usages (saturating).
    pub const fn saturating_add(self, other: Self) -> Self {
        Self {
            tokens_in: self.tokens_in.saturating_add(other.tokens_in),
            tokens_out: self.tokens_out.saturating_add(other.tokens_out),
            cost_micro: self.cost_micro.saturating_add(other.cost_micro),
        }
    }

    /// Returns the usage since `before` (saturating at zero).
    pub const fn saturating_sub(self, before: Self) -> Self {
        Self {
            tokens_in: self.tokens_in.saturating_sub(before.tokens_in),
            tokens_out: self.tokens_out.saturating_sub(before.tokens_out),
            cost_micro: self.cost_micro.saturating_sub(before.cost_micro),
        }
    }

    pub const fn tokens(self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_follows_a_terminal_state_and_every_state_can_end() {
        for from in RunState::ALL {
            assert_eq!(RunState::parse(from.as_str()), Some(from));
            for to in RunState::ALL {
                assert!(!(from.is_terminal() && from.may_become(to)), "{from} -> {to}");
            }
            assert!(from.is_terminal() || from.may_become(RunState::Stopped));
            assert!(from.is_terminal() || from.may_become(RunState::Failed));
            assert!(!from.may_become(from));
        }
    }
}
