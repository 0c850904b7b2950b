//! Tests of the command line.

use std::{os::unix::fs::PermissionsExt as _, process::Stdio};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::{
    client::{Client, PASSWORD},
    process::{Process, command, plexus, stderr, stdout},
};

#[tokio::test]
async fn config_shows_every_setting_and_no_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("plexus.toml"),
        "hub_name = \"From the file\"\nllm_api_key = \"sk-secret\"\n",
    )
    .expect("written");
    let table = plexus(folder.path(), &["config", "--registration", "closed"]).await;
    assert_eq!(table.status.code(), Some(0), "{}", stderr(&table));
    let table = stdout(&table);
    assert!(table.contains("From the file  (plexus.toml)"), "{table}");
    assert!(table.contains("closed  (flag)"), "{table}");
    assert!(table.contains("127.0.0.1:9  (variable)"), "{table}");
    assert!(!table.contains("sk-secret"));

    let json = plexus(folder.path(), &["config", "--json"]).await;
    assert!(!stdout(&json).contains("sk-secret"));
    let rows: Value = serde_json::from_str(&stdout(&json)).expect("JSON");
    let rows = rows.as_array().expect("a list");
    let find = |key: &str| rows.iter().find(|row| row["key"] == key).expect("a setting");
    assert_eq!(
        (&find("hub_name")["value"], &find("hub_name")["source"]),
        (&"From the file".into(), &"plexus.toml".into())
    );
    assert_eq!(find("llm_api_key")["secret"], true);
    assert!(rows.iter().all(|row| row["help"].as_str().is_some_and(|help| !help.is_empty())));
}

#[tokio::test]
async fn mistakes_in_settings_name_the_setting() {
    let folder = tempfile::tempdir().expect("a folder");
    for (flags, words) in [
        (vec!["--listen", "nowhere"], "\"nowhere\" is not an address"),
        (vec!["--listen", "0.0.0.0:0"], "PLEXUS_ALLOW_INSECURE_HTTP"),
        (vec!["--registration", "sometimes"], "sometimes"),
        (vec!["--database-url", "mysql://x"], "DATABASE_URL"),
        (vec!["--run-timeout-seconds", "long"], "run_timeout_seconds"),
        (vec!["--log", "=a=b="], "log"),
    ] {
        let output = plexus(folder.path(), &[&["serve"], flags.as_slice()].concat()).await;
        assert_eq!(output.status.code(), Some(1), "{flags:?}");
        assert!(stderr(&output).contains(words), "{flags:?}: {}", stderr(&output));
    }
    std::fs::write(folder.path().join("plexus.toml"), "lisen = 3\n").expect("written");
    let output = plexus(folder.path(), &["config"]).await;
    assert!(stderr(&output).contains("unknown setting \"lisen\""), "{}", stderr(&output));
}

#[tokio::test]
async fn the_doctor_finds_a_healthy_hub_and_what_ails_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let new = plexus(folder.path(), &["doctor", "--listen", "127.0.0.1:0"]).await;
    assert_eq!(new.status.code(), Some(0), "{}{}", stdout(&new), stderr(&new));
    assert!(stdout(&new).contains("does not exist yet; `plexus serve` creates it"), "{}", stdout(&new));
    assert!(!folder.path().join("data").exists(), "looking makes nothing");
    let somewhere = plexus(folder.path(), &["doctor", "--liveness", "--listen", "127.0.0.1:0"]).await;
    assert!(stderr(&somewhere).contains("a random port at each start"), "{}", stderr(&somewhere));

    assert_eq!(user(&folder, &["create", "ada"], PASSWORD).await.0, 0);
    let healthy = plexus(folder.path(), &["doctor", "--listen", "127.0.0.1:0"]).await;
    assert_eq!(healthy.status.code(), Some(0), "{}{}", stdout(&healthy), stderr(&healthy));
    for line in ["ok    settings", "ok    data folder", "ok    store"] {
        assert!(stdout(&healthy).contains(line), "{}", stdout(&healthy));
    }

    let hub = Process::serve(folder.path()).await;
    let address = hub.origin.strip_prefix("http://").expect("an address").to_owned();
    let address = address.as_str();
    let running = plexus(folder.path(), &["doctor", "--listen", address]).await;
    assert!(stdout(&running).contains("ok    hub"), "{}", stdout(&running));
    let live = plexus(folder.path(), &["doctor", "--liveness", "--listen", address]).await;
    assert_eq!(live.status.code(), Some(0));
    hub.kill().await;
    let dead = plexus(folder.path(), &["doctor", "--liveness", "--listen", address]).await;
    assert_eq!(dead.status.code(), Some(1));

    std::fs::write(folder.path().join("data/secret.key"), "torn").expect("written");
    let ill = plexus(folder.path(), &["doctor"]).await;
    assert_eq!(ill.status.code(), Some(1), "{}", stdout(&ill));
    assert!(stdout(&ill).contains("FAIL  key file"), "{}", stdout(&ill));
}

