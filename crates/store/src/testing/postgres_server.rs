//! Postgres server for tests.

use std::{
    env,
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

use url::Url;

/// Environment variable with the superuser URL of a server on which tests create databases.
const GIVEN: &str = "PLEXUS_TEST_POSTGRES";
/// Environment variable: `1` makes tests on Postgres pass without running.
const SKIP: &str = "PLEXUS_TEST_SKIP_POSTGRES";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/with-postgres");

/// Returns the URL of the server; `None` if tests on Postgres are disabled.
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

/// Starts a temporary server that ends with this process.
///
/// The script runs a shell that waits for the end of its input, which comes when this process ends in any
/// way. The script then stops the server and removes its folder. It has its own process group, so that a
/// signal to the tests does not end it before this cleanup.
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
    // Never dropped while the process lives: its standard input must stay open.
    CLUSTER.get_or_init(|| child);
    line
}
