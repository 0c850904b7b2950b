//! Domain types and rules of Plexus, without IO.
//!
//! The crate performs no IO, reads no clock and generates no random numbers: time, ids and entropy are
//! arguments. Equal inputs therefore give equal results on the server, in tests and in the browser.

pub mod account;
pub mod address;
pub mod agent;
pub mod call_options;
pub mod chat;
pub mod chat_event;
pub mod digest;
pub mod embedded_block;
pub mod error;
pub mod fair_scheduler;
pub mod feedback;
pub mod form_question;
pub mod id;
pub mod knowledge;
pub mod media_type;
pub mod message;
pub mod message_attributes;
pub mod money;
pub mod name;
pub mod number;
#[cfg(feature = "schema")]
mod openapi_schema;
pub mod page;
pub mod part;
pub mod principal;
pub mod run;
pub mod sanitized_text;
pub mod team;
pub mod text_request;
pub mod time;
pub mod tokenize;

pub use address::Address;
pub use call_options::CallOptions;
pub use digest::Digest;
pub use error::{Error, Result};
pub use id::*;
pub use message_attributes::{
    ArtifactAttributes, ForwardedAttributes, MessageAttributes, Metadata, TraceContext,
};
pub use name::Name;
pub use part::{ImageSize, Part, PartBody};
pub use principal::Principal;
pub use run::RunState;
pub use sanitized_text::Text;
pub use team::Team;
pub use time::Timestamp;
