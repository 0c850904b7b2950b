//! Tests of MCP server credentials: the agent's owner enters them, the hub sends them to that server only,
//! and never displays them.

use std::path::Path;

use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::{Client, text_of},
    events::answer_after,
    hub::{self, Hub, play_on_both},
    mcp_tools::{Server, python, start},
    rpc::{call, code},
    tokens::make,
};

const FIRST: &str = "first-token-0123456789";
const SECOND: &str = "second-token-0123456789";
const KEY: &str = "key-0123456789";
const WRONG: &str = "wrong-token-0123456789";

const KEPT: &str = "/agents/grace/guarded/tools/credentials";
const PAGE: &str = "/@grace/guarded/credentials";
const EDIT: &str = "/@grace/guarded/edit";

const LACKING: &str = "requires credentials that this hub does not have.";
const REFUSED: &str = "did not accept the credentials.";

/// MCP server that accepts the token in a file.
pub struct Guarded {
    server: Server,
    folder: TempDir,
}

impl Guarded {
    pub async fn start(header: &str, wanted: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("wanted");
        let flags = ["--guard", header, file.to_str().expect("text")];
        let server = start(&python(), "python/tools.py", &flags).await;
        let guarded = Self { server, folder };
        guarded.wants(wanted);
        guarded
    }

    fn wants(&self, shown: &str) {
        std::fs::write(self.folder.path().join("wanted"), shown).expect("a file");
    }

    pub fn url(&self) -> &str {
        &self.server.url
    }
}

play_on_both!(on);

async fn on(database: Option<Database>) {
    let model = start(Path::new("node"), "model/scripted.mjs", &[]).await;
    let bearer = Guarded::start("Authorization", &format!("Bearer {FIRST}")).await;
    let keyed = Guarded::start("X-API-Key", KEY).await;
    let address: &'static str = model.url.clone().leak();
    let settings = [("PLEXUS_LLM_BASE_URL", address), ("PLEXUS_LLM_MODEL", "scripted")];
    hub::run(database, &settings, async |hub: &Hub| {
        let grace = hub.administrator("grace").await;
        registered_with_what_the_server_takes(&grace, bearer.url()).await;
        nobody_is_told(hub, &grace, bearer.url()).await;
        replaced_over_the_api(&grace, &bearer).await;
        another_server_is_added_on_the_page(&grace, &bearer, &keyed).await;
        dropped_with_its_address(&grace, &bearer, &keyed).await;
        given_and_dropped_by_a_program(hub, &grace, &keyed).await;
        removed_on_the_page(hub, &grace, &keyed).await;
    })
    .await;
}

async fn registered_with_what_the_server_takes(grace: &Client, url: &str) {
    let new = |credentials: Value| {
        json!({ "name": "guarded", "summary": "Uses tools.", "instructions": "Use tools.", "visibility": "public",
                "tools": [{ "url": url, "credentials": credentials }] })
    };
    for (credentials, field, words) in [
        (Value::Null, "tools", LACKING),
        (json!({ "secret": WRONG }), "tools", REFUSED),
        (json!({ "secret": FIRST, "header": "X-API-Key" }), "tools", REFUSED),
        (json!({ "secret": FIRST, "header": "Mcp-Session-Id" }), "header", "the name of the header"),
        (json!({ "secret": "" }), "secret", "Enter the token or key"),
    ] {
        let refused = grace.call(Method::POST, "/agents", &new(credentials)).await;
        let refused = refused.expect(StatusCode::UNPROCESSABLE_ENTITY).json();
        assert_eq!(refused["error"]["field"], field, "{refused}");
        assert!(text_of(&refused["error"]["message"]).contains(words), "{refused}");
        assert!(!refused.to_string().contains(FIRST) && !refused.to_string().contains(WRONG), "{refused}");
    }
    let made = grace.call(Method::POST, "/agents", &new(json!({ "secret": FIRST }))).await;
    assert!(!made.expect(StatusCode::CREATED).body.contains(FIRST));
    adds(grace, "add").await;
}

/// Asserts that the agent answers with a tool result.
async fn adds(grace: &Client, function: &str) {
    let said = grace.begin("@grace/guarded", &format!("call={function} {{\"a\": 40, \"b\": 2}}")).await;
    let answer = answer_after(grace, &said.chat, 0).await;
    assert!(answer["parts"][0]["result"].to_string().contains("42"), "{answer}");
}

