//! Tests of conversation starters and of the featured agents on the home page.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    agent_lists::until_listed,
    client::{Answer, Client},
    events::{answer_after, text_in},
    hub::{Hub, on_both},
};

const FEATURED: &str = "<section class=\"featured\">";

/// Returns the address and the fields of the first starter that sends a text.
fn starter(page: &Answer, text: &str) -> (String, Vec<(String, String)>) {
    let forms =
        page.body.split("<form").filter(|form| form.contains(&format!("name=\"text\" value=\"{text}\"")));
    let form = forms.map(|form| form.split("</form>").next().unwrap_or_default()).next();
    let form = form.unwrap_or_else(|| panic!("no starter says {text}: {}", page.body));
    let value = |tag: &str, name: &str| {
        let (_, rest) = tag.split_once(&format!("{name}=\""))?;
        Some(rest.split('"').next().unwrap_or_default().to_owned())
    };
    let fields =
        form.split("<input").skip(1).filter_map(|tag| Some((value(tag, "name")?, value(tag, "value")?)));
    (value(form, "action").expect("an action"), fields.collect())
}

async fn press(client: &Client, page: &Answer, text: &str) -> Answer {
    let (action, fields) = starter(page, text);
    let fields: Vec<(&str, &str)> =
        fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    client.post(&action, &fields).await
}

/// Returns the addresses of the featured agents.
fn featured(page: &Answer) -> Vec<String> {
    let (_, section) = page.body.split_once(FEATURED).expect("featured agents");
    let section = section.split("</section>").next().unwrap_or_default();
    let links = section.split("href=\"/@").skip(1).filter_map(|rest| rest.split('"').next());
    links.map(|address| format!("@{address}")).collect()
}

async fn agent_id(hub: &Hub, admin: &Client, name: &str) -> String {
    let page = admin.get("/admin/agents").await.expect(StatusCode::OK).body;
    let rows = page.split("<tr").find(|row| row.contains(&format!("href=\"/@{name}\""))).expect("a row");
    let (_, rest) =
        rows.split_once("action=\"/admin/agents/").unwrap_or_else(|| panic!("{}: {rows}", hub.origin()));
    rest.split('"').next().unwrap_or_default().to_owned()
}

on_both! {
    async fn a_starter_begins_a_chat_at_once(hub: &Hub) {
        let ada = hub.person("ada").await;
        for path in ["/", "/@plexus/calc", "/chat?to=@plexus/calc"] {
            let page = ada.get(path).await.expect(StatusCode::OK);
            let begun = press(&ada, &page, "15% of 240").await.expect(StatusCode::SEE_OTHER);
            let chat = begun.location().trim_start_matches("/chat/").trim_end_matches("?follow").to_owned();
            let answer = answer_after(&ada, &chat, 0).await;
            assert_eq!(text_in(&answer), "`15% of 240` = **36**", "{path}");
        }
    }

    async fn a_visitor_begins_a_chat_on_the_page_of_the_agent(hub: &Hub) {
        for path in ["/", "/@plexus/calc"] {
            let visitor = hub.visitor();
            let page = visitor.get(path).await.expect(StatusCode::OK);
            let begun = press(&visitor, &page, "15% of 240").await.expect(StatusCode::SEE_OTHER);
            assert_eq!(begun.location(), "/@plexus/calc/chat");
            visitor.get(begun.location()).await.expect(StatusCode::OK).says("36");
        }
    }

    async fn a_bare_hub_features_its_own_agents(hub: &Hub) {
        let mut shown = featured(&hub.visitor().get("/").await.expect(StatusCode::OK));
        shown.sort();
        assert_eq!(shown, ["@plexus/calc", "@plexus/chart", "@plexus/guide", "@plexus/text"]);
    }

    async fn administrators_choose_the_featured_agents(hub: &Hub) {
        let (boss, ada) = (hub.administrator("boss").await, hub.person("ada").await);
        let text = format!("/admin/agents/{}", agent_id(hub, &boss, "plexus/text").await);
        let act = |action: &'static str| [("action", action)];
        ada.post(&text, &act("feature")).await.expect(StatusCode::FORBIDDEN);
        boss.post(&text, &act("feature")).await.expect(StatusCode::SEE_OTHER);
        boss.post(&text, &act("feature")).await.expect(StatusCode::CONFLICT).says("already featured");
        let home = ada.get("/").await.expect(StatusCode::OK);
        assert_eq!(featured(&home), ["@plexus/text"]);
        assert_eq!(home.body.matches("href=\"/@plexus/text\"").count(), 1, "no list names it again");
        home.says("href=\"/@plexus/calc\"");
        boss.get("/admin/audit").await.expect(StatusCode::OK).says("agent.feature");

        boss.post(&text, &[("action", "pause"), ("reason", "Repair")]).await.expect(StatusCode::SEE_OTHER);
        assert!(!featured(&ada.get("/").await).contains(&"@plexus/text".to_owned()), "a paused agent is not shown");
        boss.post(&text, &act("unfeature")).await.expect(StatusCode::SEE_OTHER);
        boss.post(&text, &act("unfeature")).await.expect(StatusCode::CONFLICT).says("not featured");
    }

    async fn only_listed_agents_are_featured_and_few_of_them(hub: &Hub) {
        let boss = hub.administrator("boss").await;
        let new = |name: &str, visibility: &str| json!({
            "attached": true, "name": name, "title": name, "summary": "Counts.", "visibility": visibility,
        });
        boss.call(Method::POST, "/agents", &new("hidden", "private")).await.expect(StatusCode::CREATED);
        let hidden = format!("/admin/agents/{}", agent_id(hub, &boss, "boss/hidden").await);
        let refused = boss.post(&hidden, &[("action", "feature")]).await.expect(StatusCode::CONFLICT);
        refused.says("Only public agents can be featured.");
        for number in 0..7 {
            let name = format!("clerk-{number}");
            boss.call(Method::POST, "/agents", &new(&name, "public")).await.expect(StatusCode::CREATED);
            until_listed(&boss, &format!("@boss/{name}")).await;
            let path = format!("/admin/agents/{}", agent_id(hub, &boss, &format!("boss/{name}")).await);
            let expected = if number < 6 { StatusCode::SEE_OTHER } else { StatusCode::CONFLICT };
            boss.post(&path, &[("action", "feature")]).await.expect(expected);
        }
        assert_eq!(featured(&boss.get("/").await).len(), 6);
    }
}
