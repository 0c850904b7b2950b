//! A2A client over JSON-RPC: builds request bodies and decodes responses of both versions to one form.

mod artifact_merge;
mod caller_timeout;
mod decode;
mod part_mapping;
mod request;
mod unreadable_parts;

pub use artifact_merge::{ArtifactDelta, ArtifactMerger};
pub use caller_timeout::{set_caller_timeout, take_caller_timeout};
pub use decode::{
    DecodeError, MAX_ANSWER_BYTES, MAX_DEPTH, MAX_EVENT_BYTES, MAX_PARTS, Update, answer, event,
};
pub use part_mapping::{BlobUrl, IncomingPart, non_empty, receive, send};
pub use request::{AgentRequest, VERSION_HEADER, body, version};
