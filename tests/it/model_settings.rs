//! Tests of the settings of single models: who may use them, their abilities, and their limits.

use axum::{
    Json, Router,
    http::header,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    attachments::{picture, upload},
    chat::seq,
    client::{Answer, Client, new_id, text_of},
    events::{answer_after, text_in},
    http_endpoints::serve,
    hub::{Hub, on_both},
    process::{plexus, stderr, stdout},
};

/// Starts a model server with two models. Each answer has its model's name and `place`, and counts as 100 input and
/// 20 output tokens. Returns its base URL.
pub async fn model_server(place: &'static str) -> String {
    let models = json!({ "object": "list", "data": [{ "id": "small" }, { "id": "large" }] });
    let router = Router::new().route("/v1/models", get(move || async move { Json(models) })).route(
        "/v1/chat/completions",
        post(move |Json(body): Json<Value>| async move { completion(&body, place) }),
    );
    format!("{}/v1", serve(router).await)
}

fn completion(body: &Value, place: &str) -> Response {
    let has_image = body["messages"].to_string().contains("data:image/png");
    let text = if has_image {
        "A yellow one.".to_owned()
    } else {
        format!("{} at {place}", text_of(&body["model"]))
    };
    let delta = match body["tools"][0]["function"]["name"].as_str() {
        Some(tool) => {
            json!({ "tool_calls": [{ "index": 0, "id": "1", "function": { "name": tool, "arguments": "{}" } }] })
        }
        None => json!({ "content": text }),
    };
    let chunk = json!({ "choices": [{ "delta": delta, "finish_reason": "stop" }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 20 } });
    let events = format!("data: {chunk}\n\ndata: {usage}\n\ndata: [DONE]\n\n");
    ([(header::CONTENT_TYPE, "text/event-stream")], events).into_response()
}

/// Connects a provider as administrator.
pub async fn connect(admin: &Client, name: &str, url: &str, more: &[(&str, &str)]) {
    let fields = [&[("name", name), ("base_url", url)], more].concat();
    admin.post("/admin/models", &fields).await.expect(StatusCode::SEE_OTHER);
}

/// Posts the settings of a model of the provider `cellar`.
pub async fn set_model(admin: &Client, model: &str, fields: &[(&str, &str)]) -> Answer {
    let has_access = fields.iter().any(|(name, _)| *name == "access");
    let access: &[(&str, &str)] = if has_access { &[] } else { &[("access", "everyone")] };
    let fields = [&[("action", "save")], access, fields].concat();
    admin.post(&format!("/admin/models/cellar/model?name={model}"), &fields).await
}

/// Creates a public agent that runs on a model.
pub async fn create_agent(owner: &Client, name: &str, model: &str) -> Answer {
    let agent = json!({ "name": name, "summary": "Answers.", "instructions": "Answer.", "model": model,
                        "visibility": "public", "reads_images": name == "seer" });
    owner.call(Method::POST, "/agents", &agent).await
}

/// Returns the answer of an agent: its text, or the message of its failure.
pub async fn ask(client: &Client, agent: &str) -> String {
    let said = client.begin(agent, "Hello?").await;
    let answer = answer_after(client, &said.chat, 0).await;
    match &answer["run"]["failure"]["message"] {
        Value::Null => text_in(&answer).to_owned(),
        failure => text_of(failure),
    }
}

async fn models(client: &Client) -> Vec<String> {
    client.api("/models").await["models"].as_array().expect("a list").iter().map(text_of).collect()
}

