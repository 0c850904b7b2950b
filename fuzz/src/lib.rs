//! Fuzz targets: every decoder of Plexus as a function of arbitrary bytes.
//!
//! Each target feeds its input to a decoder and asserts properties of the result, not only that it does not
//! panic. `tests/corpus.rs` runs the targets as ordinary tests over `corpus/` and mutations of it.
//! `fuzz_targets/` passes the same functions to `cargo fuzz`.

#![expect(clippy::unwrap_used, reason = "a target fails by panicking")]
#![expect(clippy::expect_used, reason = "a target fails by panicking")]

mod a2a;
mod a2a_response;
mod acp;
mod address;
mod asked;
mod attached;
mod builtin_data;
mod calc_sheet;
mod captured_output;
mod card;
mod chat_export;
mod client;
mod completion;
mod federation_record;
mod html;
mod http_reply;
mod http_signature;
mod hub;
mod images;
mod markdown;
mod mcp;
mod oauth;
mod p2p_messages;
mod requests;
mod rpc;
mod search;
mod settings;
mod signature;
mod sse;
mod stdio;
mod template;
mod token;
mod tools;

pub use a2a::a2a;
pub use a2a_response::answer;
pub use acp::acp;
pub use address::address;
pub use attached::attached;
pub use builtin_data::table;
pub use calc_sheet::sheet;
pub use card::card;
pub use chat_export::chats;
pub use client::client;
pub use completion::completion;
pub use federation_record::record;
pub use http_reply::reply;
pub use http_signature::http_signature;
pub use images::images;
pub use markdown::markdown;
pub use mcp::mcp;
pub use oauth::oauth;
pub use p2p_messages::wire;
pub use requests::{api, edge, form};
pub use rpc::rpc;
pub use search::search;
pub use settings::settings;
pub use signature::signature;
pub use sse::sse;
pub use stdio::stdio;
pub use template::template;
pub use token::token;
pub use tools::tools;

/// Passes the names of all targets to a macro.
#[macro_export]
macro_rules! each_target {
    ($macro:ident) => {
        $macro! {
            a2a acp address answer api attached card chats client completion edge form http_signature images markdown mcp oauth record
            reply rpc search settings sheet signature sse stdio table template token tools wire
        }
    };
}

/// Seed of the key that signed the samples in `corpus/`.
const SEED: [u8; 32] = [7; 32];

/// Returns the chunk size in which a target splits its input, derived from the first byte.
fn piece_size(data: &[u8]) -> usize {
    data.first().map_or(1, |&first| usize::from(first % 61) + 1)
}
