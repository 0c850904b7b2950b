//! Messages and parts of 0.3 (its specification, sections 6.4 to 6.6).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kind;
use crate::wire::{Metadata, lenient};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    #[serde(default)]
    pub kind: kind::Message,
    pub message_id: String,
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::filled", skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    pub role: Role,
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub parts: Vec<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "Vec::is_empty")]
    pub reference_task_ids: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Agent,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Part {
    Text {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metadata: Option<Metadata>,
    },
    File {
        file: File,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metadata: Option<Metadata>,
    },
    Data {
        /// An object, by the specification.
        data: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metadata: Option<Metadata>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "FileMembers", rename_all = "camelCase")]
pub struct File {
    #[serde(flatten)]
    pub content: FileContent,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
}

/// Content of a file: `{"bytes"}` (base64) or `{"uri"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileContent {
    #[serde(serialize_with = "lenient::bytes::serialize")]
    Bytes(Vec<u8>),
    Uri(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileMembers {
    #[serde(default, deserialize_with = "lenient::bytes::optional")]
    bytes: Option<Vec<u8>>,
    uri: Option<String>,
    #[serde(default, deserialize_with = "lenient::filled")]
    name: Option<String>,
    #[serde(default, deserialize_with = "lenient::filled")]
    mime_type: Option<String>,
}

impl TryFrom<FileMembers> for File {
    type Error = &'static str;

    fn try_from(file: FileMembers) -> Result<Self, Self::Error> {
        let content = match (file.bytes, file.uri) {
            (Some(bytes), None) => FileContent::Bytes(bytes),
            (None, Some(uri)) => FileContent::Uri(uri),
            (None, None) => return Err("a file with neither bytes nor uri"),
            (Some(_), Some(_)) => return Err("a file with both bytes and uri"),
        };
        Ok(Self { content, name: file.name, mime_type: file.mime_type })
    }
}
