//! The client's half of A2A over JSON-RPC: bodies to send, and answers read into one form for both versions.

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
