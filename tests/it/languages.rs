//! Tests of the language of pages: the choice by header and cookie, the cache of pages, and pages that are not translated.

use reqwest::{StatusCode, header};

use crate::{
    client::{Answer, Client},
    hub::{Hub, on_both},
};

async fn accepting(client: &Client, path: &str, languages: &str) -> Answer {
    let request = client.request(reqwest::Method::GET, path).header(header::ACCEPT_LANGUAGE, languages);
    client.send(request).await.expect(StatusCode::OK)
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

    async fn pages_that_are_not_translated_say_that_they_are_english(hub: &Hub) {
        let ada = hub.person("ada").await;
        ada.post("/language", &[("language", "ar")]).await.expect(StatusCode::SEE_OTHER);
        let page = ada.get("/settings/tokens").await.expect(StatusCode::OK);
        page.says("<html lang=\"ar\" dir=\"rtl\"");
        page.says("<main id=\"main\" lang=\"en\" dir=\"ltr\">");
        page.says("<h1>Tokens</h1>");
        page.says("الإعدادات");
        let page = ada.get("/settings/appearance").await.expect(StatusCode::OK);
        page.says("<main id=\"main\">");
    }
}
