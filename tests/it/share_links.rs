//! Tests of share links of chats: what they show, which readers can continue, and when they end.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    chat::{seq, sheet},
    clerk,
    client::{Answer, Client, PASSWORD, Said, new_id, text_of},
    events::{Events, Screen, answer_after, read_text},
    hub::{Hub, on_both},
    tokens::make,
};

on_both! {
    async fn anybody_reads_a_shared_chat_up_to_its_end(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = asked(&ada, "17 * 3").await;
        let link = share(&ada, &said.chat, &json!({})).await;
        assert_eq!((&link["title"], &link["chat"]), (&json!("17 * 3"), &json!(said.chat)));
        assert!(link["expires"].as_i64().expect("30 days") > link["created"].as_i64().expect("now"));
        let at = seq(&ada, &said.chat).await;
        ada.say(&said.chat, "1000 + 1").await;
        answer_after(&ada, &said.chat, at).await;

        let visitor = hub.visitor();
        let page = read(&visitor, &link).await.expect(StatusCode::OK);
        for words in [">17 * 3</div>", "51", "shared by <strong dir=\"auto\">ada</strong>", "href=\"/@plexus/calc\"", "Sign in to continue"] {
            page.says(words);
        }
        page.says("<meta property=\"og:title\" content=\"17 * 3\">");
        page.says("<meta property=\"og:description\" content=\"17 * 3\">");
        let picture = format!("{}/picture.png", text_of(&link["url"]));
        page.says(&format!("<meta property=\"og:image\" content=\"{picture}\">"));
        let path = picture.strip_prefix(hub.origin()).expect("of this hub");
        let drawn = visitor.request(Method::GET, path).send().await.expect("it answers");
        assert_eq!((drawn.status(), drawn.headers()["content-type"].as_bytes()), (StatusCode::OK, &b"image/png"[..]));
        let drawn = image::load_from_memory(&drawn.bytes().await.expect("whole")).expect("a picture");
        assert_eq!((drawn.width(), drawn.height()), (1_200, 630));
        page.says("<meta name=\"robots\" content=\"noindex, nofollow\">");
        assert_eq!(page.header("x-robots-tag"), "noindex, nofollow");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("cache-control"), "no-store");
        for hidden in ["1000", "1001", &said.chat, "<form", "composer"] {
            let shown = page.body.split_once("<main").expect("a page").1;
            // The footer has a form for the language.
            let shown = shown.split_once("</main>").expect("a page").0;
            assert!(!shown.contains(hidden), "{hidden}: {shown}");
        }
        let listed = ada.api(&format!("/shares?chat={}", said.chat)).await;
        assert_eq!(listed["items"], json!([link]));
        ada.get("/settings/shares").await.expect(StatusCode::OK).says(&text_of(&link["url"]));
    }

    async fn a_link_shows_one_branch(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = asked(&ada, "1 + 1").await;
        let at = seq(&ada, &said.chat).await;
        let edit = json!({ "id": new_id(), "edits": said.message, "text": "20 + 2" });
        ada.try_say(&said.chat, &edit).await.expect(StatusCode::ACCEPTED);
        answer_after(&ada, &said.chat, at).await;
        let current = share(&ada, &said.chat, &json!({})).await;
        let other = share(&ada, &said.chat, &json!({ "message": said.message })).await;
        let at = seq(&ada, &said.chat).await;
        let retry = format!("/messages/{}/retry", text_of(&other["last_message"]));
        ada.call(Method::POST, &retry, &json!({})).await.expect(StatusCode::ACCEPTED);
        answer_after(&ada, &said.chat, at).await;
        let (current, other) = (main(&read(&ada, &current).await), main(&read(&ada, &other).await));
        assert!(current.contains(">20 + 2</div>") && !current.contains(">1 + 1</div>"), "{current}");
        assert!(other.contains(">1 + 1</div>") && !other.contains(">20 + 2</div>"), "{other}");
        assert_eq!(other.matches("<article ").count(), 2, "a later alternative is not part of it");
    }

    async fn only_the_creator_of_a_chat_shares_it(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let said = asked(&ada, "1 + 1").await;
        let path = format!("/chats/{}/share", said.chat);
        eve.call(Method::POST, &path, &json!({})).await.expect(StatusCode::NOT_FOUND);
        eve.get(&format!("/chat/{}/share", said.chat)).await.expect(StatusCode::NOT_FOUND);
        eve.post(&format!("/chat/{}/share", said.chat), &[("days", "1")]).await.expect(StatusCode::NOT_FOUND);
        hub.visitor().call(Method::POST, &path, &json!({})).await.expect(StatusCode::UNAUTHORIZED);
        hub.visitor().call(Method::GET, "/shares?chat=", &json!({})).await.expect(StatusCode::UNAUTHORIZED);
        let reader = ada.with_token(&make(&ada, &["read"]).await);
        reader.call(Method::POST, &path, &json!({})).await.expect(StatusCode::FORBIDDEN);
        let foreign = json!({ "message": asked(&eve, "2 + 2").await.message });
        ada.call(Method::POST, &path, &foreign).await.expect(StatusCode::NOT_FOUND);
        for days in [366, 40_000] {
            let refused = ada.call(Method::POST, &path, &json!({ "expires_in_days": days })).await;
            assert_eq!(refused.expect(StatusCode::UNPROCESSABLE_ENTITY).json()["error"]["field"], "expires_in_days");
        }
        let link = share(&ada, &said.chat, &json!({})).await;
        let id = text_of(&link["id"]);
        eve.call(Method::DELETE, &format!("/shares/{id}"), &json!({})).await.expect(StatusCode::NOT_FOUND);
        eve.post("/settings/shares/revoke", &[("id", &id)]).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(eve.api("/shares").await["items"], json!([]));
        read(&eve, &link).await.expect(StatusCode::OK);
    }

    async fn an_answer_in_progress_is_not_shared(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", &sheet()).await;
        let (mut screen, mut events) = (Screen::default(), Events::open(&ada, &said.chat, 0).await);
        read_text(&mut events, &mut screen, 100).await;
        let path = format!("/chats/{}/share", said.chat);
        ada.call(Method::POST, &path, &json!({})).await.expect(StatusCode::CONFLICT);
        ada.call(Method::POST, &format!("/runs/{}/stop", said.run), &json!({})).await.expect(StatusCode::ACCEPTED);
    }

    async fn a_link_ends_when_it_is_revoked_or_expires(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = asked(&ada, "1 + 1").await;
        let (revoked, expired) = (share(&ada, &said.chat, &json!({})).await, share(&ada, &said.chat, &json!({ "expires_in_days": 1 })).await);
        let forever = share(&ada, &said.chat, &json!({ "expires_in_days": 0 })).await;
        assert!(forever["expires"].is_null());
        ada.call(Method::DELETE, &format!("/shares/{}", text_of(&revoked["id"])), &json!({})).await.expect(StatusCode::NO_CONTENT);
        hub.sql("update chat_share_links set expires_at = 1 where expires_at is not null").await;
        assert_ended(hub, &revoked).await;
        assert_ended(hub, &expired).await;
        assert_eq!(ada.api("/shares").await["items"], json!([forever]));
        hub.tidy().await;
        assert_eq!(hub.number("select count(*) from chat_share_links").await, 1);

        let page = format!("/chat/{}/share", said.chat);
        ada.get(&page).await.expect(StatusCode::OK).says(&text_of(&forever["url"]));
        let form = [("id", text_of(&forever["id"])), ("back", page.clone())];
        let form = [("id", form[0].1.as_str()), ("back", form[1].1.as_str())];
        let back = ada.post("/settings/shares/revoke", &form).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(back.location(), page);
        assert_ended(hub, &forever).await;
        let made = ada.post(&page, &[("days", "7")]).await.expect(StatusCode::SEE_OTHER);
        ada.get(made.location()).await.expect(StatusCode::OK).says("Link created");
        ada.post(&page, &[("days", "x")]).await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Choose when the link expires");
    }

    async fn deletion_takes_a_message_or_the_chat_out_of_the_link(hub: &Hub) {
        let boss = hub.administrator("grace").await;
        let url = clerk::serve(vec![clerk::words("A secret."), clerk::file("a.txt", "text/plain", "inside")]).await;
        clerk::register(&boss, &url, "clerk").await;
        let said = boss.begin("@grace/clerk", "tell me").await;
        let answer = answer_after(&boss, &said.chat, 0).await;
        let link = share(&boss, &said.chat, &json!({})).await;
        let visitor = hub.visitor();
        let page = read(&visitor, &link).await.expect(StatusCode::OK);
        page.says("A secret.");
        let files = format!("/share/{}/files/", text_of(&link["id"]));
        let sha256 = page.body.split_once(&files).expect("a file").1;
        let file = format!("{files}{}", &sha256[..64]);
        assert_eq!(visitor.get(&file).await.expect(StatusCode::OK).body, "inside");
        visitor.get(&format!("/blobs/{}", &sha256[..64])).await.expect(StatusCode::SEE_OTHER);

        let message = format!("/messages/{}", text_of(&answer["id"]));
        boss.call(Method::DELETE, &message, &json!({})).await.expect(StatusCode::NO_CONTENT);
        let page = read(&visitor, &link).await.expect(StatusCode::OK);
        page.says("This message was deleted.");
        assert!(!page.body.contains("A secret."), "{}", page.body);
        visitor.get(&file).await.expect(StatusCode::NOT_FOUND);
        boss.call(Method::DELETE, &format!("/chats/{}", said.chat), &json!({})).await.expect(StatusCode::NO_CONTENT);
        assert_ended(hub, &link).await;
    }

    async fn links_of_suspended_and_leaving_accounts_stop(hub: &Hub) {
        let (admin, ada) = (hub.administrator("boss").await, hub.person("ada").await);
        let said = asked(&ada, "1 + 1").await;
        let link = share(&ada, &said.chat, &json!({})).await;
        let path = format!("/admin/users/{}", hub.account("ada").await);
        admin.post(&path, &[("action", "suspend")]).await.expect(StatusCode::SEE_OTHER);
        assert_ended(hub, &link).await;
        admin.post(&path, &[("action", "restore")]).await.expect(StatusCode::SEE_OTHER);
        read(&hub.visitor(), &link).await.expect(StatusCode::OK);
        ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
        let fields = [("name", "ada"), ("current", PASSWORD)];
        ada.post("/settings/account/delete", &fields).await.expect(StatusCode::SEE_OTHER);
        assert_ended(hub, &link).await;
        hub.sql("update accounts set purge_at = 1 where purge_at is not null").await;
        hub.tidy().await;
        assert_eq!(hub.number("select count(*) from chat_share_links").await, 0);
    }

    async fn nothing_in_a_shared_chat_is_a_script(hub: &Hub) {
        const SCRIPT: &str = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'";
        let boss = hub.administrator("grace").await;
        let url = clerk::serve(vec![clerk::words(SCRIPT), clerk::file("<script>x</script>.html", "text/html", SCRIPT)]).await;
        clerk::register(&boss, &url, "clerk").await;
        let said = boss.begin("@grace/clerk", SCRIPT).await;
        answer_after(&boss, &said.chat, 0).await;
        boss.call(Method::PATCH, &format!("/chats/{}", said.chat), &json!({ "title": SCRIPT })).await.expect(StatusCode::NO_CONTENT);
        let link = share(&boss, &said.chat, &json!({})).await;
        for path in [format!("/share/{}", text_of(&link["id"])), format!("/chat/{}/print", said.chat), format!("/chat/{}/share", said.chat)] {
            let page = boss.get(&path).await.expect(StatusCode::OK);
            let main = main(&page);
            assert!(!main.contains("<script") && !main.contains("<img"), "{main}");
            assert!(!page.body.contains("<script>alert") && !page.body.contains("content=\"<script>alert(1)</script><img src=x onerror=alert(2)>\"'"), "{}", page.body);
        }
        let page = read(&boss, &link).await.expect(StatusCode::OK);
        let file = page.body.split_once("/files/").expect("a file").1;
        let file = hub.visitor().get(&format!("/share/{}/files/{}", text_of(&link["id"]), &file[..64])).await.expect(StatusCode::OK);
        assert_eq!(file.header("content-type"), "application/octet-stream");
        assert!(file.header("content-disposition").starts_with("attachment"));
    }

    async fn a_private_agent_stays_unknown(hub: &Hub) {
        let (boss, ada) = (hub.administrator("grace").await, hub.person("ada").await);
        let url = clerk::serve(vec![clerk::words("From inside.")]).await;
        clerk::register(&boss, &url, "clerk").await;
        boss.call(Method::PATCH, "/agents/grace/clerk", &json!({ "visibility": "private" })).await.expect(StatusCode::OK);
        let said = boss.begin("@grace/clerk", "hello").await;
        answer_after(&boss, &said.chat, 0).await;
        let link = share(&boss, &said.chat, &json!({})).await;
        let page = main(&read(&hub.visitor(), &link).await);
        assert!(page.contains("From inside.") && page.contains("Private agent"), "{page}");
        assert!(!page.contains("clerk") && !page.contains("Clerk"), "{page}");
        let copy = go_on(&ada, &link).await;
        let copied = ada.get(&format!("/chat/{copy}")).await.expect(StatusCode::OK);
        copied.says("From inside.");
        assert!(!main(&copied).contains("lerk"), "{}", copied.body);
        let owns = go_on(&boss, &link).await;
        assert_eq!(boss.api(&format!("/chats/{owns}")).await["messages"][1]["author"]["address"], "@grace/clerk");
    }

    async fn a_reader_continues_a_copy_of_their_own(hub: &Hub) {
        let (ada, eve) = (hub.person("ada").await, hub.person("eve").await);
        let said = asked(&ada, "side = 3 m").await;
        let link = share(&ada, &said.chat, &json!({})).await;
        let path = format!("/share/{}/continue", text_of(&link["id"]));
        hub.visitor().post(&path, &[]).await.expect(StatusCode::UNAUTHORIZED);
        read(&eve, &link).await.expect(StatusCode::OK).says("Continue as your own copy");
        let opened = eve.post(&path, &[]).await.expect(StatusCode::SEE_OTHER);
        let page = eve.get(opened.location()).await.expect(StatusCode::OK);
        page.says("This is your own copy");
        let copy = opened.location().rsplit('/').next().expect("an id").to_owned();
        let chat = eve.api(&format!("/chats/{copy}")).await;
        assert_eq!(chat["messages"][0]["author"], json!({ "kind": "person", "name": "ada" }));
        let at = seq(&eve, &copy).await;
        eve.say(&copy, "side^2").await;
        assert_eq!(answer_after(&eve, &copy, at).await["parts"][0]["text"], "`side^2` = **9 m^2**");

        ada.get(&format!("/chat/{copy}")).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(ada.api("/chats").await["items"].as_array().map(Vec::len), Some(1), "the copy is not in Ada's list");
        assert_eq!(ada.api(&format!("/chats/{}", said.chat)).await["messages"].as_array().map(Vec::len), Some(2));
        ada.call(Method::DELETE, &format!("/chats/{}", said.chat), &json!({})).await.expect(StatusCode::NO_CONTENT);
        let kept = eve.api(&format!("/chats/{copy}")).await;
        assert_eq!(kept["messages"].as_array().map(Vec::len), Some(4), "the copy stays");
        eve.post(&path, &[]).await.expect(StatusCode::NOT_FOUND);
        let forked = format!("/messages/{}/fork", text_of(&kept["messages"][3]["id"]));
        eve.call(Method::POST, &forked, &json!({})).await.expect(StatusCode::CREATED);
        assert_eq!(ada.api("/chats").await["items"], json!([]));
    }

    async fn links_are_made_and_read_so_often(hub: &Hub, [("PLEXUS_RATE_LIMIT_SCALE", "1"), ("PLEXUS_LIMIT_SHARE_LINKS", "1/1h"), ("PLEXUS_LIMIT_SHARED_LINKS", "2/1h")]) {
        let ada = hub.person("ada").await;
        let said = asked(&ada, "1 + 1").await;
        let link = share(&ada, &said.chat, &json!({})).await;
        let again = ada.call(Method::POST, &format!("/chats/{}/share", said.chat), &json!({})).await;
        again.refusal(StatusCode::TOO_MANY_REQUESTS);
        let visitor = hub.visitor();
        for _ in 0..2 {
            read(&visitor, &link).await.expect(StatusCode::OK);
        }
        read(&visitor, &link).await.expect(StatusCode::TOO_MANY_REQUESTS);
    }
}

