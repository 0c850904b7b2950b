//! A2A client over JSON-RPC and HTTP+JSON: builds requests and decodes responses of both versions to one form.

mod artifact_merge;
mod caller_timeout;
mod decode;
mod http_json;
mod part_mapping;
mod request;
mod unreadable_parts;

pub use artifact_merge::{ArtifactDelta, ArtifactMerger};
pub use caller_timeout::{set_caller_timeout, take_caller_timeout};
pub use decode::{
    DecodeError, MAX_ANSWER_BYTES, MAX_DEPTH, MAX_EVENT_BYTES, MAX_PARTS, Update, answer, event,
};
pub use http_json::{HttpJsonRequest, MEDIA_TYPE, http_json_answer, http_json_error, http_json_event};
pub use part_mapping::{BlobUrl, IncomingPart, non_empty, receive, send};
pub use request::{AgentRequest, VERSION_HEADER, body, version};
