//! Every decoder of Plexus as a function that takes any bytes.
//!
//! Each function is one target: it feeds the bytes to the decoder and asserts what must hold of the outcome, beyond
//! that there is one. `tests/corpus.rs` runs them as ordinary tests over `corpus/` and over edits of it;
//! `fuzz_targets/` hands the same functions to `cargo fuzz`.

#![expect(clippy::unwrap_used, reason = "a target fails by panicking")]
#![expect(clippy::expect_used, reason = "a target fails by panicking")]

mod a2a;
mod acp;
mod address;
mod answer;
mod asked;
mod attached;
mod card;
mod client;
mod completion;
mod heard;
mod html;
mod http_signature;
mod hub;
mod markdown;
mod mcp;
mod oauth;
mod record;
mod reply;
mod requests;
mod rpc;
mod search;
mod settings;
mod sheet;
mod signature;
mod sse;
mod stdio;
mod template;
mod token;
mod tools;
mod wire;

pub use a2a::a2a;
pub use acp::acp;
pub use address::address;
pub use answer::answer;
pub use attached::attached;
pub use card::card;
pub use client::client;
pub use completion::completion;
pub use http_signature::http_signature;
pub use markdown::markdown;
pub use mcp::mcp;
pub use oauth::oauth;
pub use record::record;
pub use reply::reply;
pub use requests::{api, edge, form};
pub use rpc::rpc;
pub use search::search;
pub use settings::settings;
pub use sheet::sheet;
pub use signature::signature;
pub use sse::sse;
pub use stdio::stdio;
pub use template::template;
pub use token::token;
pub use tools::tools;
pub use wire::wire;

/// Hands the name of every target to a macro.
#[macro_export]
macro_rules! each_target {
    ($macro:ident) => {
        $macro! {
            a2a acp address answer api attached card client completion edge form http_signature markdown mcp oauth record reply
            rpc search settings sheet signature sse stdio template token tools wire
        }
    };
}

/// Seed of the key with which signed specimens in `corpus/` are signed.
const SEED: [u8; 32] = [7; 32];

/// Where a stream is cut: pieces of this many bytes. The first byte of the input decides.
fn piece_size(data: &[u8]) -> usize {
    data.first().map_or(1, |&first| usize::from(first % 61) + 1)
}