/// Asserts that the run fails with advice for the owner.
async fn fails(grace: &Client, words: &str) {
    let said = grace.begin("@grace/guarded", "call=add {\"a\": 40, \"b\": 2}").await;
    let answer = answer_after(grace, &said.chat, 0).await;
    let message = text_of(&answer["run"]["failure"]["message"]);
    assert!(message.starts_with("The MCP server 127.0.0.1:"), "{answer}");
    let mend = format!("{words} The agent’s owner can enter them at {PAGE}.");
    assert!(message.ends_with(&mend), "{answer}");
    let page = grace.get(&format!("/chat/{}", said.chat)).await;
    page.says(&format!("<a href=\"{PAGE}\">"));
    tells_nothing(&page.body);
}

#[track_caller]
fn tells_nothing(text: &str) {
    for secret in [FIRST, SECOND, KEY, WRONG] {
        assert!(!text.contains(secret), "{secret} is told: {text}");
    }
}

async fn nobody_is_told(hub: &Hub, grace: &Client, url: &str) {
    let kept = json!({ "items": [{ "url": url, "scheme": { "kind": "bearer" } }], "next": null });
    assert_eq!(grace.api(KEPT).await, kept);
    for place in ["/@grace/guarded", "/@grace/guarded/versions", "/@grace/guarded/manage", PAGE, EDIT] {
        tells_nothing(&grace.get(place).await.expect(StatusCode::OK).body);
    }
    tells_nothing(&grace.api("/agents/grace/guarded").await.to_string());
    for file in std::fs::read_dir(hub.folder()).expect("a folder") {
        let path = file.expect("an entry").path();
        if path.is_file() {
            tells_nothing(&String::from_utf8_lossy(&std::fs::read(&path).expect("a file")));
        }
    }
    let ada = hub.person("ada").await;
    ada.get(PAGE).await.expect(StatusCode::NOT_FOUND);
    ada.get(&format!("/api/v1{KEPT}")).await.expect(StatusCode::FORBIDDEN);
    let mine = json!({ "url": url, "secret": WRONG });
    ada.call(Method::PUT, KEPT, &mine).await.expect(StatusCode::FORBIDDEN);
    ada.call(Method::DELETE, &format!("{KEPT}?url={url}"), &Value::Null).await.expect(StatusCode::FORBIDDEN);
    // The owner's credentials apply to all callers.
    adds(&ada, "add").await;
}

async fn replaced_over_the_api(grace: &Client, server: &Guarded) {
    server.wants(&format!("Bearer {SECOND}"));
    fails(grace, REFUSED).await;
    let give = async |url: &str, secret: &str| {
        grace.call(Method::PUT, KEPT, &json!({ "url": url, "secret": secret })).await
    };
    let refused = give(server.url(), WRONG).await.expect(StatusCode::UNPROCESSABLE_ENTITY).json();
    assert_eq!(refused["error"]["field"], "secret", "{refused}");
    tells_nothing(&refused.to_string());
    let elsewhere = give("https://a.example/mcp", SECOND).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(elsewhere.json()["error"]["field"], "url");
    give(server.url(), SECOND).await.expect(StatusCode::NO_CONTENT);
    adds(grace, "add").await;
}

/// Edits the agent: its tools and the credentials of one server.
async fn edit(grace: &Client, tools: &str, given: [&str; 3]) -> StatusCode {
    let [url, header, secret] = given;
    let fields = [
        ("title", "Guarded"),
        ("summary", "Uses tools."),
        ("instructions", "Use tools."),
        ("model", "scripted"),
        ("tools", tools),
        ("url", url),
        ("header", header),
        ("secret", secret),
    ];
    let answer = grace.post(EDIT, &fields).await;
    tells_nothing(&answer.body);
    answer.status
}

