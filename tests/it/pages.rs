//! Tests that every page responds with the right status for each kind of user, and with its security headers.

use std::collections::BTreeSet;

use reqwest::StatusCode;

use crate::{
    client::{Answer, PASSWORD},
    events::answer_after,
    hub::{Hub, on_both},
};

/// Public pages.
const OPEN: [&str; 12] = [
    "/",
    "/agents",
    "/agents?q=calculator",
    "/agents?q=zzzzzz",
    "/@plexus",
    "/@plexus/calc",
    "/@plexus/calc/skills",
    "/@plexus/calc/versions",
    "/@plexus/calc/connect",
    "/shortcuts",
    "/login",
    "/signup",
];
/// Pages for signed-in users.
const OWN: [&str; 12] = [
    "/chat",
    "/chat?to=@plexus/calc",
    "/chat?to=@plexus/calc&temporary=yes",
    "/settings/account",
    "/settings/sessions",
    "/settings/tokens",
    "/settings/model-keys",
    "/register",
    "/register/address",
    "/register/import",
    "/chat?text=1",
    "/chat?to=@plexus/guide&text=a+b",
];

on_both! {
    async fn pages_answer_signed_in_and_out(hub: &Hub) {
        let (visitor, ada) = (hub.visitor(), hub.person("ada").await);
        for path in OPEN {
            check(path, &visitor.get(path).await.expect(StatusCode::OK));
            check(path, &ada.get(path).await.expect(StatusCode::OK));
        }
        for path in OWN {
            let answer = visitor.get(path).await.expect(StatusCode::SEE_OTHER);
            let next: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
            assert_eq!(answer.location(), format!("/login?next={next}"));
            let page = ada.get(path).await.expect(StatusCode::OK);
            assert_eq!(page.header("cache-control"), "no-store", "{path}");
            check(path, &page);
        }
        for path in ["/nothing", "/@nobody", "/@plexus/nothing"] {
            check(path, &visitor.get(path).await.expect(StatusCode::NOT_FOUND));
            check(path, &ada.get(path).await.expect(StatusCode::NOT_FOUND));
        }
        for path in ["/settings", "/settings/appearance"] {
            let status = ada.get(path).await.status.as_u16();
            assert!(matches!(status, 200 | 303), "{path}: {status}");
        }
    }

    async fn pages_of_a_chat_answer(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "1 + 1\n2 + 2").await;
        answer_after(&ada, &said.chat, 0).await;
        for path in ["", "?follow", "/rename", "/delete"] {
            let path = format!("/chat/{}{path}", said.chat);
            check(&path, &ada.get(&path).await.expect(StatusCode::OK));
            hub.visitor().get(&path).await.expect(StatusCode::SEE_OTHER);
        }
        for action in ["?edit=", "/retry?message=", "/compare?message=", "/delete-message?message="] {
            let path = format!("/chat/{}{action}{}", said.chat, said.message);
            check(&path, &ada.get(&path).await.expect(StatusCode::OK));
        }
        let refused = ada.post("/chat", &[("text", "")]).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        check("/chat", &refused);
        check("/login", &hub.visitor().sign_in("ada", "wrong").await);
    }

    async fn what_a_page_needs_is_served_and_kept(hub: &Hub) {
        let visitor = hub.visitor();
        let page = visitor.get("/").await.expect(StatusCode::OK).body;
        let files = page.split(['"', '#']).filter(|text| text.starts_with("/static/")).collect::<BTreeSet<_>>();
        assert!(files.len() >= 3, "{files:?}");
        for file in files {
            let answer = visitor.get(file).await.expect(StatusCode::OK);
            assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable", "{file}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
            assert!(!answer.body.is_empty());
            assert_ne!(answer.header("content-type"), "application/octet-stream", "{file}");
        }
        let old = visitor.get("/static/000000000000/style.css").await.expect(StatusCode::OK);
        assert_eq!(old.header("cache-control"), "no-store");
        for script in ["site.js", "events.js", "pkg/plexus.js", "pkg/plexus_bg.wasm"] {
            let old = visitor.get(&format!("/static/000000000000/{script}")).await.expect(StatusCode::NOT_FOUND);
            assert_eq!(old.header("cache-control"), "no-store", "{script}");
        }
    }

    async fn the_theme_is_a_choice_that_stays(hub: &Hub) {
        let visitor = hub.visitor();
        visitor.get("/").await.says("data-theme=\"system\"");
        let saved = visitor.post("/settings/appearance", &[("theme", "dark"), ("density", "compact")]).await;
        assert!(matches!(saved.status.as_u16(), 200 | 303), "{}", saved.status);
        if saved.header("set-cookie").contains("theme=") {
            visitor.get("/").await.says("data-theme=\"dark\"");
        }
    }

    async fn every_answer_has_its_own_nonce(hub: &Hub) {
        let visitor = hub.visitor();
        let mut seen = BTreeSet::new();
        for _ in 0..5 {
            let answer = visitor.get("/login").await;
            assert!(seen.insert(nonce(&answer).to_owned()));
            assert!(!answer.header("x-request-id").is_empty());
        }
        // A cached page must not contain the nonce of an earlier response.
        for path in ["/", "/agents"] {
            for _ in 0..3 {
                let answer = visitor.get(path).await;
                check(path, &answer);
                assert!(seen.insert(nonce(&answer).to_owned()), "{path}");
            }
        }
    }

    async fn signing_in_leads_back_and_nowhere_else(hub: &Hub) {
        let ada = hub.person("ada").await;
        for (next, lands) in [("/chat?to=@plexus/calc", "/chat?to=@plexus/calc"), ("https://evil.example", "/"), ("//evil.example", "/")] {
            let fields = [("name", "ada"), ("password", PASSWORD), ("next", next)];
            let answer = ada.post("/login", &fields).await.expect(StatusCode::SEE_OTHER);
            assert_eq!(answer.location(), lands);
            let cookie = answer.header("set-cookie");
            assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
        }
    }

    async fn signing_up_leads_back_and_nowhere_else(hub: &Hub) {
        let visitor = hub.visitor();
        let wanted = "next=%2Fchat%3Fto%3D%40plexus%2Fcalc";
        let login = visitor.get(&format!("/login?{wanted}")).await.expect(StatusCode::OK);
        for link in login.body.split("href=\"").skip(1).filter(|link| link.starts_with("/signup")) {
            let link = link.split('"').next().unwrap_or_default();
            let page = visitor.get(link).await.expect(StatusCode::OK);
            page.says("name=\"next\" value=\"/chat?to=@plexus/calc\"");
            page.says("/login?next=%2Fchat");
        }
        assert_eq!(login.body.matches("href=\"/signup?next=").count(), 2, "in the header and below the form");
        let places = [("ada", "/chat?to=@plexus/calc", "/chat?to=@plexus/calc"), ("bob", "//evil.example", "/")];
        for (name, next, lands) in places {
            let fields = [("name", name), ("password", PASSWORD), ("next", next)];
            let answer = hub.visitor().post("/signup", &fields).await.expect(StatusCode::SEE_OTHER);
            assert_eq!(answer.location(), lands);
        }
        let refused = visitor.post("/signup", &[("name", "a b"), ("password", PASSWORD), ("next", "/teams")]).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY).says("name=\"next\" value=\"/teams\"");
    }

    async fn administration_goes_back_to_the_search_and_says_what_was_done(hub: &Hub) {
        let (admin, _) = (hub.administrator("boss").await, hub.person("ada").await);
        let path = format!("/admin/users/{}", hub.account("ada").await);
        let fields = [("action", "suspend"), ("q", "a & b"), ("page", "2")];
        let answer = admin.post(&path, &fields).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(answer.location(), "/admin/users?page=2&q=a%20%26%20b");
        admin.get("/admin/users").await.expect(StatusCode::OK).says("User suspended.");
        let answer = admin.post(&path, &[("action", "restore"), ("page", "-1")]).await;
        assert_eq!(answer.expect(StatusCode::SEE_OTHER).location(), "/admin/users?page=1");
        admin.get("/admin/users").await.expect(StatusCode::OK).says("Make @ada an administrator?");
    }
}

