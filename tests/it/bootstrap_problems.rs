//! Bootstrap addresses that cannot work: `plexus doctor` and the administration page name each, with the reason.

use plexus_testing::free_port;
use reqwest::StatusCode;

use crate::{
    federation::{Node, model, until},
    process::{Process, plexus, stdout},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_is_told_which_bootstrap_address_fails_and_why() {
    let model = model().await;
    let (near, other) = (Node::start(&model, &[], None).await, Node::start(&model, &[], None).await);
    let silent = format!("/ip4/127.0.0.1/tcp/{}", free_port());
    let (place, _) = near.address.rsplit_once("/p2p/").expect("an address with an id");
    let wrong = format!("{place}/p2p/{}", other.id);
    let folder = tempfile::tempdir().expect("a folder");
    let ways = format!("{silent},{wrong}");
    let flags = ["--p2p-listen", "127.0.0.1:0", "--p2p-bootstrap", &ways];
    let mut process = Process::serve_with(folder.path(), &flags).await;
    let admin = process.administrator("grace").await;
    until("both are named", async || {
        let report = stdout(&plexus(folder.path(), &["doctor"]).await);
        report.contains(&format!("{silent} does not answer"))
            && report.contains(&format!("{wrong}: the hub there is {}", near.id))
    })
    .await;
    for page in ["/admin", "/admin/network"] {
        let page = admin.get(page).await.expect(StatusCode::OK);
        page.says(&format!("{silent} does not answer"));
        page.says(&format!("{wrong}: the hub there is {}", near.id));
    }
    process.kill().await;
    for node in [near, other] {
        node.end().await;
    }
}

#[tokio::test]
async fn bootstrap_addresses_without_a_listen_address_are_named_before_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--p2p-bootstrap", "192.0.2.1:4001"];
    let out = plexus(folder.path(), &[&["doctor"], &flags[..]].concat()).await;
    assert!(!out.status.success());
    let report = stdout(&out);
    assert!(report.contains("p2p_listen is off") && report.contains("dial-only"), "{report}");
}
