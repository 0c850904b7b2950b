//! Tests of sandboxed ACP programs: an agent built with the official Python SDK of the Agent Client Protocol.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat::seq,
    client::{Client, text_of},
    events::{Events, Screen, answer_after, question, read_text, read_to_end, text_in},
    hub::{Hub, on_both},
    process::{plexus, stderr, stdout},
    tokens::make,
};

/// Returns the paths of Python and of the ACP test agent.
pub fn acp_agent() -> (PathBuf, PathBuf) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).canonicalize().expect("the tests' folder");
    let python = root.parent().expect("the project").join(".cache/venv/bin/python");
    (python, root.join("agents/python/acp_agent.py"))
}

/// Programs setting: two allowed for all users, one for none, and one whose command is missing.
static LIST: LazyLock<String> = LazyLock::new(|| {
    let (python, agent) = acp_agent();
    let script = "import sys; print(sys.prefix, sys.base_prefix)";
    let places = Command::new(&python).args(["-c", script]).output();
    let places = places.expect("Python is there; `scripts/setup test` installs it").stdout;
    let places = String::from_utf8(places).expect("paths");
    let seen = places.split_whitespace().filter(|path| !path.starts_with("/usr"));
    let seen: Vec<&str> = seen.chain(agent.parent().and_then(Path::to_str)).collect();
    let entry = format!(
        "command = {python:?}, args = [\"-u\", {agent:?}], read_only = {seen:?}, processes = 64, max_memory_mib = 400, \
         env = {{ PYTHONDONTWRITEBYTECODE = \"1\" }}"
    );
    format!(
        "{{ parrot = {{ {entry}, allowed_accounts = [\"everyone\"] }}, other = {{ {entry}, allowed_accounts = [\"ada\"] }}, \
         hidden = {{ {entry} }}, gone = {{ command = \"/no/such/program\", allowed_accounts = [\"everyone\"] }} }}"
    )
});

pub fn list() -> &'static str {
    LIST.as_str()
}

pub async fn register(client: &Client, program: &str) {
    let new = json!({ "program": program, "name": program, "visibility": "public" });
    let made = client.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED).json();
    assert_eq!((&made["kind"], &made["protocol"]), (&json!("process"), &json!("Program")));
}

/// Posts a message and returns the answer.
async fn say(client: &Client, chat: &str, text: &str) -> Value {
    let so_far = seq(client, chat).await;
    client.say(chat, text).await;
    answer_after(client, chat, so_far).await
}

async fn ask(client: &Client, agent: &str, text: &str) -> (String, Value) {
    let said = client.begin(agent, text).await;
    let answer = answer_after(client, &said.chat, 0).await;
    (said.chat, answer)
}

/// Decides the open approval request of the program in this chat.
pub async fn decide(client: &Client, chat: &str, allow: bool) {
    let id = question(client, chat).await;
    let waiting = client.api("/approvals").await["items"][0].clone();
    let asked = (&waiting["tool"], &waiting["arguments"]);
    assert_eq!(asked, (&json!("Delete everything"), &json!({ "path": "/" })));
    let (path, answer) = (format!("/approvals/{id}"), json!({ "allow": allow }));
    client.call(Method::POST, &path, &answer).await.expect(StatusCode::NO_CONTENT);
}

fn failure(answer: &Value) -> (String, String) {
    assert_eq!(answer["state"], "failed", "{answer}");
    let failure = &answer["run"]["failure"];
    (text_of(&failure["class"]), text_of(&failure["message"]))
}

