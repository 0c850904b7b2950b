//! Tests of models that people talk to by themselves, as agents `@models/NAME`.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent_lists::until,
    client::{Client, new_id, text_of},
    hub::{Hub, on_both},
    model_settings::{ask, connect, model_server, set_model},
    process::{plexus, stderr, stdout},
};

/// Posts to the page of the provider `cellar`, and returns the address that the hub redirects to.
async fn offer(admin: &Client, model: &str) -> String {
    let fields = [("action", "offer"), ("model", model)];
    let done = admin.post("/admin/models/cellar", &fields).await.expect(StatusCode::SEE_OTHER);
    done.location().split('?').next().unwrap_or_default().to_owned()
}

/// Expects that the hub refuses a message to `@models/small`.
async fn refuses(client: &Client, status: StatusCode) {
    let message = json!({ "id": new_id(), "to": "@models/small", "text": "Hello?" });
    client.call(Method::POST, "/chats", &message).await.expect(status);
}

async fn suggested(client: &Client) -> Vec<String> {
    let found = client.api("/agents/suggested").await;
    found["hub"].as_array().expect("a list").iter().map(|agent| text_of(&agent["address"])).collect()
}

on_both! {
    async fn a_model_is_offered_in_chats_and_taken_back(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        connect(&grace, "cellar", &model_server("cellar").await, &[]).await;
        let ada = hub.person("ada").await;
        assert!(!suggested(&ada).await.iter().any(|address| address.starts_with("@models/")));

        assert_eq!(offer(&grace, "small").await, "/@models/small");
        assert_eq!(suggested(&ada).await[0], "@models/small", "models come before the built-in agents");
        assert_eq!(ask(&ada, "@models/small").await, "small at cellar");
        ada.get("/@models/small").await.expect(StatusCode::OK).says("Answers as the model itself, without instructions.");
        hub.visitor().get("/@models").await.expect(StatusCode::OK).says("small");
        let is_first = |found: &Value| found["items"][0]["address"] == "@models/small";
        until(&ada, "/api/v1/agents?q=small", is_first).await;
        grace.get("/admin/models/cellar").await.says("href=\"/@models/small\"");
        grace.get("/admin/audit?action=model.change").await.says("small");

        // The title follows the settings; the address stays.
        let named = [("display_name", "Little one"), ("direct", "yes")];
        set_model(&grace, "small", &named).await.expect(StatusCode::SEE_OTHER);
        ada.get("/@models/small").await.says("Little one");

        set_model(&grace, "small", &[("direct", "no")]).await.expect(StatusCode::SEE_OTHER);
        refuses(&ada, StatusCode::CONFLICT).await;
        assert!(!suggested(&ada).await.contains(&"@models/small".to_owned()));

        assert_eq!(offer(&grace, "small").await, "/@models/small", "the same agent again");
        assert_eq!(ask(&ada, "@models/small").await, "small at cellar");
        grace.post("/admin/models/cellar", &[("action", "remove")]).await.expect(StatusCode::SEE_OTHER);
        refuses(&ada, StatusCode::CONFLICT).await;
    }

    async fn models_of_the_same_name_get_addresses_of_their_own(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        connect(&grace, "cellar", &model_server("cellar").await, &[]).await;
        connect(&grace, "attic", &model_server("attic").await, &[]).await;
        assert_eq!(offer(&grace, "small").await, "/@models/small");
        let fields = [("action", "offer"), ("model", "small")];
        let done = grace.post("/admin/models/attic", &fields).await.expect(StatusCode::SEE_OTHER);
        assert!(done.location().starts_with("/@models/small-2"), "{}", done.location());
        assert_eq!(ask(&grace, "@models/small-2").await, "small at attic");
    }

    async fn those_who_may_not_use_a_model_cannot_talk_to_it(hub: &Hub) {
        let (grace, ada, bob) = (hub.administrator("grace").await, hub.person("ada").await, hub.person("bob").await);
        connect(&grace, "cellar", &model_server("cellar").await, &[]).await;
        let settings = [("direct", "yes"), ("access", "named"), ("users", "ada")];
        set_model(&grace, "small", &settings).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(ask(&ada, "@models/small").await, "small at cellar");
        assert_eq!(ask(&grace, "@models/small").await, "small at cellar");
        let refused = ask(&bob, "@models/small").await;
        assert_eq!(refused, "You may not use the model small. An administrator can permit it.");
        // It is in no list, so that it is not offered to those who cannot use it.
        assert!(!suggested(&bob).await.contains(&"@models/small".to_owned()));
        let found: Value = bob.api("/agents?q=small").await;
        assert_eq!(found["items"], json!([]));
        refuses(&hub.visitor(), StatusCode::UNAUTHORIZED).await;
    }

    async fn the_limits_of_a_model_hold_when_people_talk_to_it(hub: &Hub) {
        let (grace, ada) = (hub.administrator("grace").await, hub.person("ada").await);
        connect(&grace, "cellar", &model_server("cellar").await, &[]).await;
        let settings = [("direct", "yes"), ("account_tokens", "100")];
        set_model(&grace, "small", &settings).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(ask(&ada, "@models/small").await, "small at cellar");
        let refused = ask(&ada, "@models/small").await;
        assert!(refused.contains("You have used the 100 tokens of today with the model small."), "{refused}");
        assert_eq!(ask(&grace, "@models/small").await, "small at cellar", "each account has its own limit");
    }
}

#[tokio::test]
async fn a_model_is_offered_from_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = model_server("cellar").await;
    let run = async |arguments: &[&str]| {
        let output = plexus(folder.path(), arguments).await;
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        stdout(&output)
    };
    run(&["model", "connect", "cellar", "--url", &url]).await;
    run(&["model", "set", "cellar", "small", "--direct", "true"]).await;
    let listed = run(&["model", "models", "cellar"]).await;
    assert!(listed.contains("everyone, @models/small"), "{listed}");
}
