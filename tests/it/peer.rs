//! Fixture: scripted remote hub at the network level. It does not replicate its agents to others. The test
//! defines its answers to searches.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use plexus_a2a::{keys::SecretKey, listing_id::Genesis};
use plexus_domain::{Digest, Timestamp};
use plexus_federation::{
    HubId,
    engine::{HubInventory, PeerRequest, PeerResponse},
    net::{
        self, ActorHandle, NetConfig,
        actor_api::{ActorCommand, ActorEvent},
    },
    record::{
        Content, Envelope, HUB_RECORD_TTL, HubRecord, InventoryHead, KeyChain, LISTING_TTL, Listing, Seq,
        SetFingerprint, Signed, Status, Tag,
    },
};
use plexus_hub::ClockRng;
use serde_json::json;
use tokio::{sync::mpsc, task::JoinHandle};

/// Web address that it announces.
pub const WEB: &str = "https://far.example/";
const MEMORY: usize = 4 << 30;

/// Behaviour when it is asked for agents.
#[derive(Clone)]
pub enum Habit {
    /// Answers with its own record first, then these listings.
    Answers(Vec<Vec<u8>>),
    Hangs,
}

pub struct Peer {
    pub id: HubId,
    net: ActorHandle,
    /// Number of search requests received.
    asked: Arc<AtomicUsize>,
    tasks: [JoinHandle<()>; 2],
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Signed statements of the peer about itself.
struct Said {
    head: Signed<InventoryHead>,
    record: Signed<HubRecord>,
    /// Announces its inventory head in anti-entropy rounds.
    openly: bool,
}

impl Peer {
    /// Joins the hub at this bootstrap address, and announces more agents than it gives.
    pub fn start(n: u8, bootstrap: &str, habit: Habit) -> Self {
        Self::join(n, bootstrap, habit, true)
    }

    /// Joins without announcing itself. Other hubs see it only when they ask it for agents.
    pub fn hidden(n: u8, bootstrap: &str, habit: Habit) -> Self {
        Self::join(n, bootstrap, habit, false)
    }

    fn join(n: u8, bootstrap: &str, habit: Habit, openly: bool) -> Self {
        let now = now();
        let config = NetConfig {
            seed: [n; 32],
            secret: [n; 16],
            listen: vec!["/ip4/127.0.0.1/tcp/0".parse().expect("an address")],
            external: Vec::new(),
            bootstrap: vec![bootstrap.parse().expect("an address")],
            is_public: None,
            mdns: false,
            relay: None,
            memory: MEMORY,
            kept: Vec::new(),
            now,
        };
        let (net, events, actor) = net::start(config).expect("it joins");
        let asked = Arc::new(AtomicUsize::new(0));
        let work = answer(net.clone(), events, Said::of(&key(n), now, openly), habit, Arc::clone(&asked));
        Self { id: key(n).public().into(), net, asked, tasks: [actor, tokio::spawn(work)] }
    }

    /// Announces agents with this tag in the DHT.
    pub async fn provide(&self, tag: &str) {
        let tags = vec![Tag::from_text(tag).expect("a tag")];
        self.net.order(ActorCommand::Provide(tags)).await.expect("it runs");
    }

    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Said {
    fn of(key: &SecretKey, now: Timestamp, openly: bool) -> Self {
        let (hub, seq) = (key.public().into(), Seq::next(None, now));
        let head = InventoryHead { hub, seq, count: 7, fingerprint: SetFingerprint::default() };
        let record = HubRecord {
            hub,
            seq,
            expires: now + HUB_RECORD_TTL / 2,
            name: "Far".to_owned(),
            software: "test/0".to_owned(),
            domain: None,
            api: Some(WEB.to_owned()),
            policy: None,
            addresses: vec!["/ip4/127.0.0.1/tcp/9".to_owned()],
            relay: false,
        };
        let head = Signed::sign(head, key).expect("its own");
        Self { head, record: Signed::sign(record, key).expect("its own"), openly }
    }

    fn records(&self) -> Vec<Vec<u8>> {
        vec![self.head.encode(), self.record.encode()]
    }

    fn row(&self) -> HubInventory {
        let InventoryHead { hub, seq, count, fingerprint } = *self.head.body();
        HubInventory { hub, head: Some(seq), count, fingerprint, partial: false }
    }

    /// Answers a request. `None` refuses it.
    fn answer(&self, request: &PeerRequest) -> Option<PeerResponse> {
        match request {
            PeerRequest::Rows { .. } => Some(PeerResponse::Rows(self.openly.then(|| vec![self.row()]))),
            PeerRequest::Heads { .. } => Some(PeerResponse::Records(self.records())),
            _ => None,
        }
    }
}

async fn answer(
    net: ActorHandle,
    mut events: mpsc::Receiver<ActorEvent>,
    said: Said,
    habit: Habit,
    asked: Arc<AtomicUsize>,
) {
    while let Some(event) = events.recv().await {
        let command = match event {
            ActorEvent::Asked { id, request: PeerRequest::Find(_), .. } => {
                asked.fetch_add(1, Ordering::Relaxed);
                let Habit::Answers(found) = &habit else { continue };
                let records = said.records().into_iter().chain(found.clone()).collect();
                ActorCommand::Reply { id, answer: PeerResponse::Records(records) }
            }
            ActorEvent::Asked { id, request, .. } => match said.answer(&request) {
                Some(answer) => ActorCommand::Reply { id, answer },
                None => ActorCommand::Refuse { id },
            },
            ActorEvent::Offered { id, .. } => ActorCommand::Noted { id },
            _ => continue,
        };
        if net.order(command).await.is_err() {
            return;
        }
    }
}

fn now() -> Timestamp {
    ClockRng::system().now()
}

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32])
}

/// Creates the listing `@bob/NAME` of hub `n`, signed by the keys of hub and agent.
pub fn listing(n: u8, name: &str, tag: &str) -> Vec<u8> {
    let card = json!({
        "name": format!("The {name}"), "description": "Knows when the sea comes in.", "version": "1.0.0",
        "supportedInterfaces": [
            { "url": format!("{WEB}a2a/bob/{name}/"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
        ],
        "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "sea", "name": "Sea", "description": "Knows it.", "tags": [tag] }]
    });
    let card = card.to_string().into_bytes();
    let author = SecretKey::from_seed(Digest::of(name).as_bytes());
    let (created, recovery) = (Timestamp::from_millis(0), key(200).public());
    let genesis = Genesis { agent: author.public(), recovery, created, nonce: [n; 16] };
    let seq = Seq::next(None, now());
    let content = Content {
        card: Digest::of(&card),
        expires: seq.issued() + LISTING_TTL,
        tags: vec![Tag::from_text(tag).expect("a tag")],
        langs: Vec::new(),
    };
    let envelope = Envelope {
        chain: KeyChain::new(genesis).expect("keys"),
        seq,
        hub: key(n).public().into(),
        owner: "bob".parse().expect("a name"),
        name: name.parse().expect("a name"),
        status: Status::Live(content),
    };
    Listing::sign(envelope, card, &author, &key(n)).expect("both keys").encode()
}
