//! A hub whose data folder is replaced by an older copy, beside a hub that replicates its agents.

use std::fs;

use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::{
    crash::copy,
    federation::{Node, model, until},
    process::{plexus, stdout},
};

/// Agents that were published after the copy return to their owner, and can be deleted everywhere. Those that
/// were deleted after the copy do not return to other hubs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_restored_from_an_older_copy_gets_its_agents_back_and_keeps_its_tombstones() {
    let model = model().await;
    let far = Node::start(&model, &[], None).await;
    let near = Node::start(&model, &[&far], None).await;
    let older = near.publish("older", "Counts the pebbles.").await;
    far.until_found("pebbles", &older, true).await;

    let dead = near.kill().await;
    let store = tempfile::tempdir().expect("a folder");
    copy(dead.folder.path(), store.path());
    let near = dead.rise(&model, &[&far]).await;
    let newer = near.publish("newer", "Counts the seagulls.").await;
    far.until_found("seagulls", &newer, true).await;
    near.admin.call(Method::DELETE, "/agents/grace/older", &Value::Null).await;
    far.until_found("pebbles", &older, false).await;

    let dead = near.kill().await;
    fs::remove_dir_all(dead.folder.path()).expect("removed");
    copy(store.path(), dead.folder.path());
    let near = dead.rise(&model, &[&far]).await;
    until("its owner has the agent back", async || {
        near.admin.get("/@grace/newer/manage").await.status == StatusCode::OK
    })
    .await;
    let report = stdout(&plexus(near.folder.path(), &["doctor"]).await);
    assert!(report.contains("older copy") && report.contains("@grace/newer"), "{report}");
    near.admin.get("/admin/network").await.expect(StatusCode::OK).says("older copy");
    far.until_found("seagulls", &newer, false).await;
    near.admin.call(Method::DELETE, "/agents/grace/newer", &Value::Null).await;

    // What is published afterwards spreads as before, and nothing that was deleted returns.
    let last = near.publish("last", "Counts the waves.").await;
    far.until_found("waves", &last, true).await;
    far.until_found("pebbles", &older, false).await;
    far.admin.get(&format!("/{newer}")).await.expect(StatusCode::NOT_FOUND);
    near.admin.get("/@grace/older").await.expect(StatusCode::OK);
    near.end().await;
    far.end().await;
}

/// Two processes on copies of one data folder: the one that does not hear of the records of the other in time by
/// gossip, since both have one peer id, gets them in a sync round, which is once a minute.
#[ignore = "minutes: scripts/test-long runs it"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_data_folder_in_use_twice_is_reported() {
    let model = model().await;
    let far = Node::start(&model, &[], None).await;
    let dead = Node::start(&model, &[&far], None).await.kill().await;
    let twin = dead.copied();
    let near = dead.rise(&model, &[&far]).await;
    let twin = twin.rise(&model, &[&far]).await;
    let shared = twin.publish("twin", "Counts the shells.").await;
    far.until_found("shells", &shared, true).await;
    until("the other process is noticed", async || {
        stdout(&plexus(near.folder.path(), &["doctor"]).await).contains("in use twice")
    })
    .await;
    for node in [twin, near, far] {
        node.end().await;
    }
}
