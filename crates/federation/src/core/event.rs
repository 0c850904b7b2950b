//! What happens to a hub, and what it does about it.

use std::time::Duration;

use plexus_a2a::listing::ListingId;
use plexus_domain::{Digest, Timestamp};

use super::{
    faults::Accusation,
    lease::Lease,
    policy::{Mode, Rule, Source, Subject},
    search::{Provenance, Wanted},
    wire::{Answer, Query, Request},
};
use crate::{
    HubId,
    record::{Head, HubRecord, Listing, RecordError, Signed, Tag},
};

/// What happens.
#[derive(Clone, Debug)]
pub enum Event {
    /// Time passed. Wanted every second, and at once when a search waits.
    Tick,
    /// Gossip brought a record; `message` is how gossip knows it.
    Gossip {
        from: HubId,
        message: u64,
        bytes: Vec<u8>,
    },
    /// A listing of this hub was signed and stored.
    Published(Box<Listing>),
    /// This hub's own record was signed.
    Described(Box<Signed<HubRecord>>),
    Connected(HubId),
    Disconnected(HubId),
    /// A peer asks; the answer carries the same `id`.
    Asked {
        from: HubId,
        id: u64,
        request: Request,
    },
    /// A peer answers what was asked as `id`.
    Answered {
        from: HubId,
        id: u64,
        answer: Answer,
    },
    /// There will be no answer: refused, broken off or too late.
    Failed {
        from: HubId,
        id: u64,
    },
    /// A peer found that these records are missing here.
    Offered {
        from: HubId,
        records: Vec<Vec<u8>>,
    },
    /// `domain` names `hub` in its `/.well-known/plexus.json`.
    DomainProved {
        hub: HubId,
        domain: String,
    },
    ModeSet(Mode),
    RuleSet {
        source: Source,
        subject: Subject,
        rule: Rule,
    },
    RuleRemoved {
        source: Source,
        subject: Subject,
    },
    /// All rules of a source are others from now on.
    RulesReplaced {
        source: Source,
        rules: Vec<(Subject, Rule)>,
    },
    /// Somebody searches beyond what is here.
    Search {
        search: u64,
        wanted: Wanted,
    },
    /// The DHT names hubs for a tag of that search.
    Providers {
        search: u64,
        hubs: Vec<HubId>,
    },
}

/// What is to be done. Nothing here is done by the core itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Tell gossip whether to pass the message on.
    Judge {
        message: u64,
        verdict: Verdict,
    },
    /// Send a record of this hub to everybody.
    Announce(Vec<u8>),
    StoreListing(Box<Listing>),
    StoreHead(Box<Signed<Head>>),
    StoreHub(Box<Signed<HubRecord>>),
    /// Remove what is kept of these listings.
    Forget(Vec<ListingId>),
    /// Remove what is kept of these hubs: they were silent for long, and nothing of theirs is here.
    ForgetHubs(Vec<HubId>),
    /// These are found in searches from now on.
    Show(Vec<ListingId>),
    /// And these no more.
    Hide(Vec<ListingId>),
    /// How a hub is marked.
    Lease {
        hub: HubId,
        lease: Lease,
    },
    /// Fetch `/.well-known/plexus.json` of `domain` and see whether it names `hub`.
    ProveDomain {
        hub: HubId,
        domain: String,
    },
    Ask {
        peer: HubId,
        id: u64,
        request: Request,
    },
    Reply {
        to: HubId,
        id: u64,
        answer: Answer,
    },
    /// Reply with the stored listings of `hub` that have these hashes, up to the size of an answer.
    ReplyBodies {
        to: HubId,
        id: u64,
        hub: HubId,
        hashes: Vec<Digest>,
    },
    /// Send `head` and the stored listings of `hub` that have these hashes to a peer that lacks them.
    Offer {
        to: HubId,
        hub: HubId,
        head: Option<Vec<u8>>,
        hashes: Vec<Digest>,
    },
    /// Reply with what this hub says of itself and its own listings that fit.
    ReplyFound {
        to: HubId,
        id: u64,
        said: Vec<Vec<u8>>,
        query: Query,
    },
    Refuse {
        to: HubId,
        id: u64,
    },
    /// The source has as many rules as it may have: the new one does not hold.
    RuleRefused {
        source: Source,
        subject: Subject,
    },
    Disconnect(HubId),
    /// Somebody broke the rules in a way that can be shown.
    Accuse(Accusation),
    /// A round of comparing with `peer` ended: of `known` hubs, `whole` are here as they promised. It fetched so many
    /// listings, and took so long.
    Compared {
        peer: HubId,
        whole: usize,
        known: usize,
        fetched: u64,
        took: Duration,
    },
    /// Ask the DHT which hubs have agents with this tag.
    FindProviders {
        search: u64,
        tag: Tag,
    },
    /// Verified listings for a search.
    Found {
        search: u64,
        from: HubId,
        listings: Vec<Listing>,
    },
    SearchDone {
        search: u64,
        provenance: Provenance,
    },
    /// Hubs that are here and alive have agents with this tag, and the DHT named none of them: somebody may stand between.
    Unnamed {
        tag: Tag,
        hubs: usize,
    },
}

/// What becomes of a message of gossip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is new and holds: pass it on.
    Accept,
    /// Drop it without blaming whoever sent it.
    Ignore(Ignored),
    /// No honest hub passes this on.
    Reject(RecordError),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Of a version that this hub does not know.
    Unknown,
    Known,
    Older,
    /// From a future that clocks do not explain.
    Ahead,
    /// So old that it is not kept any more.
    Lapsed,
    /// By the policy of this hub.
    Blocked,
    /// The hub has as much here as it may have.
    OverQuota,
    TooFast,
}

impl From<RecordError> for Verdict {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Unknown => Self::Ignore(Ignored::Unknown),
            error => Self::Reject(error),
        }
    }
}

/// When a hub was first heard of, for [`super::Core::restore_hub`].
#[derive(Clone, Debug)]
pub struct KnownHub {
    pub hub: HubId,
    pub first_seen: Timestamp,
    pub proved_domain: Option<String>,
    pub head: Option<Signed<Head>>,
    pub record: Option<Signed<HubRecord>>,
}
