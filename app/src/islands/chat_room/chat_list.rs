//! The list of chats, as `GET /api/v1/chats` returns it.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub struct ChatList {
    pub items: Vec<ListedChat>,
}

#[derive(Debug, PartialEq, Deserialize)]
pub struct ListedChat {
    pub id: String,
    pub title: String,
    /// Milliseconds since 1970.
    pub last_activity: f64,
    pub running: bool,
    pub waiting: bool,
    pub pinned: bool,
    #[serde(default)]
    pub room: bool,
    #[serde(default)]
    pub unread: bool,
}

impl ListedChat {
    /// Returns the classes of the chat's item in the sidebar.
    pub fn class(&self) -> String {
        let classes = [
            (self.waiting, "waiting"),
            (self.running && !self.waiting, "running"),
            (self.pinned, "pinned"),
            (self.room, "shared"),
            (self.unread, "unread"),
        ];
        let names: Vec<_> =
            classes.into_iter().filter(|(applies, _)| *applies).map(|(_, name)| name).collect();
        names.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_as_the_api_writes_it() {
        let body = r#"{"items":[{"id":"c","title":"Tides","last_activity":1795161744222,"running":true,
            "waiting":false,"pinned":false}],"next":null}"#;
        let list: ChatList = serde_json::from_str(body).expect("a list");
        assert_eq!(list.items[0].last_activity, 1_795_161_744_222.0);
        assert_eq!(list.items[0].class(), "running");
        let chat = list.items.into_iter().next().expect("a chat");
        let chat = ListedChat { waiting: true, pinned: true, ..chat };
        assert_eq!(chat.class(), "waiting pinned");
        assert_eq!(ListedChat { room: true, unread: true, ..chat }.class(), "waiting pinned shared unread");
    }
}
