//! Test helper: full hubs in one process, with actor, engine and in-memory store.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Arc, Mutex},
    time::{Duration, Instant, SystemTime},
};

use libp2p::Multiaddr;
use plexus_a2a::listing_id::ListingId;
use plexus_domain::{Digest, Timestamp};
use plexus_federation::{
    HubId,
    engine::{
        Effect, Engine, Event, SearchQuery, ViolationReport,
        policy::{AdmissionMode, Policy},
    },
    net::{
        self, ActorHandle, NetConfig,
        actor_api::{ActorCommand, NetStatus, PersistedNetState},
        driver::{Driver, DriverCommand, EngineStore, ORDERS},
        peer_id,
    },
    record::{HubRecord, Listing, Signed, Tag},
};
use tokio::{sync::mpsc, task::JoinHandle};

use crate::fixtures;

/// Timeout of waiting, on a busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(60);
const MEMORY: usize = 4 << 30;

/// Effects that a hub's store received.
#[derive(Default)]
pub struct Stored {
    pub listings: BTreeMap<Digest, Vec<u8>>,
    /// Visibility of each listing, and since when.
    pub shown: BTreeMap<ListingId, (bool, Instant)>,
    pub heads: usize,
    pub accusations: Vec<ViolationReport>,
    pub kept: Vec<PersistedNetState>,
    pub found: Vec<Listing>,
    pub done: Vec<Effect>,
    /// Tags for which the DHT returned no hub, although it should.
    pub unnamed: Vec<Tag>,
}

impl Stored {
    fn show(&mut self, ids: Vec<ListingId>, shown: bool) {
        let now = Instant::now();
        self.shown.extend(ids.into_iter().map(|id| (id, (shown, now))));
    }
}

struct Memory {
    me: HubId,
    stored: Arc<Mutex<Stored>>,
}

/// A full hub.
pub struct Whole {
    pub n: u16,
    pub me: HubId,
    pub net: ActorHandle,
    pub stored: Arc<Mutex<Stored>>,
    orders: mpsc::Sender<DriverCommand>,
    tasks: [JoinHandle<()>; 2],
}

impl Drop for Whole {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

pub fn now() -> Timestamp {
    #[expect(clippy::disallowed_methods, reason = "this is the hub's clock")]
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap())
}

pub fn config(n: u16, bootstrap: Vec<Multiaddr>, kept: Vec<PersistedNetState>, listen: &str) -> NetConfig {
    NetConfig {
        seed: fixtures::seed(n),
        secret: [n.to_le_bytes()[0]; 16],
        listen: vec![listen.parse().unwrap()],
        external: Vec::new(),
        bootstrap,
        is_public: None,
        mdns: false,
        relay: None,
        memory: MEMORY,
        kept,
        now: now(),
    }
}

impl EngineStore for Memory {
    type Error = Infallible;

    fn now(&self) -> Timestamp {
        now()
    }

    async fn perform(&mut self, effects: Vec<Effect>) -> Result<(), Infallible> {
        let mut stored = self.stored.lock().unwrap();
        for effect in effects {
            match effect {
                Effect::StoreListing(listing) => _ = stored.listings.insert(listing.hash(), listing.encode()),
                Effect::Show(ids) => stored.show(ids, true),
                Effect::Hide(ids) => stored.show(ids, false),
                Effect::StoreHead(_) => stored.heads += 1,
                Effect::Accuse(accusation) => stored.accusations.push(accusation),
                Effect::Found { listings, .. } => stored.found.extend(listings),
                Effect::Unnamed { tag, .. } => stored.unnamed.push(tag),
                effect @ Effect::SearchDone { .. } => stored.done.push(effect),
                _ => {}
            }
        }
        Ok(())
    }

    async fn keep(&mut self, kept: Vec<PersistedNetState>) -> Result<(), Infallible> {
        self.stored.lock().unwrap().kept.extend(kept);
        Ok(())
    }

    async fn bodies(
        &mut self,
        _: HubId,
        hashes: Vec<Digest>,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, Infallible> {
        let stored = self.stored.lock().unwrap();
        let mut left = limit;
        let bodies = hashes.iter().filter_map(|hash| stored.listings.get(hash).cloned());
        Ok(bodies.take_while(|body| left.checked_sub(body.len()).map(|rest| left = rest).is_some()).collect())
    }

    /// Returns listings in the reverse order of a catch-up, so that a search finds others.
    async fn find(&mut self, query: SearchQuery, _: usize) -> Result<Vec<Vec<u8>>, Infallible> {
        let stored = self.stored.lock().unwrap();
        let own = |body: &&Vec<u8>| Listing::parse(body).is_ok_and(|listing| listing.claims().hub == self.me);
        Ok(stored.listings.values().filter(own).rev().take(query.limit).cloned().collect())
    }
}

impl Whole {
    /// Starts hub `n`, which bootstraps from the given hubs.
    pub async fn start(n: u16, bootstrap: &[&Self]) -> Self {
        let mut ways = Vec::new();
        for hub in bootstrap {
            ways.push(hub.address().await);
        }
        Self::start_with(n, ways, Vec::new(), "/ip4/127.0.0.1/tcp/0")
    }

