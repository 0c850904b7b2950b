use serde_json::json;

use super::*;

fn plain() -> EndpointRequestSpec {
    EndpointRequestSpec {
        url: "https://agents.example/ask".to_owned(),
        body: Some(json!({ "q": "{{message}}" })),
        response_path: "/reply".to_owned(),
        ..EndpointRequestSpec::default()
    }
}

fn at(url: &str) -> EndpointRequestSpec {
    EndpointRequestSpec { url: url.to_owned(), ..plain() }
}

fn body(body: Value) -> EndpointRequestSpec {
    EndpointRequestSpec { body: Some(body), ..plain() }
}

fn header(name: &str, value: &str) -> EndpointRequestSpec {
    EndpointRequestSpec { headers: BTreeMap::from([(name.to_owned(), value.to_owned())]), ..plain() }
}

fn key(name: &str) -> EndpointRequestSpec {
    EndpointRequestSpec { auth: Some(Scheme::ApiKey { name: name.to_owned(), in_query: false }), ..plain() }
}

#[test]
fn what_cannot_be_sent_is_refused_by_field() {
    EndpointTemplate::try_from(plain()).unwrap();
    for (expected, request) in [
        ("url", at("")),
        ("url", at("ftp://agents.example/")),
        ("url", at("https:///ask")),
        ("url", at("https://{{message}}.example/")),
        ("url", at("https://user@agents.example/")),
        ("url", at("https://agents.example/a b")),
        ("url", at("https://agents.example/{{messages}}")),
        ("url", at(&format!("https://agents.example/{}", "x".repeat(2_000)))),
        ("headers", header("Host", "other.example")),
        ("headers", header("authorization", "Bearer x")),
        ("headers", header("x y", "1")),
        ("headers", header("x", "a\r\nb: c")),
        ("headers", header("x", "{{message}}")),
        ("body", EndpointRequestSpec { method: Method::Get, ..plain() }),
        ("body", body(json!({ "q": "hello" }))),
        ("body", body(json!({ "q": "{{question}}" }))),
        ("body", body(json!({ "q": "{{message" }))),
        ("body", body(json!({ "q": "all: {{messages}}" }))),
        ("body", body(json!({ "q": "{{message}}", "more": "x".repeat(40_000) }))),
        ("response_path", EndpointRequestSpec { response_path: "reply".to_owned(), ..plain() }),
        ("response_path", EndpointRequestSpec { response_format: ResponseFormat::Text, ..plain() }),
        (
            "done_path",
            EndpointRequestSpec {
                done_path: Some("/done".to_owned()),
                response_format: ResponseFormat::Events,
                ..plain()
            },
        ),
        ("question_suffix", EndpointRequestSpec { question_suffix: Some(" ".to_owned()), ..plain() }),
        ("question_suffix", EndpointRequestSpec { question_suffix: Some("?".repeat(201)), ..plain() }),
        ("init_url", EndpointRequestSpec { init_id_path: Some("/id".to_owned()), ..plain() }),
        ("init_url", at("https://agents.example/{{task}}")),
        ("init_url", EndpointRequestSpec { init_url: Some("https://other.example/".to_owned()), ..plain() }),
        (
            "init_id_path",
            EndpointRequestSpec { init_url: Some("https://agents.example/".to_owned()), ..plain() },
        ),
        ("auth_name", key("")),
        ("auth_name", key("Host")),
    ] {
        let refused = EndpointTemplate::try_from(request.clone()).unwrap_err();
        assert_eq!(refused.field(), Some(expected), "{request:?}");
    }
}

