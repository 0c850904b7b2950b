//! Tests of the language of pages: the choice by header and cookie, the cache of pages, pages that are not translated, and
//! the events and errors that pages of chats show.

use reqwest::{Method, StatusCode, header};
use serde_json::json;

use crate::{
    chat::seq,
    client::{Answer, Client, new_id, text_of},
    events::{Events, answer_after},
    hub::{Hub, on_both},
    rooms::pair,
    tokens::make,
};

async fn accepting(client: &Client, path: &str, languages: &str) -> Answer {
    let request = client.request(reqwest::Method::GET, path).header(header::ACCEPT_LANGUAGE, languages);
    client.send(request).await.expect(StatusCode::OK)
}

async fn choose(client: &Client, language: &str) {
    client.post("/language", &[("language", language)]).await.expect(StatusCode::SEE_OTHER);
}

/// Waits for the end of an answer, and returns its article.
async fn article_of(events: &mut Events) -> String {
    loop {
        let event = events.next().await.expect("the stream goes on");
        if event.name == "message_completed" {
            return text_of(&event.data["html"]);
        }
    }
}

on_both! {
    async fn the_browser_chooses_the_language_until_the_reader_does(hub: &Hub) {
        let visitor = hub.visitor();
        visitor.get("/login").await.says("<html lang=\"en\" data-theme");
        let german = accepting(&visitor, "/login", "fr, de-AT;q=0.9, en;q=0.8").await;
        german.says("<html lang=\"de\"");
        german.says("Passwort");
        assert_eq!(german.header("content-language"), "de");
        assert!(german.header("vary").contains("accept-language"), "{}", german.header("vary"));
        accepting(&visitor, "/login", "tlh, fr;q=0.9").await.says("<html lang=\"en\"");

        let saved = visitor.post("/language", &[("language", "ar"), ("next", "/agents?q=calculator")]).await;
        assert_eq!(saved.expect(StatusCode::SEE_OTHER).location(), "/agents?q=calculator");
        let arabic = accepting(&visitor, "/login", "de").await;
        arabic.says("<html lang=\"ar\" dir=\"rtl\"");
        arabic.says("كلمة المرور");

        let automatic = [("theme", "dark"), ("density", "compact"), ("single_keys", "on"), ("language", "auto")];
        visitor.post("/settings/appearance", &automatic).await.expect(StatusCode::SEE_OTHER);
        accepting(&visitor, "/login", "zh-CN").await.says("<html lang=\"zh-Hans\"");
    }

    async fn the_form_of_the_language_leads_nowhere_else(hub: &Hub) {
        let visitor = hub.visitor();
        for next in ["https://evil.example", "//evil.example", "/\\evil.example", ""] {
            let saved = visitor.post("/language", &[("language", "de"), ("next", next)]).await;
            assert_eq!(saved.expect(StatusCode::SEE_OTHER).location(), "/", "{next}");
        }
        visitor.post("/language", &[("language", "<script>")]).await.expect(StatusCode::SEE_OTHER);
        visitor.get("/").await.says("<html lang=\"en\"");
    }

    async fn cached_pages_of_different_languages_do_not_mix(hub: &Hub) {
        let visitor = hub.visitor();
        for path in ["/", "/agents", "/@plexus/calc", "/@plexus/calc/skills"] {
            for _ in 0..2 {
                for (languages, tag) in [("de", "de"), ("ar", "ar"), ("zh", "zh-Hans"), ("en", "en")] {
                    let page = accepting(&visitor, path, languages).await;
                    page.says(&format!("<html lang=\"{tag}\""));
                    assert_eq!(page.header("content-language"), tag, "{path}");
                    let is_german = page.body.contains("Über diesen Hub");
                    assert_eq!(is_german, tag == "de", "{path} in {tag}");
                }
            }
        }
    }

    async fn a_huge_header_is_read_up_to_a_bound(hub: &Hub) {
        let visitor = hub.visitor();
        let huge = format!("{}de", "fr;q=0.9,".repeat(800));
        accepting(&visitor, "/login", &huge).await.says("<html lang=\"en\"");
        accepting(&visitor, "/login", &format!("de,{huge}")).await.says("<html lang=\"de\"");
        accepting(&visitor, "/login", ";;,=q,*;q=9").await.says("<html lang=\"en\"");
    }

    async fn errors_of_forms_and_error_pages_are_translated(hub: &Hub) {
        let visitor = hub.visitor();
        visitor.post("/language", &[("language", "de")]).await.expect(StatusCode::SEE_OTHER);
        let refused = visitor.sign_in("ada", "wrong").await;
        refused.says("Name oder Passwort ist falsch.");
        let missing = visitor.get("/nothing").await.expect(StatusCode::NOT_FOUND);
        missing.says("Nicht gefunden");
        let signup = [("name", "a b"), ("password", "short")];
        let refused = visitor.post("/signup", &signup).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("Verwenden Sie mindestens 15 Zeichen");
        refused.says("Bitte korrigieren Sie die folgenden Fehler");
    }

    async fn settings_and_their_errors_are_translated(hub: &Hub) {
        let ada = hub.person("ada").await;
        ada.post("/language", &[("language", "de")]).await.expect(StatusCode::SEE_OTHER);
        let page = ada.get("/settings/tokens").await.expect(StatusCode::OK);
        page.says("<h1>Token</h1>");
        page.says("Ihre Chats und Agenten lesen");
        assert!(!page.body.contains("lang=\"en\" dir=\"ltr\""), "{}", page.body);
        let form = [("name", ""), ("days", "90"), ("scope", "read")];
        let refused = ada.post("/settings/tokens", &form).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("Geben Sie einen Tokennamen mit 1 bis 60 Zeichen ein.");
        for (path, text) in [
            ("/settings/account", "Konto löschen"),
            ("/settings/sessions", "Diese Sitzung"),
            ("/settings/shares", "Exportierte Datei"),
            ("/settings/usage", "Keine Nutzung in diesem Zeitraum"),
        ] {
            let page = ada.get(path).await.expect(StatusCode::OK);
            page.says("<main id=\"main\">");
            page.says(text);
        }
    }

    async fn registration_and_its_errors_are_translated(hub: &Hub) {
        let ada = hub.person("ada").await;
        ada.post("/language", &[("language", "zh-Hans")]).await.expect(StatusCode::SEE_OTHER);
        ada.get("/register").await.says("选择你拥有的内容。");
        ada.get("/register/http").await.says("占位符：{{message}} 要回答的消息");
        let form = [
            ("name", "tide"),
            ("title", ""),
            ("summary", "Tides."),
            ("method", "POST"),
            ("url", "https://agents.example.org/ask"),
            ("body", "{\"question\":\"{{message}}\"}"),
            ("response_format", "json"),
        ];
        let refused = ada.post("/register/http", &form).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("标题须为 1 到 60 个字符。");
    }

    async fn teams_and_their_errors_are_translated(hub: &Hub) {
        let ada = hub.person("ada").await;
        ada.post("/language", &[("language", "de")]).await.expect(StatusCode::SEE_OTHER);
        ada.get("/teams").await.says("Diskussion: Die Mitglieder diskutieren, eines fasst zusammen");
        let form = [("goal", "Count."), ("members", "tides")];
        let refused = ada.post("/teams", &form).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("tides ist keine Agentenadresse. Verwenden Sie die Form @ada/tide.");
    }

    async fn network_and_administration_are_translated(hub: &Hub) {
        let boss = hub.administrator("boss").await;
        boss.post("/language", &[("language", "de")]).await.expect(StatusCode::SEE_OTHER);
        boss.get("/network").await.says("Die Föderation ist deaktiviert");
        for (path, text) in [
            ("/admin", "Letzte Sicherung"),
            ("/admin/setup", "Dem Netzwerk beitreten"),
            ("/admin/users", "Teil eines Namens"),
            ("/admin/agents", "Läufe heute"),
            ("/admin/models", "Auf diesem Rechner oder im Netzwerk"),
            ("/admin/usage", "Monatsbudget"),
            ("/admin/network", "Regelliste abonnieren"),
            ("/admin/audit", "Prüfprotokoll filtern"),
        ] {
            let page = boss.get(path).await.expect(StatusCode::OK);
            page.says(text);
            page.says("<main id=\"main\">");
        }
        let refused = boss.post("/admin/origins", &[("origin", "https://a.example/path")]).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Geben Sie nur Schema, Host und Port ein");
    }

    async fn pages_that_are_not_translated_say_that_they_are_english(hub: &Hub) {
        let ada = hub.person("ada").await;
        ada.post("/language", &[("language", "ar")]).await.expect(StatusCode::SEE_OTHER);
        let page = ada.get("/docs/use").await.expect(StatusCode::OK);
        page.says("<html lang=\"ar\" dir=\"rtl\"");
        page.says("<main id=\"main\" lang=\"en\" dir=\"ltr\">");
        page.says("التوثيق");
        let page = ada.get("/settings/appearance").await.expect(StatusCode::OK);
        page.says("<main id=\"main\">");
    }
    async fn pages_of_a_chat_are_translated(hub: &Hub) {
        let ada = hub.person("ada").await;
        choose(&ada, "de").await;
        let new = ada.get("/chat").await.expect(StatusCode::OK);
        new.says("<main id=\"main\">");
        new.says("Wer soll antworten?");
        let chat = ada.begin("@plexus/calc", "1 + 1").await.chat;
        answer_after(&ada, &chat, 0).await;
        let page = ada.get(&format!("/chat/{chat}")).await.expect(StatusCode::OK);
        page.says("<main id=\"main\">");
        for text in ["Neuer Chat", "Antwort von calc", "Wiederholen", "Nachricht an calc", "In Ordner verschieben", "antwortet …"] {
            page.says(text);
        }
        for path in ["/chat/all", "/chat/archived", "/chat/deleted", "/chat/search?q=1", "/chat/invitations"] {
            ada.get(path).await.expect(StatusCode::OK).says("<main id=\"main\">");
        }
        for page in ["people", "rename", "folder", "delete", "share", "print"] {
            ada.get(&format!("/chat/{chat}/{page}")).await.expect(StatusCode::OK).says("<main id=\"main\">");
        }
    }

    async fn notices_and_form_errors_of_a_chat_are_translated(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = ada.begin("@plexus/calc", "1 + 1").await.chat;
        choose(&ada, "zh-Hans").await;
        let pinned = ada.post(&format!("/chat/{chat}/pin"), &[("pinned", "yes")]).await;
        ada.get(pinned.expect(StatusCode::SEE_OTHER).location()).await.says("对话已置顶，会保持在列表顶部。");
        let renamed = ada.post(&format!("/chat/{chat}/rename"), &[("title", "")]).await;
        renamed.expect(StatusCode::UNPROCESSABLE_ENTITY).says("标题为 1 到 120 个字符。");
        let invited = [("action", "invite"), ("user", "carl<b>"), ("role", "member"), ("days", "7")];
        let refused = ada.post(&format!("/chat/{chat}/people"), &invited).await;
        refused.says("此 Hub 上没有用户 carl&lt;b&gt;。请检查名称。");
    }

    async fn errors_of_the_api_are_translated_for_pages_only(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = ada.begin("@plexus/calc", "1 + 1").await.chat;
        let empty = json!({ "id": new_id(), "text": " " });
        let program = ada.with_token(&make(&ada, &["chat", "read"]).await);
        choose(&ada, "de").await;
        let refused = ada.try_say(&chat, &empty).await;
        assert_eq!(refused.header("content-language"), "de");
        let (code, message) = refused.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!((code.as_str(), message.as_str()), ("invalid", "Schreiben Sie zuerst etwas."));

        let request = program.request(Method::POST, &format!("/api/v1/chats/{chat}/messages"));
        let refused = program.send(request.header(header::ACCEPT_LANGUAGE, "de").json(&empty)).await;
        let (_, message) = refused.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(message, "Write something first.");
    }

    async fn each_reader_of_a_room_gets_articles_in_their_language(hub: &Hub) {
        let (ada, bob, chat) = pair(hub).await;
        choose(&ada, "de").await;
        choose(&bob, "zh-Hans").await;
        let phone = ada.at(ada.origin());
        choose(&phone, "en").await;
        let at = seq(&ada, &chat).await;
        let mut german = Events::open(&ada, &chat, at).await;
        let mut chinese = Events::open(&bob, &chat, at).await;
        let mut english = Events::open(&phone, &chat, at).await;
        bob.say(&chat, "2 + 3").await;
        let articles =
            [article_of(&mut german).await, article_of(&mut chinese).await, article_of(&mut english).await];
        let labels = ["Wiederholen", "重试", "Retry"];
        for (reader, article) in articles.iter().enumerate() {
            assert!(article.contains("<strong>5</strong>"), "{article}");
            for (language, label) in labels.iter().enumerate() {
                assert_eq!(article.contains(label), language == reader, "{label}: {article}");
            }
        }
    }
}
