//! Stream requests between hubs over libp2p, for hubs without a public address.
//!
//! Each request uses its own stream (`/plexus/call/1`). Request and response each consist of a head, body
//! pieces and an end frame. Bodies are streamed with backpressure, and closing the stream cancels the
//! request. The connection authenticates the other hub by its key, so nothing is signed. `client` is the client,
//! `server` the server, `framing` the framing.

mod client;
mod framing;
mod server;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, time::Duration};

use libp2p::StreamProtocol;
use serde::{Deserialize, Serialize};

pub use self::{
    client::{StreamCallError, StreamClient, StreamReply},
    server::{IncomingRequest, IncomingStream, StreamListener},
};

pub const CALL: StreamProtocol = StreamProtocol::new("/plexus/call/1");
/// Maximum duration of a stream request.
pub const MAX_DURATION: Duration = Duration::from_secs(45 * 60);

/// Head of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestHead {
    pub path: String,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// How long the requester waits for the complete response.
    pub deadline_ms: u64,
}

/// Head of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponseHead {
    /// HTTP status code.
    pub status: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}
