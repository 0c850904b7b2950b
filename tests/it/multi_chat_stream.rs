//! Tests of one event stream for several chats, as shared by the tabs of a browser.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use reqwest::StatusCode;

use crate::{
    chat::seq,
    client::{Client, text_of},
    events::{Event, Events, Screen, answer_after, text_in},
    hub::{Hub, on_both},
};

const CHATS: usize = 3;
/// Number of lines, enough for the answers to overlap.
const LINES: usize = 4_000;

on_both! {
    async fn a_stream_of_several_chats_tells_each_byte_once_and_in_order(hub: &Hub) {
        let ada = hub.person("ada").await;
        let mut tabs = Tabs::default();
        for _ in 0..CHATS {
            let chat = finished_chat(&ada).await;
            let at = seq(&ada, &chat).await;
            tabs.screens.insert(chat, Screen::from(at));
        }
        let sheet: String = (0..LINES).map(|n| format!("{n} * 2 + sqrt 2\n")).collect();
        let query = tabs.query();
        let mut events = Events::resume_all(&ada, &query, "").await;
        for chat in tabs.screens.keys() {
            ada.say(chat, &sheet).await;
        }
        // Disconnect during one of the answers, and resume from the last id.
        while !tabs.screens.values().any(|screen| screen.text().len() > 5_000) {
            tabs.take(&events.next().await.expect("the stream goes on"));
        }
        events = Events::resume_all(&ada, &query, &tabs.last).await;
        while !tabs.screens.values().all(|screen| screen.messages.values().any(|shown| shown.ended)) {
            tabs.take(&events.next().await.expect("the stream goes on"));
        }
        for screen in tabs.screens.values() {
            let (id, shown) = screen.answer();
            let kept = ada.api(&format!("/messages/{id}")).await;
            let part = &shown.parts[&0];
            assert!(part.text == text_in(&kept)[part.from..], "the text differs from what is kept");
        }
    }

    async fn a_chat_that_may_not_be_read_is_told_as_gone_and_the_others_go_on(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let (hers, not_hers) = (finished_chat(&ada).await, finished_chat(&eve).await);
        let mut events = Events::resume_all(&ada, &format!("chat={hers}:0&chat={not_hers}:0"), "").await;
        let (mut gone, mut told) = (None, false);
        while gone.is_none() || !told {
            let event = events.next().await.expect("the stream goes on");
            match event.name.as_str() {
                "chat_unavailable" => gone = Some(text_of(&event.data["chat"])),
                _ => {
                    assert_eq!(text_of(&event.data["chat"]), hers, "{}", event.name);
                    told |= event.name == "message_completed";
                }
            }
        }
        assert_eq!(gone, Some(not_hers.clone()));
        eve.get(&format!("/api/v1/events?chat={hers}:0&chat={hers}")).await.expect(StatusCode::NOT_FOUND);
    }

    async fn an_idle_stream_sends_the_heartbeats_that_were_asked_for(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = finished_chat(&ada).await;
        let at = seq(&ada, &chat).await;
        let mut events = Events::resume_all(&ada, &format!("chat={chat}:{at}&heartbeat=1"), "").await;
        let begun = Instant::now();
        for _ in 0..2 {
            while events.next().await.expect("the stream goes on").name != "heartbeat" {}
        }
        assert!(begun.elapsed() < Duration::from_secs(15), "comments of idle streams come after 15 s");
        for wrong in ["0", "61", "x", ""] {
            let refused = ada.get(&format!("/api/v1/events?chat={chat}&heartbeat={wrong}")).await;
            assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
        }
    }

    async fn a_stream_of_too_many_chats_is_refused(hub: &Hub) {
        let ada = hub.person("ada").await;
        let many: Vec<String> = (0..33).map(|n| format!("chat=00000000-0000-7000-8000-0000000000{n:02}")).collect();
        let refused = ada.get(&format!("/api/v1/events?{}", many.join("&"))).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY).says("1 to 32");
    }
}

/// Creates a chat with one answered question.
async fn finished_chat(person: &Client) -> String {
    let chat = person.begin("@plexus/calc", "1 + 1").await.chat;
    answer_after(person, &chat, 0).await;
    chat
}

/// Content shown by each of several tabs.
#[derive(Default)]
struct Tabs {
    screens: BTreeMap<String, Screen>,
    last: String,
}

impl Tabs {
    fn query(&self) -> String {
        let one = |(chat, screen): (&String, &Screen)| format!("chat={chat}:{}", screen.last);
        self.screens.iter().map(one).collect::<Vec<_>>().join("&")
    }

    fn take(&mut self, event: &Event) {
        if let Some(last) = &event.id {
            self.last.clone_from(last);
        }
        // Account events name no chat.
        if let Some(screen) = event.data["chat"].as_str().and_then(|chat| self.screens.get_mut(chat)) {
            screen.take(event);
        }
    }
}
