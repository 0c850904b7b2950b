//! Converts a request to one A2A message.

use std::collections::HashMap;

use bytes::Bytes;
use plexus_a2a::{
    client, team_extension,
    wire::v1::{Message, Part, PartContent, Role},
};
use plexus_domain::{Digest, PartBody};

use crate::{
    ConversationTurn, RunRequest,
    transcript::{part_text, previous_turns_text, unseen_turns},
};

/// Builds the message: the last turn, preceded by the turns that the agent has not received. In a new
/// conversation those are all earlier turns. In a continued one, those since the agent's last answer.
///
/// The message id is derived from the request, so resending is idempotent.
pub(super) fn message(request: &RunRequest) -> Message {
    let (question, before) =
        request.turns.split_last().map_or((None, &[][..]), |(last, rest)| (Some(last), rest));
    let mut parts: Vec<Part> =
        previous_turns_text(unseen_turns(request, before)).map(Part::text).into_iter().collect();
    parts.extend(question.into_iter().flat_map(|turn| question_parts(turn, &request.files)));
    let id = format!("{}-{}", request.run, request.turns.len());
    let mut extensions = team_extension::used(&parts);
    let given = request.options.forwarded.as_deref().map(|forwarded| forwarded.message.clone());
    let given = given.unwrap_or_default();
    extensions.extend(given.extensions.into_iter().filter(|uri| uri != team_extension::TEAM));
    let mut message = Message {
        metadata: client::non_empty(given.metadata),
        extensions,
        reference_task_ids: given.reference_task_ids,
        ..Message::new(id, Role::User, parts)
    };
    if let Some(remote) = &request.remote {
        message.task_id = remote.task.clone();
        message.context_id = remote.context.clone();
    }
    message
}

/// Converts a turn to A2A parts. Text, data, links and available files are sent. Other content of the hub is
/// replaced by a textual note.
fn question_parts(turn: &ConversationTurn, files: &HashMap<Digest, Bytes>) -> Vec<Part> {
    let parts = turn.parts.iter().filter_map(|part| match &part.content {
        PartBody::Text { .. } | PartBody::Data { .. } | PartBody::Link { .. } => {
            client::send(part, &|_| String::new())
        }
        PartBody::File { blob, .. } if files.contains_key(blob) => Some(Part {
            content: PartContent::Raw(files[blob].to_vec()),
            metadata: part.metadata.as_deref().cloned(),
            filename: part.name.clone(),
            media_type: part.media_type.clone(),
        }),
        _ => Some(part_text(std::slice::from_ref(part))).filter(|words| !words.is_empty()).map(Part::text),
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use plexus_domain::{Part, part::ToolUse};
    use serde_json::json;

    use super::*;
    use crate::{
        RemoteConversation, TurnRole,
        testing::{ask, person},
    };

    fn turn(speaker: TurnRole, text: &str) -> ConversationTurn {
        ConversationTurn { speaker, parts: vec![Part::text(text)] }
    }

    fn conversation() -> Vec<ConversationTurn> {
        let poet = TurnRole::Agent { address: "@bob/poet".parse().unwrap() };
        vec![person("Hi"), turn(TurnRole::Me, "Hello"), turn(poet, "Roses\nare red"), person("Go on")]
    }

    fn texts(request: &RunRequest) -> Vec<String> {
        message(request).parts.iter().map(|part| part.as_text().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_new_conversation_gets_the_path_as_text() {
        let request = RunRequest { turns: conversation(), ..ask("") };
        assert_eq!(
            texts(&request),
            [
                "What was said before in this conversation:\n\nAda: Hi\n\nYou: Hello\n\n\
                 The agent @bob/poet:\n> Roses\n> are red\n\nThe message to answer follows.",
                "Go on"
            ]
        );
        assert_eq!(texts(&ask("Hi")), ["Hi"]);
    }

    #[test]
    fn a_conversation_that_goes_on_gets_what_was_not_heard() {
        let remote = RemoteConversation { task: Some("t1".to_owned()), context: Some("c1".to_owned()) };
        let request = RunRequest { turns: conversation(), remote: Some(remote), ..ask("") };
        let message = message(&request);
        assert_eq!((message.task_id.as_deref(), message.context_id.as_deref()), (Some("t1"), Some("c1")));
        assert!(!texts(&request)[0].contains("Ada: Hi"));
        assert!(texts(&request)[0].contains("> Roses"));
    }

    #[test]
    fn parts_other_than_text_go_along_or_are_named() {
        let data = PartBody::Data { data: json!({"a": 1}) };
        let file = PartBody::File { blob: plexus_domain::Digest::of("x"), size: 1, image: None };
        let tool = ToolUse {
            tool: "t".to_owned(),
            arguments: json!({}),
            result: None,
            took_ms: None,
            call_id: None,
        };
        let parts = [data, file, PartBody::Tool(tool)].into_iter().map(Part::from).collect();
        let request = RunRequest { turns: vec![ConversationTurn { parts, ..person("") }], ..ask("") };
        let sent = serde_json::to_value(message(&request).parts).unwrap();
        assert_eq!(sent, json!([{"data": {"a": 1}}, {"text": "[file: unnamed, 1 bytes]"}]));

        let files = HashMap::from([(Digest::of("x"), Bytes::from_static(b"x"))]);
        let sent = serde_json::to_value(message(&RunRequest { files, ..request }).parts).unwrap();
        assert_eq!(sent[1], json!({"raw": "eA=="}), "a file whose bytes are there goes along");
    }
}