on_both! {
    async fn the_settings_of_a_model_are_listed_and_shown_in_the_picker(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        connect(&grace, "cellar", &model_server("cellar").await, &[("price", "1/2")]).await;
        let page = grace.get("/admin/models/cellar").await.expect(StatusCode::OK);
        page.says("calls tools, reads images");
        page.says("/admin/models/cellar/model?name=small");
        let abilities = json!({ "tools": true, "images": true, "reasoning": null, "json": null });
        assert_eq!(grace.api("/models").await["items"][0]["abilities"], abilities, "as in the test");
        let form = grace.get("/admin/models/cellar/model?name=small").await.expect(StatusCode::OK);
        form.says("Empty means those of the provider: 1/2.");
        let settings = [
            ("display_name", "Small <one>"), ("context_tokens", "8192"), ("price", "0/0"), ("calls_tools", "yes"),
            ("reads_images", "no"), ("account_tokens", "20000"),
        ];
        set_model(&grace, "small", &settings).await.expect(StatusCode::SEE_OTHER);
        let page = grace.get("/admin/models/cellar").await.expect(StatusCode::OK);
        for words in ["Small &lt;one&gt;", "8,192", "tools, no images", "20000 tokens a day for each user"] {
            page.says(words);
        }
        let form = grace.get("/admin/models/cellar/model?name=small").await.expect(StatusCode::OK);
        form.says("value=\"0/0\"");
        let items = grace.api("/models").await["items"].clone();
        assert_eq!(items[0], json!({
            "name": "cellar/small", "display_name": "Small <one>", "context_tokens": 8_192, "input_price_micro": 0,
            "output_price_micro": 0,
            "abilities": { "tools": true, "images": false, "reasoning": null, "json": null },
        }));
        assert_eq!((&items[1]["input_price_micro"], &items[1]["context_tokens"]), (&json!(1_000_000), &json!(32_768)));
        let picker = grace.get("/register/instructions").await.expect(StatusCode::OK);
        picker.says("Small &lt;one&gt; (cellar/small, 8192 tokens, tools, no images)");
        picker.says("cellar/large (32768 tokens, 1/2 per million)");

        let reset = [("action", "reset")];
        grace.post("/admin/models/cellar/model?name=small", &reset).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(grace.api("/models").await["items"][0]["display_name"], Value::Null);
        grace.get("/admin/audit").await.expect(StatusCode::OK).says("model.change");
    }

    async fn invalid_settings_name_their_field(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        connect(&grace, "cellar", &model_server("cellar").await, &[]).await;
        for (field, value, words) in [
            ("price", "cheap", "Enter two numbers"),
            ("context_tokens", "12", "from 512 to"),
            ("context_tokens", "many", "Enter a whole number."),
            ("account_tokens", "0", "from 1 to"),
            ("hub_tokens", "-5", "Enter a whole number."),
            ("access", "anyone", "Choose who may use the model."),
            ("access", "named", "Enter the names of the users"),
        ] {
            let refused = set_model(&grace, "small", &[(field, value)]).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
            refused.says(words);
        }
        let named = [("access", "named"), ("users", "unknown-user")];
        let refused = set_model(&grace, "small", &named).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("User unknown-user not found on this hub.");
        let long = "x".repeat(61);
        let refused = set_model(&grace, "small", &[("display_name", &long)]).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Enter up to 60 characters.");
        grace.get("/admin/models/cellar/model?name=absent").await.expect(StatusCode::NOT_FOUND);
        let bob = hub.person("bob").await;
        bob.get("/admin/models/cellar/model?name=small").await.expect(StatusCode::FORBIDDEN);
        set_model(&bob, "small", &[]).await.expect(StatusCode::FORBIDDEN);
    }

    async fn a_model_is_offered_to_those_who_may_use_it(hub: &Hub) {
        let (grace, bob, eve) = (hub.administrator("grace").await, hub.person("bob").await, hub.person("eve").await);
        connect(&grace, "cellar", &model_server("cellar").await, &[]).await;
        create_agent(&bob, "clerk", "cellar/small").await.expect(StatusCode::CREATED);
        assert_eq!(ask(&eve, "@bob/clerk").await, "small at cellar");

        set_model(&grace, "small", &[("access", "administrators")]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(models(&bob).await, ["cellar/large"]);
        assert_eq!(models(&grace).await, ["cellar/small", "cellar/large"]);
        let refused = create_agent(&bob, "other", "cellar/small").await;
        let (_, words) = refused.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert!(words.contains("Choose one of the models in the list."), "{words}");
        let words = ask(&eve, "@bob/clerk").await;
        assert!(words.contains("The owner of this agent may not use the model small."), "{words}");
        create_agent(&grace, "clerk", "cellar/small").await.expect(StatusCode::CREATED);
        assert_eq!(ask(&eve, "@grace/clerk").await, "small at cellar", "the owner decides who may call the agent");

        let named = [("access", "named"), ("users", "@Bob\n")];
        set_model(&grace, "small", &named).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(ask(&eve, "@bob/clerk").await, "small at cellar");
        assert_eq!(models(&eve).await, ["cellar/large"]);
        grace.get("/admin/models/cellar").await.expect(StatusCode::OK).says("1 named user");

        set_model(&grace, "small", &[("visibility", "hidden")]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(models(&bob).await, ["cellar/large"]);
        assert_eq!(ask(&eve, "@bob/clerk").await, "small at cellar", "hidden models keep answering");
        let edit = bob.get("/@bob/clerk/edit").await.expect(StatusCode::OK);
        edit.says("value=\"cellar/small\"");
        edit.says("The one with the most similar name is <code>cellar/large</code>.");
        let page = bob.get("/@bob/clerk").await.expect(StatusCode::OK);
        page.says("This hub does not list the model cellar/small now.");
        page.says("The one with the most similar name is cellar/large.");
        let page = eve.get("/@bob/clerk").await.expect(StatusCode::OK);
        assert!(!page.body.contains("does not list"), "{}", page.body);
    }

    async fn a_limit_of_tokens_a_day_names_the_time_of_renewal(hub: &Hub) {
        let (grace, bob, eve) = (hub.administrator("grace").await, hub.person("bob").await, hub.person("eve").await);
        connect(&grace, "cellar", &model_server("cellar").await, &[("models", "small\nlarge")]).await;
        create_agent(&grace, "clerk", "cellar/small").await.expect(StatusCode::CREATED);
        set_model(&grace, "small", &[("account_tokens", "150")]).await.expect(StatusCode::SEE_OTHER);
        for _ in 0..2 {
            assert_eq!(ask(&bob, "@grace/clerk").await, "small at cellar");
        }
        let words = ask(&bob, "@grace/clerk").await;
        assert!(words.starts_with("You have used the 150 tokens of today with the model small."), "{words}");
        assert!(words.contains("The limit is renewed at 00:00 UTC, in "), "{words}");
        assert_eq!(ask(&eve, "@grace/clerk").await, "small at cellar", "each account has its own limit");

        set_model(&grace, "small", &[("hub_tokens", "300")]).await.expect(StatusCode::SEE_OTHER);
        let words = ask(&eve, "@grace/clerk").await;
        assert!(words.starts_with("This hub has used its 300 tokens of today"), "{words}");
        connect(&grace, "attic", &model_server("attic").await, &[("models", "small")]).await;
        assert_eq!(ask(&eve, "@grace/clerk").await, "small at attic", "the fallback answers");
        hub.sql("update model_usage set day = day - 1").await;
        assert_eq!(ask(&bob, "@grace/clerk").await, "small at cellar");
    }

    async fn a_model_gets_no_images_and_tools_that_it_cannot_use(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        connect(&grace, "cellar", &model_server("cellar").await, &[("models", "small\nlarge")]).await;
        create_agent(&grace, "seer", "cellar/small").await.expect(StatusCode::CREATED);
        set_model(&grace, "small", &[("reads_images", "no"), ("calls_tools", "no")]).await.expect(StatusCode::SEE_OTHER);
        let image = upload(&grace, "p.png", "image/png", picture()).await.expect(StatusCode::CREATED).json();
        let message = json!({ "id": new_id(), "to": "@grace/seer", "text": "See", "uploads": [image["id"]] });
        let sent = grace.call(Method::POST, "/chats", &message).await.expect(StatusCode::CREATED).json();
        let chat = text_of(&sent["chat"]);
        let answer = answer_after(&grace, &chat, 0).await;
        let words = text_of(&answer["run"]["failure"]["message"]);
        assert!(words.starts_with("The model small does not read images. Send the message without the image"), "{words}");
        let at = seq(&grace, &chat).await;
        grace.say(&chat, "And without?").await;
        assert_eq!(text_in(&answer_after(&grace, &chat, at).await), "small at cellar");

        let (_, words) = create_agent(&grace, "seer", "cellar/small").await.refusal(StatusCode::UNPROCESSABLE_ENTITY);
        assert!(words.contains("does not read images. Choose another model"), "{words}");
    }
}

#[tokio::test]
async fn the_operator_changes_settings_of_models_on_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = model_server("cellar").await;
    let model = async |arguments: &[&str]| {
        let output = plexus(folder.path(), &[&["model"], arguments].concat()).await;
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    assert_eq!(model(&["connect", "cellar", "--url", &url]).await.0, Some(0));
    let change = ["set", "cellar", "small", "--price", "1/2", "--tools", "true", "--account-tokens", "500"];
    let (code, said) = model(&change).await;
    assert!(code == Some(0) && said.contains("The settings of small are saved."), "{said}");
    assert_eq!(model(&["set", "cellar", "small", "--hidden", "true"]).await.0, Some(0));
    let (_, said) = model(&["models", "cellar", "--json"]).await;
    let list: Value = serde_json::from_str(&said).expect("JSON");
    let shown =
        (&list[0]["price"], &list[0]["abilities"]["tools"], &list[0]["hidden"], &list[0]["account_tokens"]);
    assert_eq!(shown, (&json!("1/2"), &json!(true), &json!(true), &json!(500)), "{said}");
    let (code, said) = model(&["set", "cellar", "small", "--access", "friends"]).await;
    assert!(
        code == Some(1) && said.contains("Choose everyone, moderators, administrators or named."),
        "{said}"
    );
    assert_eq!(model(&["reset", "cellar", "small"]).await.0, Some(0));
    assert!(model(&["models", "cellar"]).await.1.contains("everyone"));
    let (code, said) = model(&["models", "absent"]).await;
    assert!(code == Some(1) && said.contains("No model provider called absent"), "{said}");
}
