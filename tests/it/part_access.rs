//! Tests of who sees what was told to tools in a chat of several people: live, on pages, in the API, in exports, by share links,
//! and in copies made from them.

use std::path::Path;

use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    client::{Client, new_id, text_of},
    events::{Events, answer_after, question},
    hub::{self, Hub, play_on_both},
    mcp_tools::{start, tools},
    rooms,
};

const SECRET: &str = "ZQSECRET";

play_on_both!(on);

async fn on(database: Option<Database>) {
    let (model, tools) = (start(Path::new("node"), "model/scripted.mjs", &[]).await, tools().await);
    let url: &'static str = model.url.clone().leak();
    let settings = [("PLEXUS_LLM_BASE_URL", url), ("PLEXUS_LLM_MODEL", "scripted")];
    hub::run(database, &settings, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        for (name, approval) in [("free", false), ("asking", true)] {
            let tool = json!({ "url": tools.url, "require_approval": approval });
            let new = json!({ "name": name, "summary": "Uses tools.", "instructions": "Use tools.", "visibility": "public",
                              "access": "open", "tools": [tool], "limits": { "turns": 4 } });
            grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
        }
        let address = tools.url.split("//").nth(1).and_then(|rest| rest.split('/').next()).expect("host and port");
        let room = Room::new(hub, address.to_owned()).await;
        room.open_requests_are_for_the_requester().await;
        room.decided_requests_are_for_the_requester_and_the_owner().await;
        room.links_and_copies_show_no_tool_content(hub).await;
        room.live_frames_hide_the_same().await;
    })
    .await;
}

/// A room that ada owns, with bob, who asks agents, and rita, who reads.
struct Room {
    ada: Client,
    bob: Client,
    rita: Client,
    chat: String,
    /// Host and port of the server of the tools.
    address: String,
}

impl Room {
    async fn new(hub: &Hub, address: String) -> Self {
        let (ada, bob, chat) = rooms::pair(hub).await;
        let rita = hub.person("rita").await;
        rooms::add(&ada, &rita, &chat, "rita", "reader").await;
        Self { ada, bob, rita, chat, address }
    }

    async fn ask(&self, text: &str) -> i64 {
        let at = seq(&self.bob, &self.chat).await;
        let body = json!({ "id": new_id(), "text": text });
        self.bob.try_say(&self.chat, &body).await.expect(StatusCode::ACCEPTED);
        at
    }

    async fn tool_parts(&self, reader: &Client) -> String {
        let chat = reader.api(&format!("/chats/{}", self.chat)).await;
        let messages = chat["messages"].as_array().expect("messages");
        let parts = messages.iter().flat_map(|message| message["parts"].as_array().expect("parts"));
        let parts: Vec<&Value> = parts.filter(|part| part["kind"] != "text").collect();
        json!(parts).to_string()
    }

    async fn open_requests_are_for_the_requester(&self) {
        let at = self.ask("@grace/asking please\ncall=note {\"text\": \"ZQSECRET\"}").await;
        let id = question(&self.bob, &self.chat).await;
        let form = format!("name=\"approval\" value=\"{id}\"");
        let page = format!("/chat/{}", self.chat);
        self.bob.get(&page).await.says(&form);
        for other in [&self.ada, &self.rita] {
            let page = other.get(&page).await.expect(StatusCode::OK);
            assert!(!page.body.contains(&form), "only the requester gets the form");
            page.says("Waits for the decision");
            assert!(!page.body.contains(&self.address), "{}", self.address);
        }
        let allow = json!({ "allow": true });
        self.bob.call(Method::POST, &format!("/approvals/{id}"), &allow).await.expect(StatusCode::NO_CONTENT);
        answer_after(&self.bob, &self.chat, at).await;
    }

