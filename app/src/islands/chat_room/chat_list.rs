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
}

impl ListedChat {
    /// Returns the class of the chat's item in the sidebar.
    pub const fn class(&self) -> &'static str {
        match (self.waiting, self.running) {
            (true, _) => "waiting",
            (false, true) => "running",
            (false, false) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_as_the_api_writes_it() {
        let body = r#"{"items":[{"id":"c","title":"Tides","last_activity":1795161744222,"running":true,
            "waiting":false}],"next":null}"#;
        let list: ChatList = serde_json::from_str(body).expect("a list");
        assert_eq!(list.items[0].last_activity, 1_795_161_744_222.0);
        assert_eq!(list.items[0].class(), "running");
        assert_eq!(
            ListedChat { waiting: true, ..list.items.into_iter().next().expect("a chat") }.class(),
            "waiting"
        );
    }
}
