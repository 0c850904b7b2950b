//! Tests of operator views: metrics, audit log, security.txt, and rejected agent addresses.

use reqwest::{Method, StatusCode};
use serde_json::json;
use sqlx::{Connection as _, SqliteConnection, query_scalar, raw_sql};

use crate::{
    client::Client,
    events::answer_after,
    hub::{Hub, on_both},
    process::Process,
};

on_both! {
    async fn the_log_says_who_did_what(hub: &Hub) {
        let admin = hub.administrator("boss").await;
        let ada = hub.person("ada").await;
        let path = format!("/admin/users/{}", hub.account("ada").await);
        admin.post(&path, &[("action", "role"), ("role", "moderator")]).await.expect(StatusCode::SEE_OTHER);
        admin.post("/admin/origins", &[("origin", "https://a.example"), ("note", "<b>ours</b>")]).await.expect(StatusCode::SEE_OTHER);

        let log = admin.get("/admin/audit").await.expect(StatusCode::OK);
        for words in ["@boss", "account.role", "@ada", "moderator", "origin.vouch", "https://a.example", "ours"] {
            log.says(words);
        }
        assert!(!log.body.contains("<b>ours"), "what people wrote is text");
        let narrowed = admin.get("/admin/audit?actor=@Boss&action=origin.vouch").await.expect(StatusCode::OK).body;
        let table = narrowed.split("<tbody>").nth(1).expect("a table");
        assert!(table.contains("origin.vouch") && !table.contains("account.role"));
        admin.get("/admin/audit?actor=ada").await.expect(StatusCode::OK).says("No matching entries");
        for _ in 0..12 {
            for action in ["suspend", "restore"] {
                admin.post(&path, &[("action", action)]).await.expect(StatusCode::SEE_OTHER);
            }
        }
        let second = admin.get("/admin/audit?page=2").await.expect(StatusCode::OK);
        second.says("account.role");
        assert!(admin.get("/admin/audit?page=x").await.status.is_client_error());

        ada.sign_in("ada", crate::client::PASSWORD).await.expect(StatusCode::SEE_OTHER);
        ada.get("/admin/audit").await.expect(StatusCode::FORBIDDEN);
        hub.visitor().get("/admin/audit").await.expect(StatusCode::SEE_OTHER);
    }

    async fn security_txt_names_whom_to_tell(hub: &Hub, [("PLEXUS_SECURITY_CONTACT", "security@hub.example")]) {
        let text = hub.visitor().get("/.well-known/security.txt").await.expect(StatusCode::OK);
        text.says("Contact: mailto:security@hub.example\n");
        text.says("Expires: ");
    }

    async fn the_hub_itself_is_nobodys_agent(hub: &Hub) {
        let admin = hub.administrator("boss").await;
        let elsewhere = hub.origin().replace("127.0.0.1", "localhost");
        for url in [hub.origin(), &elsewhere] {
            let new = json!({ "url": url, "visibility": "public", "access": "accounts" });
            let refused = admin.call(Method::POST, "/agents", &new).await;
            let (_, words) = refused.refusal(StatusCode::UNPROCESSABLE_ENTITY);
            assert!(words.contains("this hub itself"), "{words}");
        }
    }

    async fn built_in_agents_are_online(hub: &Hub) {
        let page = hub.visitor().get("/agents?online=true").await.expect(StatusCode::OK);
        page.says("/@plexus/calc");
        page.says("/@plexus/guide");
    }
}

#[tokio::test]
async fn metrics_are_on_a_listener_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Process::serve_with(folder.path(), &["--metrics-listen", "127.0.0.1:0"]).await;
    let link = hub.link().await;
    let line = hub.line().await;
    let url = line.strip_prefix("Metrics are on ").expect("where the metrics are");
    let origin = url.strip_suffix("/metrics").expect("a path");

    let ada = Client::new(&hub.origin);
    let token = link.split_once("admin=").expect("a token").1;
    let fields = [("name", "ada"), ("password", crate::client::PASSWORD), ("admin", token)];
    ada.post("/signup", &fields).await.expect(StatusCode::SEE_OTHER);
    let said = ada.begin("@plexus/calc", "1 + 1").await;
    answer_after(&ada, &said.chat, 0).await;

    let metrics = Client::new(origin).get("/metrics").await.expect(StatusCode::OK);
    assert!(metrics.header("content-type").starts_with("text/plain"), "{:?}", metrics.headers);
    let value = |name: &str| {
        let line = metrics.body.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).unwrap_or(0)
    };
    assert_eq!(value("plexus_runs_started_total"), 1, "{}", metrics.body);
    assert_eq!(value("plexus_runs_finished_total{state=\"completed\"}"), 1);
    assert_eq!(value("plexus_event_streams_opened_total"), 1);
    assert!(value("plexus_http_requests_total{status=\"201\"}") == 1);
    Client::new(origin).get("/").await.expect(StatusCode::NOT_FOUND);
    ada.get("/metrics").await.expect(StatusCode::NOT_FOUND);
}

/// Each start has a different address, as after a change of the public URL.
#[tokio::test]
async fn built_in_agents_stay_the_same_when_the_hub_moves() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = Process::serve(folder.path()).await;
    first.kill().await;
    forget_listing_ids(folder.path()).await;

    let second = Process::serve(folder.path()).await;
    let versions =
        Client::new(&second.origin).get("/@plexus/calc/versions").await.expect(StatusCode::OK).body;
    assert!(versions.contains("1.0.0") && !versions.contains("1.0.1"), "a move is no new version");
    let origin = second.origin.clone();
    second.kill().await;
    assert_eq!(listing_ids(folder.path()).await, 4);
    for card in cards(folder.path()).await {
        assert!(card.contains(&format!("{origin}/a2a/plexus/")), "{card}");
    }
}

async fn database(folder: &std::path::Path) -> SqliteConnection {
    let file = folder.join("data/plexus.sqlite3");
    SqliteConnection::connect(&format!("sqlite://{}", file.display())).await.expect("it opens")
}

/// Reverts the database to the state before built-in agents had keys.
async fn forget_listing_ids(folder: &std::path::Path) {
    let text = "update agents set listing_id = null; delete from keys where agent is not null;";
    raw_sql(text).execute(&mut database(folder).await).await.expect("SQLite obeys");
}

async fn listing_ids(folder: &std::path::Path) -> i64 {
    let text = "select count(*) from agents where listing_id is not null and \
                (select count(*) from keys where keys.agent = agents.id) = 2";
    query_scalar(text).fetch_one(&mut database(folder).await).await.expect("SQLite answers")
}

/// Returns the cards of all versions.
async fn cards(folder: &std::path::Path) -> Vec<String> {
    let text =
        "select cast(body as text) from cards join agent_versions on agent_versions.card = cards.sha256";
    query_scalar(text).fetch_all(&mut database(folder).await).await.expect("SQLite answers")
}
