//! Tests of e-mail: confirming an address, recovering an account, and notices of changes.

use std::time::Duration;

use reqwest::StatusCode;
use tokio::time::{sleep, timeout};

use crate::{
    client::{Client, PASSWORD},
    hub::{self, Given, Hub, on_both, play_on_both},
    mail_server::MailServer,
    process::{plexus, stderr, stdout},
};

const NEW: &str = "seven quiet herons wade";
const FORM: &str = "/settings/account/email";

fn settings(server: &MailServer) -> [Given; 3] {
    [
        ("PLEXUS_SMTP_URL", server.url().leak()),
        ("PLEXUS_MAIL_FROM", "Plexus <plexus@example.org>"),
        ("PLEXUS_RATE_LIMIT_SCALE", "1"),
    ]
}

/// Defines the tests `NAME::sqlite` and `NAME::postgres` on a hub that sends e-mail through a server of its own.
macro_rules! with_mail {
    ($(async fn $name:ident($hub:ident: &Hub, $server:ident: &MailServer) $body:block)*) => {$(
        mod $name {
            use super::*;

            async fn body($hub: &Hub, $server: &MailServer) $body

            async fn body_on(database: Option<plexus_store::testing::Database>) {
                let server = MailServer::start().await;
                hub::run(database, &settings(&server), async |hub: &Hub| body(hub, &server).await).await;
            }

            play_on_both!(body_on);
        }
    )*};
}

/// Confirms an address of a person who is signed in.
async fn confirm(client: &Client, server: &MailServer, address: &str) {
    let fields = [("email", address), ("current", PASSWORD)];
    client.post(FORM, &fields).await.expect(StatusCode::SEE_OTHER);
    let mail = server.next().await;
    assert_eq!(mail.to, address);
    client.post("/email", &[("token", mail.token())]).await.expect(StatusCode::SEE_OTHER);
}

