//! Tests of the pages about remote hubs and rule lists, with two hub processes.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client, text_of},
    federation::{Node, model, until},
    process::{Process, plexus, stderr, stdout},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_has_a_page_with_its_agents() {
    let model = model().await;
    let near = Node::start(&model, &[], None).await;
    // Publish before the remote hub joins, so that it has to replicate the agents.
    let mut tides = String::new();
    for n in 0..25 {
        tides = near.publish(&format!("tides-{n}"), "Knows when the sea comes in.").await;
    }
    let far = Node::start(&model, &[&near], None).await;
    until("the hub is known by name, with its agents", async || {
        let row = far.admin.api("/hubs").await["items"][0].clone();
        row["agents"] == 25 && far.knows_by_name().await && row["connected"] == true
    })
    .await;
    it_is_told(&far, &near).await;
    its_page_shows_all_that_is_known(&far, &near, &tides).await;
    administrators_block_it_and_undo_that(&far, &near).await;
    rules_are_handed_on(&far, &near).await;
    far.end().await;
    near.end().await;
}

async fn it_is_told(far: &Node, near: &Node) {
    let page = far.admin.get("/network").await.expect(StatusCode::OK);
    page.says(&format!("href=\"/network/{}\"", near.id));
    page.says("<title id=\"map-title\">");
    page.says("Alive, connected");
    until("all that it signed for is here", async || {
        let replication = far.admin.api("/hubs").await["items"][0]["replication"].clone();
        let is_whole = replication["replicated"] == 25 && replication["announced"] == 25;
        is_whole && replication["tier"] == "full" && replication["partial"] == false
    })
    .await;
    until("what was caught up with is measured", async || {
        let latencies = far.admin.api("/hubs").await["latencies"].clone();
        let sync = &latencies["sync"];
        sync["samples"].as_u64() >= Some(1) && sync["p50_ms"].as_u64() <= sync["p99_ms"].as_u64()
    })
    .await;
    near.publish("moon", "Knows the phases.").await;
    until("news is measured", async || {
        far.admin.api("/hubs").await["latencies"]["propagation"]["samples"].as_u64() >= Some(1)
    })
    .await;
    far.admin.get("/network").await.expect(StatusCode::OK).says("Gossip latency");
    let listed = far.admin.api("/agents?q=sea").await["items"][0].clone();
    assert_eq!(listed["hub_name"], "Plexus", "{listed}");
    let page = format!("/{}", listed["address"].as_str().expect("an address"));
    far.admin.get(&page).await.expect(StatusCode::OK).says("From Plexus");
    far.admin.get("/agents?q=sea").await.expect(StatusCode::OK).says("From Plexus");
    results_are_filtered_by_hub(&far.admin, &near.id).await;
}

async fn results_are_filtered_by_hub(admin: &Client, near: &str) {
    let list = admin.api(&format!("/agents?hub={near}&facets=true")).await;
    let counted = &list["facets"]["hub"][0];
    assert_eq!((&counted["value"], &counted["name"]), (&json!(near), &json!("Plexus")), "{list:#}");
    assert_eq!(counted["count"], list["total"], "{list:#}");
    let items = list["items"].as_array().expect("a list");
    assert!(
        !items.is_empty() && items.iter().all(|item| text_of(&item["address"]).ends_with(near)),
        "{list:#}"
    );
    let page = admin.get("/agents").await.expect(StatusCode::OK);
    page.says("Other hubs");
    page.says(&format!("href=\"/agents?hub={near}\""));
    let page = admin.get(&format!("/agents?hub={near}")).await.expect(StatusCode::OK);
    page.says("(selected; remove)");
    assert_eq!(admin.api("/agents?hub=unknown.example").await["total"], 0);
}

