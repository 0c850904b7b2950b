//! Tests of streaming across instances: activity on one instance is visible on the others live.

use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    chat::seq,
    clerk,
    client::{Client, PASSWORD, text_of},
    events::{Events, Screen, TIMEOUT, read_text, read_to_end, text_in},
    fleet::{Fleet, SOON, last, stop, within},
    process::{command, stderr},
    rooms::{add, begin, report_typing, typist},
};

/// Latency limit: the stream journal is written every 100 ms, plus a cluster notification and a read.
const LIVE: Duration = Duration::from_millis(400);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_is_read_along_on_another_process() {
    let Some(fleet) = Fleet::new(&[]).await else { return };
    let (one, other, here, there, mut agent) = fleet.two().await;
    let said = here.begin("@grace/puppet", "Go.").await;
    let call = agent.called().await;
    call.begin_task().await;
    call.artifact("It begins. ").await;

    // Subscribe after the answer has started.
    let (mut screen, mut sent) = (Screen::default(), "It begins. ".to_owned());
    let mut events = Events::open(&there, &said.chat, 0).await;
    read_text(&mut events, &mut screen, sent.len()).await;
    let mut took = Vec::new();
    for n in 0..15 {
        let words = format!("Line {n} is *here*.\n\n");
        sent.push_str(&words);
        let begun = Instant::now();
        call.artifact(&words).await;
        read_text(&mut events, &mut screen, sent.len()).await;
        took.push(begun.elapsed());
    }
    took.sort();
    assert!(took[took.len() / 2] < LIVE, "half of it took longer than {LIVE:?}: {took:?}");
    assert_eq!(screen.text(), sent);
    call.data(&json!({ "count": 15 })).await;
    whole_part(&mut events, &mut screen).await;
    // A page opened on the other instance shows the text as well.
    there.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK).says("<em>here</em>");
    call.complete().await;
    read_to_end(&mut events, &mut screen).await;
    assert_eq!(text_in(&last(&there, &said.chat).await), sent);

    // An answer requested on the other instance reaches a subscription opened here before.
    let at = seq(&here, &said.chat).await;
    let (mut events, mut screen) = (Events::open(&here, &said.chat, at).await, Screen::from(at));
    there.say(&said.chat, "Again.").await;
    let call = agent.called().await;
    call.begin_task().await;
    call.artifact("From the other side.").await;
    read_text(&mut events, &mut screen, "From the other side.".len()).await;
    call.complete().await;
    read_to_end(&mut events, &mut screen).await;
    one.kill().await;
    other.kill().await;
    fleet.end().await;
}

