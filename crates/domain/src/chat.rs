//! Chats: kinds, titles and folders of conversations between principals.

use serde::{Deserialize, Serialize};

use crate::{Error, Result, sanitized_text};

/// Kind of a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatKind {
    /// One user with one or more agents.
    Direct,
    /// Several users.
    Room,
    /// A team of agents with a goal.
    Team,
    /// Created through an API. Hidden from the sidebar and purged after 30 days.
    Api,
}

impl ChatKind {
    pub const ALL: [Self; 4] = [Self::Direct, Self::Room, Self::Team, Self::Api];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Room => "room",
            Self::Team => "team",
            Self::Api => "api",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// What a limit of an agent in a chat counts.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DailyLimitUnit {
    /// Answers that begin.
    Answers,
    /// Tokens that the agent sends and receives, as far as it reports them.
    Tokens,
}

impl DailyLimitUnit {
    pub const ALL: [Self; 2] = [Self::Answers, Self::Tokens];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answers => "answers",
            Self::Tokens => "tokens",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.as_str() == text)
    }
}

/// Limit of an agent in a chat for one UTC day. The amount is at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyLimit {
    unit: DailyLimitUnit,
    amount: u64,
}

impl DailyLimit {
    /// Maximum amount.
    pub const MAX: u64 = 1_000_000_000;

    pub fn new(unit: DailyLimitUnit, amount: u64) -> Result<Self> {
        if (1..=Self::MAX).contains(&amount) {
            return Ok(Self { unit, amount });
        }
        Err(Error::invalid("amount", "Enter a whole number from 1 to 1,000,000,000."))
    }

    pub const fn unit(self) -> DailyLimitUnit {
        self.unit
    }

    pub const fn amount(self) -> u64 {
        self.amount
    }

    /// Returns whether an agent with these sums of the day has reached the limit.
    pub const fn is_reached(self, answers: u64, tokens: u64) -> bool {
        self.amount
            <= match self.unit {
                DailyLimitUnit::Answers => answers,
                DailyLimitUnit::Tokens => tokens,
            }
    }
}

/// What a user may do in a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomRole {
    /// Manages the members and the chat. A chat has one owner.
    Owner,
    /// Reads and posts messages.
    Member,
    /// Reads.
    Reader,
}

impl RoomRole {
    pub const ALL: [Self; 3] = [Self::Owner, Self::Member, Self::Reader];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Member => "member",
            Self::Reader => "reader",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }

    /// Whether the role allows to post messages.
    pub const fn may_post(self) -> bool {
        matches!(self, Self::Owner | Self::Member)
    }
}

/// A chat's title: 1 to 120 characters on one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Title(String);

impl Title {
    pub const MAX: usize = 120;

    /// Derives a title from a first message: its first non-empty line, at most 60 characters.
    ///
    /// A longer line is truncated at a word boundary, if one lies in its second half.
    pub fn from_message(message: &str) -> Self {
        const LENGTH: usize = 60;
        // Longer than any title, with everything that its cleaning removes.
        const MAX_READ: usize = 4 << 10;
        let message = message.trim_start();
        let message = &message[..message.floor_char_boundary(MAX_READ)];
        let line =
            message.lines().map(sanitized_text::one_line).find(|line| !line.is_empty()).unwrap_or_default();
        if line.is_empty() {
            return Self("New chat".to_owned());
        }
        let head = sanitized_text::prefix(&line, LENGTH);
        if head.len() == line.len() {
            return Self(line);
        }
        let end = head.rfind(' ').filter(|&at| at * 2 > head.len()).unwrap_or(head.len());
        Self(format!("{}…", &head[..end]))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Title {
    type Error = Error;

    fn try_from(raw: String) -> Result<Self> {
        let title = sanitized_text::one_line(&raw);
        match title.chars().count() {
            1..=Self::MAX => Ok(Self(title)),
            _ => Err(Error::invalid("title", "A title has 1 to 120 characters.")),
        }
    }
}

impl From<Title> for String {
    fn from(title: Title) -> Self {
        title.0
    }
}

/// Name of a folder of chats: 1 to 60 characters on one line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FolderName(String);

impl FolderName {
    pub const MAX: usize = 60;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for FolderName {
    type Error = Error;

    fn try_from(raw: String) -> Result<Self> {
        let name = sanitized_text::one_line(&raw);
        match name.chars().count() {
            1..=Self::MAX => Ok(Self(name)),
            _ => Err(Error::invalid("folder", "The name of a folder has 1 to 60 characters.")),
        }
    }
}

impl From<FolderName> for String {
    fn from(name: FolderName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daily_limit_is_reached_by_its_unit() {
        let limit = |unit, amount| DailyLimit::new(unit, amount).unwrap();
        let answers = limit(DailyLimitUnit::Answers, 2);
        assert_eq!([answers.is_reached(1, 9), answers.is_reached(2, 0)], [false, true]);
        let tokens = limit(DailyLimitUnit::Tokens, 2);
        assert_eq!([tokens.is_reached(9, 1), tokens.is_reached(0, 3)], [false, true]);
        for amount in [0, DailyLimit::MAX + 1] {
            assert!(DailyLimit::new(DailyLimitUnit::Tokens, amount).is_err());
        }
    }

    #[test]
    fn a_title_is_one_clean_line() {
        assert_eq!(Title::from_message("\n  2 + 2\n3").as_str(), "2 + 2");
        assert_eq!(Title::from_message(" \n").as_str(), "New chat");
        let long = Title::from_message(&"word ".repeat(40));
        assert!(long.as_str().ends_with("word…") && long.as_str().chars().count() <= 61);
        for cluster in ["👩\u{200d}🔬", "🇩🇪", "e\u{323}\u{301}\u{308}", "👍🏽"] {
            let title = Title::from_message(&format!("x{}", cluster.repeat(60)));
            let inside = title.as_str().trim_start_matches('x').trim_end_matches('…');
            let whole = sanitized_text::one_line(cluster);
            assert!(inside.replace(&whole, "").is_empty() && !inside.is_empty(), "{title:?}");
        }
        assert!(Title::try_from("x".repeat(121)).is_err());
        assert!(Title::try_from("\u{202e} \u{200b}".to_owned()).is_err());
    }

    #[test]
    fn a_folder_name_is_one_clean_line() {
        assert_eq!(FolderName::try_from(" Work\n ".to_owned()).unwrap().as_str(), "Work");
        assert!(FolderName::try_from("x".repeat(61)).is_err());
        assert!(FolderName::try_from(" \n".to_owned()).is_err());
    }
}
