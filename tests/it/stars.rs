//! Tests of starring agents: over the API, over JSON-RPC and on pages.

use std::collections::BTreeSet;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client, PASSWORD, text_of},
    hub::{Hub, on_both},
    rpc::{call, code},
    tokens::make,
};

/// Model settings. No server listens there, but agents can be registered.
pub const MODEL: [(&str, &str); 2] =
    [("PLEXUS_LLM_BASE_URL", "http://127.0.0.1:9/v1"), ("PLEXUS_LLM_MODEL", "small")];
/// Maximum stars per user.
const MAX_ITEMS: usize = 500;

on_both! {
    async fn a_star_is_given_and_taken_back(hub: &Hub) {
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        for _ in 0..2 {
            star(&ada, "plexus/calc").await;
        }
        star(&ada, "@plexus/guide").await;
        star(&bob, "plexus/calc").await;
        assert_eq!(starred(&ada, "").await, ["@plexus/guide", "@plexus/calc"], "the newest first");
        assert_eq!(starred(&bob, "").await, ["@plexus/calc"]);
        assert_eq!(shown(&ada, "plexus/calc").await, (json!(2), json!(true)));
        assert_eq!(shown(&bob, "plexus/guide").await, (json!(1), json!(false)));

        for _ in 0..2 {
            unstar(&ada, "plexus/calc").await.expect(StatusCode::NO_CONTENT);
        }
        assert_eq!(starred(&ada, "").await, ["@plexus/guide"]);
        assert_eq!(shown(&ada, "plexus/calc").await, (json!(1), json!(false)));
    }

    async fn what_may_not_be_seen_is_not_starred(hub: &Hub, [MODEL[0], MODEL[1]]) {
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        register(&ada, "light", "public").await;
        register(&ada, "secret", "private").await;
        for agent in ["ada/secret", "ada/none"] {
            let refused = turn(&bob, Method::PUT, agent).await;
            assert_eq!(refused.refusal(StatusCode::NOT_FOUND).0, "not_found");
            unstar(&bob, agent).await.refusal(StatusCode::NOT_FOUND);
        }
        star(&ada, "ada/secret").await;
        star(&bob, "ada/light").await;
        star(&bob, "plexus/calc").await;

        let private = json!({ "visibility": "private" });
        ada.call(Method::PATCH, "/agents/ada/light", &private).await.expect(StatusCode::OK);
        assert_eq!(starred(&bob, "").await, ["@plexus/calc"]);
        assert!(!bob.get("/agents?starred=true").await.expect(StatusCode::OK).body.contains("@ada/light"));
        unstar(&bob, "ada/light").await.expect(StatusCode::NO_CONTENT);
        unstar(&bob, "ada/light").await.refusal(StatusCode::NOT_FOUND);
        assert_eq!(starred(&ada, "").await, ["@ada/secret"], "its owner sees it");
    }

    async fn stars_are_for_those_who_may(hub: &Hub) {
        let ada = hub.person("ada").await;
        let visitor = hub.visitor();
        for method in [Method::PUT, Method::DELETE] {
            turn(&visitor, method.clone(), "plexus/calc").await.refusal(StatusCode::UNAUTHORIZED);
            let reader = ada.with_token(&make(&ada, &["read", "chat"]).await);
            turn(&reader, method, "plexus/calc").await.refusal(StatusCode::FORBIDDEN);
        }
        for path in ["/starred", "/starred?after=", "/chats?after="] {
            visitor.get(&format!("/api/v1{path}")).await.refusal(StatusCode::UNAUTHORIZED);
        }
        for (query, field) in [("limit=0", "limit"), ("limit=101", "limit"), ("after=x", "after"), ("after=1-x", "after")] {
            let refused = ada.get(&format!("/api/v1/starred?{query}")).await;
            assert_eq!(refused.expect(StatusCode::UNPROCESSABLE_ENTITY).json()["error"]["field"], field, "{query}");
        }
        ada.get("/api/v1/starred?page=1").await.refusal(StatusCode::BAD_REQUEST);
    }

    async fn one_person_has_so_many_stars_and_no_more(hub: &Hub) {
        let ada = hub.person("ada").await;
        many(hub).await;
        let (code, words) = turn(&ada, Method::PUT, "plexus/calc").await.refusal(StatusCode::TOO_MANY_REQUESTS);
        assert!(code == "over_quota" && words.contains("500 of at most 500 stars"), "{words}");
        assert_eq!(shown(&ada, "plexus/calc").await, (json!(0), json!(false)), "nothing is kept of it");
        star(&ada, "plexus/guide1").await;

        let (mut seen, mut after) = (BTreeSet::new(), String::new());
        loop {
            let page = ada.api(&format!("/starred?limit=60{after}")).await;
            for item in page["items"].as_array().expect("a list") {
                assert!(seen.insert(text_of(&item["address"])), "{item} comes twice");
            }
            match page["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        assert_eq!(seen.len(), MAX_ITEMS);
        unstar(&ada, "plexus/guide1").await.expect(StatusCode::NO_CONTENT);
        star(&ada, "plexus/calc").await;
    }

    async fn stars_go_with_the_agent_and_with_the_person(hub: &Hub, [MODEL[0], MODEL[1]]) {
        let (ada, bob) = (hub.person("ada").await, hub.person("bob").await);
        register(&ada, "light", "public").await;
        for agent in ["ada/light", "plexus/calc"] {
            star(&ada, agent).await;
            star(&bob, agent).await;
        }
        ada.call(Method::DELETE, "/agents/ada/light", &Value::Null).await.expect(StatusCode::NO_CONTENT);
        assert_eq!(starred(&bob, "").await, ["@plexus/calc"]);
        assert_eq!(hub.number("select count(*) from stars").await, 2);

        let fields = [("name", "ada"), ("current", PASSWORD)];
        ada.post("/settings/account/delete", &fields).await.expect(StatusCode::SEE_OTHER);
        hub.sql("update accounts set purge_at = 1 where purge_at is not null").await;
        hub.tidy().await;
        assert_eq!(shown(&bob, "plexus/calc").await, (json!(1), json!(true)));
    }

    async fn methods_do_the_same(hub: &Hub) {
        let person = hub.person("ada").await;
        let ada = person.with_token(&make(&person, &["read", "agents"]).await);
        let agent = json!({ "agent": "@plexus/calc" });
        assert_eq!(call(&ada, "agents.star", agent.clone()).await, json!(true));
        assert_eq!(call(&ada, "agents.star", json!(["@plexus/guide"])).await, json!(true));
        let page = call(&ada, "agents.starred", json!({ "limit": 1 })).await;
        assert_eq!(page, ada.api("/starred?limit=1").await);
        let rest = call(&ada, "agents.starred", json!([page["next"]])).await;
        assert_eq!((&rest["items"][0]["address"], &rest["next"]), (&json!("@plexus/calc"), &Value::Null));
        assert_eq!(call(&ada, "agents.unstar", agent).await, json!(true));
        assert_eq!(starred(&person, "").await, ["@plexus/guide"]);
        assert_eq!(code(&ada, "agents.star", json!(["@plexus/none"])).await, -32_004);
        let reader = person.with_token(&make(&person, &["read"]).await);
        assert_eq!(code(&reader, "agents.unstar", json!(["@plexus/guide"])).await, -32_003);
    }

    async fn the_switch_of_a_page_turns(hub: &Hub) {
        let (ada, visitor) = (hub.person("ada").await, hub.visitor());
        let page = visitor.get("/@plexus/calc").await.expect(StatusCode::OK);
        assert!(!page.body.contains("aria-pressed"), "there is none for those who are not signed in");
        ada.get("/@plexus/calc/skills").await.says("aria-pressed=\"false\"");
        let turned = ada.post("/@plexus/calc/star", &[("star", "yes"), ("tab", "skills")]).await;
        assert_eq!(turned.expect(StatusCode::SEE_OTHER).location(), "/@plexus/calc/skills");
        let page = ada.get("/@plexus/calc").await;
        page.says("aria-pressed=\"true\"");
        page.says("<dt>Stars</dt><dd>1</dd>");
        ada.get("/agents").await.says("href=\"/agents?starred=true\"");
        ada.get("/agents?starred=true").await.expect(StatusCode::OK).says("@plexus/calc");
        ada.get("/agents?starred=true&after=x").await.expect(StatusCode::OK).says("@plexus/calc");
        let choice = ada.get("/chat").await.expect(StatusCode::OK).body;
        let place = |words: &str| choice.find(words).unwrap_or_else(|| panic!("{words} is missing"));
        assert!(place(">Starred<") < place("@plexus/calc") && place("@plexus/calc") < place("@plexus/guide"));
        assert_eq!(choice.matches(">@plexus/calc<").count(), 1);

        let back = ada.post("/@plexus/calc/star", &[("star", "no"), ("tab", "//evil.example")]).await;
        assert_eq!(back.expect(StatusCode::SEE_OTHER).location(), "/@plexus/calc");
        ada.get("/agents?starred=true").await.expect(StatusCode::OK).says("No stars yet");
        ada.post("/@plexus/calc/star", &[("star", "x")]).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        ada.post("/@plexus/none/star", &[("star", "yes")]).await.expect(StatusCode::NOT_FOUND);
        visitor.post("/@plexus/calc/star", &[("star", "yes")]).await.expect(StatusCode::UNAUTHORIZED);
        let away = visitor.get("/agents?starred=true").await.expect(StatusCode::SEE_OTHER);
        assert_eq!(away.location(), "/login?next=%2Fagents%3Fstarred%3Dtrue");
        assert!(!visitor.get("/agents").await.body.contains("starred=true"));
    }
}

async fn turn(client: &Client, method: Method, agent: &str) -> Answer {
    let path = format!("/api/v1/agents/{agent}/star");
    client.send(client.request(method, &path).header("origin", client.origin())).await
}

pub async fn star(client: &Client, agent: &str) {
    turn(client, Method::PUT, agent).await.expect(StatusCode::NO_CONTENT);
}

async fn unstar(client: &Client, agent: &str) -> Answer {
    turn(client, Method::DELETE, agent).await
}

async fn starred(client: &Client, query: &str) -> Vec<String> {
    let page = client.api(&format!("/starred{query}")).await;
    page["items"].as_array().expect("a list").iter().map(|item| text_of(&item["address"])).collect()
}

/// Returns the star count of an agent, and whether the caller starred it.
async fn shown(client: &Client, agent: &str) -> (Value, Value) {
    let agent = client.api(&format!("/agents/{agent}")).await;
    (agent["stars"].clone(), agent["starred"].clone())
}

pub async fn register(client: &Client, name: &str, visibility: &str) {
    let body = json!({ "name": name, "instructions": "Be brief.", "summary": "Is brief.", "visibility": visibility });
    client.call(Method::POST, "/agents", &body).await.expect(StatusCode::CREATED);
}

/// Creates the maximum number of agents that one user may star, all starred at the same moment by the only
/// account.
pub async fn many(hub: &Hub) {
    let agents = format!(
        "with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < {MAX_ITEMS}) \
         insert into agents (id, hub, owner, owner_folded, name, name_folded, namespace, visibility, access, state, \
         created_at) select {}, hub, owner, owner_folded, name || n, name_folded || n, namespace, visibility, access, \
         state, created_at from agents, numbers where name_folded = 'guide'",
        hub.new_id()
    );
    hub.sql(&agents).await;
    let stars = "insert into stars (account, agent, starred_at) select accounts.id, agents.id, 1 from accounts, agents \
                 where agents.name_folded like 'guide_%'";
    hub.sql(stars).await;
}
