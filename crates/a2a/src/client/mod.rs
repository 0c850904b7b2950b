//! A2A client over JSON-RPC: builds request bodies and decodes responses of both versions to one form.

mod assembly;
mod content;
mod decode;
mod request;
mod waits;

pub use assembly::{Assembly, News};
pub use content::{BlobUrl, Received, receive, send};
pub use decode::{
    DecodeError, MAX_ANSWER_BYTES, MAX_DEPTH, MAX_EVENT_BYTES, MAX_PARTS, Update, answer, event,
};
pub use request::{Call, VERSION_HEADER, body, version};
pub use waits::{say_waits, waits};
