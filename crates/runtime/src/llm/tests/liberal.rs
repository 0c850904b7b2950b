//! What servers refuse, want back or leave open.

use super::*;

/// Starts a server that answers request by request, and records the bodies.
async fn requests<R: IntoResponse>(
    answer: impl Fn(usize, &Value) -> R + Clone + Send + Sync + 'static,
) -> (LlmConnector, Arc<Mutex<Vec<Value>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&seen);
    let router = Router::new().route(
        "/v1/chat/completions",
        post(move |Json(body): Json<Value>| async move {
            let mut heard = heard.lock().unwrap();
            let answer = answer(heard.len(), &body);
            heard.push(body);
            answer
        }),
    );
    (model(&serve(router).await, None), seen)
}

fn completed(text: &str) -> Response {
    (EVENTS, format!("{}{STOP}{DONE}", event(text))).into_response()
}

#[tokio::test]
async fn refused_options_are_left_out_one_after_the_other() {
    let (llm, seen) = requests(|_, body| {
        let refused = ["stream_options", "temperature", "max_tokens", "max_completion_tokens"];
        match refused.into_iter().find(|name| body.get(*name).is_some()) {
            Some(name) if name == "stream_options" => {
                let detail =
                    json!({ "detail": [{ "loc": ["body", name], "msg": "Extra inputs are not permitted" }] });
                (StatusCode::UNPROCESSABLE_ENTITY, Json(detail)).into_response()
            }
            Some(name) => {
                let error = json!({ "error": { "message": "Unsupported parameter", "param": name } });
                (StatusCode::BAD_REQUEST, Json(error)).into_response()
            }
            None => completed("ok"),
        }
    })
    .await;
    let parameters = plexus_domain::agent::ModelParametersInput {
        temperature: Some(0.5),
        ..plexus_domain::agent::ModelParametersInput::default()
    };
    let llm = llm.with_parameters(parameters.try_into().unwrap());
    let mut request = ask("Hi");
    request.options.max_tokens = Some(50);
    let (end, heard) = hear(&llm, request).await;
    assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), "ok"));
    assert_eq!(seen.lock().unwrap().len(), 5, "each was left out in turn, and max_tokens got its other name");
}

#[tokio::test]
async fn a_refusal_that_stays_keeps_its_words() {
    let (llm, seen) = requests(|_, _| {
        (
            StatusCode::BAD_REQUEST,
            Json(json!({ "detail": [{ "loc": ["body", "stream_options"], "msg": "No." }] })),
        )
    })
    .await;
    let failure = hear(&llm, ask("Hi")).await.0.unwrap_err();
    assert!(failure.message.ends_with("It says: stream_options: No."), "{failure}");
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_stream_without_its_end_is_never_done() {
    let think = |text: &str| {
        format!("data: {}\n\n", json!({ "choices": [{ "delta": { "reasoning_content": text } }] }))
    };
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\n";
    for (body, text) in [
        (event("Once"), "Once"),
        (format!("{}{usage}", event("Once")), "Once"),
        (format!("{}data: upstream timed out\n\n", event("Once")), "Once"),
        (think("hm"), ""),
        (event("<think>hm"), ""),
        (String::new(), ""),
    ] {
        let sent = body.clone();
        let (end, heard) = hear(&server(move || (EVENTS, sent.clone())).await, ask("Hi")).await;
        let failure = end.unwrap_err();
        assert_eq!(
            (failure.class, heard.text.as_str()),
            (FailureClass::Unreachable, text),
            "{body}: {failure}"
        );
        assert_eq!(failure.message.contains("upstream timed out"), body.contains("upstream"), "{failure}");
    }
}

#[tokio::test]
async fn an_answer_that_is_only_reasoning_is_shown() {
    for piece in
        [event("<think>It is 42."), event("").replace("\"content\":\"\"", "\"reasoning\":\"It is 42.\"")]
    {
        let body = format!("{piece}{STOP}{DONE}");
        let (end, heard) = hear(&server(move || (EVENTS, body.clone())).await, ask("?")).await;
        assert_eq!(
            (end, heard.text.as_str(), heard.parts.len()),
            (Ok(RunEnd::Completed), "It is 42.", 0),
            "{piece}"
        );
    }
}

#[tokio::test]
async fn a_cut_history_begins_with_a_message_of_a_person() {
    let (llm, seen) = requests(|_, _| completed("ok")).await;
    let me = |text: String| ConversationTurn { speaker: TurnRole::Me, parts: vec![Part::text(text)] };
    for length in 1..12 {
        let turns = (0..length)
            .flat_map(|_| [person(&"question ".repeat(20)), me("answer ".repeat(20))])
            .chain([person("Last")]);
        hear(&llm, RunRequest { turns: turns.collect(), ..ask("") }).await.0.unwrap();
        let seen = seen.lock().unwrap();
        let roles: Vec<&str> = seen.last().unwrap()["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["role"].as_str().unwrap())
            .collect();
        assert_eq!(&roles[..2], ["system", "user"], "{length}: {roles:?}");
    }
}

#[tokio::test]
async fn people_are_named_if_there_are_several() {
    let (llm, seen) = requests(|_, _| completed("ok")).await;
    let says = |name: &str, text: &str| ConversationTurn {
        speaker: TurnRole::Person { name: name.to_owned() },
        parts: vec![Part::text(text)],
    };
    for (turns, expected) in [
        (vec![says("ada", "Hi"), says("ada", "there")], "Hi\n\nthere"),
        (vec![says("ada", "Hi"), says("böb", "there")], "ada: Hi\n\nböb: there"),
    ] {
        hear(&llm, RunRequest { turns, ..ask("") }).await.0.unwrap();
        let seen = seen.lock().unwrap();
        assert_eq!(seen.last().unwrap()["messages"][1]["content"], expected);
    }
}

#[tokio::test]
async fn a_large_picture_counts_by_its_pixels() {
    let (llm, _) = requests(|_, _| completed("A tide.")).await;
    let limits = plexus_domain::agent::AnswerLimitsInput { tokens: Some(1_000), ..Default::default() };
    let llm = llm.with_limits(AnswerLimits::try_from(limits).unwrap());
    let bytes = Bytes::from(vec![7; 840 << 10]);
    let digest = plexus_domain::Digest::of(&bytes);
    let mut request = ask("What is it?");
    let image = Some(plexus_domain::ImageSize { width: 800, height: 600 });
    let file = PartBody::File { blob: digest, size: bytes.len() as u64, image };
    let part = Part { media_type: Some("image/png".to_owned()), ..Part::from(file) };
    request.turns[0].parts.push(part);
    request.files.insert(digest, bytes);
    let (end, heard) = hear(&llm, request).await;
    assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), "A tide."));
    assert!((765..800).contains(&heard.usage.unwrap().tokens_in), "{:?}", heard.usage);
}