with_mail! {
    async fn an_address_counts_once_its_link_was_opened(hub: &Hub, server: &MailServer) {
        let ada = hub.person("ada").await;
        let fields = |email, current| [("email", email), ("current", current)];
        let refused = ada.post(FORM, &fields("ada", PASSWORD)).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("Enter an e-mail address such as name@example.org.");
        let wrong = fields("ada@example.org", "not the right password");
        ada.post(FORM, &wrong).await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("current password is incorrect");
        assert!(server.is_empty().await);

        ada.post(FORM, &fields("Ada@Example.org", PASSWORD)).await.expect(StatusCode::SEE_OTHER);
        let mail = server.next().await;
        assert_eq!(mail.to, "ada@example.org");
        assert!(mail.text.contains("From: Plexus <plexus@example.org>") && mail.text.contains("@ada"));
        let settings = ada.get("/settings/account").await;
        assert!(!settings.body.contains("ada@example.org"), "not before it is confirmed");

        let visitor = hub.visitor();
        let path = format!("/{}", mail.path());
        visitor.get(&path).await.expect(StatusCode::OK).says("ada@example.org");
        let settings = ada.get("/settings/account").await;
        assert!(!settings.body.contains("ada@example.org"), "opening the page alone changes nothing");
        visitor.post("/email", &[("token", mail.token())]).await.expect(StatusCode::SEE_OTHER);
        ada.get("/settings/account").await.says("ada@example.org");
        visitor.get(&path).await.expect(StatusCode::OK).says("This link no longer works");
        visitor.post("/email", &[("token", mail.token())]).await.expect(StatusCode::FORBIDDEN);
        for forged in ["", "x", &"A".repeat(3_000), &mail.token()[1..]] {
            visitor.post("/email", &[("token", forged)]).await.expect(StatusCode::FORBIDDEN);
        }
        visitor.sign_in("ADA@example.org", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    }

    async fn one_address_belongs_to_one_account(hub: &Hub, server: &MailServer) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        confirm(&ada, server, "ada@example.org").await;
        eve.post(FORM, &[("email", "ada@example.org"), ("current", PASSWORD)]).await.expect(StatusCode::SEE_OTHER);
        let mail = server.next().await;
        let refused = eve.post("/email", &[("token", mail.token())]).await.expect(StatusCode::CONFLICT);
        refused.says("Another account of this hub has this e-mail address.");
    }

    async fn a_forgotten_password_is_replaced_by_a_link(hub: &Hub, server: &MailServer) {
        let ada = hub.person("ada").await;
        confirm(&ada, server, "ada@example.org").await;
        hub.person("bob").await;
        let visitor = hub.visitor();
        visitor.get("/login").await.expect(StatusCode::OK).says("href=\"/forgot\"");
        let known = visitor.post("/forgot", &[("account", "ada@example.org")]).await.expect(StatusCode::OK);
        let mail = server.next().await;
        assert!(known.body.contains("Check your e-mail"));
        let others =
            [("bob", "without an address"), ("eve", "without an account"), ("eve@example.org", "unknown")];
        for (account, why) in others {
            let other = visitor.post("/forgot", &[("account", account)]).await.expect(StatusCode::OK);
            assert_eq!(main_of(&other.body).replace(account, "ada@example.org"), main_of(&known.body), "{why}");
        }
        visitor.post("/forgot", &[("account", "not a name")]).await.expect(StatusCode::UNPROCESSABLE_ENTITY);

        visitor.post("/reset", &[("token", mail.token()), ("password", NEW)]).await.expect(StatusCode::SEE_OTHER);
        assert!(!ada.is_signed_in().await);
        let notice = server.next().await;
        assert!(notice.to == "ada@example.org" && notice.text.contains("its password was changed"));
        visitor.sign_in("ada", NEW).await.expect(StatusCode::SEE_OTHER);
        assert!(server.is_empty().await, "the others got no message");
    }

    async fn a_link_to_a_new_password_ends_after_an_hour(hub: &Hub, server: &MailServer) {
        let ada = hub.person("ada").await;
        confirm(&ada, server, "ada@example.org").await;
        let visitor = hub.visitor();
        visitor.post("/forgot", &[("account", "ada")]).await.expect(StatusCode::OK);
        let mail = server.next().await;
        assert!(mail.text.contains("within an hour"));
        visitor.get(&format!("/{}", mail.path())).await.says("New password for @");
        ada.post("/settings/account/password", &[("current", PASSWORD), ("password", NEW)]).await
            .expect(StatusCode::SEE_OTHER);
        visitor.get(&format!("/{}", mail.path())).await.says("This link no longer works");
    }

    async fn the_old_address_is_told_of_a_new_one(hub: &Hub, server: &MailServer) {
        let ada = hub.person("ada").await;
        confirm(&ada, server, "ada@example.org").await;
        confirm(&ada, server, "countess@example.org").await;
        let notice = server.next().await;
        assert_eq!(notice.to, "ada@example.org");
        assert!(notice.text.contains("countess@example.org"), "{}", notice.text);

        let remove = "/settings/account/email/remove";
        ada.post(remove, &[("current", "not the right password")]).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        ada.post(remove, &[("current", PASSWORD)]).await.expect(StatusCode::SEE_OTHER);
        let notice = server.next().await;
        assert!(notice.to == "countess@example.org" && notice.text.contains("was removed"));
        ada.get("/settings/account").await.expect(StatusCode::OK).says("No e-mail address.");
    }

    async fn signing_up_with_an_address_sends_its_confirmation(hub: &Hub, server: &MailServer) {
        let visitor = hub.visitor();
        visitor.get("/signup").await.expect(StatusCode::OK).says("E-mail address");
        let fields = |email| [("name", "ada"), ("password", PASSWORD), ("email", email)];
        visitor.post("/signup", &fields("ada")).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        visitor.post("/signup", &fields("ada@example.org")).await.expect(StatusCode::SEE_OTHER);
        let mail = server.next().await;
        visitor.post("/email", &[("token", mail.token())]).await.expect(StatusCode::SEE_OTHER);
        visitor.get("/settings/account").await.says("ada@example.org");
    }

    async fn links_of_one_account_are_limited(hub: &Hub, server: &MailServer) {
        let ada = hub.person("ada").await;
        confirm(&ada, server, "ada@example.org").await;
        let mut statuses = Vec::new();
        for _ in 0..5 {
            statuses.push(ada.post(FORM, &[("email", "new@example.org"), ("current", PASSWORD)]).await.status);
        }
        assert_eq!(statuses.iter().filter(|status| **status == StatusCode::SEE_OTHER).count(), 4);
        assert_eq!(statuses.last(), Some(&StatusCode::TOO_MANY_REQUESTS));
    }

    async fn links_to_a_new_password_are_requested_so_often(hub: &Hub, _server: &MailServer) {
        let visitor = hub.visitor();
        for _ in 0..10 {
            visitor.post("/forgot", &[("account", "eve")]).await.expect(StatusCode::OK);
        }
        let limited = visitor.post("/forgot", &[("account", "eve")]).await.expect(StatusCode::TOO_MANY_REQUESTS);
        limited.says("Too many password reset links from here. Try again in");
    }

    async fn a_message_that_is_refused_is_shown_to_administrators(hub: &Hub, server: &MailServer) {
        let grace = hub.administrator("grace").await;
        let form = |email| [("email", email), ("current", PASSWORD)];
        grace.post(FORM, &form("grace@refused.example")).await.expect(StatusCode::SEE_OTHER);
        until(async || hub.inner().mail_status().failed == 1).await;
        grace.get("/admin").await.expect(StatusCode::OK).says("no such mailbox");
        grace.post(FORM, &form("grace@example.org")).await.expect(StatusCode::SEE_OTHER);
        server.next().await;
        until(async || hub.inner().mail_status().sent == 1).await;
        assert!(!grace.get("/admin").await.body.contains("no such mailbox"), "the next message was sent");
    }
}

