//! Tests with endpoints that ask questions in their answers.

use super::*;

#[tokio::test]
async fn an_answer_that_ends_as_questions_do_waits_for_a_person() {
    const ASKS: &str = "Go on?";
    for (reading, path, body, end) in [
        (ResponseFormat::Json, "/a", r#"{"a": "I could. Go on?"}"#, RunEnd::InputRequired),
        (
            ResponseFormat::Events,
            "/a",
            "data: {\"a\":\"Go\"}\n\ndata: {\"a\":\" on? \\n\"}\n\n",
            RunEnd::InputRequired,
        ),
        (ResponseFormat::Lines, "/a", "{\"a\":\"Go \"}\n{\"a\":\"on?\"}", RunEnd::InputRequired),
        (ResponseFormat::Text, "", "ja, Grüße. Go on?", RunEnd::InputRequired),
        (ResponseFormat::Text, "", "Go on? I do.", RunEnd::Completed),
        (ResponseFormat::Lines, "/a", "{\"a\":\"Go on?\"}\n{\"a\":{\"n\":1}}", RunEnd::Completed),
    ] {
        let (base, _) = endpoint(move |_| body).await;
        let filled = Filled { question_suffix: Some(ASKS.to_owned()), ..question(&base, reading, path) };
        assert_eq!(hear(&connector(filled), ask("Hi")).await.0, Ok(end), "{body}");
        assert_eq!(
            hear(&connector(question(&base, reading, path)), ask("Hi")).await.0,
            Ok(RunEnd::Completed)
        );
    }
}

/// Open Interpreter streams its question as a separate event, and accepts a plain "yes" as approval.
#[tokio::test]
async fn open_interpreter_asks_before_it_runs_code() {
    let piece =
        |text: &str| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": text } }] }));
    let first = ["I compute it.", "```python\n", "1 + 1", "\n```\n", "Do you want to run this code?"];
    let replies = [first.map(piece).concat(), piece("2")];
    let (base, seen) = endpoint(move |count| replies[count - 1].clone()).await;
    let http = connector(Preset::OpenInterpreter.request(base.as_str()));
    let (end, heard) = hear(&http, ask("1 + 1")).await;
    assert_eq!(end, Ok(RunEnd::InputRequired));
    let turns = vec![
        person("1 + 1"),
        ConversationTurn { speaker: TurnRole::Me, ..person(&heard.text) },
        person("yes"),
    ];
    let (end, heard) = hear(&http, RunRequest { turns, ..ask("") }).await;
    assert_eq!((end, heard.text.as_str()), (Ok(RunEnd::Completed), "2"));
    let sent = seen.lock().unwrap()[1].2["messages"].as_array().unwrap().last().cloned();
    assert_eq!(sent, Some(json!({ "role": "user", "content": "yes" })));
}
