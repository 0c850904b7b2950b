//! Tests of exported agents: the document, its import over the API and on the page, and hostile documents.

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client, text_of},
    hub::{Hub, on_both},
    knowledge::{GUIDE, ask, clerk, put},
};

const EXPORT: &str = "/api/v1/agents/grace/clerk/export";

async fn import(client: &Client, query: &str, document: impl Into<reqwest::Body>) -> Answer {
    let request = client.request(Method::POST, &format!("/api/v1/agents/import{query}"));
    client.send(request.header(header::CONTENT_TYPE, "application/json").body(document)).await
}

/// Posts the form of the page.
async fn upload(client: &Client, name: &str, document: &str) -> Answer {
    let field = |name: &str, value: &str| {
        format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let file = "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.json\"\r\n\r\n";
    let body = format!("{}{}{file}{document}\r\n--edge--\r\n", field("name", name), field("model", ""));
    let request = client.request(Method::POST, "/register/import");
    client.send(request.header(header::CONTENT_TYPE, "multipart/form-data; boundary=edge").body(body)).await
}

/// Returns a document with an MCP server that needs credentials.
fn with_server(mut document: Value) -> Value {
    document["tools"] = json!([{ "url": "https://tools.example/mcp", "require_approval": true,
                                 "needs_credentials": true }]);
    document
}

on_both! {
    async fn an_exported_agent_is_imported_with_its_files(hub: &Hub) {
        let (grace, ada) = (hub.administrator("grace").await, hub.person("ada").await);
        clerk(&grace).await;
        put(&grace, "guide.md", GUIDE).await.expect(StatusCode::OK);
        put(&grace, "fees.csv", "boat,fee\nsloop,10\n").await.expect(StatusCode::OK);
        let exported = grace.send(grace.request(Method::GET, EXPORT)).await.expect(StatusCode::OK);
        assert!(exported.header("content-disposition").contains("clerk.plexus-agent.json"));
        let document = exported.json();
        assert_eq!(document["format"], "plexus-agent/1");
        assert_eq!((&document["name"], &document["instructions"]), (&json!("clerk"), &json!("Answer.")));
        assert_eq!(document["model"], json!({ "name": "cellar/small", "reads_images": false }));
        let files = document["files"].as_array().expect("files");
        assert_eq!(files[0], json!({ "name": "fees.csv", "text": "boat,fee\nsloop,10\n" }));
        assert!(text_of(&files[1]["text"]).contains("A berth costs ten crowns a night."));

        let imported = import(&ada, "", document.to_string()).await.expect(StatusCode::CREATED).json();
        assert_eq!((&imported["address"], &imported["visibility"]), (&json!("@ada/clerk"), &json!("private")));
        let chat = ada.begin("@ada/clerk", "What does a berth cost?").await.chat;
        let answer = crate::events::answer_after(&ada, &chat, 0).await;
        assert!(answer["parts"].to_string().contains("ten crowns"), "{answer}");
        let path = "/api/v1/agents/ada/clerk/export";
        let again = ada.send(ada.request(Method::GET, path)).await.expect(StatusCode::OK).json();
        assert_eq!(again, document, "an import loses nothing");
        assert!(ask(&grace, "What does a berth cost?").await.contains("ten crowns"));
    }

    async fn an_agent_is_exported_and_imported_on_the_page(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        clerk(&grace).await;
        grace.get("/@grace/clerk/manage").await.expect(StatusCode::OK).says("/@grace/clerk/export");
        let saved = grace.get("/@grace/clerk/export").await.expect(StatusCode::OK);
        let page = upload(&grace, "", &saved.body).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        page.says("You already have or had an agent with this name.");
        let done = upload(&grace, "copy", &saved.body).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(done.location(), "/@grace/copy/manage");
        let server = with_server(saved.json()).to_string();
        let done = upload(&grace, "caller", &server).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(done.location(), "/@grace/caller/credentials");
        grace.get("/@grace/caller/credentials").await.expect(StatusCode::OK).says("https://tools.example/mcp");
        upload(&grace, "no", "").await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Choose a file first.");
        upload(&grace, "no", "%PDF-1.7").await.expect(StatusCode::UNPROCESSABLE_ENTITY)
            .says("The file is not an exported agent");
        upload(&hub.visitor(), "no", &saved.body).await.expect(StatusCode::UNAUTHORIZED);
    }

    async fn credentials_are_not_exported(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        clerk(&grace).await;
        let document = grace.send(grace.request(Method::GET, EXPORT)).await.json();
        let mut keyed = document.clone();
        keyed["tools"] = json!([{ "url": "https://tools.example/mcp?key=s3cret#s3cret" }]);
        import(&grace, "?name=keyed", keyed.to_string()).await.expect(StatusCode::CREATED);
        let path = "/api/v1/agents/grace/keyed/export";
        let exported = grace.send(grace.request(Method::GET, path)).await.expect(StatusCode::OK);
        assert!(!exported.body.contains("s3cret"), "{}", exported.body);
        assert_eq!(exported.json()["tools"][0]["url"], "https://tools.example/mcp");
        let ada = hub.person("ada").await;
        ada.send(ada.request(Method::GET, EXPORT)).await.refusal(StatusCode::FORBIDDEN);
        hub.visitor().send(hub.visitor().request(Method::GET, EXPORT)).await.refusal(StatusCode::UNAUTHORIZED);
        import(&hub.visitor(), "", document.to_string()).await.refusal(StatusCode::UNAUTHORIZED);
        let path = "/api/v1/agents/plexus/calc/export";
        grace.send(grace.request(Method::GET, path)).await.refusal(StatusCode::FORBIDDEN);
    }

    async fn hostile_documents_are_refused_and_create_nothing(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        clerk(&grace).await;
        let document = grace.send(grace.request(Method::GET, EXPORT)).await.json();
        let with = |member: &str, value: Value| {
            let mut changed = document.clone();
            changed[member] = value;
            changed.to_string()
        };
        let file = |name: &str, text: &str| json!({ "name": name, "text": text });
        for (body, words) in [
            (String::new(), "not an exported agent"),
            ("[".repeat(100_000), "not an exported agent"),
            (with("format", json!("plexus-agent/9")), "its “format” is not"),
            (with("secret", json!("x")), "unknown field"),
            (with("instructions", json!("x".repeat(32_001))), "Write instructions of 1 to 32,000"),
            (with("model", json!({ "name": "missing/large" })), "missing/large"),
            (with("starters", json!(vec!["a"; 6])), "at most 5 first messages"),
            (with("tools", json!([{ "url": "ftp://a.example" }])), "no valid address"),
            (with("tools", json!([{ "program": "rm" }])), "MCP server “rm” not found"),
            (with("tools", json!(vec![json!({ "url": "https://a.example" }); 9])), "at most 8 servers"),
            (with("files", json!([file("a.exe", "MZ")])), "a.exe is neither a text file nor a PDF file."),
            (with("files", json!([file("a.md", "a"), file("x/a.md", "b")])), "two knowledge files a.md"),
            (with("files", json!(vec![file("a.md", "a"); 51])), "at most 50 entries"),
        ] {
            let (_, said) = import(&grace, "?name=hostile", body).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
            assert!(said.contains(words), "{said}");
        }
        import(&grace, "", with("name", json!("../a"))).await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        let huge = with("instructions", json!("x".repeat(17 << 20)));
        import(&grace, "?name=hostile", huge).await.refusal(StatusCode::PAYLOAD_TOO_LARGE);
        grace.send(grace.request(Method::GET, "/api/v1/agents/grace/hostile")).await.refusal(StatusCode::NOT_FOUND);
    }
}
