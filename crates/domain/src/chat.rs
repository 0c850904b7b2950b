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
        let line =
            message.lines().map(sanitized_text::one_line).find(|line| !line.is_empty()).unwrap_or_default();
        if line.is_empty() {
            return Self("New chat".to_owned());
        }
        let Some((cut, _)) = line.char_indices().nth(LENGTH) else { return Self(line) };
        let head = &line[..cut];
        let end = head.rfind(' ').filter(|&at| at * 2 > cut).unwrap_or(cut);
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
    fn a_title_is_one_clean_line() {
        assert_eq!(Title::from_message("\n  2 + 2\n3").as_str(), "2 + 2");
        assert_eq!(Title::from_message(" \n").as_str(), "New chat");
        let long = Title::from_message(&"word ".repeat(40));
        assert!(long.as_str().ends_with("word…") && long.as_str().chars().count() <= 61);
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
