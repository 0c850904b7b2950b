//! Conversion of messages and parts.

use serde_json::{Value, json};

use super::all;
use crate::wire::{
    Metadata, v1,
    v03::{self, kind},
};

/// Metadata key that marks wrapped data, which is not an object.
const WRAPPED: &str = "data_part_compat";

impl From<v03::Message> for v1::Message {
    fn from(old: v03::Message) -> Self {
        Self {
            message_id: old.message_id,
            context_id: old.context_id,
            task_id: old.task_id,
            role: old.role.into(),
            parts: all(old.parts),
            metadata: old.metadata,
            extensions: old.extensions,
            reference_task_ids: old.reference_task_ids,
        }
    }
}

impl From<v1::Message> for v03::Message {
    fn from(new: v1::Message) -> Self {
        Self {
            kind: kind::Message::Is,
            message_id: new.message_id,
            context_id: new.context_id,
            task_id: new.task_id,
            role: new.role.into(),
            parts: all(new.parts),
            metadata: new.metadata,
            extensions: new.extensions,
            reference_task_ids: new.reference_task_ids,
        }
    }
}

impl From<v03::Role> for v1::Role {
    fn from(old: v03::Role) -> Self {
        match old {
            v03::Role::User => Self::User,
            v03::Role::Agent => Self::Agent,
        }
    }
}

impl From<v1::Role> for v03::Role {
    fn from(new: v1::Role) -> Self {
        match new {
            v1::Role::User => Self::User,
            v1::Role::Agent | v1::Role::Unspecified => Self::Agent,
        }
    }
}

impl From<v03::Part> for v1::Part {
    fn from(old: v03::Part) -> Self {
        match old {
            v03::Part::Text { text, metadata } => Self { metadata, ..Self::text(text) },
            v03::Part::Data { data, metadata } => unwrap_data(data, metadata),
            v03::Part::File { file, metadata } => {
                let content = match file.content {
                    v03::FileContent::Bytes(bytes) => v1::PartContent::Raw(bytes),
                    v03::FileContent::Uri(uri) => v1::PartContent::Url(uri),
                };
                Self { content, metadata, filename: file.name, media_type: file.mime_type }
            }
        }
    }
}

impl From<v1::Part> for v03::Part {
    fn from(new: v1::Part) -> Self {
        let v1::Part { content, metadata, filename: name, media_type: mime_type } = new;
        let file = |content| v03::File { content, name, mime_type };
        match content {
            v1::PartContent::Text(text) => Self::Text { text, metadata },
            v1::PartContent::Raw(bytes) => {
                Self::File { file: file(v03::FileContent::Bytes(bytes)), metadata }
            }
            v1::PartContent::Url(uri) => Self::File { file: file(v03::FileContent::Uri(uri)), metadata },
            v1::PartContent::Data(data) => wrap_data(data, metadata),
        }
    }
}

fn wrap_data(data: Value, metadata: Option<Metadata>) -> v03::Part {
    if data.is_object() {
        return v03::Part::Data { data, metadata };
    }
    let mut metadata = metadata.unwrap_or_default();
    metadata.insert(WRAPPED.to_owned(), Value::Bool(true));
    v03::Part::Data { data: json!({ "value": data }), metadata: Some(metadata) }
}

fn unwrap_data(mut data: Value, metadata: Option<Metadata>) -> v1::Part {
    let mut metadata = metadata.unwrap_or_default();
    let wrapped = metadata.remove(WRAPPED) == Some(Value::Bool(true));
    if let Some(inner) = data.get_mut("value").filter(|_| wrapped).map(Value::take) {
        data = inner;
    }
    let metadata = (!metadata.is_empty()).then_some(metadata);
    v1::Part { metadata, ..v1::PartContent::Data(data).into() }
}
