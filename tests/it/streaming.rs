//! Tests of one answer with many subscribers: all receive the same bytes, once and in order.

use futures::StreamExt as _;
use reqwest::{Method, StatusCode};

use crate::{
    chat::{seq, sheet},
    client::text_of,
    events::{Events, Screen, answer_after, read_answer, read_text, read_to_end, text_in},
    hub::{Hub, on_both},
};

on_both! {
    // Slow: the answer is a calculation sheet of 20,000 lines.
    async fn all_readers_see_every_byte_once_and_in_order(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = &ada.begin("@plexus/calc", "1 + 1").await.chat;
        answer_after(&ada, chat, 0).await;
        let at = seq(&ada, chat).await;
        let mut readers = [Events::open(&ada, chat, at).await, Events::open(&ada, chat, at).await];
        ada.say(chat, &sheet()).await;

        let [one, other] = &mut readers;
        let from_start = async |events: &mut Events| {
            let mut screen = Screen::from(at);
            read_to_end(events, &mut screen).await;
            screen
        };
        // Subscribes in the middle of the answer.
        let late = async {
            let mut scout = Events::open(&ada, chat, at).await;
            read_text(&mut scout, &mut Screen::from(at), 20_000).await;
            let mut events = Events::open(&ada, chat, seq(&ada, chat).await).await;
            let mut screen = Screen::from(seq(&ada, chat).await);
            read_to_end(&mut events, &mut screen).await;
            screen
        };
        // Loses its connection and resumes from its last event number.
        let torn = async {
            let mut screen = Screen::from(at);
            for bytes in [1_000, 30_000, 60_000] {
                let mut events = Events::resume(&ada, chat, screen.last).await;
                read_text(&mut events, &mut screen, bytes).await;
            }
            let mut events = Events::resume(&ada, chat, screen.last).await;
            read_to_end(&mut events, &mut screen).await;
            screen
        };
        let (first, second, late, torn) = tokio::join!(from_start(one), from_start(other), late, torn);

        let (id, shown) = first.answer();
        let (html, closed) = (&shown.html, shown.parts[&0].closed);
        let kept = ada.api(&format!("/messages/{id}")).await;
        let kept = text_in(&kept);
        assert!(kept.lines().count() > 20_000, "{}", kept.lines().count());
        assert_each_line_once(html);
        for screen in [&first, &second, &torn, &late] {
            let (_, shown) = screen.answer();
            let part = &shown.parts[&0];
            // A slow subscriber receives the middle as closed blocks.
            assert!(part.text == kept[part.from..], "the text differs from what is kept");
            assert!(part.closed == closed && part.html == first.answer().1.parts[&0].html, "the blocks differ");
            assert!(&shown.html == html, "the finished messages differ");
            assert_each_line_once(&part.html);
        }
    }

    // Slow: the answer is a calculation sheet of 20,000 lines.
    async fn closing_the_browser_does_not_stop_a_run(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", &sheet()).await;
        let mut events = Events::open(&ada, &said.chat, 0).await;
        let mut screen = Screen::default();
        read_text(&mut events, &mut screen, 1_000).await;
        drop(events);
        let answer = answer_after(&ada, &said.chat, screen.last).await;
        assert_eq!(answer["state"], "done");
        assert!(text_in(&answer).ends_with("```\n"));
        assert!(text_in(&answer).contains("\n19999 * 2 + sqrt 2 = "));
    }

    async fn a_page_that_is_loaded_in_mid_answer_has_what_was_said(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", &sheet()).await;
        let mut events = Events::open(&ada, &said.chat, 0).await;
        let mut screen = Screen::default();
        read_text(&mut events, &mut screen, 20_000).await;
        let page = ada.get(&format!("/chat/{}", said.chat)).await.expect(StatusCode::OK);
        page.says("\n100 * 2 + sqrt 2 = ");
        page.says(&format!("/chat/{}/stop", said.chat));
        ada.post(&format!("/chat/{}/stop", said.chat), &[("run", &said.run)]).await.expect(StatusCode::SEE_OTHER);
        read_to_end(&mut events, &mut screen).await;
        assert_eq!(screen.answer().1.state, "stopped");
    }

    async fn the_page_without_scripts_writes_blocks_as_they_close(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", &sheet()).await;
        let response = ada.request(Method::GET, &format!("/chat/{}?follow", said.chat)).send().await.expect("answers");
        assert_eq!(response.status(), StatusCode::OK);
        let mut bytes = response.bytes_stream();
        let mut page = Vec::new();
        while !String::from_utf8_lossy(&page).contains("\n20 * 2 + sqrt 2 = ") {
            page.extend(bytes.next().await.expect("the page goes on").expect("bytes"));
        }
        let shown = ada.api(&format!("/chats/{}", said.chat)).await;
        assert_eq!(shown["messages"][1]["state"], "open", "the run goes on while blocks are written");
        while let Some(piece) = bytes.next().await {
            page.extend(piece.expect("bytes"));
        }
        let page = String::from_utf8(page).expect("text");
        assert!(page.ends_with("</html>"), "{}", &page[page.len() - 200..]);
        assert_each_line_once(&page);
        assert_eq!(ada.api(&format!("/chats/{}", said.chat)).await["messages"][1]["state"], "done");
    }

    async fn the_page_without_scripts_has_the_guides_button(hub: &Hub) {
        let ada = hub.person("ada").await;
        let begun = ada.post("/chat", &[("to", "@plexus/guide"), ("text", "something that calculates")]).await;
        let page = ada.get(begun.location()).await.expect(StatusCode::OK);
        page.says("@plexus/calc");
        page.says("class=\"card continue\"");
        let answer = answer_after(&ada, begun.location().split(['/', '?']).nth(2).expect("an id"), 0).await;
        assert_eq!(text_of(&answer["author"]["address"]), "@plexus/guide");
    }

    async fn a_stream_of_a_chat_that_is_over_says_all_of_it(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        answer_after(&ada, &said.chat, 0).await;
        let screen = read_answer(&ada, &said.chat, 0).await;
        assert_eq!(screen.messages.len(), 2);
        assert!(screen.messages[&said.message].html.contains("1 + 1"));
        for after in ["-1", "999999"] {
            let path = format!("/api/v1/events?chat={}&after={after}", said.chat);
            let response = ada.request(Method::GET, &path).send().await.expect("answers");
            assert_eq!(response.status(), StatusCode::OK);
        }
    }

    async fn a_stream_needs_somebody_who_may_read(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        let path = format!("/api/v1/events?chat={}", said.chat);
        hub.visitor().get(&path).await.expect(StatusCode::UNAUTHORIZED);
        eve.get(&path).await.expect(StatusCode::NOT_FOUND);
        eve.get("/api/v1/events?chat=nonsense").await.expect(StatusCode::NOT_FOUND);
        for broken in ["/api/v1/events", "/api/v1/events?chat=x&after=y"] {
            let status = eve.get(broken).await.status;
            assert!(status.is_client_error(), "{broken}: {status}");
        }
    }
}

/// Asserts that lines of the answer to [`sheet`] appear in order and once. Checks lines that need no padding.
#[track_caller]
fn assert_each_line_once(html: &str) {
    let mut from = 0;
    for n in [31, 63, 500, 777, 2_000, 10_000, 19_990] {
        let line = format!("\n{n} * 2 + sqrt 2 = ");
        assert_eq!(html.matches(&line).count(), 1, "line {n}");
        from += html[from..].find(&line).unwrap_or_else(|| panic!("line {n} is out of order"));
    }
}
