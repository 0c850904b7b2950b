//! Feedback of people on the messages of agents.

use serde::{Deserialize, Serialize};

#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    Up,
    Down,
}

impl Rating {
    pub const ALL: [Self; 2] = [Self::Up, Self::Down];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rating| rating.as_str() == text)
    }
}

/// Why an answer is good (`correct`, `clear`) or bad (the others).
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackReason {
    Correct,
    Clear,
    Incorrect,
    Incomplete,
    OffTopic,
    Harmful,
    Slow,
}

impl FeedbackReason {
    pub const ALL: [Self; 7] = [
        Self::Correct,
        Self::Clear,
        Self::Incorrect,
        Self::Incomplete,
        Self::OffTopic,
        Self::Harmful,
        Self::Slow,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Clear => "clear",
            Self::Incorrect => "incorrect",
            Self::Incomplete => "incomplete",
            Self::OffTopic => "off_topic",
            Self::Harmful => "harmful",
            Self::Slow => "slow",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text)
    }

    /// Returns the rating that this is a reason for.
    pub const fn rating(self) -> Rating {
        match self {
            Self::Correct | Self::Clear => Rating::Up,
            Self::Incorrect | Self::Incomplete | Self::OffTopic | Self::Harmful | Self::Slow => Rating::Down,
        }
    }
}
