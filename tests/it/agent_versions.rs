//! Tests of agent versions: what each changed, for managers and for others, and restoring one.

use reqwest::StatusCode;

use crate::{
    client::Client,
    hub::{Hub, on_both},
    knowledge::{GUIDE, ask, clerk, put},
};

const PAGE: &str = "/@grace/clerk/versions";

/// Publishes a version with this summary and these instructions.
async fn edit(grace: &Client, summary: &str, instructions: &str) {
    let fields = [
        ("title", "clerk"),
        ("summary", summary),
        ("instructions", instructions),
        ("model", "cellar/small"),
        ("images", "no"),
    ];
    grace.post("/@grace/clerk/edit", &fields).await.expect(StatusCode::SEE_OTHER);
}

/// Returns the paths that restore versions, newest first.
async fn restores(client: &Client) -> Vec<String> {
    let page = client.get(PAGE).await.expect(StatusCode::OK).body;
    let actions = page.split("action=\"").skip(1).filter_map(|rest| rest.split('"').next());
    actions.filter(|action| action.ends_with("/restore")).map(str::to_owned).collect()
}

on_both! {
    async fn a_version_says_what_it_changed(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        clerk(&grace).await;
        grace.get(PAGE).await.expect(StatusCode::OK).says("First version");
        edit(&grace, "Answers kindly.", "Answer.\nBe <b>kind</b>.").await;
        let page = grace.get(PAGE).await.expect(StatusCode::OK);
        page.says("<del>Answers.</del>");
        page.says("<ins>Answers kindly.</ins>");
        page.says("<ins>Be &lt;b&gt;kind&lt;/b&gt;.</ins>");
        page.says("Description, Instructions");

        for other in [hub.visitor(), hub.person("ada").await] {
            let page = other.get(PAGE).await.expect(StatusCode::OK);
            page.says("1.0.1");
            for private in ["kind&lt;", "<ins>", "/restore"] {
                assert!(!page.body.contains(private), "only managers see changes: {private}");
            }
        }
    }

    async fn old_versions_are_not_compared(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        clerk(&grace).await;
        for number in 0..21 {
            edit(&grace, "Answers.", &format!("Answer number {number}.")).await;
        }
        let page = grace.get(PAGE).await.expect(StatusCode::OK);
        page.says("<ins>Answer number 20.</ins>");
        page.says("<ins>Answer number 1.</ins>");
        assert!(!page.body.contains("<ins>Answer number 0.</ins>"));
        page.says("The newest 20 versions are compared.");
    }

    async fn an_earlier_version_is_restored_and_nothing_is_lost(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        clerk(&grace).await;
        put(&grace, "guide.md", GUIDE).await.expect(StatusCode::OK);
        edit(&grace, "Answers kindly.", "Answer and be kind.").await;
        let paths = restores(&grace).await;
        assert_eq!(paths.len(), 1, "only earlier versions are restored: {paths:?}");

        hub.person("ada").await.post(&paths[0], &[]).await.expect(StatusCode::FORBIDDEN);
        hub.visitor().post(&paths[0], &[]).await.expect(StatusCode::UNAUTHORIZED).says("<h1>Sign in first</h1>");
        grace.post(&paths[0], &[]).await.expect(StatusCode::SEE_OTHER);
        let page = grace.get(PAGE).await.expect(StatusCode::OK);
        page.says("<ins>Answer.</ins>");
        page.says("<del>Answer and be kind.</del>");
        assert_eq!(grace.api("/agents/grace/clerk").await["version"], "1.0.2");
        assert!(ask(&grace, "What does a berth cost?").await.contains("ten crowns"), "its files stay");

        grace.post(&paths[0], &[]).await.expect(StatusCode::CONFLICT).says("has the same content");
        grace.post(&format!("{PAGE}/no-version/restore"), &[]).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(restores(&grace).await.len(), 2, "no version is lost");
    }
}
