//! Streams of the usual model servers, each with what it does differently.

use super::*;

const SERVERS: &str = include_str!("servers.txt");

/// One answer of a server.
#[derive(Debug)]
struct Scripted {
    server: &'static str,
    kind: &'static str,
    status: StatusCode,
    media_type: &'static str,
    /// Words of the failure.
    words: &'static str,
    body: &'static str,
    /// JSON pointer into the assistant's message of the second request, and the value there.
    returned: Option<(&'static str, Value)>,
}

fn scripted() -> Vec<Scripted> {
    let mut all: Vec<Scripted> = Vec::new();
    for server in SERVERS.split("\n== ").skip(1) {
        let name = server.split_once(':').unwrap().0;
        for section in server.split("\n-- ").skip(1) {
            let (head, body) = section.split_once('\n').unwrap();
            let (body, returned) = body.split_once("-> ").map_or((body, None), |(body, place)| {
                let (place, value) = place.split_once('\n').unwrap();
                (body, Some((place, serde_json::from_str(value).unwrap())))
            });
            let (head, words) = head.split_once(" | ").unwrap_or((head, ""));
            let head: Vec<&str> = head.split(' ').collect();
            let status = if head.len() == 3 { head[1].parse().unwrap() } else { StatusCode::OK };
            let media_type = head[head.len() - 1];
            all.push(Scripted { server: name, kind: head[0], status, media_type, words, body, returned });
        }
    }
    all
}

/// Starts a server that gives this answer first, and then a plain one. Cuts the body into pieces of `size` bytes.
async fn serve_script(
    scripted: &'static str,
    status: StatusCode,
    media_type: &'static str,
    size: usize,
) -> (LlmConnector, Arc<Mutex<Vec<Value>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&seen);
    let answer = move |Json(body): Json<Value>| async move {
        let mut heard = heard.lock().unwrap();
        heard.push(body);
        let (status, text) = match heard.len() {
            1 => (status, scripted.to_owned()),
            _ => (StatusCode::OK, format!("{}{STOP}{DONE}", event("It is 42."))),
        };
        let pieces: Vec<_> =
            text.as_bytes().chunks(size).map(|piece| Ok::<_, Infallible>(piece.to_vec())).collect();
        (status, [(header::CONTENT_TYPE, media_type)], Body::from_stream(stream::iter(pieces)))
    };
    let base = serve(Router::new().route("/v1/chat/completions", post(answer))).await;
    let mut llm = model(&base, None);
    llm.providers[0].model.history_bytes = 20_000;
    (llm, seen)
}

#[tokio::test]
async fn the_streams_of_all_servers_are_read() {
    let all = scripted();
    assert!(all.len() >= 14 * 4, "{}", all.len());
    for Scripted { server, kind, status, media_type, words, body, returned } in all {
        for size in [1, 7, body.len()] {
            let what = format!("{server}, {kind}, pieces of {size}");
            let (llm, seen) = serve_script(body, status, media_type, size).await;
            let (url, asked) = tools::tools().await;
            let llm = if kind == "tools" { tools::free(llm, &url) } else { llm };
            let (end, heard) = hear(&llm, ask("41 + 1?")).await;
            if kind == "failing" {
                let failure = end.expect_err(&what);
                assert!(failure.message.contains(words), "{what}: {failure}");
                assert!(!failure.message.contains("127.0.0.1"), "{what}: {failure}");
                continue;
            }
            assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), "It is 42."), "{what}");
            let thoughts: Vec<_> = heard.parts.iter().filter_map(reasoning_in).collect();
            if kind == "reasoning" {
                assert_eq!(thoughts, ["41 and 1"], "{what}");
            }
            if kind == "tools" {
                let calls = if server == "Ollama" { 2 } else { 1 };
                assert_eq!(tools::calls(&asked), calls, "{what}");
                let seen = seen.lock().unwrap();
                let messages = seen[1]["messages"].as_array().unwrap();
                let message = messages.iter().find(|message| message["role"] == "assistant").unwrap();
                let call = &message["tool_calls"][0];
                assert_eq!(call["function"]["arguments"], r#"{"a":41}"#, "{what}");
                assert_ne!(call["id"], "", "{what}");
                assert_eq!(
                    call["id"],
                    messages.last().unwrap()["tool_call_id"]
                        .as_str()
                        .filter(|_| calls == 1)
                        .unwrap_or("call_a"),
                    "{what}"
                );
                if let Some((place, value)) = &returned {
                    assert_eq!(message.pointer(place), Some(value), "{what}: {message}");
                }
            }
        }
    }
}

fn reasoning_in(part: &Part) -> Option<&str> {
    match &part.content {
        PartBody::Reasoning { text } => Some(text),
        _ => None,
    }
}
