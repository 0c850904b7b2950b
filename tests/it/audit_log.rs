//! Tests of the audit log: nothing is decided by its entries, repeated failures are one entry, and acts of the command line are
//! of no account.

use plexus_hub::{accounts, admin};
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    clerk,
    client::Client,
    hub::{Hub, on_both},
    rooms,
};

on_both! {
    async fn decisions_of_moderators_outlive_the_log(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let url = clerk::serve(Vec::new()).await;
        clerk::register(&grace, &url, "clerk").await;
        let id = hub.database().id("select id from agents where name = 'clerk'").await;
        let path = format!("/admin/agents/{}", plexus_domain::AgentId::from_uuid(sqlx::types::Uuid::from_bytes(id)));
        grace.post(&path, &[("action", "pause"), ("reason", "It lies.")]).await.expect(StatusCode::SEE_OTHER);
        let trust = [("origin", "https://a.example"), ("note", "Known well.")];
        grace.post("/admin/origins", &trust).await;
        hub.sql("delete from audit_log").await;

        let resume = json!({ "state": "active" });
        let refused = grace.call(Method::PATCH, "/agents/grace/clerk", &resume).await;
        let (_, words) = refused.refusal(StatusCode::FORBIDDEN);
        assert!(words.contains("It lies."), "{words}");
        let origins = grace.get("/admin/origins").await.expect(StatusCode::OK);
        origins.says("Known well.");
        origins.says("grace");
        grace.post(&path, &[("action", "resume"), ("reason", "")]).await.expect(StatusCode::SEE_OTHER);
        hub.sql("delete from audit_log").await;
        // A pause by the owner is resumed by the owner.
        for state in ["paused", "active"] {
            let change = json!({ "state": state });
            let changed = grace.call(Method::PATCH, "/agents/grace/clerk", &change).await;
            assert!(changed.status.is_success(), "{}", changed.body);
        }
    }

    async fn failed_sign_ins_to_an_account_are_one_entry_an_hour(hub: &Hub) {
        const ENTRIES: &str = "select count(*) from audit_log where action = 'account.sign_in_failed'";
        let grace = hub.administrator("grace").await;
        hub.person("ada").await;
        for number in 0..12 {
            let client = Client::from_address(hub.origin(), &format!("203.0.113.{number}"));
            client.sign_in("ada", "a wrong password of another").await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        }
        let counted = "select count(*) from audit_log where action = 'account.sign_in_failed' and change like '%\"count\":12%'";
        hub.database().until_at_least(1, counted).await;
        assert_eq!(hub.number(ENTRIES).await, 1);
        grace.get("/admin/audit").await.expect(StatusCode::OK).says("12");
        // The next hour has an entry of its own, and old ones are deleted.
        hub.sql("update audit_log set recorded_at = 1 where action = 'account.sign_in_failed'").await;
        hub.visitor().sign_in("ada", "a wrong password of another").await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        hub.database().until_at_least(2, ENTRIES).await;
        let others = hub.number("select count(*) from audit_log").await;
        hub.tidy().await;
        assert_eq!(hub.number(ENTRIES).await, 1);
        assert_eq!(hub.number("select count(*) from audit_log").await, others - 1, "other entries stay");
    }

    async fn acts_of_the_command_line_are_of_no_account(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let operator = accounts::impersonate(hub.inner(), None).await.expect("the oldest administrator");
        admin::trust_origin(hub.inner(), &operator, "https://b.example", "", "").await.expect("it is trusted");
        let page = grace.get("/admin/audit?action=origin.vouch").await.expect(StatusCode::OK);
        page.says("cli");
        assert_eq!(hub.number("select count(*) from audit_log where action = 'origin.vouch' and actor = 'cli'").await, 1);
        assert!(!grace.get("/admin/origins").await.body.contains("grace</td>"), "no person is named");
    }

    async fn equal_names_do_not_make_messages_own(hub: &Hub) {
        let (ada, bob, chat) = rooms::pair(hub).await;
        bob.say(&chat, "@ada A message of bob").await;
        ada.say(&chat, "@bob A message of ada").await;
        // Names as shown need not be unique.
        hub.sql("update namespaces set name = 'ada' where name = 'bob'").await;
        for client in [&ada, &bob] {
            let page = client.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK).body;
            let own = page.matches("class=\"message person done own").count();
            let persons = page.matches("class=\"message person done").count();
            // The question that began the chat is of ada.
            let expected = if std::ptr::eq(client, &ada) { 2 } else { 1 };
            assert_eq!((own, persons), (expected, 3), "{page}");
        }
    }

    async fn a_page_that_is_not_seen_leaves_messages_unread(hub: &Hub) {
        let (ada, bob, chat) = rooms::pair(hub).await;
        bob.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK);
        ada.say(&chat, "@bob Hello").await;
        let path = format!("/chat/{chat}");
        let is_unread = async || bob.api("/chats").await["items"][0]["unread"].clone();
        bob.send(bob.request(Method::HEAD, &path)).await.expect(StatusCode::OK);
        bob.send(bob.request(Method::GET, &path).header("sec-purpose", "prefetch")).await.expect(StatusCode::OK);
        assert_eq!(is_unread().await, json!(true));
        bob.get(&path).await.expect(StatusCode::OK);
        assert_eq!(is_unread().await, json!(false));
    }
}