async fn its_page_shows_all_that_is_known(far: &Node, near: &Node, tides: &str) {
    let path = format!("/network/{}", near.id);
    let visitor = Client::new(far.admin.origin());
    let page = visitor.get(&path).await.expect(StatusCode::OK);
    let more = format!("{path}?page=2");
    for words in
        [near.id.as_str(), "Alive", "All listings", "agents here", "Knows when the sea comes in.", &more]
    {
        page.says(words);
    }
    assert!(!page.body.contains("/ip4/") && !page.body.contains("For administrators"), "{}", page.body);
    visitor.get(&format!("{path}?page=2")).await.expect(StatusCode::OK).says("aria-current=\"page\"");
    let admins = far.admin.get(&path).await.expect(StatusCode::OK);
    admins.says("/ip4/127.0.0.1/");
    let list = far.admin.get("/agents?scope=remote").await.expect(StatusCode::OK);
    list.says(&format!("href=\"{path}\""));
    far.admin.get(&format!("/{tides}")).await.expect(StatusCode::OK).says(&format!("href=\"{path}\""));
    let told = far.admin.api(&format!("/hubs/{}", near.id)).await;
    assert_eq!((&told["id"], &told["agents"]), (&json!(near.id), &json!(26)), "{told}");
    assert!(told["addresses"][0].as_str().is_some_and(|address| address.starts_with("/ip4/")), "{told}");
    visitor.get("/network/12D3KooWnobody").await.expect(StatusCode::NOT_FOUND);
    let own = visitor.get(&format!("/network/{}", far.id)).await.expect(StatusCode::SEE_OTHER);
    assert_eq!(own.location(), "/network");
}

async fn administrators_block_it_and_undo_that(far: &Node, near: &Node) {
    let path = format!("/network/{}", near.id);
    let visitor = Client::new(far.admin.origin());
    let act = |action: &'static str, reason: &'static str| [("action", action), ("reason", reason)];
    visitor.post(&path, &act("block", "I may not.")).await.expect(StatusCode::UNAUTHORIZED);
    far.admin
        .post(&path, &act("block", ""))
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY)
        .says("Enter a reason");
    let done = far.admin.post(&path, &act("block", "It is a test.")).await.expect(StatusCode::SEE_OTHER);
    assert_eq!(done.location(), path);
    until("its agents are hidden", async || far.admin.api("/hubs").await["items"][0]["agents"] == 0).await;
    let page = far.admin.get(&path).await.expect(StatusCode::OK);
    page.says("Blocked");
    page.says("It is a test.");
    let seen = visitor.get(&path).await.expect(StatusCode::OK);
    assert!(seen.body.contains("Blocked by rule") && !seen.body.contains("It is a test."), "{}", seen.body);
    let subject = format!("hub:{}", near.id);
    let undo = [("action", "undo"), ("subject", subject.as_str())];
    far.admin.post(&path, &undo).await.expect(StatusCode::SEE_OTHER);
    until("its agents are found again", async || far.admin.api("/hubs").await["items"][0]["agents"] == 26)
        .await;
    far.admin.post(&path, &act("crown", "Why not.")).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
}

/// Transfers rules between hubs by file, by page and by command.
async fn rules_are_handed_on(far: &Node, near: &Node) {
    let rule = json!({ "subject": "domain:spam.example", "action": "block", "reason": "Spam." });
    near.admin.call(Method::POST, "/hubs/rules", &rule).await.expect(StatusCode::NO_CONTENT);
    let saved = near.admin.get("/admin/network/rules").await.expect(StatusCode::OK);
    assert!(saved.header("content-disposition").contains("plexus-rules.txt"));
    let taken = far.admin.post("/admin/network/import", &[("document", &saved.body)]).await;
    taken.expect(StatusCode::OK).says("1 rule imported");
    let rules = far.admin.api("/hubs/rules").await;
    assert_eq!(rules["items"][0]["subject"], "domain:spam.example");
    assert_eq!(rules["items"][0]["reason"], "Spam.");
    let forged = saved.body.replace("spam.example", "good.example");
    let refused = far.admin.post("/admin/network/import", &[("document", &forged)]).await;
    refused.expect(StatusCode::UNPROCESSABLE_ENTITY).says("not a valid signed rule list");

    let file = far.folder.path().join("rules.txt");
    let file = file.to_str().expect("a path");
    let out = plexus(near.folder.path(), &["federation", "rules", "export", file]).await;
    assert!(out.status.success(), "{}", stderr(&out));
    let out = plexus(far.folder.path(), &["federation", "rules", "import", file]).await;
    assert!(out.status.success(), "{}", stderr(&out));
    assert!(
        stdout(&out).contains(&near.id) && stdout(&out).contains("0 imported, 1 already present"),
        "{}",
        stdout(&out)
    );
    let out = plexus(far.folder.path(), &["federation", "rules", "import", "/nowhere"]).await;
    assert!(!out.status.success() && stderr(&out).contains("/nowhere"), "{}", stderr(&out));
}

