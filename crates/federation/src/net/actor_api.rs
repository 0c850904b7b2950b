//! Commands to, and events from, the network actor.

use std::{fmt, time::Duration};

use libp2p::{Multiaddr, PeerId, kad::RecordKey};
use libp2p_stream::Control;
use plexus_domain::Timestamp;
use tokio::sync::{mpsc, oneshot};

use super::{
    address_book::BootstrapFailure,
    dial_policy::IsPublic,
    reachability::Reachability,
    relay_server::{RelayLimits, RelayUsage},
    streams::{CALL, StreamClient, StreamListener},
};
use crate::{
    HubId,
    engine::{GossipVerdict, PeerRequest, PeerResponse},
    record::{HubRecord, Signed, Tag},
};

/// Capacity of the command queue. Senders wait for space; the actor never blocks on its queues.
pub const COMMANDS: usize = 1_024;
/// Capacity of the event queue. When it is full, gossip is ignored, requests are refused, and connection
/// events are delivered later.
pub const EVENTS: usize = 1_024;

/// Network configuration. Contains a secret, so it has no `Debug`.
#[derive(Clone)]
pub struct NetConfig {
    /// Seed of the hub's key (RFC 8032). The same key signs its records.
    pub seed: [u8; 32],
    /// Random per start: makes evictions from this hub's DHT store unpredictable for peers.
    pub secret: [u8; 16],
    pub listen: Vec<Multiaddr>,
    /// Addresses announced to others, if they differ from the listen addresses.
    pub external: Vec<Multiaddr>,
    /// Bootstrap addresses.
    pub bootstrap: Vec<Multiaddr>,
    /// Classifies public addresses, which are the only ones dialed, except for bootstrap addresses. `None`:
    /// any address is dialed.
    pub is_public: Option<IsPublic>,
    /// Discover hubs in the local network by mDNS, and be discovered.
    pub mdns: bool,
    /// Limits of the relay server; `None` disables it.
    pub relay: Option<RelayLimits>,
    /// Process memory in bytes above which new connections are refused.
    pub memory: usize,
    /// State previously reported as [`PersistedNetState`].
    pub kept: Vec<PersistedNetState>,
    pub now: Timestamp,
}

/// Actor state that the hub persists and passes back at the next start. Losing it costs time, never data: all
/// of it expires or is announced again.
#[derive(Clone, Debug, PartialEq)]
pub enum PersistedNetState {
    /// Last known addresses of a hub.
    Address { peer: PeerId, addresses: Vec<Multiaddr> },
    /// A DHT provider record: `provider` announced itself under `key`.
    Announced { key: RecordKey, provider: PeerId, addresses: Vec<Multiaddr>, until: Timestamp },
    /// A provider record that was evicted.
    Withdrawn { key: RecordKey, provider: PeerId },
}

/// A command to the actor.
#[derive(Debug)]
pub enum ActorCommand {
    /// Verdict on a gossip message.
    Judge {
        message: u64,
        verdict: GossipVerdict,
    },
    /// Publish a record of this hub by gossip.
    Announce(Vec<u8>),
    /// Send a request to a hub.
    Ask {
        peer: HubId,
        id: u64,
        request: PeerRequest,
    },
    Reply {
        id: u64,
        answer: PeerResponse,
    },
    /// Refuse a request: drop it without a response.
    Refuse {
        id: u64,
    },
    /// Acknowledge an offer after it was processed.
    Noted {
        id: u64,
    },
    /// Send records, unrequested, to a peer that lacks them.
    Offer {
        to: HubId,
        records: Vec<Vec<u8>>,
    },
    /// Disconnect a hub, and ban it until the next [`ActorCommand::Forgive`].
    Disconnect(HubId),
    /// Lift all bans, because rules changed. Hubs that are still blocked are disconnected again when they
    /// connect.
    Forgive,
    /// Penalise a peer that committed a provable violation.
    Blame(HubId),
    /// Set the tags of this hub's agents (the complete list).
    Provide(Vec<Tag>),
    FindProviders {
        search: u64,
        tag: Tag,
    },
    /// Look up the record of an unknown hub in the DHT.
    FindHub(HubId),
    Dial(Multiaddr),
    /// Start connecting to a hub, after a DHT lookup if its address is unknown. Signals `done` once dialing
    /// has started.
    Reach {
        hub: HubId,
        done: oneshot::Sender<()>,
    },
    /// Use the verified record of a hub.
    Described(Box<Signed<HubRecord>>),
    /// Add bootstrap addresses found in DNS.
    AddBootstrap(Vec<Multiaddr>),
    Status(oneshot::Sender<NetStatus>),
}

