//! What the actor is told, and what it tells.

use std::{fmt, time::Duration};

use libp2p::{Multiaddr, PeerId, kad::RecordKey};
use libp2p_stream::Control;
use plexus_domain::Timestamp;
use tokio::sync::{mpsc, oneshot};

use super::{
    calls::{CALL, Caller, Calls},
    lend::{Lending, Use},
    nat::Reachability,
    reach::IsPublic,
};
use crate::{
    HubId,
    core::{Answer, Request, Verdict},
    record::{HubRecord, Signed, Tag},
};

/// Orders that wait for the actor. Whoever gives one waits for room; the actor never waits for anybody.
pub const COMMANDS: usize = 1_024;
/// Events that wait for the hub. When there are more, gossip is ignored and requests are refused; who is connected is
/// told later.
pub const EVENTS: usize = 1_024;

/// How this hub takes part. It holds a secret, so it is not printed.
#[derive(Clone)]
pub struct Config {
    /// The seed of the hub's key (RFC 8032): the same key signs its records.
    pub seed: [u8; 32],
    /// Random, and another one for each start: keeps peers from working out what this hub's DHT store gives up.
    pub secret: [u8; 16],
    pub listen: Vec<Multiaddr>,
    /// Where others reach this hub, if that differs from where it listens.
    pub external: Vec<Multiaddr>,
    /// Ways into the network.
    pub doors: Vec<Multiaddr>,
    /// What belongs to the public internet, where only that is called; doors are called wherever they are. None: anything is.
    pub is_public: Option<IsPublic>,
    /// Look for hubs in the same local network, and be found there.
    pub mdns: bool,
    /// What this hub lends to hubs that nobody can call; none: it does not.
    pub lending: Option<Lending>,
    /// No new connections beyond so much memory of this process, in bytes.
    pub memory: usize,
    /// What was told as [`Kept`] before.
    pub kept: Vec<Kept>,
    pub now: Timestamp,
}

/// What the actor holds in memory and the hub writes down, to be given back at the next start. Losing some of it costs
/// time, never data: all of it runs out or is announced again.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// Where a hub was.
    Address { peer: PeerId, addresses: Vec<Multiaddr> },
    /// `provider` announced itself under `key`.
    Announced { key: RecordKey, provider: PeerId, addresses: Vec<Multiaddr>, until: Timestamp },
    /// That is not kept any more.
    Withdrawn { key: RecordKey, provider: PeerId },
}

/// An order to the actor.
#[derive(Debug)]
pub enum Command {
    /// What became of a message of gossip.
    Judge {
        message: u64,
        verdict: Verdict,
    },
    /// Send a record of this hub to everybody.
    Announce(Vec<u8>),
    Ask {
        peer: HubId,
        id: u64,
        request: Request,
    },
    Reply {
        id: u64,
        answer: Answer,
    },
    /// There is no answer.
    Refuse {
        id: u64,
    },
    /// What a peer offered was looked at.
    Noted {
        id: u64,
    },
    /// Send records to a peer that lacks them.
    Offer {
        to: HubId,
        records: Vec<Vec<u8>>,
    },
    /// Break off, and do not talk to it again before the next [`Command::Forgive`].
    Disconnect(HubId),
    /// The rules changed: whoever is still unwanted is disconnected again.
    Forgive,
    /// A peer broke the rules in a way that can be shown.
    Blame(HubId),
    /// The tags of this hub's agents, all of them.
    Provide(Vec<Tag>),
    FindProviders {
        search: u64,
        tag: Tag,
    },
    /// Ask the DHT for the record of a hub that was never met.
    FindHub(HubId),
    Dial(Multiaddr),
    /// Begin to connect with a hub once it is known where it is, and say that this is begun.
    Reach {
        hub: HubId,
        done: oneshot::Sender<()>,
    },
    /// A hub said this of itself, and it holds.
    Described(Box<Signed<HubRecord>>),
    /// Ways into the network that a domain named.
    Doors(Vec<Multiaddr>),
    Status(oneshot::Sender<Status>),
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    Listening(Multiaddr),
    /// A hub that speaks the protocols of hubs.
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
        request: Request,
    },
    Answered {
        from: HubId,
        id: u64,
        answer: Answer,
    },
    Failed {
        from: HubId,
        id: u64,
    },
    /// To be answered by [`Command::Noted`] once it was looked at: until then it counts against the peer.
    Offered {
        from: HubId,
        id: u64,
        records: Vec<Vec<u8>>,
    },
    Providers {
        search: u64,
        hubs: Vec<HubId>,
    },
    /// The DHT has this record of a hub, and its signature holds.
    FoundHub(Box<Signed<HubRecord>>),
    /// A question to the DHT ended, with an answer or without, after so long.
    LookedUp(Duration),
    /// Write this down.
    Keep(Vec<Kept>),
}

/// What people are shown.
#[derive(Clone, Debug, Default)]
pub struct Status {
    pub listening: Vec<Multiaddr>,
    /// Where others reach this hub.
    pub addresses: Vec<Multiaddr>,
    pub reachability: Reachability,
    /// Hubs through which others reach this one.
    pub relays: Vec<HubId>,
    /// How much of this hub is lent; none where it does not lend itself.
    pub lent: Option<Use>,
    /// Connections through relays that became direct ones since the start.
    pub upgraded: u64,
    pub connections: usize,
    pub hubs: Vec<HubId>,
    /// Peers in the mesh of any topic.
    pub mesh: usize,
    /// Peers in the table of the DHT.
    pub table: usize,
    pub announcements: usize,
    /// Look-ups in the DHT that ended since the start, and requests that they took together.
    pub look_ups: u64,
    pub requests: u64,
}

/// The way to the actor. It ends when the last of these is dropped.
#[derive(Clone)]
pub struct Handle {
    commands: mpsc::Sender<Command>,
    streams: Option<Control>,
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.commands).finish()
    }
}

/// The actor is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The network of this hub has stopped.")]
pub struct Stopped;

impl Handle {
    pub(super) fn new() -> (Self, mpsc::Receiver<Command>) {
        let (commands, orders) = mpsc::channel(COMMANDS);
        (Self { commands, streams: None }, orders)
    }

    pub(super) fn with_streams(self, streams: Control) -> Self {
        Self { streams: Some(streams), ..self }
    }

    /// Asks other hubs over streams.
    pub fn caller(&self) -> Option<Caller> {
        Some(Caller::new(self.clone(), self.streams.clone()?))
    }

    /// What other hubs ask over streams, from now on, for the first who wants to answer. Without anybody who does, this hub
    /// says that it takes no calls.
    pub fn calls(&self) -> Option<Calls> {
        let mut streams = self.streams.clone()?;
        Some(Calls::new(streams.accept(CALL).ok()?))
    }

    /// # Errors
    /// When the actor has stopped.
    pub async fn order(&self, command: Command) -> Result<(), Stopped> {
        self.commands.send(command).await.map_err(|_| Stopped)
    }

    /// # Errors
    /// When the actor has stopped.
    pub async fn status(&self) -> Result<Status, Stopped> {
        let (tell, told) = oneshot::channel();
        self.order(Command::Status(tell)).await?;
        told.await.map_err(|_| Stopped)
    }
}