/// Starts a chat with one answer.
async fn asked(client: &Client, text: &str) -> Said {
    let said = client.begin("@plexus/calc", text).await;
    answer_after(client, &said.chat, 0).await;
    said
}

async fn share(client: &Client, chat: &str, body: &Value) -> Value {
    client.call(Method::POST, &format!("/chats/{chat}/share"), body).await.expect(StatusCode::CREATED).json()
}

async fn read(client: &Client, link: &Value) -> Answer {
    let (url, id) = (text_of(&link["url"]), text_of(&link["id"]));
    assert!(url.ends_with(&format!("/share/{id}")), "{url}");
    client.get(&format!("/share/{id}")).await
}

async fn go_on(client: &Client, link: &Value) -> String {
    let path = format!("/shares/{}/continue", text_of(&link["id"]));
    text_of(&client.call(Method::POST, &path, &json!({})).await.expect(StatusCode::CREATED).json()["chat"])
}

/// Asserts that a link looks like one that never existed.
async fn assert_ended(hub: &Hub, link: &Value) {
    let visitor = hub.visitor();
    let page = read(&visitor, link).await.expect(StatusCode::NOT_FOUND);
    assert_eq!(page.header("x-robots-tag"), "noindex, nofollow");
    let never = visitor.get("/share/none").await.expect(StatusCode::NOT_FOUND);
    assert_eq!(error(&page), error(&never));
}

fn error(page: &Answer) -> String {
    let main = main(page);
    main.split("</h1>").nth(1).unwrap_or_default().split("</p>").next().unwrap_or_default().to_owned()
}

fn main(page: &Answer) -> String {
    let (_, main) = page.body.split_once("<main").expect("a page");
    main.split_once("</main>").expect("its end").0.to_owned()
}