/// Checks the security headers of a page, and that every script and style has its nonce.
#[track_caller]
fn check(path: &str, page: &Answer) {
    assert!(page.header("content-type").starts_with("text/html"), "{path}");
    assert_eq!(page.header("x-content-type-options"), "nosniff", "{path}");
    // A path of no route may be a mistyped secret.
    let is_secret = path == "/nothing"
        || plexus_server::SECRET_ROUTES.contains(&path.split('?').next().unwrap_or_default());
    let policy = if is_secret { "no-referrer" } else { "strict-origin-when-cross-origin" };
    assert_eq!(page.header("referrer-policy"), policy, "{path}");
    assert_eq!(page.header("cross-origin-opener-policy"), "same-origin", "{path}");
    let policy = page.header("content-security-policy");
    for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
        assert!(policy.contains(rule), "{path}: {policy}");
    }
    assert!(!policy.contains("unsafe-inline"), "{path}: {policy}");

    let attribute = format!("nonce=\"{}\"", nonce(page));
    for script in page.body.split("<script").skip(1) {
        let tag = script.split('>').next().unwrap_or_default();
        assert!(tag.contains(&attribute), "{path}: <script{tag}>");
    }
    for inline in ["<style", " style=\"", " onclick=", " onload=", " onsubmit=", "href=\"javascript:"] {
        assert!(!page.body.contains(inline), "{path} has {inline}");
    }
    assert!(page.body.starts_with("<!DOCTYPE html>") && page.body.ends_with("</html>"), "{path}");
    assert_eq!(page.body.matches("<h1").count(), 1, "{path} has one heading of the first rank");
    assert!(page.body.contains("<html lang=\"en\""), "{path}");
}

fn nonce(page: &Answer) -> &str {
    let policy = page.header("content-security-policy");
    policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce")
}