#[tokio::test]
async fn accounts_are_made_from_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let early = user(&folder, &["set-role", "ada", "admin"], "").await;
    assert!(early.0 == 1 && early.1.contains("plexus user create NAME --role admin"), "{}", early.1);
    assert!(!folder.path().join("data").exists());
    // Port 0 selects a free port at start, so `doctor` does not depend on the default port.
    let listen = ["--listen", "127.0.0.1:0"];
    let made = user(&folder, &[&listen[..], &["create", "ada", "--role", "admin"]].concat(), PASSWORD).await;
    assert_eq!(made.0, 0, "{}", made.1);
    let doctor = plexus(folder.path(), &[&["doctor"][..], &listen].concat()).await;
    assert_eq!(doctor.status.code(), Some(0), "{}{}", stdout(&doctor), stderr(&doctor));
    let again = user(&folder, &["create", "Ada"], PASSWORD).await;
    assert_eq!(again.0, 1);
    assert!(again.1.contains("This name is taken."), "{}", again.1);
    assert!(user(&folder, &["create", "bob"], "short").await.1.contains("at least 15 characters"));
    assert!(
        user(&folder, &["set-role", "nobody", "admin"], "").await.1.contains("Account nobody not found.")
    );
    let last = user(&folder, &["set-role", "ada", "user"], "").await;
    assert!(last.0 == 1 && last.1.contains("This is the last administrator."), "{}", last.1);
    let last = user(&folder, &["suspend", "ada"], "").await;
    assert!(last.0 == 1 && last.1.contains("This is the last administrator."), "{}", last.1);

    let hub = Process::serve(folder.path()).await;
    let ada = Client::new(&hub.origin);
    ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    assert!(ada.is_signed_in().await);
}

/// Accounts are managed while the hub runs and while it is stopped, and the audit log has each act.
#[tokio::test]
async fn the_operator_manages_accounts_from_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, role) in [("ada", "admin"), ("bob", "user")] {
        assert_eq!(user(&folder, &["create", name, "--role", role], PASSWORD).await.0, 0);
    }
    const NEW: &str = "seven quiet herons wade";
    let short = user(&folder, &["set-password", "bob"], "short").await;
    assert!(short.0 == 1 && short.1.contains("at least 15 characters"), "{}", short.1);
    let hub = Process::serve(folder.path()).await;
    let bob = Client::new(&hub.origin);
    bob.sign_in("bob", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    let set = user(&folder, &["set-password", "bob"], NEW).await;
    assert_eq!(set.0, 0, "{}", set.1);
    assert!(!bob.is_signed_in().await, "a new password ends the sessions");
    bob.sign_in("bob", NEW).await.expect(StatusCode::SEE_OTHER);
    let (code, link) = user(&folder, &["reset", "bob"], "").await;
    let path = link.trim().strip_prefix(&hub.origin).unwrap_or_default().to_owned();
    assert!(code == 0 && path.starts_with("/reset?token="), "{link}");
    bob.get(&path).await.expect(StatusCode::OK).says("New password for @");
    assert_eq!(user(&folder, &["suspend", "bob"], "").await.0, 0);
    assert!(!bob.is_signed_in().await);
    let again = user(&folder, &["suspend", "bob"], "").await;
    assert!(again.0 == 1 && again.1.contains("Only an active account can be suspended."), "{}", again.1);
    let list = stdout(&plexus(folder.path(), &["user", "list", "--json"]).await);
    let list: Value = serde_json::from_str(&list).expect("JSON");
    assert_eq!((&list[0]["name"], &list[0]["state"]), (&json!("bob"), &json!("suspended")), "{list:#}");
    hub.kill().await;

    assert_eq!(user(&folder, &["restore", "bob"], "").await.0, 0);
    let list = stdout(&plexus(folder.path(), &["user", "list", "bo"]).await);
    assert!(list.contains("bob") && list.contains("active") && !list.contains("ada"), "{list}");
    let hub = Process::serve(folder.path()).await;
    let ada = Client::new(&hub.origin);
    ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    let audit = ada.get("/admin/audit").await.expect(StatusCode::OK);
    for action in ["account.password", "account.suspend", "account.restore"] {
        audit.says(action);
    }
    hub.kill().await;
}