async fn another_server_is_added_on_the_page(grace: &Client, bearer: &Guarded, keyed: &Guarded) {
    let both = format!("{}\n{}", bearer.url(), keyed.url());
    assert_eq!(edit(grace, &both, ["", "", ""]).await, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(edit(grace, &both, ["", "X-API-Key", KEY]).await, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(edit(grace, &both, [keyed.url(), "X-API-Key", KEY]).await, StatusCode::SEE_OTHER);
    let key = json!({ "kind": "api_key", "name": "X-API-Key", "in_query": false });
    let kept = json!({ "items": [{ "url": bearer.url(), "scheme": { "kind": "bearer" } },
                                 { "url": keyed.url(), "scheme": key }], "next": null });
    assert_eq!(grace.api(KEPT).await, kept, "what was given before is part of no version");
    adds(grace, "add").await;
    adds(grace, "add_2").await;
}

async fn dropped_with_its_address(grace: &Client, bearer: &Guarded, keyed: &Guarded) {
    let nothing = ["", "", ""];
    assert_eq!(edit(grace, keyed.url(), nothing).await, StatusCode::SEE_OTHER);
    let both = format!("{}\n{}", keyed.url(), bearer.url());
    assert_eq!(edit(grace, &both, nothing).await, StatusCode::UNPROCESSABLE_ENTITY);
    // The same server at another URL of the same origin.
    let moved = format!("{}?v=2", keyed.url());
    assert_eq!(edit(grace, &moved, nothing).await, StatusCode::SEE_OTHER);
    assert_eq!(grace.api(KEPT).await["items"][0]["scheme"]["name"], "X-API-Key");
    assert_eq!(edit(grace, keyed.url(), nothing).await, StatusCode::SEE_OTHER);
    adds(grace, "add").await;
}

async fn given_and_dropped_by_a_program(hub: &Hub, grace: &Client, keyed: &Guarded) {
    let owner = grace.with_token(&make(grace, &["read", "agents"]).await);
    let agent = json!({ "agent": "@grace/guarded" });
    assert_eq!(call(&owner, "agents.tool_servers", agent.clone()).await, grace.api(KEPT).await);
    let one = json!(["@grace/guarded", keyed.url()]);
    assert_eq!(call(&owner, "agents.delete_tool_credentials", one.clone()).await, json!(true));
    fails(grace, LACKING).await;
    let give = |secret: &str| json!(["@grace/guarded", keyed.url(), secret, "X-API-Key"]);
    assert_eq!(code(&owner, "agents.set_tool_credentials", give(WRONG)).await, -32_602);
    assert_eq!(call(&owner, "agents.set_tool_credentials", give(KEY)).await, json!(true));
    adds(grace, "add").await;
    let other = hub.person("eve").await;
    let other = other.with_token(&make(&other, &["read", "agents"]).await);
    let requests =
        [("tool_servers", agent), ("delete_tool_credentials", one), ("set_tool_credentials", give(KEY))];
    for (method, params) in requests {
        assert_eq!(code(&other, &format!("agents.{method}"), params).await, -32_003, "{method}");
    }
}

async fn removed_on_the_page(hub: &Hub, grace: &Client, keyed: &Guarded) {
    let page = grace.get(PAGE).await.expect(StatusCode::OK);
    page.says("an API key in the header X-API-Key");
    let forget = [("url", keyed.url()), ("action", "delete")];
    assert_eq!(grace.post(PAGE, &forget).await.expect(StatusCode::SEE_OTHER).location(), PAGE);
    grace.get(PAGE).await.expect(StatusCode::OK).says(": no credentials");
    fails(grace, LACKING).await;
    let give = async |secret| {
        let fields = [("url", keyed.url()), ("header", "X-API-Key"), ("secret", secret), ("action", "save")];
        grace.post(PAGE, &fields).await
    };
    let refused = give(WRONG).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
    refused.says("f-secret-error");
    tells_nothing(&refused.body);
    give(KEY).await.expect(StatusCode::SEE_OTHER);
    adds(grace, "add").await;
    let place = format!("{KEPT}?url={}", keyed.url());
    grace.call(Method::DELETE, &place, &Value::Null).await.expect(StatusCode::NO_CONTENT);
    fails(grace, LACKING).await;
    give(KEY).await.expect(StatusCode::SEE_OTHER);

    let sealed = "select count(*) from secrets where kind like 'tools of agent%'";
    assert_eq!(hub.number(sealed).await, 1);
    grace.call(Method::DELETE, "/agents/grace/guarded", &Value::Null).await.expect(StatusCode::NO_CONTENT);
    assert_eq!(hub.number(sealed).await, 0);
}