/// Reads until a complete part was received.
async fn whole_part(events: &mut Events, screen: &mut Screen) {
    let shown = async {
        loop {
            let event = events.next().await.expect("the stream goes on");
            if event.data.to_string().contains("count") {
                return;
            }
            screen.take(&event);
        }
    };
    timeout(SOON, shown).await.expect("what is no text is shown, too");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn typing_is_reported_on_another_process() {
    let Some(fleet) = Fleet::new(&[]).await else { return };
    let (one, other, here, _there, _agent) = fleet.two().await;
    let chat = begin(&here).await;
    let bob = Client::new(&other.origin);
    bob.sign_up("bob").await;
    add(&here, &bob, &chat, "bob", "member").await;
    let mut events = Events::open(&here, &chat, seq(&here, &chat).await).await;
    report_typing(&bob, &chat).await.expect(StatusCode::NO_CONTENT);
    assert_eq!(typist(&mut events).await, "bob");
    one.kill().await;
    other.kill().await;
    fleet.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_stopped_on_another_process() {
    let Some(fleet) = Fleet::new(&["--max-runs-per-agent", "1"]).await else { return };
    let (one, other, here, there, mut agent) = fleet.two().await;
    let works = here.begin("@grace/puppet", "Go.").await;
    let call = agent.called().await;
    call.begin_task().await;
    call.artifact("So far").await;
    let waits = here.begin("@grace/puppet", "And then.").await;
    let (mut events, mut screen) = (Events::open(&there, &works.chat, 0).await, Screen::default());
    read_text(&mut events, &mut screen, "So far".len()).await;

    stop(&there, &waits.run).await;
    within(SOON, "what waited is stopped", async || last(&here, &waits.chat).await["state"] == "stopped")
        .await;
    assert_eq!(last(&here, &works.chat).await["state"], "open", "the other goes on");
    stop(&there, &works.run).await;
    timeout(SOON, read_to_end(&mut events, &mut screen)).await.expect("it is told there");
    let answer = last(&there, &works.chat).await;
    assert_eq!((&answer["state"], text_in(&answer)), (&json!("stopped"), "So far"));
    within(SOON, "the place is free", async || {
        fleet.sql().number("select count(*) from run_cancel_requests").await == 0
    })
    .await;
    one.kill().await;
    other.kill().await;
    fleet.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_changed_on_one_process_holds_on_the_others() {
    let Some(fleet) = Fleet::new(&[]).await else { return };
    let (one, other, here, there, _agent) = fleet.two().await;

    // Each instance indexes a new agent.
    clerk::register(&there, &clerk::serve(Vec::new()).await, "clerk").await;
    let listed =
        async |client: &Client| client.get("/agents?q=clerk").await.body.contains("href=\"/@grace/clerk\"");
    within(SOON, "it is found", async || listed(&here).await && listed(&there).await).await;
    // Anonymous visitors get cached pages.
    let visitor = Client::new(&one.origin);
    assert!(listed(&visitor).await);
    there
        .call(Method::PATCH, "/agents/grace/clerk", &json!({ "visibility": "private" }))
        .await
        .expect(StatusCode::OK);
    within(SOON, "it is found no more", async || !listed(&visitor).await).await;

    // Signing out on one instance closes subscriptions on the other.
    let ada = Client::new(&one.origin);
    ada.sign_up("ada").await;
    let said = ada.begin("@plexus/calc", "6 * 7").await;
    let phone = Client::new(&other.origin);
    phone.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    let mut events = Events::open(&phone, &said.chat, 0).await;
    ada.post("/settings/sessions/revoke", &[("id", "others")]).await.expect(StatusCode::SEE_OTHER);
    let ends = async {
        while events
            .next()
            .await
            .is_some_and(|event| event.name != "stream_end" && event.name != "chat_unavailable")
        {}
    };
    timeout(SOON, ends).await.expect("the stream ends");
    assert!(!phone.is_signed_in().await);

    // A title set on one instance is published on the other.
    let at = seq(&ada, &said.chat).await;
    let mut events = Events::open(&ada, &said.chat, at).await;
    let elsewhere = ada.at(&other.origin);
    elsewhere.call(Method::PATCH, &format!("/chats/{}", said.chat), &json!({ "title": "Sums" })).await;
    let told = async {
        loop {
            let event = events.next().await.expect("it goes on");
            if event.name == "title_changed" {
                return text_of(&event.data["title"]);
            }
        }
    };
    assert_eq!(timeout(SOON, told).await.expect("in time"), "Sums");
    one.kill().await;
    other.kill().await;
    fleet.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_while_a_process_hears_nothing_is_made_up_for() {
    let Some(fleet) = Fleet::new(&[]).await else { return };
    let (one, other, here, there, mut agent) = fleet.two().await;
    let said = here.begin("@grace/puppet", "Go.").await;
    let call = agent.called().await;
    call.begin_task().await;
    call.artifact("Before. ").await;
    let (mut events, mut screen) = (Events::open(&there, &said.chat, 0).await, Screen::default());
    read_text(&mut events, &mut screen, "Before. ".len()).await;
    let cut = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
               where datname = current_database() and query like 'LISTEN%'";
    assert_eq!(fleet.sql().number(cut).await, 2);
    call.artifact("Meanwhile. ").await;
    call.complete().await;
    timeout(SOON, read_to_end(&mut events, &mut screen))
        .await
        .expect("it is told when the process hears again");
    assert_eq!(text_in(&last(&there, &said.chat).await), "Before. Meanwhile. ");
    one.kill().await;
    other.kill().await;
    fleet.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_with_another_key_does_not_start() {
    let Some(fleet) = Fleet::new(&[]).await else { return };
    let one = fleet.serve("one").await;
    let folder = fleet.place("stranger");
    std::fs::create_dir_all(&folder).expect("a folder");
    let url = fleet.url().expect("a database");
    for (key, refusal) in [(None, "is missing, and"), (Some([7; 32]), "does not belong to")] {
        if let Some(key) = key {
            std::fs::write(folder.join("data/secret.key"), key).expect("a key file");
        }
        let mut strange = command(&folder);
        strange.args(["serve", "--listen", "127.0.0.1:0"]).env("DATABASE_URL", &url);
        let output = timeout(TIMEOUT, strange.output()).await.expect("it ends").expect("it starts");
        assert_eq!(output.status.code(), Some(1));
        let words = stderr(&output);
        assert!(words.contains(refusal), "{words}");
    }
    Client::new(&one.origin).get("/readyz").await.expect(StatusCode::OK);
    one.kill().await;
    fleet.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_may_begin_an_empty_database_at_once() {
    let Some(fleet) = Fleet::new(&[]).await else { return };
    let (one, other) = tokio::join!(fleet.serve("one"), fleet.serve("other"));
    for process in [&one, &other] {
        let somebody = Client::new(&process.origin);
        let found = somebody.get("/agents?q=calculator").await.expect(StatusCode::OK);
        found.says("href=\"/@plexus/calc\"");
    }
    assert_eq!(fleet.sql().number("select count(*) from keys where kind = 'hub'").await, 1);
    one.kill().await;
    other.kill().await;
    fleet.end().await;
}