    pub fn start_with(n: u16, bootstrap: Vec<Multiaddr>, kept: Vec<PersistedNetState>, listen: &str) -> Self {
        Self::start_as(n, config(n, bootstrap, kept, listen))
    }

    pub fn start_as(n: u16, config: NetConfig) -> Self {
        let core = Engine::new(fixtures::key(n), Policy::new(AdmissionMode::Open), now());
        Self::start_from(n, config, core)
    }

    /// Starts a hub with a prepared engine.
    pub fn start_from(n: u16, config: NetConfig, core: Engine) -> Self {
        let (net, events, actor) = net::start(config).unwrap();
        let (orders, inbox) = mpsc::channel(ORDERS);
        let (me, stored) = (fixtures::hub(n), Arc::new(Mutex::new(Stored::default())));
        let driver = Driver::new(core, Memory { me, stored: stored.clone() }, net.clone(), events, inbox);
        let driver = tokio::spawn(async move { driver.run().await.unwrap_or(()) });
        Self { n, me, net, stored, orders, tasks: [actor, driver] }
    }

    pub async fn address(&self) -> Multiaddr {
        let peer = peer_id::peer_of(self.me).unwrap();
        loop {
            if let Some(address) = self.status().await.listening.first() {
                return address.clone().with_p2p(peer).unwrap();
            }
            tokio::task::yield_now().await;
        }
    }

    pub async fn status(&self) -> NetStatus {
        self.net.status().await.unwrap()
    }

    pub async fn tell(&self, event: Event) {
        self.orders.send(DriverCommand::Event(Box::new(event))).await.unwrap();
    }

    pub async fn provide(&self, tags: &[&str]) {
        let tags = tags.iter().map(|tag| Tag::from_text(tag).unwrap()).collect();
        self.orders.send(DriverCommand::Provide(tags)).await.unwrap();
    }

    /// Publishes its hub record, with its addresses and whether it is a relay.
    pub async fn describe(&self) {
        until("a hub has an address", async || !self.status().await.addresses.is_empty()).await;
        let NetStatus { addresses, relay_usage, .. } = self.status().await;
        self.describe_as(addresses.iter().map(ToString::to_string).collect(), relay_usage.is_some()).await;
    }

    pub async fn describe_as(&self, addresses: Vec<String>, relay: bool) {
        self.tell(Event::Described(Box::new(self.record(addresses, relay)))).await;
    }

    /// Builds its hub record.
    pub fn record(&self, addresses: Vec<String>, relay: bool) -> Signed<HubRecord> {
        let record = fixtures::record(self.n, now(), None, addresses);
        Signed::sign(HubRecord { relay, ..record.body().clone() }, &fixtures::key(self.n)).unwrap()
    }

    pub async fn publish(&self, listing: &Listing) {
        self.stored.lock().unwrap().listings.insert(listing.hash(), listing.encode());
        self.tell(Event::Published(Box::new(listing.clone()))).await;
    }

    pub async fn dial(&self, other: &Self) {
        self.net.order(ActorCommand::Dial(other.address().await)).await.unwrap();
    }

    pub fn shows(&self, listing: &Listing) -> bool {
        self.stored.lock().unwrap().shown.get(listing.envelope().id()).is_some_and(|(shown, _)| *shown)
    }

    /// Returns since when a listing has been shown or hidden.
    pub fn shown_since(&self, listing: &Listing) -> Option<Instant> {
        self.stored.lock().unwrap().shown.get(listing.envelope().id()).map(|(_, since)| *since)
    }

    pub fn holds(&self, listing: &Listing) -> bool {
        self.stored.lock().unwrap().listings.contains_key(&listing.hash())
    }
}

/// Polls until a condition holds; panics with `what` after a timeout.
pub async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let began = Instant::now();
    while !holds().await {
        assert!(began.elapsed() < TIMEOUT, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Starts hubs that bootstrap from hub 1 and discover each other by the DHT, and waits for `connections`
/// each.
pub async fn through_one(count: u16, connections: usize) -> Vec<Whole> {
    let mut hubs = vec![Whole::start(1, &[]).await];
    for n in 2..=count {
        hubs.push(Whole::start(n, &[&hubs[0]]).await);
    }
    connected(&hubs.iter().collect::<Vec<_>>(), connections).await;
    hubs
}

/// Waits until each hub has `count` connections and a gossip mesh.
pub async fn connected(hubs: &[&Whole], count: usize) {
    for hub in hubs {
        until("a hub is connected", async || {
            let status = hub.status().await;
            status.hubs.len() >= count && status.mesh >= 1
        })
        .await;
    }
}
