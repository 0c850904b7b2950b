//! What the operator of a hub is told: by `plexus doctor`, the audit log, the log and `/readyz`.

use std::{io::ErrorKind, time::Duration};

use plexus_hub::admin;
use reqwest::StatusCode;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use crate::{
    client::{Client, PASSWORD},
    hub::{self, Hub, on_both},
    process::{Process, command, plexus, stdout},
};

/// Inserts 1,200 accounts on SQLite: more than one query of the list reads.
const MANY_ACCOUNTS: [&str; 2] = [
    "insert into namespaces (id, name_folded, name, kind, created_at) \
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200) \
     select cast(printf('namespace%07d', i) as blob), 'many' || i, 'many' || i, 'person', 0 from n",
    "insert into accounts (id, namespace, role, state, prefs, created_at) \
     select cast('accounts' || substr(id, 9, 8) as blob), id, 'user', 'active', '{}', 0 from namespaces \
     where name_folded like 'many%'",
];

const FREE_PORT: [&str; 2] = ["--listen", "127.0.0.1:0"];

/// Runs `plexus doctor --json` and returns its checks.
async fn doctor(folder: &std::path::Path, variables: &[(&str, &str)], flags: &[&str]) -> (bool, Vec<Value>) {
    let mut doctor = command(folder);
    doctor.envs(variables.iter().copied()).args(["doctor", "--json"]).args(flags);
    let output = doctor.output().await.expect("the program starts");
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(output.status.success(), report["ok"] == true, "{report}");
    (report["ok"] == true, report["checks"].as_array().expect("checks").clone())
}

fn failures(checks: &[Value]) -> Vec<&str> {
    checks.iter().filter(|check| check["ok"] == false).filter_map(|check| check["text"].as_str()).collect()
}

#[tokio::test]
async fn the_doctor_names_every_setting_that_cannot_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let (healthy, _) = doctor(folder.path(), &[], &FREE_PORT).await;
    assert!(healthy);

    let wrong = [
        ("PLEXUS_LLM_BASE_URL", "localhost:8080/v1"),
        ("PLEXUS_MAX_RUNS_PER_AGENT", "0"),
        ("PLEXUS_MAX_ANSWER_BYTES", "0"),
        ("PLEXUS_LOG", ",=="),
        ("PLEXUS_REGISTRATON", "open"),
    ];
    let (ok, checks) = doctor(folder.path(), &wrong, &FREE_PORT).await;
    let failures = failures(&checks);
    assert!(!ok && failures.len() == wrong.len(), "{failures:?}");
    for name in ["llm_base_url", "max_runs_per_agent", "max_answer_bytes", "log", "PLEXUS_REGISTRATION?"] {
        assert!(failures.iter().any(|text| text.contains(name)), "{name}: {failures:?}");
    }
}

#[tokio::test]
async fn the_doctor_tries_what_the_settings_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    std::fs::write(
        folder.path().join("plexus.toml"),
        "allow_unsandboxed_programs = true\n[programs.missing]\ncommand = \"no-such-program\"\n",
    )
    .expect("written");
    let variables = [
        ("PLEXUS_LLM_BASE_URL", "http://127.0.0.1:9/v1"),
        ("PLEXUS_LLM_MODEL", "m"),
        ("PLEXUS_DATA_DIR", "/proc/nope"),
    ];
    let (_, checks) = doctor(folder.path(), &variables, &["--listen", &address]).await;
    let failures = failures(&checks);
    for words in ["PLEXUS_DATA_DIR", "PLEXUS_LISTEN", "programs.missing", "llm_base_url"] {
        assert!(failures.iter().any(|text| text.contains(words)), "{words}: {failures:?}");
    }
    assert!(!std::path::Path::new("/proc/nope").exists());
}

#[tokio::test]
async fn the_doctor_accepts_the_settings_that_deploy_installs() {
    let folder = tempfile::tempdir().expect("a folder");
    // The account that runs the tests may not write to `/var`.
    let var = folder.path().join("var");
    let settings = include_str!("../../deploy/plexus.toml").replace("/var/", &format!("{}/", var.display()));
    std::fs::write(folder.path().join("plexus.toml"), settings).expect("written");
    let (healthy, checks) = doctor(folder.path(), &[], &FREE_PORT).await;
    assert!(healthy, "{:?}", failures(&checks));
}