on_both! {
    async fn a_program_answers_remembers_and_is_told_what_it_has_not_heard(hub: &Hub, [("PLEXUS_PROGRAMS", list())]) {
        let grace = hub.administrator("grace").await;
        register(&grace, "parrot").await;
        let ada = hub.person("ada").await;
        let said = ada.begin("@grace/parrot", "one two").await;
        let mut events = Events::open(&ada, &said.chat, 0).await;
        let mut screen = Screen::from(0);
        read_to_end(&mut events, &mut screen).await;
        let first = screen.text().to_owned();
        assert!(first.starts_with("one two (turn 1, 1 told, process "), "{first}");

        let second = say(&ada, &said.chat, "three").await;
        let process = first.rsplit_once("process ").expect("its name").1.to_owned();
        assert_eq!(text_in(&second), format!("three (turn 2, 1 told, process {process}"), "the same session goes on");

        // A retry is a different branch, so the session that continued is not used for it.
        let so_far = seq(&ada, &said.chat).await;
        let retry = format!("/messages/{}/retry", text_of(&second["id"]));
        ada.call(Method::POST, &retry, &json!({})).await.expect(StatusCode::ACCEPTED);
        let other = answer_after(&ada, &said.chat, so_far).await;
        assert!(text_in(&other).starts_with("three (turn 1, 2 told, process "), "{other}");

        let (_, looked) = ask(&ada, "@grace/parrot", "look").await;
        let kinds: Vec<String> = looked["parts"].as_array().expect("parts").iter().map(|part| text_of(&part["kind"])).collect();
        assert_eq!(kinds, ["reasoning", "tool", "text"], "{looked}");
        assert_eq!((&looked["parts"][1]["tool"], &looked["parts"][1]["result"]), (&json!("Look around"), &json!({ "found": 3 })));
    }

    async fn a_stopped_program_goes_on_with_the_next_message(hub: &Hub, [("PLEXUS_PROGRAMS", list())]) {
        let grace = hub.administrator("grace").await;
        register(&grace, "parrot").await;
        let said = grace.begin("@grace/parrot", "count").await;
        let mut events = Events::open(&grace, &said.chat, 0).await;
        let mut screen = Screen::from(0);
        read_text(&mut events, &mut screen, 10).await;
        grace.call(Method::POST, &format!("/runs/{}/stop", said.run), &json!({})).await.expect(StatusCode::ACCEPTED);
        read_to_end(&mut events, &mut screen).await;
        let next = say(&grace, &said.chat, "again").await;
        assert!(text_in(&next).starts_with("again (turn 2, 1 told"), "{next}");
    }

    async fn a_program_that_dies_babbles_floods_or_takes_too_much_is_ended_and_the_hub_goes_on(
        hub: &Hub,
        [("PLEXUS_PROGRAMS", list())]
    ) {
        let grace = hub.administrator("grace").await;
        register(&grace, "parrot").await;
        register(&grace, "gone").await;
        let (chat, died) = ask(&grace, "@grace/parrot", "die").await;
        let (class, words) = failure(&died);
        assert_eq!((class.as_str(), text_in(&died)), ("unreachable", "Half a"));
        assert!(words.contains("ended with exit code 3 in the middle of its answer"), "{words}");
        assert!(!died.to_string().contains("secret of the operator"), "{died}");
        let again = say(&grace, &chat, "hello").await;
        assert!(text_in(&again).starts_with("hello (turn 1, 2 told"), "it is started anew: {again}");

        assert_eq!(text_in(&ask(&grace, "@grace/parrot", "junk").await.1), "Here I am.");
        let (class, words) = failure(&ask(&grace, "@grace/parrot", "flood").await.1);
        assert_eq!(class, "garbage", "{words}");
        let (_, forked) = ask(&grace, "@grace/parrot", "fork").await;
        assert!(text_in(&forked).starts_with("BlockingIOError after "), "{forked}");
        let (_, words) = failure(&ask(&grace, "@grace/parrot", "eat").await.1);
        assert!(words.contains("took more than 400 MiB of memory"), "{words}");
        let (class, words) = failure(&ask(&grace, "@grace/gone", "hello").await.1);
        assert_eq!(class, "unreachable");
        assert!(words.contains("before it was ready"), "{words}");
        let (_, calc) = ask(&grace, "@plexus/calc", "2 + 2").await;
        assert!(text_in(&calc).contains('4'));
    }

    async fn a_program_sees_neither_the_hubs_data_nor_another_program(hub: &Hub, [("PLEXUS_PROGRAMS", list())]) {
        let grace = hub.administrator("grace").await;
        register(&grace, "parrot").await;
        register(&grace, "other").await;
        assert_eq!(text_in(&ask(&grace, "@grace/other", "write private").await.1), "kept");
        let data = hub.folder();
        let own = std::process::id();
        let secret = [
            data.join("secret.key"),
            data.join("plexus.sqlite3"),
            data.join("programs/other/kept"),
            data.join("programs/parrot/../other/kept"),
            PathBuf::from("/work/../programs/other/kept"),
            PathBuf::from(format!("/proc/{own}/environ")),
            PathBuf::from(format!("/proc/{own}/root/etc/passwd")),
            PathBuf::from("/proc/1/root/etc/shadow"),
            PathBuf::from("/proc/1/environ"),
            PathBuf::from("/etc/shadow"),
        ];
        assert_eq!(std::fs::read(&secret[2]).expect("the other program's file"), b"private");
        let paths: Vec<&str> = secret.iter().filter_map(|path| path.to_str()).collect();
        let (_, spied) = ask(&grace, "@grace/parrot", &format!("read {}", paths.join(" "))).await;
        let lines: Vec<&str> = text_in(&spied).lines().collect();
        assert_eq!(lines.len(), secret.len(), "{spied}");
        for line in lines {
            assert!(!line.contains("READ"), "{line}");
        }
        assert_eq!(text_in(&ask(&grace, "@grace/other", "read kept").await.1), "kept: READ b'private'\n");
    }

    async fn a_program_is_for_those_whom_the_operator_names(hub: &Hub, [("PLEXUS_PROGRAMS", list())]) {
        let grace = hub.administrator("grace").await;
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        grace.get("/register").await.says("/register/program");
        ada.get("/register/program").await.says("<option value=\"other\"");
        let hidden = |visibility| json!({ "program": "hidden", "name": "hidden", "visibility": visibility });
        let refused = grace.call(Method::POST, "/agents", &hidden("public")).await;
        let refused = refused.expect(StatusCode::UNPROCESSABLE_ENTITY).json();
        assert_eq!(refused["error"]["field"], "visibility", "{refused}");
        grace.call(Method::POST, "/agents", &hidden("private")).await.expect(StatusCode::CREATED);
        assert!(text_in(&ask(&grace, "@grace/hidden", "hi").await.1).starts_with("hi (turn 1"));
        let wider = grace.call(Method::PATCH, "/agents/grace/hidden", &json!({ "visibility": "unlisted" })).await;
        wider.expect(StatusCode::UNPROCESSABLE_ENTITY);
        let foreign = bob.call(Method::POST, "/agents", &json!({ "program": "other", "name": "x" })).await;
        assert_eq!(foreign.expect(StatusCode::UNPROCESSABLE_ENTITY).json()["error"]["field"], "program");

        let fields = [("name", "mine"), ("title", "Mine"), ("summary", "Says it again."), ("program", "other")];
        let place = ada.post("/register/program", &fields).await.expect(StatusCode::SEE_OTHER).location().to_owned();
        let reach = [("visibility", "public"), ("access", "accounts")];
        ada.post(&place, &reach).await.expect(StatusCode::SEE_OTHER);
        assert!(text_in(&ask(&ada, "@ada/mine", "hi").await.1).starts_with("hi (turn 1"));
        let (class, words) = failure(&ask(&bob, "@ada/mine", "hi").await.1);
        assert_eq!(class, "policy");
        assert!(words.contains("not allowed to use the program"), "{words}");
        ada.get("/@ada/mine/edit").await.says("Says it again.");
        let edited = [("title", "Mine"), ("summary", "Repeats."), ("program", "parrot")];
        ada.post("/@ada/mine/edit", &edited).await.expect(StatusCode::SEE_OTHER);
        assert!(text_in(&ask(&bob, "@ada/mine", "hi").await.1).starts_with("hi (turn 1"), "the new version is for all");
    }

    async fn what_a_program_asks_leave_for_waits_for_the_person(hub: &Hub, [("PLEXUS_PROGRAMS", list())]) {
        let grace = hub.administrator("grace").await;
        register(&grace, "parrot").await;
        for (allow, chosen) in [(true, "selected yes"), (false, "selected no")] {
            let said = grace.begin("@grace/parrot", "ask").await;
            decide(&grace, &said.chat, allow).await;
            let answer = answer_after(&grace, &said.chat, 0).await;
            assert!(answer["parts"].to_string().contains(chosen), "{answer}");
        }
    }

    async fn permission_is_given_on_the_command_line(hub: &Hub, [("PLEXUS_PROGRAMS", list())]) {
        let grace = hub.administrator("grace").await;
        register(&grace, "parrot").await;
        let token = make(&grace, &["chat", "read"]).await;
        let folder = tempfile::tempdir().expect("a folder");
        let chat = async |words: &[&str]| {
            plexus(folder.path(), &[&["chat"], words, &["--hub", hub.origin(), "--token", &token]].concat()).await
        };
        let decided = async {
            let id = loop {
                let listed = chat(&["approvals"]).await;
                let first = stdout(&listed).split_whitespace().next().map(str::to_owned).expect("a line");
                if first != "Nothing" {
                    break first;
                }
            };
            let decided = chat(&["approve", &id]).await;
            assert!(decided.status.success(), "{}", stderr(&decided));
        };
        let send = ["send", "ask", "--to", "@grace/parrot"];
        let (answered, ()) = tokio::join!(chat(&send), decided);
        assert!(stdout(&answered).contains("selected yes"), "{}", stdout(&answered));
        assert!(stderr(&answered).contains("Decide with: plexus chat approve"), "{}", stderr(&answered));
    }
}
