//! Tests of conversion between 0.3 and 1.0.

use plexus_a2a::wire::{
    v1::{self, PartContent, Role, StreamResponse, TaskState},
    v03,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn part() -> impl Strategy<Value = v1::Part> {
    let metadata = prop::option::of(Just(json!({"k": [1, "x"]}).as_object().unwrap().clone()));
    let file = (prop::option::of("[a-z.]{1,8}"), prop::option::of("[a-z]{1,5}/[a-z]{1,5}"));
    let value = prop_oneof![
        Just(json!({"a": 1})),
        Just(json!({"value": 2})),
        Just(json!([1, null])),
        Just(json!("x")),
        Just(Value::Null)
    ];
    (0..4_u8, ".{0,12}", prop::collection::vec(any::<u8>(), 0..9), value, metadata, file).prop_map(
        |(kind, text, bytes, data, metadata, (filename, media_type))| {
            let content = match kind {
                0 => PartContent::Text(text),
                1 => PartContent::Raw(bytes),
                2 => PartContent::Url(text),
                _ => PartContent::Data(data),
            };
            let is_file = kind == 1 || kind == 2;
            v1::Part {
                content,
                metadata,
                filename: filename.filter(|_| is_file),
                media_type: media_type.filter(|_| is_file),
            }
        },
    )
}

fn message() -> impl Strategy<Value = v1::Message> {
    let ids = (prop::option::of("[a-z0-9]{1,6}"), prop::option::of("[a-z0-9]{1,6}"));
    (any::<bool>(), ids, prop::collection::vec(part(), 0..4)).prop_map(
        |(user, (context_id, task_id), parts)| {
            let role = if user { Role::User } else { Role::Agent };
            v1::Message { context_id, task_id, ..v1::Message::new("m", role, parts) }
        },
    )
}

fn status() -> impl Strategy<Value = v1::TaskStatus> {
    use TaskState::{
        AuthRequired, Canceled, Completed, Failed, InputRequired, Rejected, Submitted, Unspecified, Working,
    };
    let states = vec![
        Submitted,
        Working,
        Completed,
        Failed,
        Canceled,
        InputRequired,
        Rejected,
        AuthRequired,
        Unspecified,
    ];
    (prop::sample::select(states), prop::option::of(message())).prop_map(|(state, message)| v1::TaskStatus {
        state,
        message,
        timestamp: Some("2026-11-20T00:00:00.000Z".into()),
    })
}

fn artifact() -> impl Strategy<Value = v1::Artifact> {
    prop::collection::vec(part(), 0..3).prop_map(|parts| v1::Artifact::new("a", Some("n".into()), parts))
}

fn event() -> impl Strategy<Value = StreamResponse> {
    let task = (status(), prop::collection::vec(message(), 0..3), prop::collection::vec(artifact(), 0..3))
        .prop_map(|(status, history, artifacts)| v1::Task {
            id: "t".into(),
            context_id: Some("c".into()),
            status,
            artifacts,
            history,
            metadata: None,
        });
    let update = status().prop_map(|status| v1::TaskStatusUpdateEvent {
        task_id: "t".into(),
        context_id: "c".into(),
        status,
        metadata: None,
    });
    let chunk = (artifact(), any::<bool>(), any::<bool>()).prop_map(|(artifact, append, last_chunk)| {
        v1::TaskArtifactUpdateEvent {
            task_id: "t".into(),
            context_id: "c".into(),
            artifact,
            append,
            last_chunk,
            metadata: None,
        }
    });
    prop_oneof![
        task.prop_map(StreamResponse::Task),
        message().prop_map(StreamResponse::Message),
        update.prop_map(StreamResponse::StatusUpdate),
        chunk.prop_map(StreamResponse::ArtifactUpdate),
    ]
}

proptest! {
    #[test]
    fn events_survive_the_wire_of_both_versions(event in event()) {
        let wire = serde_json::to_string(&event).unwrap();
        prop_assert_eq!(&serde_json::from_str::<StreamResponse>(&wire).unwrap(), &event);
        let old = serde_json::to_string(&v03::Event::from(event.clone())).unwrap();
        let back: v03::Event = serde_json::from_str(&old).unwrap();
        prop_assert_eq!(StreamResponse::from(back), event);
    }
}

#[test]
fn the_old_mark_of_the_last_event_follows_from_the_state() {
    for (state, is_final) in
        [(TaskState::Working, false), (TaskState::InputRequired, true), (TaskState::Failed, true)]
    {
        let status = v1::TaskStatus { state, message: None, timestamp: None };
        let update =
            v1::TaskStatusUpdateEvent { task_id: "t".into(), context_id: "c".into(), status, metadata: None };
        let old = serde_json::to_value(v03::Event::from(StreamResponse::StatusUpdate(update))).unwrap();
        assert_eq!(old["final"], is_final);
    }
}

#[test]
fn what_a_send_asks_for_is_the_same_in_both() {
    let old: v03::MessageSendParams = serde_json::from_value(json!({
        "message": {"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "hi"}]},
        "configuration": {
            "blocking": false,
            "historyLength": 2,
            "acceptedOutputModes": ["text/plain"],
            "pushNotificationConfig": {
                "url": "https://a.example/", "token": "t", "authentication": {"schemes": ["Bearer", "Basic"], "credentials": "c"},
            },
        },
    }))
    .unwrap();
    let new = v1::SendMessageRequest::from(old);
    assert_eq!(
        serde_json::to_value(&new).unwrap(),
        json!({
            "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]},
            "configuration": {
                "acceptedOutputModes": ["text/plain"],
                "taskPushNotificationConfig": {
                    "url": "https://a.example/", "token": "t", "authentication": {"scheme": "Bearer", "credentials": "c"},
                },
                "historyLength": 2,
                "returnImmediately": true,
            },
        })
    );
    let back = v03::MessageSendParams::from(new).configuration.unwrap();
    assert_eq!((back.blocking, back.history_length), (Some(false), Some(2)));
}
