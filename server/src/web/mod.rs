//! HTTP building blocks shared by all endpoints: authentication, page context, errors, caching, timeouts and
//! headers.

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
