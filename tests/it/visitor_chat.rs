//! Tests of chats on pages without an account: with agents that are open to all, and with no others.

use reqwest::StatusCode;

use crate::{
    clerk,
    hub::{Hub, on_both},
};

const CHAT: &str = "/@plexus/calc/chat";

on_both! {
    async fn a_visitor_chats_with_an_open_agent(hub: &Hub) {
        let (visitor, other) = (hub.visitor(), hub.visitor());
        let page = visitor.get("/@plexus/calc").await.expect(StatusCode::OK);
        page.says("href=\"/@plexus/calc/chat\"");
        assert!(!page.body.contains("Sign in to chat"), "{}", page.body);
        let prefilled = visitor.get("/@plexus/calc/chat?text=1%20%2B%201").await.expect(StatusCode::OK);
        prefilled.says("1 + 1</textarea>");

        for (sum, result) in [("17 * 3", "51"), ("20 * 4", "80")] {
            let sent = visitor.post(CHAT, &[("text", sum)]).await.expect(StatusCode::SEE_OTHER);
            assert!(sent.header("set-cookie").contains("HttpOnly"), "{:?}", sent.headers);
            assert_eq!(sent.location(), CHAT);
            let shown = visitor.get(CHAT).await.expect(StatusCode::OK);
            assert_eq!(shown.header("cache-control"), "no-store");
            shown.says(result);
        }
        let both = visitor.get(CHAT).await.expect(StatusCode::OK);
        assert!(both.body.contains("17 * 3") && both.body.contains("20 * 4"), "{}", both.body);
        both.says("<div class=\"typed\" dir=\"auto\">17 * 3</div>");
        assert_eq!(hub.number("select count(*) from chats").await, 1, "one conversation");
        let stranger = other.get(CHAT).await.expect(StatusCode::OK);
        assert!(!stranger.body.contains("17 * 3"), "{}", stranger.body);

        visitor.post(CHAT, &[("text", "  ")]).await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("message is empty");
        hub.sql("update runs set state_at = state_at - 3700000").await;
        let later = visitor.get(CHAT).await.expect(StatusCode::OK);
        assert!(!later.body.contains("17 * 3"), "it is not kept any more");
    }

    async fn other_agents_require_an_account(hub: &Hub) {
        let boss = hub.administrator("grace").await;
        let url = clerk::serve(vec![clerk::words("Hello.")]).await;
        clerk::register(&boss, &url, "clerk").await;
        let visitor = hub.visitor();
        visitor.get("/@grace/clerk").await.expect(StatusCode::OK).says("Sign in to chat");
        let led = visitor.get("/@grace/clerk/chat").await.expect(StatusCode::SEE_OTHER);
        assert_eq!(led.location(), "/login?next=%2F%40grace%2Fclerk%2Fchat");
        visitor.post("/@grace/clerk/chat", &[("text", "Hello")]).await.expect(StatusCode::UNAUTHORIZED);
        visitor.get("/@grace/none/chat").await.expect(StatusCode::NOT_FOUND);
        assert_eq!(hub.number("select count(*) from runs").await, 0);
        let person = boss.get(CHAT).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(person.location(), "/chat?to=%40plexus%2Fcalc");
    }
}
