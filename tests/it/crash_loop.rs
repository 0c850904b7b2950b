//! Kills the hub repeatedly at pseudo-random moments, also within transactions, while users post messages.
//!
//! Slow: the hub starts again after each kill.

use std::{collections::BTreeMap, env, time::Duration};

use futures::{StreamExt as _, future::join_all};
use plexus_domain::MessageId;
use plexus_store::testing::Database;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    client::{Client, new_id, text_of},
    database::{Sql, postgres_url},
    events::{read_answer, text_in},
    process::Process,
};

/// Number of kills in `make test`. `PLEXUS_TEST_CRASHES` sets a higher number in `make test-long`.
const KILLS: u64 = 6;
/// Number of concurrent users.
const TALKERS: usize = 4;
/// Maximum milliseconds between the first message and the kill.
const MAX_LIFE: u64 = 1_200;

/// Requested sum. If its request got no response, it may or may not have been stored.
#[derive(Clone)]
struct Sum {
    id: MessageId,
    number: u64,
    /// Chat id from the response, if there was one.
    chat: Option<String>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    crash(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    let Some(database) = Database::new().await else { return };
    crash(Some(&database)).await;
    database.drop().await;
}

async fn crash(database: Option<&Database>) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = database.map(postgres_url);
    let serve = async || Process::serve_on(folder.path(), url.as_deref()).await;
    let kills = env::var("PLEXUS_TEST_CRASHES").map_or(KILLS, |kills| kills.parse().expect("a number"));
    let mut hub = serve().await;
    let mut ada = Client::new(&hub.origin);
    ada.sign_up("ada").await;
    let mut said = Vec::new();
    for seed in 0..kills {
        let talk = join_all((0..TALKERS).map(|talker| talk(&ada, seed * 1_000_000 + talker as u64 * 10_000)));
        let life = sleep(Duration::from_millis(moment(seed)));
        let (sums, ()) = tokio::join!(talk, async {
            life.await;
            hub.kill().await;
        });
        said.extend(sums.into_iter().flatten());
        hub = serve().await;
        ada = ada.at(&hub.origin);
    }
    assert!(said.iter().any(|sum| sum.chat.is_some()), "nothing was accepted between the kills");
    check(&ada, &said).await;
    let sql = Sql::of(database, &folder.path().join("data"));
    all_has_ended(&sql).await;
    ada.get("/agents?q=calculator&online=true").await.expect(StatusCode::OK).says("href=\"/@plexus/calc\"");
    hub.kill().await;
}

/// Returns pseudo-random milliseconds that depend only on the seed.
const fn moment(seed: u64) -> u64 {
    1 + seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) % MAX_LIFE
}

/// Requests sums until the hub is gone.
async fn talk(ada: &Client, from: u64) -> Vec<Sum> {
    let mut sums = Vec::new();
    for number in from.. {
        let mut sum = Sum { id: new_id(), number, chat: None };
        sum.chat = ask(ada, &sum).await;
        let Some(chat) = sum.chat.clone() else {
            sums.push(sum);
            break;
        };
        sums.push(sum);
        if hear(ada, &chat).await.is_none() {
            break;
        }
    }
    sums
}

/// Returns the new chat, or `None` if the hub died before it responded.
async fn ask(ada: &Client, sum: &Sum) -> Option<String> {
    let body = json!({ "id": sum.id, "to": "@plexus/calc", "text": format!("{} + 1", sum.number) });
    let request = ada.request(Method::POST, "/api/v1/chats").header(header::ORIGIN, ada.origin());
    let answer = request.json(&body).send().await.ok()?;
    assert_eq!(answer.status(), StatusCode::CREATED);
    let answer: Value = answer.json().await.ok()?;
    Some(text_of(&answer["chat"]))
}

/// Reads events until the answer has ended or the hub is gone.
async fn hear(ada: &Client, chat: &str) -> Option<()> {
    let path = format!("/api/v1/events?chat={chat}&after=0");
    let mut bytes = ada.request(Method::GET, &path).send().await.ok()?.bytes_stream();
    let mut heard = Vec::new();
    while !String::from_utf8_lossy(&heard).contains("\nevent: message_completed\n") {
        heard.extend(bytes.next().await?.ok()?);
    }
    Some(())
}

/// Asserts that everything accepted is stored once, that each answer is correct or failed, and that resending
/// a request without a response is idempotent.
async fn check(ada: &Client, said: &[Sum]) {
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    for sum in said {
        let chat = match &sum.chat {
            Some(chat) => chat.clone(),
            None => ask(ada, sum).await.expect("the hub answers now"),
        };
        let screen = read_answer(ada, &chat, 0).await;
        assert_eq!(screen.messages.len(), 2, "one question and one answer");
        let path = ada.api(&format!("/chats/{chat}")).await;
        let (question, answer) = (&path["messages"][0], &path["messages"][1]);
        assert_eq!(text_of(&question["id"]), sum.id.to_string());
        assert_eq!(text_in(question), format!("{} + 1", sum.number));
        let right = format!("`{} + 1` = **{}**", sum.number, sum.number + 1);
        match answer["state"].as_str() {
            Some("done") => assert_eq!(text_in(answer), right),
            Some("failed") => assert!(right.starts_with(text_in(answer)), "{answer}"),
            other => panic!("{other:?}: {answer}"),
        }
        *states.entry(text_of(&answer["state"])).or_default() += 1;
    }
    println!("{} sums: {states:?}", said.len());
}

async fn all_has_ended(sql: &Sql) {
    for (what, none) in [
        ("an open message", "select count(*) from messages where state = 'open'"),
        ("a run without an end", "select count(*) from runs where state in ('queued', 'working')"),
        (
            "an event beyond its chat's number",
            "select count(*) from chat_events join chats on chats.id = chat_events.chat where chat_events.seq > chats.last_seq",
        ),
        (
            "a message without parts",
            "select count(*) from messages where state = 'done' and id not in (select message from parts)",
        ),
    ] {
        assert_eq!(sql.number(none).await, 0, "there is {what}");
    }
}