#[tokio::test]
async fn the_operator_shows_and_deletes_accounts() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, role) in [("ada", "admin"), ("bob", "user"), ("bobby", "user")] {
        assert_eq!(user(&folder, &["create", name, "--role", role], PASSWORD).await.0, 0);
    }
    let (code, shown) = user(&folder, &["show", "bob"], "").await;
    assert!(code == 0 && shown.contains("name       bob\n") && !shown.contains("bobby"), "{shown}");
    assert!(shown.contains("role       user\nstate      active\n"), "{shown}");

    let hub = Process::serve(folder.path()).await;
    let bob = Client::new(&hub.origin);
    bob.sign_in("bob", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    let new = json!({ "attached": true, "name": "clerk", "title": "Clerk", "summary": "Counts." });
    bob.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
    let shown = stdout(&plexus(folder.path(), &["user", "show", "@bob", "--json"]).await);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!((&shown["state"], &shown["agents"]), (&json!("active"), &json!(["@bob/clerk"])), "{shown:#}");

    let (code, told) = user(&folder, &["delete", "bob"], "").await;
    assert!(code == 0 && told.starts_with("bob is deleted"), "{told}");
    assert!(!bob.is_signed_in().await);
    let again = user(&folder, &["delete", "bob"], "").await;
    assert!(again.0 == 1 && again.1.contains("is being deleted already"), "{}", again.1);
    bob.sign_in("bob", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    assert!(bob.is_signed_in().await, "signing in cancels the deletion");
    for command in ["show", "delete"] {
        let missing = user(&folder, &[command, "eve"], "").await;
        assert!(missing.0 == 1 && missing.1.contains("Account eve not found."), "{}", missing.1);
    }
    let last = user(&folder, &["delete", "ada"], "").await;
    assert!(last.0 == 1 && last.1.contains("This is the last administrator."), "{}", last.1);
    hub.kill().await;

    assert_eq!(user(&folder, &["suspend", "bobby"], "").await.0, 0);
    assert_eq!(user(&folder, &["delete", "bobby"], "").await.0, 0);
    let hub = Process::serve(folder.path()).await;
    let client = Client::new(&hub.origin);
    client.sign_in("bobby", PASSWORD).await.expect(StatusCode::FORBIDDEN);
    client.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    client.get("/admin/audit").await.expect(StatusCode::OK).says("account.delete");
    hub.kill().await;
}

#[tokio::test]
async fn the_operator_chooses_featured_agents() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(user(&folder, &["create", "ada", "--role", "admin"], PASSWORD).await.0, 0);
    let featured = async |arguments: &[&str]| {
        let output = plexus(folder.path(), &[&["agent", "featured"], arguments].concat()).await;
        (output.status.success(), stdout(&output) + &stderr(&output))
    };
    assert!(featured(&[]).await.1.starts_with("No agent is featured"));
    let added = featured(&["--add", "@plexus/calc"]).await;
    assert_eq!(added, (true, "@plexus/calc\n".to_owned()));
    let hub = Process::serve(folder.path()).await;
    let added = featured(&["--add", "plexus/text", "--remove", "@plexus/calc"]).await;
    assert_eq!(added, (true, "@plexus/text\n".to_owned()));
    let again = featured(&["--add", "@plexus/text"]).await;
    assert!(!again.0 && again.1.contains("This agent is already featured."), "{}", again.1);
    assert!(featured(&["--add", "@ada/nothing"]).await.1.contains("Agent not found."));
    let ada = Client::new(&hub.origin);
    ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    ada.get("/admin/audit").await.expect(StatusCode::OK).says("agent.unfeature");
    hub.kill().await;
}

