//! Calls between hubs over their network, for hubs that have no public address.
//!
//! A call is a stream of its own (`/plexus/call/1`): a question and its answer, each a head, pieces of a body and an end. What
//! is said comes piece by piece, a writer waits for its reader, and whoever lets go of a stream ends the call. The other side is
//! the hub whose key the connection was made with, so nothing is signed. `ask` is the side that asks, `serve` the one that
//! answers, and `frames` the bytes.

mod ask;
mod frames;
mod serve;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, time::Duration};

use libp2p::StreamProtocol;
use serde::{Deserialize, Serialize};

pub use self::{
    ask::{Answer, CallError, Caller},
    serve::{Called, Calls, Coming},
};

pub const CALL: StreamProtocol = StreamProtocol::new("/plexus/call/1");
/// No call lasts longer.
pub const LONGEST: Duration = Duration::from_secs(45 * 60);

/// The head of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub path: String,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// How long the asker waits for the end of the answer.
    pub deadline_ms: u64,
}

/// The head of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// As in HTTP.
    pub status: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}
