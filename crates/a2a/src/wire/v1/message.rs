//! Messages and parts (specification sections 4.1.4 to 4.1.6).

use plexus_domain::media_type::essence;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::{Metadata, lenient};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    #[serde(alias = "message_id")]
    #[serde(deserialize_with = "lenient::or_default")]
    pub message_id: String,
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    #[serde(alias = "context_id")]
    pub context_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    #[serde(alias = "task_id")]
    pub task_id: Option<String>,
    pub role: Role,
    /// At least one by the specification. An empty list is
    /// accepted, because real agents end with empty messages.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub parts: Vec<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "Vec::is_empty")]
    #[serde(alias = "reference_task_ids")]
    pub reference_task_ids: Vec<String>,
}

impl Message {
    /// Creates a message without task and context.
    pub fn new(id: impl Into<String>, role: Role, parts: Vec<Part>) -> Self {
        Self {
            message_id: id.into(),
            context_id: None,
            task_id: None,
            role,
            parts,
            metadata: None,
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// Also any value added by a later version.
    #[default]
    Unspecified,
    User,
    Agent,
}

lenient::proto_enum! {
    Role { Unspecified = "ROLE_UNSPECIFIED", User = "ROLE_USER", Agent = "ROLE_AGENT" }
}

/// One part of a message or an artifact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PartMembers", rename_all = "camelCase")]
pub struct Part {
    #[serde(flatten)]
    pub content: PartContent,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(alias = "media_type")]
    pub media_type: Option<String>,
}

/// Content of a part, by the member that is present: `{"text"}`, `{"raw"}` (base64), `{"url"}` or `{"data"}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PartContent {
    Text(String),
    #[serde(serialize_with = "lenient::bytes::serialize")]
    Raw(Vec<u8>),
    Url(String),
    Data(Value),
}

impl From<PartContent> for Part {
    fn from(content: PartContent) -> Self {
        Self { content, metadata: None, filename: None, media_type: None }
    }
}

impl Part {
    pub fn text(text: impl Into<String>) -> Self {
        Self::from(PartContent::Text(text.into()))
    }

    /// Returns true if the part is text without a file name, of no media type or one of plain text or Markdown.
    pub fn is_plain_text(&self) -> bool {
        let media_type = essence(self.media_type.as_deref().unwrap_or("text/plain"));
        let is_plain = ["text/plain", "text/markdown"].contains(&media_type.as_str());
        self.as_text().is_some() && self.filename.is_none() && is_plain
    }

    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            PartContent::Text(text) => Some(text),
            _ => None,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PartMembers {
    text: Option<String>,
    #[serde(default, deserialize_with = "lenient::bytes::optional")]
    raw: Option<Vec<u8>>,
    url: Option<String>,
    #[serde(default, deserialize_with = "lenient::present")]
    data: Option<Value>,
    metadata: Option<Metadata>,
    #[serde(default, deserialize_with = "lenient::filled")]
    filename: Option<String>,
    #[serde(default, deserialize_with = "lenient::filled")]
    #[serde(alias = "media_type")]
    media_type: Option<String>,
}

impl TryFrom<PartMembers> for Part {
    type Error = &'static str;

    fn try_from(part: PartMembers) -> Result<Self, Self::Error> {
        let content = match (part.text, part.raw, part.url, part.data) {
            (Some(text), None, None, None | Some(Value::Null)) => PartContent::Text(text),
            (None, Some(raw), None, None | Some(Value::Null)) => PartContent::Raw(raw),
            (None, None, Some(url), None | Some(Value::Null)) => PartContent::Url(url),
            (None, None, None, Some(data)) => PartContent::Data(data),
            (None, None, None, None) => return Err("a part with none of text, raw, url and data"),
            _ => return Err("a part with more than one of text, raw, url and data"),
        };
        Ok(Self { content, metadata: part.metadata, filename: part.filename, media_type: part.media_type })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_is_known_by_the_member_that_is_there() {
        for wire in [
            json!({"text": ""}),
            json!({"raw": "AAEC/w==", "filename": "a.bin", "mediaType": "application/octet-stream"}),
            json!({"url": "https://example.org/a", "metadata": {"k": 1}}),
            json!({"data": [1, null]}),
            json!({"data": null}),
        ] {
            let part: Part = serde_json::from_value(wire.clone()).unwrap();
            assert_eq!(serde_json::to_value(&part).unwrap(), wire);
        }
        for bad in
            [json!({}), json!({"text": "a", "url": "b"}), json!({"text": 1}), json!({"raw": "%"}), json!([])]
        {
            assert!(serde_json::from_value::<Part>(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn nulls_and_unknown_members_are_as_if_not_there() {
        let wire = json!({
            "messageId": "m", "role": "ROLE_NEW", "contextId": "", "taskId": null, "metadata": null, "new": {},
            "parts": [{"text": "a", "raw": null, "url": null, "data": null, "mediaType": ""}],
        });
        let message: Message = serde_json::from_value(wire).unwrap();
        assert_eq!(message, Message::new("m", Role::Unspecified, vec![Part::text("a")]));
    }

    #[test]
    fn other_spellings_of_proto_json_are_read() {
        let wire = json!({
            "message_id": "m", "role": 2, "context_id": "c", "task_id": "t", "reference_task_ids": ["r"],
            "extensions": null, "parts": [{"text": "a", "media_type": "text/html"}],
        });
        let message: Message = serde_json::from_value(wire).unwrap();
        let part = Part { media_type: Some("text/html".into()), ..Part::text("a") };
        let expected = Message {
            context_id: Some("c".into()),
            task_id: Some("t".into()),
            reference_task_ids: vec!["r".into()],
            ..Message::new("m", Role::Agent, vec![part])
        };
        assert_eq!(message, expected);
        let role = |value| serde_json::from_value::<Role>(value).unwrap();
        assert_eq!([json!(1), json!("ROLE_USER"), json!("1"), json!(1.0)].map(role), [Role::User; 4]);
        let unknown = [json!(0), json!(9), json!(-1), json!(0.5), json!(null), json!("ROLE_NEW")];
        assert_eq!(unknown.map(role), [Role::Unspecified; 6]);
        assert!(serde_json::from_value::<Role>(json!([])).is_err());
    }

    #[test]
    fn bytes_are_read_in_every_spelling_of_base64() {
        for text in ["-_8", "-_8=", "+/8", "+/8="] {
            let part: Part = serde_json::from_value(json!({"raw": text})).unwrap();
            assert_eq!(part.content, PartContent::Raw(vec![0xfb, 0xff]));
        }
    }
}