#[tokio::test]
async fn commands_act_through_the_hub_that_serves_the_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Process::serve(folder.path()).await;
    let socket = folder.path().join("data/plexus.sock");
    let mode = std::fs::metadata(&socket).expect("a socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let made = user(&folder, &["create", "ada"], PASSWORD).await;
    assert_eq!(made.0, 0, "{}", made.1);
    let ada = Client::new(&hub.origin);
    ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    ada.get("/admin").await.expect(StatusCode::FORBIDDEN);
    assert_eq!(user(&folder, &["set-role", "ada", "admin"], "").await.0, 0);
    ada.get("/admin").await.expect(StatusCode::OK);
    let last = user(&folder, &["set-role", "ada", "user"], "").await;
    assert!(last.0 == 1 && last.1.contains("This is the last administrator."), "{}", last.1);
    assert_eq!(user(&folder, &["create", "grace", "--role", "admin"], PASSWORD).await.0, 0);
    let demoted = user(&folder, &["set-role", "ada", "user"], "").await;
    assert_eq!((demoted.0, demoted.1.as_str()), (0, "ada has the role user.\n"));
    ada.get("/admin").await.expect(StatusCode::FORBIDDEN);
    assert!(user(&folder, &["create", "Ada"], PASSWORD).await.1.contains("This name is taken."));

    let listed = plexus(folder.path(), &["agent", "list", "--as", "ada"]).await;
    assert_eq!(stdout(&listed), "No agents yet.\n", "{}", stderr(&listed));
    let nobody = plexus(folder.path(), &["agent", "list", "--as", "eve"]).await;
    assert!(stderr(&nobody).contains("Account eve not found."), "{}", stderr(&nobody));
    let checked = plexus(folder.path(), &["doctor"]).await;
    assert!(stdout(&checked).contains("on another address"), "{}", stdout(&checked));
    ada.get("/api/v1/operator/users").await.refusal(StatusCode::NOT_FOUND);

    hub.kill().await;
    assert!(socket.exists(), "a hub that is killed leaves its socket");
    assert_eq!(user(&folder, &["create", "bob"], PASSWORD).await.0, 0, "the folder itself is opened then");
}

#[tokio::test]
async fn the_printed_link_makes_the_first_administrator() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hub = Process::serve(folder.path()).await;
    let link = hub.link().await;
    let token = link.strip_prefix(&format!("{}/signup?admin=", hub.origin)).expect("a link to it");
    let admin = Client::new(&hub.origin);
    let fields = [("name", "root-ada"), ("password", PASSWORD), ("admin", token)];
    admin.post("/signup", &fields).await.expect(StatusCode::SEE_OTHER);
    for path in ["/healthz", "/readyz"] {
        admin.get(path).await.expect(StatusCode::OK);
    }
}

async fn user(folder: &tempfile::TempDir, arguments: &[&str], input: &str) -> (i32, String) {
    let mut command = command(folder.path());
    let mut child = command.arg("user").args(arguments).stdin(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    // The process may have exited without reading its input.
    let _ = stdin.write_all(input.as_bytes()).await;
    drop(stdin);
    let output = child.wait_with_output().await.expect("it ends");
    (output.status.code().expect("by itself"), stdout(&output) + &stderr(&output))
}
