//! The Postgres of the tests.

use std::{
    env,
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

use url::Url;

/// A superuser's address of a cluster in which tests make databases.
const GIVEN: &str = "PLEXUS_TEST_POSTGRES";
/// Set to `1`, tests pass on Postgres without running.
const SKIP: &str = "PLEXUS_TEST_SKIP_POSTGRES";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/with-postgres");

/// Where the cluster is; none when the tests are to do without.
pub(super) fn url() -> Option<Url> {
    static URL: OnceLock<Option<Url>> = OnceLock::new();
    URL.get_or_init(|| {
        if env::var(SKIP).is_ok_and(|value| value == "1") {
            eprintln!("NOT TESTED ON POSTGRES: {SKIP} is set");
            return None;
        }
        let text = env::var(GIVEN).unwrap_or_else(|_| start());
        Some(Url::parse(&text).expect("the address of the test cluster is a URL"))
    })
    .clone()
}

/// Starts a cluster that ends with this process.
///
/// The script runs a shell that waits for the end of its input. That comes when this process is gone, however it
/// went: then the script stops the cluster and removes its folder. It has a process group of its own, so that what
/// ends the tests does not end it before it has tidied up.
fn start() -> String {
    static CLUSTER: OnceLock<Child> = OnceLock::new();
    let mut child = Command::new(Path::new(SCRIPT))
        .args(["sh", "-c", &format!("echo \"${GIVEN}\"; read -r _")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("{SCRIPT} cannot be started: {error}"));
    let mut lines = BufReader::new(child.stdout.take().expect("its output is piped")).lines();
    let line = lines.next().and_then(Result::ok).unwrap_or_else(|| {
        panic!(
            "these tests need Postgres and it did not start (see above); \
             install it, name one with {GIVEN}, or set {SKIP}=1 to do without"
        )
    });
    // Kept for as long as the process lives: its input must stay open.
    CLUSTER.get_or_init(|| child);
    line
}