/// Returns the content of a page without its header and scripts.
fn main_of(page: &str) -> &str {
    let main = page.split_once("<main").expect("the content").1;
    main.split_once("</main>").expect("the end of the content").0
}

/// Polls until `holds`, for at most 20 s.
async fn until(holds: impl AsyncFn() -> bool) {
    let polled = async {
        while !holds().await {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(20), polled).await.expect("in time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_sends_a_test_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = MailServer::start().await;
    let unset = plexus(folder.path(), &["mail", "test", "ada@example.org"]).await;
    assert!(stderr(&unset).contains("smtp_url is not set"), "{}", stderr(&unset));
    let url = server.url();
    let flags = ["mail", "--smtp-url", &url, "--mail-from", "plexus@example.org", "test"];
    let test = async |address: &str| plexus(folder.path(), &[flags.as_slice(), &[address]].concat()).await;
    let refused = test("ada@refused.example").await;
    assert!(
        !refused.status.success() && stderr(&refused).contains("no such mailbox"),
        "{}",
        stderr(&refused)
    );
    let sent = test("ada@example.org").await;
    assert_eq!(
        stdout(&sent),
        "The mail server accepted a message to ada@example.org.\n",
        "{}",
        stderr(&sent)
    );
    assert!(server.next().await.text.contains("Test message of Plexus"));
}

on_both! {
    async fn without_a_mail_server_an_administrator_is_named(hub: &Hub) {
        let ada = hub.person("ada").await;
        assert!(!ada.get("/settings/account").await.expect(StatusCode::OK).body.contains("E-mail address"));
        let fields = [("email", "ada@example.org"), ("current", PASSWORD)];
        ada.post(FORM, &fields).await.expect(StatusCode::CONFLICT);
        let visitor = hub.visitor();
        visitor.get("/login").await.expect(StatusCode::OK).says("Ask an administrator");
        visitor.get("/forgot").await.expect(StatusCode::OK).says("This hub sends no e-mail");
        visitor.post("/forgot", &[("account", "ada")]).await.expect(StatusCode::CONFLICT);
    }
}
