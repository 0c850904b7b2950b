//! Tests of the next steps that a new administrator sees, and of the home page.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    client::{Client, PASSWORD},
    events::answer_after,
    hub::{self, Hub, on_both},
};

/// Returns how many steps the page says are done.
async fn done(grace: &Client) -> usize {
    grace.get("/admin/setup").await.expect(StatusCode::OK).body.matches("class=\"mark done\"").count()
}

on_both! {
    async fn steps_are_done_when_their_results_exist(hub: &Hub) {
        let link = hub.first_administrator_link().await.expect("no administrator yet");
        let token = link.split_once("admin=").expect("a token").1;
        let grace = hub.visitor();
        let fields = [("name", "grace"), ("password", PASSWORD), ("admin", token)];
        let entered = grace.post("/signup", &fields).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(entered.location(), "/admin/setup");
        assert_eq!(done(&grace).await, 0);
        grace.get("/").await.expect(StatusCode::OK).says("0 of 7 done.");

        let said = grace.begin("@plexus/calc", "1 + 1").await;
        answer_after(&grace, &said.chat, 0).await;
        assert_eq!(done(&grace).await, 1);
        let agent = json!({ "attached": true, "name": "clerk", "title": "Clerk", "summary": "Counts." });
        grace.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
        assert_eq!(done(&grace).await, 2);
        let bob = hub.person("bob").await;
        assert_eq!(done(&grace).await, 3, "a second account counts as an invitation");

        bob.get("/admin/setup").await.expect(StatusCode::FORBIDDEN);
        bob.post("/admin/setup", &[("dismissed", "true")]).await.expect(StatusCode::FORBIDDEN);
        assert!(!bob.get("/").await.body.contains("Next steps"));
        grace.post("/admin/setup", &[("dismissed", "true")]).await.expect(StatusCode::SEE_OTHER);
        let home = grace.get("/").await.expect(StatusCode::OK).body;
        assert!(!home.contains("of 7 done."));
        grace.post("/admin/setup", &[("dismissed", "false")]).await.expect(StatusCode::SEE_OTHER);
        grace.get("/").await.expect(StatusCode::OK).says("3 of 7 done.");
    }

    async fn the_home_page_names_each_agent_once(hub: &Hub) {
        let home = hub.visitor().get("/").await.expect(StatusCode::OK).body;
        for agent in ["/@plexus/calc", "/@plexus/guide"] {
            assert_eq!(home.matches(&format!("href=\"{agent}\"")).count(), 1, "{agent}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operators_description_is_the_headline() {
    let settings = [("PLEXUS_HUB_DESCRIPTION", "Tides & weather of the <North> Sea")];
    hub::run(None, &settings, async |hub: &Hub| {
        let home = hub.visitor().get("/").await.expect(StatusCode::OK);
        home.says("<h1 dir=\"auto\">Tides &amp; weather of the &lt;North&gt; Sea</h1>");
    })
    .await;
}
