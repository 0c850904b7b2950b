//! Decoder tests: recorded, invalid and hostile responses and events of agents.

use plexus_a2a::{
    A2aProtocol,
    client::{self, DecodeError, MAX_ANSWER_BYTES, MAX_PARTS, Update},
    wire::{
        Method,
        rpc::ErrorKind,
        v1::{PartContent, TaskState},
    },
};
use plexus_domain::run::FailureClass;
use proptest::prelude::*;
use serde_json::{Value, json};

const BOTH: [A2aProtocol; 2] = [A2aProtocol::V1, A2aProtocol::V03];

fn sample(name: &str, protocol: A2aProtocol) -> String {
    let version = if protocol == A2aProtocol::V1 { "v1" } else { "v03" };
    let (stem, ending) = name.split_once('.').unwrap();
    let path = format!("{}/tests/samples/{stem}-{version}.{ending}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn events(name: &str, protocol: A2aProtocol) -> Vec<Update> {
    let text = sample(name, protocol);
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| client::event(protocol, data.as_bytes()).unwrap()).collect()
}

fn answer(method: Method, protocol: A2aProtocol, name: &str) -> Update {
    client::answer(protocol, method, sample(name, protocol).as_bytes()).unwrap()
}

/// Returns each event as a short word, equal for both versions.
fn outline(updates: &[Update]) -> Vec<String> {
    let word = |update: &Update| match update {
        Update::Task(task) => format!("task {:?}", task.status.state),
        Update::Status(update) => format!("status {:?}", update.status.state),
        Update::Artifact(update) => {
            let text: String = update.artifact.parts.iter().filter_map(|part| part.as_text()).collect();
            format!(
                "{} {text:?} append={} last={}",
                update.artifact.artifact_id, update.append, update.last_chunk
            )
        }
        Update::Message(_) => "message".to_owned(),
        Update::Error(error) => format!("error {}", error.code),
    };
    updates.iter().map(word).collect()
}

#[test]
fn a_stream_reads_alike_in_both_versions() {
    for protocol in BOTH {
        let updates = events("stream.sse", protocol);
        assert_eq!(
            outline(&updates),
            [
                "task Submitted",
                "status Working",
                "a1 \"Four \" append=false last=false",
                "a1 \"is it.\" append=true last=true",
                "a2 \"\" append=false last=true",
                "status Completed",
            ]
        );
        assert!(updates.iter().all(|update| update.task_id() == updates[0].task_id()));
        assert!(updates.iter().all(|update| update.context_id() == updates[0].context_id()));
        let Update::Artifact(files) = &updates[4] else { panic!("{updates:?}") };
        let contents: Vec<_> = files.artifact.parts.iter().map(|part| part.content.clone()).collect();
        let [PartContent::Data(sum), raw, url] = &contents[..] else { panic!("{contents:?}") };
        assert_eq!(sum["sum"].as_f64(), Some(4.0));
        assert_eq!(raw, &PartContent::Raw(vec![0, 1]));
        assert_eq!(url, &PartContent::Url("https://example.org/x.png".into()));
    }
}

#[test]
fn a_question_comes_with_the_state_that_waits_for_it() {
    for protocol in BOTH {
        let updates = events("ask.sse", protocol);
        let Some(Update::Status(last)) = updates.last() else { panic!("{updates:?}") };
        assert_eq!(last.status.state, TaskState::InputRequired);
        assert_eq!(last.status.message.as_ref().unwrap().parts[0].as_text(), Some("Which city?"));
    }
}

#[test]
fn plain_answers_are_a_message_a_task_or_an_error() {
    for protocol in BOTH {
        let Update::Message(message) = answer(Method::SendMessage, protocol, "message.json") else {
            panic!()
        };
        assert_eq!(message.parts[0].as_text(), Some("Hello back."));
        let Update::Task(task) = answer(Method::SendMessage, protocol, "task.json") else { panic!() };
        assert_eq!((task.status.state, task.artifacts.len()), (TaskState::Completed, 2));
        let Update::Error(error) = answer(Method::GetTask, protocol, "error.json") else { panic!() };
        assert_eq!(error.kind(), Some(ErrorKind::TaskNotFound));
    }
}

#[test]
fn what_is_too_much_is_refused_before_it_is_used() {
    let parts = vec![json!({"text": "x"}); MAX_PARTS + 1];
    let many =
        json!({"result": {"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": parts}}}).to_string();
    let error = client::event(A2aProtocol::V1, many.as_bytes()).unwrap_err();
    assert_eq!(error, DecodeError::TooManyParts { parts: MAX_PARTS + 1 });
    assert_eq!(error.class(), FailureClass::TooLarge);

    let deep = format!("{{\"result\":{}1{}}}", "[".repeat(5_000), "]".repeat(5_000));
    let error = client::event(A2aProtocol::V03, deep.as_bytes()).unwrap_err();
    assert_eq!((error.class(), error.to_string().contains("nested")), (FailureClass::Garbage, true));

    let large = vec![b' '; MAX_ANSWER_BYTES + 1];
    let error = client::answer(A2aProtocol::V1, Method::SendMessage, &large).unwrap_err();
    assert_eq!(error.class(), FailureClass::TooLarge);

    let swollen = format!("{{\"result\":[{}1]}}", "1,".repeat(300_000));
    let error = client::event(A2aProtocol::V1, swollen.as_bytes()).unwrap_err();
    assert_eq!(error.class(), FailureClass::TooLarge);
}