#[tokio::test]
async fn commands_on_the_hubs_machine_are_in_the_audit_log() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [&["user", "create", "boss", "--role", "admin"][..], &["user", "create", "ada"]] {
        let mut create = command(folder.path());
        create.args(arguments).stdin(std::process::Stdio::piped());
        let mut child = create.spawn().expect("the program starts");
        child.stdin.take().expect("its input").write_all(PASSWORD.as_bytes()).await.expect("written");
        assert!(child.wait().await.expect("it ends").success());
    }
    let hub = Process::serve(folder.path()).await;
    assert!(plexus(folder.path(), &["user", "set-role", "ada", "moderator"]).await.status.success());
    let boss = Client::new(&hub.origin);
    boss.sign_in("boss", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    let log = boss.get("/admin/audit?actor=cli").await.expect(StatusCode::OK);
    for words in ["account.create", "account.role", "@ada", "moderator", "@boss"] {
        log.says(words);
    }
}

on_both! {
    async fn a_failed_sign_in_is_in_the_audit_log(hub: &Hub) {
        let admin = hub.administrator("boss").await;
        hub.person("ada").await;
        hub.visitor().sign_in("ada", "a wrong password").await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        hub.visitor().sign_in("no-such-account", "a wrong password").await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        let path = "/admin/audit?action=account.sign_in_failed";
        // The entry is written in the background.
        let written = async {
            loop {
                let log = admin.get(path).await.expect(StatusCode::OK);
                if log.body.contains("wrong password") {
                    break log;
                }
            }
        };
        let log = timeout(Duration::from_secs(30), written).await.expect("written in time");
        log.says("@ada");
        log.says("address:127.0.0.1");
        assert!(!log.body.contains("no-such-account"));
    }
}

#[tokio::test]
async fn a_hub_that_drains_still_serves_and_says_that_it_is_not_ready() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Process::serve_with(folder.path(), &["--drain-seconds", "600"]).await;
    hub.terminate();
    let client = Client::new(&hub.origin);
    let drained = async {
        loop {
            let ready = client.get("/readyz").await;
            if ready.status == StatusCode::SERVICE_UNAVAILABLE {
                break ready;
            }
        }
    };
    let ready = timeout(Duration::from_secs(30), drained).await.expect("it drains");
    assert_eq!(ready.body, "stopping\n");
    for path in ["/healthz", "/agents"] {
        client.get(path).await.expect(StatusCode::OK);
    }
    // A second signal ends the wait.
    hub.terminate();
    assert_eq!(hub.ended().await, 0);
}

// A listener that stays open takes connections that are never served, and a proxy waits for them.
#[tokio::test]
async fn a_hub_that_stops_refuses_connections_and_finishes_a_request() {
    const BODY: &str = "[]";
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Process::serve(folder.path()).await;
    let address = hub.origin.strip_prefix("http://").expect("an address").to_owned();
    let mut request = TcpStream::connect(&address).await.expect("connected");
    let head = format!(
        "POST /rpc HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Expect: 100-continue\r\n\r\n",
        BODY.len()
    );
    request.write_all(head.as_bytes()).await.expect("written");
    let mut interim = [0; b"HTTP/1.1 100 Continue\r\n\r\n".len()];
    request.read_exact(&mut interim).await.expect("the hub reads the body");

    hub.terminate();
    let refused = async {
        while !TcpStream::connect(&address)
            .await
            .is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
        {}
    };
    timeout(Duration::from_secs(5), refused).await.expect("it refuses before it ends");
    request.write_all(BODY.as_bytes()).await.expect("written");
    let mut answer = String::new();
    request.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(hub.ended().await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_accounts_are_listed() {
    hub::run(None, &[], async |hub: &Hub| {
        hub.person("ada").await;
        for text in MANY_ACCOUNTS {
            hub.sql(text).await;
        }
        let listed = admin::list_people_by_operator(hub.inner(), "").await.expect("accounts");
        assert_eq!(listed.len(), 1_201);
        let oldest = admin::find_person_by_operator(hub.inner(), "many1").await.expect("an account");
        assert_eq!(oldest.row.name, "many1");
    })
    .await;
}