#[test]
fn what_is_entered_has_no_variables_and_few_placeholders() {
    for (expected, request) in [
        ("url", at("https://agents.example/${TENANT}/ask")),
        ("headers", header("x-key", "${API_KEY}")),
        ("body", body(json!({ "q": "{{message}}".repeat(17) }))),
        ("body", body(json!({ "q": vec!["{{message}}"; 17] }))),
    ] {
        assert!(EndpointTemplate::try_from(request.clone()).is_ok(), "a stored one is read: {request:?}");
        let refused = EndpointTemplate::from_entered(request.clone()).unwrap_err();
        assert_eq!(refused.field(), Some(expected), "{request:?}");
    }
    let named = EndpointTemplate::from_entered(header("x-key", "a ${API_KEY}")).unwrap_err().to_string();
    assert!(named.contains("${API_KEY}"), "{named}");
    for request in [body(json!({ "q": "{{message}} costs $5, ${HOME}, $${x}" })), header("x-key", "$5")] {
        EndpointTemplate::from_entered(request).unwrap();
    }
    let filled =
        PlaceholderValues { message: "${HOME} {{history}} $5".to_owned(), ..PlaceholderValues::default() };
    let sent = filled.body(&json!("<{{message}}> ${HOME} {{{message}}"));
    assert_eq!(
        sent,
        json!("<${HOME} {{history}} $5> ${HOME} {${HOME} {{history}} $5"),
        "values are not read again"
    );
}

#[test]
fn what_is_said_stays_in_its_place() {
    let asked = PlaceholderValues {
        message: "a/../b?c=\"{{task}}\"".to_owned(),
        messages: json!([{ "role": "user", "content": "x" }]),
        conversation: "c1\r\nx: y".to_owned(),
        task: "t".to_owned(),
        ..PlaceholderValues::default()
    };
    assert_eq!(
        asked.url("https://a.example/{{message}}/{{task}}"),
        "https://a.example/a%2F%2E%2E%2Fb%3Fc%3D%22%7B%7Btask%7D%7D%22/t"
    );
    for dots in [".", ".."] {
        let climbing = PlaceholderValues { message: dots.to_owned(), ..PlaceholderValues::default() };
        let filled = climbing.url("https://a.example/agents/{{message}}");
        assert_eq!(filled, format!("https://a.example/agents/{}", "%252E".repeat(dots.len())));
    }
    assert_eq!(asked.header("id {{conversation}}"), "id c1x:y");
    let body = asked.body(&json!({ "q": ["say {{message}}"], "all": "{{messages}}", "n": 1 }));
    let said = "say a/../b?c=\"{{task}}\"";
    assert_eq!(body, json!({ "q": [said], "all": [{ "role": "user", "content": "x" }], "n": 1 }));
}

#[test]
fn ready_requests_can_be_sent_and_are_kept_as_they_are() {
    for preset in Preset::ALL {
        assert_eq!(Preset::parse(preset.as_str()), Some(preset));
        for base in ["http://127.0.0.1:8000", "http://127.0.0.1:8000/"] {
            let template = EndpointTemplate::try_from(preset.request(base)).unwrap();
            assert!(template.request().url.starts_with("http://127.0.0.1:8000/"), "{template:?}");
            let kept = serde_json::to_string(&template).unwrap();
            assert_eq!(serde_json::from_str::<EndpointTemplate>(&kept).unwrap(), template);
        }
    }
    let whole = Preset::OpenAi.request("https://models.example/api/chat");
    assert_eq!(whole.url, "https://models.example/api/chat");
    assert!(serde_json::from_str::<EndpointTemplate>(r#"{"url": "ftp://x/"}"#).is_err());
}

#[test]
fn requests_stored_under_earlier_names_can_be_read() {
    let stored = json!({
        "method": "POST", "url": "https://agents.example/{{task}}", "body": {}, "answer": "json", "path": "/output",
        "start_url": "https://agents.example/", "start_body": { "input": "{{message}}" }, "start_id": "/id",
        "last": "/is_last", "question": "Go on?",
    });
    let template: EndpointTemplate = serde_json::from_value(stored).unwrap();
    let expected = EndpointRequestSpec {
        url: "https://agents.example/{{task}}".to_owned(),
        body: Some(json!({})),
        response_format: ResponseFormat::Json,
        response_path: "/output".to_owned(),
        init_url: Some("https://agents.example/".to_owned()),
        init_body: Some(json!({ "input": "{{message}}" })),
        init_id_path: Some("/id".to_owned()),
        done_path: Some("/is_last".to_owned()),
        question_suffix: Some("Go on?".to_owned()),
        ..EndpointRequestSpec::default()
    };
    assert_eq!(template.request(), &expected);
    let written = serde_json::to_value(&template).unwrap();
    assert_eq!((&written["response_path"], written.get("path")), (&json!("/output"), None));
}