#[tokio::test]
async fn images_of_an_answer_are_files() {
    let text = "Here: ![a](data:image/png;base64,iVBORw==) Done.";
    let part = json!({ "choices": [{ "delta": { "images": [{ "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw==" } }] } }] });
    let (first, second) = text.split_at(30);
    let body = format!("{}{}data: {part}\n\n{STOP}{DONE}", event(first), event(second));
    let (end, heard) = hear(&server(move || (EVENTS, body.clone())).await, ask("Draw")).await;
    assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), "Here:  Done."));
    let files: Vec<_> =
        heard.files.iter().map(|file| (file.media_type.as_deref(), &file.bytes[..])).collect();
    assert_eq!(files, [(Some("image/png"), &b"\x89PNG"[..]); 2]);
}

#[tokio::test]
async fn keys_and_addresses_are_in_no_failure() {
    const KEY: &str = "sk-4fJ9xQz7aLmN0pR2tV5w";
    for status in [StatusCode::UNAUTHORIZED, StatusCode::INTERNAL_SERVER_ERROR, StatusCode::OK] {
        let answer = move |headers: HeaderMap| async move {
            let shown = headers[header::AUTHORIZATION].to_str().unwrap().to_owned();
            let body =
                format!("data: {{\"error\":\"{shown} at {}\"}}\n\n", headers[header::HOST].to_str().unwrap());
            (status, EVENTS, body)
        };
        let base = serve(Router::new().route("/v1/chat/completions", post(answer))).await;
        for owner in [KeyOwner::Hub, KeyOwner::Requester] {
            let mut llm = model(&base, Some(KEY));
            llm.providers[0].model.key_owner = owner;
            let failure = hear(&llm, ask("Hi")).await.0.unwrap_err();
            assert!(
                !failure.message.contains(&KEY[..8]) && !failure.message.contains("127.0.0.1"),
                "{failure}"
            );
            if status == StatusCode::UNAUTHORIZED {
                assert_eq!(failure.message.contains("the hub's key"), owner == KeyOwner::Hub, "{failure}");
            }
        }
    }
    let says =
        move || (EVENTS, format!("{}{}{STOP}{DONE}", event("It is sk-4fJ9xQz7"), event("aLmN0pR2tV5w.")));
    let base = serve(Router::new().route("/v1/chat/completions", post(move || async move { says() }))).await;
    let (_, heard) = hear(&model(&base, Some(KEY)), ask("Hi")).await;
    assert_eq!(heard.text, "It is [redacted].");
}