#[test]
fn garbage_is_named() {
    for (data, word) in [
        ("", "empty"),
        ("<html>502</html>", "HTML"),
        ("{}", "neither a result nor an error"),
        ("{\"result\":null}", "neither a result nor an error"),
        ("{\"result\":{}}", "none of task"),
        ("{\"result\":{\"task\":{\"id\":\"t\"}}}", "status"),
    ] {
        let error = client::event(A2aProtocol::V1, data.as_bytes()).unwrap_err();
        assert_eq!(error.class(), FailureClass::Garbage);
        assert!(error.to_string().contains(word), "{data}: {error}");
    }
    let error = client::event(A2aProtocol::V03, b"{\"result\":{\"kind\":\"dream\"}}").unwrap_err();
    assert!(error.to_string().contains("kind"), "{error}");
}

#[test]
fn an_unreadable_part_costs_only_itself() {
    let texts = |protocol, parts: Value, artifact: Value| {
        let mut artifact = artifact;
        artifact["parts"] = parts;
        let event = match protocol {
            A2aProtocol::V1 => json!({"artifactUpdate": {"taskId": "t", "artifact": artifact}}),
            A2aProtocol::V03 => {
                json!({"kind": "artifact-update", "taskId": "t", "contextId": "c", "artifact": artifact})
            }
        };
        let data = json!({"result": event}).to_string();
        let update = client::event(protocol, data.as_bytes()).unwrap();
        let Update::Artifact(update) = update else { panic!("{update:?}") };
        let texts = update.artifact.parts.iter().map(|part| part.as_text().unwrap_or("-").to_owned());
        (update.artifact.artifact_id.clone(), texts.collect::<Vec<_>>())
    };
    let bad =
        [json!({}), json!({"text": null}), json!({"raw": "%"}), json!({"text": "a", "url": "b"}), json!(7)];
    for bad in bad {
        let parts = json!([{"text": "before"}, bad, {"data": {"parts": [7]}}, {"text": "after"}]);
        let (id, texts) = texts(A2aProtocol::V1, parts, json!({"artifactId": "a"}));
        assert_eq!((id.as_str(), texts.len()), ("a", 4), "{bad}");
        assert_eq!((texts[0].as_str(), texts[2].as_str(), texts[3].as_str()), ("before", "-", "after"));
        assert!(texts[1].contains("[Part 2 could not be read: "), "{bad}: {texts:?}");
    }
    let text = |text: &str| json!({"kind": "text", "text": text});
    let file = |file: Value| json!({"kind": "file", "file": file});
    let both = json!({"bytes": "AA==", "uri": "https://example.org/a"});
    for bad in [json!({"kind": "dream"}), json!({"kind": "text", "text": null}), file(json!({})), file(both)]
    {
        let (id, texts) = texts(A2aProtocol::V03, json!([text("before"), bad, text("after")]), json!({}));
        assert_eq!((id.as_str(), texts.len()), ("artifact", 3), "{bad}");
        assert_eq!((texts[0].as_str(), texts[2].as_str()), ("before", "after"));
        assert!(texts[1].contains("[Part 2 could not be read: "), "{bad}: {texts:?}");
    }
    let split = json!([{"raw": "AA\r\n=="}]);
    assert_eq!(texts(A2aProtocol::V1, split, json!({})), ("artifact".to_owned(), vec!["-".to_owned()]));
}

fn damaged() -> impl Strategy<Value = (A2aProtocol, Vec<u8>)> {
    (prop::sample::select(BOTH.to_vec()), 0..6_usize, any::<prop::sample::Index>(), any::<u8>(), 0..3_u8)
        .prop_map(|(protocol, line, at, byte, how)| {
            let text = sample("stream.sse", protocol);
            let data = text.lines().filter_map(|line| line.strip_prefix("data: ")).nth(line).unwrap();
            let mut bytes = data.as_bytes().to_vec();
            let at = at.index(bytes.len());
            match how {
                0 => bytes.truncate(at),
                1 => bytes[at] = byte,
                _ => bytes.insert(at, byte),
            }
            (protocol, bytes)
        })
}

/// Removes each member at any depth of a valid event, one at a time.
fn without_one_member(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                let mut less = members.clone();
                less.remove(name);
                found.push(Value::Object(less));
                for changed in without_one_member(inner) {
                    let mut copy = members.clone();
                    copy.insert(name.clone(), changed);
                    found.push(Value::Object(copy));
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                for changed in without_one_member(inner) {
                    let mut copy = items.clone();
                    copy[index] = changed;
                    found.push(Value::Array(copy));
                }
            }
        }
        _ => {}
    }
    found
}

#[test]
fn no_missing_member_makes_a_panic_and_optional_ones_are_not_missed() {
    for protocol in BOTH {
        let text = sample("task.json", protocol);
        let whole: Value = serde_json::from_str(&text).unwrap();
        let read =
            |value: &Value| client::answer(protocol, Method::SendMessage, value.to_string().as_bytes());
        let variants = without_one_member(&whole);
        let accepted = variants.iter().filter(|value| read(value).is_ok()).count();
        assert!(accepted > 10 && accepted < variants.len(), "{accepted} of {}", variants.len());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for protocol in BOTH {
            prop_assert!(client::event(protocol, &bytes).is_err());
            prop_assert!(client::answer(protocol, Method::GetTask, &bytes).is_err());
        }
    }

    #[test]
    fn damaged_events_are_decoded_without_a_panic((protocol, bytes) in damaged()) {
        if let Ok(update) = client::event(protocol, &bytes) {
            prop_assert!(!matches!(update, Update::Message(_)));
        }
    }
}