/// An event from the actor.
#[derive(Debug)]
pub enum ActorEvent {
    Listening(Multiaddr),
    /// A peer that supports the hub protocols connected.
    Connected(HubId),
    Disconnected(HubId),
    Gossip {
        from: HubId,
        message: u64,
        bytes: Vec<u8>,
    },
    Asked {
        from: HubId,
        id: u64,
        request: PeerRequest,
    },
    Answered {
        from: HubId,
        id: u64,
        answer: PeerResponse,
    },
    Failed {
        from: HubId,
        id: u64,
    },
    /// Must be answered with [`ActorCommand::Noted`] after processing; until then it counts against the peer's
    /// limit.
    Offered {
        from: HubId,
        id: u64,
        records: Vec<Vec<u8>>,
    },
    Providers {
        search: u64,
        hubs: Vec<HubId>,
    },
    /// Hub record from the DHT, with a valid signature.
    FoundHub(Box<Signed<HubRecord>>),
    /// A DHT lookup ended, with or without a result, after this time.
    LookedUp(Duration),
    /// Persist these entries.
    Keep(Vec<PersistedNetState>),
}

/// Network status for the UI.
#[derive(Clone, Debug, Default)]
pub struct NetStatus {
    /// Bootstrap addresses at which no hub is reached.
    pub bootstrap_failures: Vec<BootstrapFailure>,
    pub listening: Vec<Multiaddr>,
    /// Addresses at which others reach this hub.
    pub addresses: Vec<Multiaddr>,
    pub reachability: Reachability,
    /// Relays through which others reach this hub.
    pub relays: Vec<HubId>,
    /// Current usage of the relay server; `None` where it is disabled.
    pub relay_usage: Option<RelayUsage>,
    /// Relayed connections upgraded to direct ones since the start (DCUtR).
    pub upgraded: u64,
    pub connections: usize,
    pub hubs: Vec<HubId>,
    /// Number of gossip mesh peers over all topics.
    pub mesh: usize,
    /// Number of peers in the DHT routing table.
    pub table: usize,
    pub announcements: usize,
    /// DHT lookups finished since the start, and the number of requests they needed.
    pub dht_lookups: u64,
    pub requests: u64,
}

/// Handle of the network actor, which stops when the last handle is dropped.
#[derive(Clone)]
pub struct ActorHandle {
    commands: mpsc::Sender<ActorCommand>,
    streams: Option<Control>,
}

impl fmt::Debug for ActorHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.commands).finish()
    }
}

/// Error: the actor has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The federation of this hub has stopped.")]
pub struct ActorStopped;

impl ActorHandle {
    pub(super) fn new() -> (Self, mpsc::Receiver<ActorCommand>) {
        let (commands, orders) = mpsc::channel(COMMANDS);
        (Self { commands, streams: None }, orders)
    }

    pub(super) fn with_streams(self, streams: Control) -> Self {
        Self { streams: Some(streams), ..self }
    }

    /// Returns the client for stream requests to other hubs.
    pub fn caller(&self) -> Option<StreamClient> {
        Some(StreamClient::new(self.clone(), self.streams.clone()?))
    }

    /// Starts accepting stream requests of other hubs. Only the first call gets a listener. Without a
    /// listener, this hub does not support the protocol.
    pub fn calls(&self) -> Option<StreamListener> {
        let mut streams = self.streams.clone()?;
        Some(StreamListener::new(streams.accept(CALL).ok()?))
    }

    /// Sends a command, waiting for queue space.
    ///
    /// # Errors
    /// When the actor has stopped.
    pub async fn order(&self, command: ActorCommand) -> Result<(), ActorStopped> {
        self.commands.send(command).await.map_err(|_| ActorStopped)
    }

    /// Returns the current network status.
    ///
    /// # Errors
    /// When the actor has stopped.
    pub async fn status(&self) -> Result<NetStatus, ActorStopped> {
        let (tell, told) = oneshot::channel();
        self.order(ActorCommand::Status(tell)).await?;
        told.await.map_err(|_| ActorStopped)
    }
}
