//! HTTP building blocks shared by all endpoints: authentication, page context, errors, caching, timeouts and
//! headers.

pub mod admission;
pub mod api_error_layer;
pub mod assets;
pub mod auth;
pub mod bearer;
pub mod body_budget;
pub mod body_timeout;
pub mod body_writer;
pub mod client_address;
pub mod connections;
pub mod download;
pub mod edge_errors;
pub mod error;
pub mod etag;
pub mod event_stream;
pub mod form;
pub mod host_check;
pub mod json_body;
pub mod language;
pub mod listen;
pub mod message_form;
pub mod page;
pub mod page_cache;
pub mod request_id;
pub mod routing;
pub mod run_to_end;
pub mod search_cursor;
pub mod secret_urls;
pub mod security_headers;
mod write_timeout;
