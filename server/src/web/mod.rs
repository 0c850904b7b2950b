//! What all edges share: who calls, what a page carries, how a refusal is said.

pub mod assets;
pub mod bearer;
pub mod body;
pub mod cached;
pub mod caller;
pub mod client_address;
pub mod download;
pub mod error;
pub mod event_stream;
pub mod form;
pub mod headers;
pub mod host;
pub mod kept;
pub mod listen;
pub mod page;
pub mod place;
pub mod request_id;
pub mod shape;
pub mod slow_body;
mod stalled;
