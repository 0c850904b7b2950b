//! Tests with agents that hang, flood, refuse, or do not speak A2A.

use super::*;

#[tokio::test]
async fn an_answer_without_end_is_cut_and_its_task_cancelled() {
    let agent = Scripted::new(|method, _| match method {
        "CancelTask" => error(-32002, "Too late"),
        _ => {
            let more = sse(&[piece(&"x".repeat(10_000), true)]);
            let first = stream::once(std::future::ready(sse(&[begun()])));
            let flood = first.chain(stream::repeat(more)).map(Ok::<_, io::Error>);
            (EVENTS, Body::from_stream(flood)).into_response()
        }
    })
    .await;
    let (end, heard) = hear(&agent.connector(true), impatient()).await;
    assert_eq!(end.unwrap_err().class, FailureClass::TooLarge);
    assert!(heard.artifacts[0].2.len() <= 1 << 20);
    assert_eq!(agent.methods().last().unwrap(), "CancelTask");
}

#[tokio::test]
async fn an_agent_that_hangs_is_given_up() {
    let silent = serve(Router::new().route("/", post(std::future::pending::<()>))).await;
    for is_streaming in [true, false] {
        let (end, _) = hear(&connector(&silent, A2aProtocol::V1, is_streaming), impatient()).await;
        assert_eq!(end.unwrap_err().class, FailureClass::TimedOut);
    }
    let agent = Scripted::new(|_, _| open_events(&[begun(), piece("one", false)])).await;
    let (end, heard) = hear(&agent.connector(true), impatient()).await;
    assert_eq!((end.unwrap_err().class, heard.artifacts), (FailureClass::TimedOut, document("one")));
}

#[tokio::test]
async fn a_refusal_says_who_refused_and_what_to_do() {
    let forbidden = |_: &str, _| (StatusCode::UNAUTHORIZED, "who are you").into_response();
    let agent = Scripted::new(forbidden).await;
    let failure = hear(&agent.connector(true), ask("Hi")).await.0.unwrap_err();
    assert!(failure.message.ends_with("requires credentials that this hub does not have."), "{failure}");
    let credentials = Credentials::Bearer(Secret::new("hunter2"));
    let connector = agent.connector(true).with_credentials(&agent.base, credentials).unwrap();
    let failure = hear(&connector, ask("Hi")).await.0.unwrap_err();
    assert!(failure.message.contains("did not accept the credentials"), "{failure}");
    assert!(!format!("{connector:?} {failure}").contains("hunter2"));

    for (response, class, words) in [
        (StatusCode::NOT_FOUND, FailureClass::Refused, "refused the request (404 Not Found)"),
        (StatusCode::TOO_MANY_REQUESTS, FailureClass::Refused, "is busy"),
        (StatusCode::BAD_GATEWAY, FailureClass::Unreachable, "failed (502 Bad Gateway)"),
        (StatusCode::TEMPORARY_REDIRECT, FailureClass::Refused, "redirects"),
    ] {
        let agent = Scripted::new(move |_, _| response.into_response()).await;
        let failure = hear(&agent.connector(true), ask("Hi")).await.0.unwrap_err();
        assert_eq!(failure.class, class);
        assert!(failure.message.contains(words), "{failure}");
    }
    let wrapped = |_: &str, _| (StatusCode::BAD_REQUEST, error(-32005, "Only images")).into_response();
    let failure = hear(&Scripted::new(wrapped).await.connector(true), ask("Hi")).await.0.unwrap_err();
    assert!(failure.message.ends_with("refused: Only images (-32005)."), "{failure}");
}

#[tokio::test]
async fn what_is_not_a2a_is_garbage() {
    let long_id = "x".repeat(300);
    let named = json!({"task": {"id": long_id, "status": {"state": "TASK_STATE_WORKING"}}});
    let scripts: [fn() -> Response; 5] = [
        || (EVENTS, "data: nonsense\n\n").into_response(),
        || (EVENTS, ": noise\n".repeat(1 << 20)).into_response(),
        || ([(header::CONTENT_TYPE, "text/html")], "<h1>It works!</h1>").into_response(),
        || result(&json!({"neither": 1})),
        || Json(json!([])).into_response(),
    ];
    for script in scripts {
        let agent = Scripted::new(move |_, _| script()).await;
        let failure = hear(&agent.connector(true), ask("Hi")).await.0.unwrap_err();
        assert_eq!(failure.class, FailureClass::Garbage, "{failure}");
    }
    let agent = Scripted::new(move |_, _| events(std::slice::from_ref(&named))).await;
    let failure = hear(&agent.connector(true), ask("Hi")).await.0.unwrap_err();
    assert!(failure.message.contains("ids of more than 256 bytes"), "{failure}");
}

#[tokio::test]
async fn a_huge_plain_answer_is_cut_off() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    let base = serve_bytes(format!("{head}\"{}", "x".repeat(20 << 20))).await;
    let failure = hear(&connector(&base, A2aProtocol::V1, false), ask("Hi")).await.0.unwrap_err();
    assert_eq!(failure.class, FailureClass::TooLarge);
}

#[tokio::test]
async fn an_agent_that_is_not_there_is_named() {
    let failure = hear(&connector(&nowhere().await, A2aProtocol::V1, true), ask("Hi")).await.0.unwrap_err();
    assert_eq!(failure.class, FailureClass::Unreachable);
    assert!(failure.message.starts_with("No connection to 127.0.0.1:"), "{failure}");
}

#[tokio::test]
async fn credentials_stay_with_the_origin_they_were_given_for() {
    let base = nowhere().await;
    let other = nowhere().await;
    let credentials = Credentials::Bearer(Secret::new("t"));
    let refused = connector(&base, A2aProtocol::V1, true).with_credentials(&other, credentials);
    assert_eq!(refused.unwrap_err().class, FailureClass::Policy);
}
