//! Input events and output effects of the federation engine.

use std::time::Duration;

use plexus_a2a::listing_id::ListingId;
use plexus_domain::{Digest, Timestamp};

use super::{
    lease::VisibilityLease,
    live_search::{LiveQuery, Provenance},
    messages::{PeerRequest, PeerResponse, SearchQuery},
    policy::{AdmissionMode, PolicyRule, RuleSource, RuleSubject},
    violations::ViolationReport,
};
use crate::{
    HubId,
    record::{HubRecord, InventoryHead, Listing, RecordError, Signed, Tag},
};

/// Input of the engine.
#[derive(Clone, Debug)]
pub enum Event {
    /// Time passed. Due every second, and earlier when a live search waits ([`super::Engine::wakes`]).
    Tick,
    /// A record arrived by gossip; `message` is the id under which gossip awaits the verdict.
    Gossip {
        from: HubId,
        message: u64,
        bytes: Vec<u8>,
    },
    /// A listing of this hub was signed and stored.
    Published(Box<Listing>),
    /// This hub's own hub record was signed.
    Described(Box<Signed<HubRecord>>),
    Connected(HubId),
    Disconnected(HubId),
    /// A request of a peer. The response carries the same `id`.
    Asked {
        from: HubId,
        id: u64,
        request: PeerRequest,
    },
    /// A peer's response to the request `id`.
    Answered {
        from: HubId,
        id: u64,
        answer: PeerResponse,
    },
    /// The request `id` will get no response: refused, disconnected or timed out.
    Failed {
        from: HubId,
        id: u64,
    },
    /// A peer offers records that it found missing here.
    Offered {
        from: HubId,
        records: Vec<Vec<u8>>,
    },
    /// `domain` names `hub` in its `/.well-known/plexus.json`.
    DomainProved {
        hub: HubId,
        domain: String,
    },
    ModeSet(AdmissionMode),
    RuleSet {
        source: RuleSource,
        subject: RuleSubject,
        rule: PolicyRule,
    },
    RuleRemoved {
        source: RuleSource,
        subject: RuleSubject,
    },
    /// Replaces all rules of a source.
    RulesReplaced {
        source: RuleSource,
        rules: Vec<(RuleSubject, PolicyRule)>,
    },
    /// A user started a live search of remote hubs.
    Search {
        search: u64,
        wanted: LiveQuery,
    },
    /// The DHT returned hubs for a tag of that search.
    Providers {
        search: u64,
        hubs: Vec<HubId>,
    },
}

/// Output of the engine: an action for the driver. The engine performs none itself (sans-IO).
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send the verdict on a gossip message, which decides whether it is propagated.
    Judge {
        message: u64,
        verdict: GossipVerdict,
    },
    /// Publish a record of this hub by gossip.
    Announce(Vec<u8>),
    StoreListing(Box<Listing>),
    StoreHead(Box<Signed<InventoryHead>>),
    StoreHub(Box<Signed<HubRecord>>),
    /// Purge these listings from the store.
    Forget(Vec<ListingId>),
    /// Purge these hubs from the store: they were silent for long and none of their listings is stored.
    ForgetHubs(Vec<HubId>),
    /// Make these listings findable in searches.
    Show(Vec<ListingId>),
    /// Remove these listings from search results.
    Hide(Vec<ListingId>),
    /// The lease of a hub changed.
    Lease {
        hub: HubId,
        lease: VisibilityLease,
    },
    /// Fetch `/.well-known/plexus.json` of `domain` and check whether it names `hub`.
    ProveDomain {
        hub: HubId,
        domain: String,
    },
    /// Send a request to a peer.
    Ask {
        peer: HubId,
        id: u64,
        request: PeerRequest,
    },
    Reply {
        to: HubId,
        id: u64,
        answer: PeerResponse,
    },
    /// Respond with the stored listings of `hub` that have these hashes, up to the size limit of a response.
    ReplyBodies {
        to: HubId,
        id: u64,
        hub: HubId,
        hashes: Vec<Digest>,
    },
    /// Send `head` and the stored listings of `hub` with these hashes, unrequested, to a peer that lacks
    /// them.
    Offer {
        to: HubId,
        hub: HubId,
        head: Option<Vec<u8>>,
        hashes: Vec<Digest>,
    },
    /// Respond to a search with this hub's head and hub record, followed by its own matching listings.
    ReplyFound {
        to: HubId,
        id: u64,
        said: Vec<Vec<u8>>,
        query: SearchQuery,
    },
    /// Respond to a request with a refusal.
    Refuse {
        to: HubId,
        id: u64,
    },
    /// The source has reached its maximum number of rules; the new rule is not applied.
    RuleRefused {
        source: RuleSource,
        subject: RuleSubject,
    },
    Disconnect(HubId),
    /// A record came from the network that this hub's key signed at `signed`, and that this hub does not have:
    /// its store is an older copy, or another process uses its key. `since_start`: it was signed after this
    /// engine started, so the latter.
    OwnKeyUsed {
        signed: Timestamp,
        since_start: bool,
    },
    /// A hub committed a provable violation of the protocol.
    Accuse(ViolationReport),
    /// A sync round with `peer` ended. Of `known` hubs, `whole` match their signed head here. The round
    /// fetched `fetched` listings and lasted `took`.
    Compared {
        peer: HubId,
        whole: usize,
        known: usize,
        fetched: u64,
        took: Duration,
    },
    /// Look up in the DHT which hubs have agents with this tag.
    FindProviders {
        search: u64,
        tag: Tag,
    },
    /// Verified listings for a live search.
    Found {
        search: u64,
        from: HubId,
        listings: Vec<Listing>,
    },
    SearchDone {
        search: u64,
        provenance: Provenance,
    },
    /// Live hubs with this tag are known here, but the DHT returned none of them: a possible eclipse attack.
    Unnamed {
        tag: Tag,
        hubs: usize,
    },
}

/// Validation result of a gossip message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GossipVerdict {
    /// New and valid: propagate it.
    Accept,
    /// Drop it without a penalty for the sender.
    Ignore(IgnoreReason),
    /// Invalid: no honest hub propagates it.
    Reject(RecordError),
}

/// Why a record is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreReason {
    /// The format version is unknown to this hub.
    Unknown,
    Known,
    Older,
    /// Dated further into the future than clock skew explains.
    Ahead,
    /// Past its retention time.
    Lapsed,
    /// Blocked by the policy of this hub.
    Blocked,
    /// The storage quota of the hub is used up.
    OverQuota,
    TooFast,
}

impl From<RecordError> for GossipVerdict {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Unknown => Self::Ignore(IgnoreReason::Unknown),
            error => Self::Reject(error),
        }
    }
}

/// Stored state of a hub, for [`super::Engine::restore_hub`].
#[derive(Clone, Debug)]
pub struct KnownHub {
    pub hub: HubId,
    pub first_seen: Timestamp,
    pub proved_domain: Option<String>,
    pub head: Option<Signed<InventoryHead>>,
    pub record: Option<Signed<HubRecord>>,
}