    async fn decided_requests_are_for_the_requester_and_the_owner(&self) {
        let at = self.ask("@grace/free please\ncall=book {}").await;
        let id = question(&self.bob, &self.chat).await;
        let reply = json!({ "allow": true, "answer": { "boat": SECRET, "nights": 2, "power": true } });
        self.bob.call(Method::POST, &format!("/approvals/{id}"), &reply).await.expect(StatusCode::NO_CONTENT);
        answer_after(&self.bob, &self.chat, at).await;
        for insider in [&self.bob, &self.ada] {
            let parts = self.tool_parts(insider).await;
            assert!(parts.contains(SECRET) && parts.contains(&self.address), "{parts}");
        }
        let parts = self.tool_parts(&self.rita).await;
        assert!(!parts.contains(SECRET) && !parts.contains(&self.address), "{parts}");
        assert!(parts.contains("book") && parts.contains("note") && parts.contains("allowed"), "{parts}");
        for path in ["/export?format=json", "/export?format=markdown"] {
            let path = format!("/api/v1/chats/{}{path}", self.chat);
            let own = self.bob.get(&path).await.expect(StatusCode::OK).body;
            assert!(own.contains(SECRET), "{path}: {own}");
            let exported = self.rita.get(&path).await.expect(StatusCode::OK).body;
            assert!(
                !exported.contains(&self.address) && !exported.contains("\"boat\""),
                "{path}: {exported}"
            );
        }
        for path in ["", "/print"] {
            let page = self.rita.get(&format!("/chat/{}{path}", self.chat)).await.expect(StatusCode::OK);
            assert!(!page.body.contains(&self.address), "{path}");
        }
        let all = self.rita.get("/api/v1/chats/export").await.expect(StatusCode::OK).body;
        assert!(!all.contains(&self.address), "{all}");
        let answers: Vec<String> = ids(&self.rita.api(&format!("/chats/{}", self.chat)).await);
        for id in answers {
            let message = self.rita.api(&format!("/messages/{id}")).await;
            assert!(!message.to_string().contains(&self.address), "{message}");
        }
    }

    async fn links_and_copies_show_no_tool_content(&self, hub: &Hub) {
        let path = format!("/chats/{}/share", self.chat);
        let link = self.ada.call(Method::POST, &path, &json!({})).await.expect(StatusCode::CREATED).json();
        let page = format!("/share/{}", text_of(&link["id"]));
        for reader in [&hub.visitor(), &self.rita, &self.ada] {
            let shown = reader.get(&page).await.expect(StatusCode::OK);
            shown.says("book");
            assert!(!shown.body.contains(&self.address) && !shown.body.contains("boat"), "{}", shown.body);
        }
        let eve = hub.person("eve").await;
        let copied = eve.post(&format!("{page}/continue"), &[]).await.expect(StatusCode::SEE_OTHER);
        let chat = copied
            .location()
            .trim_start_matches("/chat/")
            .split(['?', '#'])
            .next()
            .unwrap_or_default()
            .to_owned();
        let copy = eve.api(&format!("/chats/{chat}")).await;
        let parts = copy["messages"].to_string();
        assert!(
            !parts.contains(&self.address) && !parts.contains("\"boat\"") && parts.contains("book"),
            "{parts}"
        );
    }

    async fn live_frames_hide_the_same(&self) {
        let at = seq(&self.rita, &self.chat).await;
        let mut frames = [
            (Events::open(&self.rita, &self.chat, at).await, false),
            (Events::open(&self.bob, &self.chat, at).await, true),
        ];
        self.ask("@grace/free please\ncall=add {\"a\": 1, \"b\": 2}").await;
        answer_after(&self.bob, &self.chat, at).await;
        for (events, sees_address) in &mut frames {
            let mut all = String::new();
            loop {
                let event = events.next().await.expect("the stream goes on");
                all.push_str(&event.data.to_string());
                if event.name == "message_completed" && event.data.to_string().contains("add") {
                    break;
                }
            }
            assert_eq!(all.contains(&self.address), *sees_address, "{all}");
        }
    }
}

fn ids(chat: &Value) -> Vec<String> {
    chat["messages"].as_array().expect("messages").iter().map(|message| text_of(&message["id"])).collect()
}