const NO_LIST: &str = "No subscribed rule lists. `plexus federation rules subscribe LIST` subscribes to one.";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_goes_by_the_rules_that_another_gives_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--p2p-listen", "127.0.0.1:0", "--publish-federation-rules", "true"];
    let mut giver = Process::serve_with(folder.path(), &flags).await;
    let boss = giver.administrator("boss").await;
    let rule = json!({ "subject": "tag:sea", "action": "block", "reason": "Too wet." });
    boss.call(Method::POST, "/hubs/rules", &rule).await.expect(StatusCode::NO_CONTENT);
    let (model, url) = (model().await, format!("{}/.well-known/plexus-rules", giver.origin));
    let near = Node::start(&model, &[], None).await;
    near.admin.get("/.well-known/plexus-rules").await.expect(StatusCode::NOT_FOUND);

    let made = near.admin.post("/admin/network/subscribe", &[("list", &url)]).await;
    made.expect(StatusCode::SEE_OTHER);
    let lists = near.admin.api("/hubs/rule-subscriptions").await;
    assert_eq!((&lists["items"][0]["rules"], &lists["items"][0]["url"]), (&json!(1), &json!(url)), "{lists}");
    let page = near.admin.get("/admin/network").await.expect(StatusCode::OK);
    page.says(&url);
    page.says("No rules");
    let wrong = json!({ "list": url, "signer": near.id });
    let refused: Answer = near.admin.call(Method::POST, "/hubs/rule-subscriptions", &wrong).await;
    assert!(refused.refusal(StatusCode::UNPROCESSABLE_ENTITY).1.contains("signed by another hub"));
    near.admin.post("/admin/network/unsubscribe", &[("url", &url)]).await.expect(StatusCode::SEE_OTHER);
    assert_eq!(near.admin.api("/hubs/rule-subscriptions").await["items"], json!([]));
    let again = json!({ "list": url });
    let again =
        near.admin.call(Method::POST, "/hubs/rule-subscriptions", &again).await.expect(StatusCode::OK);
    assert_eq!(text_of(&again.json()["url"]), url);
    let gone =
        near.admin.call(Method::DELETE, &format!("/hubs/rule-subscriptions?url={url}"), &Value::Null).await;
    gone.expect(StatusCode::NO_CONTENT);

    let line = async |words: &[&str]| {
        let out = plexus(near.folder.path(), words).await;
        (out.status.success(), format!("{}{}", stdout(&out), stderr(&out)))
    };
    assert_eq!(line(&["federation", "rules", "list"]).await.1.lines().next(), Some(NO_LIST));
    let (done, words) =
        line(&["federation", "rules", "subscribe", &url, "--expected-signer", &near.id]).await;
    assert!(!done && words.contains("signed by another hub"), "{words}");
    let (done, words) = line(&["federation", "rules", "subscribe", &url]).await;
    assert!(done && words.contains(&url), "{words}");
    let (done, words) = line(&["federation", "rules", "list"]).await;
    assert!(done && words.lines().nth(1).is_some_and(|row| row.contains(&url)), "{words}");
    let (done, words) = line(&["federation", "rules", "unsubscribe", &url]).await;
    assert!(done, "{words}");
    assert_eq!(line(&["federation", "rules", "list"]).await.1.lines().next(), Some(NO_LIST));
    near.end().await;
    giver.kill().await;
}
