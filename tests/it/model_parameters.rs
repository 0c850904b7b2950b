//! Tests of the parameters of a model that an agent sets: temperature, top P and reasoning effort.

use axum::{
    Json, Router,
    http::header,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    http_endpoints::serve,
    hub::{Hub, on_both},
    model_settings::{ask, connect},
};

/// Starts a model server whose answers are the parameters of the request. Returns its base URL.
async fn model_server() -> String {
    let models = json!({ "object": "list", "data": [{ "id": "small" }] });
    let router = Router::new()
        .route("/v1/models", get(move || async move { Json(models) }))
        .route("/v1/chat/completions", post(completion));
    format!("{}/v1", serve(router).await)
}

async fn completion(Json(body): Json<Value>) -> Response {
    let sent = json!([body["temperature"], body["top_p"], body["reasoning_effort"]]).to_string();
    let chunk = json!({ "choices": [{ "delta": { "content": sent }, "finish_reason": "stop" }] });
    let events = format!("data: {chunk}\n\ndata: [DONE]\n\n");
    ([(header::CONTENT_TYPE, "text/event-stream")], events).into_response()
}

on_both! {
    async fn parameters_of_an_agent_are_sent_to_its_model(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        connect(&grace, "cellar", &model_server().await, &[]).await;
        let mut agent = json!({ "name": "plain", "summary": "Answers.", "instructions": "Answer.", "model": "cellar/small" });
        grace.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
        assert_eq!(ask(&grace, "@grace/plain").await, "[null,null,null]");

        agent["name"] = json!("exact");
        agent["parameters"] = json!({ "temperature": 0.25, "reasoning_effort": "low" });
        grace.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
        assert_eq!(ask(&grace, "@grace/exact").await, "[0.25,null,\"low\"]");
        let exported = grace.api("/agents/grace/exact/export").await;
        assert_eq!(exported["model"]["parameters"], agent["parameters"]);

        agent["name"] = json!("wild");
        agent["parameters"] = json!({ "temperature": 9 });
        let refused = grace.call(Method::POST, "/agents", &agent).await;
        assert!(refused.status.is_client_error() && refused.body.contains("temperature"), "{}", refused.body);
    }

    async fn parameters_are_changed_in_the_form(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        connect(&grace, "cellar", &model_server().await, &[]).await;
        let agent = json!({ "name": "plain", "summary": "Answers.", "instructions": "Answer.", "model": "cellar/small" });
        grace.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
        let form = |temperature: &'static str| {
            [("title", "Plain"), ("summary", "Answers."), ("instructions", "Answer."), ("model", "cellar/small"),
             ("temperature", temperature), ("top_p", "0.5"), ("reasoning_effort", "")]
        };
        let refused = grace.post("/@grace/plain/edit", &form("warm")).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("Enter a number such as 0.7.");
        let refused = grace.post("/@grace/plain/edit", &form("2.5")).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("Enter a temperature from 0 to 2, such as 0.7.");
        grace.post("/@grace/plain/edit", &form("1.5")).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(ask(&grace, "@grace/plain").await, "[1.5,0.5,null]");
        grace.get("/@grace/plain/edit").await.expect(StatusCode::OK).says("value=\"1.5\"");
        grace.get("/@grace/plain/versions").await.expect(StatusCode::OK).says("Temperature: 1.5");
    }
}
