//! Test helper: a hub that serves its single listing and replicates nothing.

use std::{
    collections::{HashSet, VecDeque},
    time::Duration,
};

use libp2p::Multiaddr;
use plexus_federation::{
    HubId,
    engine::{GossipVerdict, IgnoreReason, PeerRequest, PeerResponse, SearchQuery},
    net::{
        self, ActorHandle,
        actor_api::{ActorCommand, ActorEvent, NetStatus},
        peer_id,
    },
    record::{Listing, Tag},
};
use tokio::{
    sync::{Mutex, mpsc},
    task::JoinHandle,
    time::timeout,
};

use crate::{
    fixtures::{self, tagged},
    full_hub::{config, now},
};

/// Number of hubs that share a tag.
const OF_A_TAG: u16 = 4;
/// Timeout of a response, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(300);
/// Time without an event after which a lookup has failed.
const SILENCE: Duration = Duration::from_secs(30);
const QUEUE_CAPACITY: usize = 256;

/// Result of a lookup, with the reason of a failure.
pub type Outcome = Result<(), &'static str>;

pub struct Lone {
    n: u16,
    me: HubId,
    pub address: Multiaddr,
    net: ActorHandle,
    told: Mutex<Told>,
    tasks: [JoinHandle<()>; 2],
}

struct Told {
    events: mpsc::Receiver<ActorEvent>,
    /// Hubs returned by the DHT.
    named: VecDeque<HubId>,
}

impl Drop for Lone {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Lone {
    pub async fn start(n: u16, bootstrap: Vec<Multiaddr>) -> Self {
        let (net, mut events, actor) =
            net::start(config(n, bootstrap, Vec::new(), "/ip4/127.0.0.1/tcp/0")).unwrap();
        let me = fixtures::hub(n);
        let address = loop {
            if let Some(ActorEvent::Listening(address)) = events.recv().await {
                break address.with_p2p(peer_id::peer_of(me).unwrap()).unwrap();
            }
        };
        let (tell, told) = mpsc::channel(QUEUE_CAPACITY);
        let listing = tagged(n, n, now(), &[&tag_of(n)]).encode();
        let answering = tokio::spawn(answer(net.clone(), events, listing, tell));
        let told = Mutex::new(Told { events: told, named: VecDeque::new() });
        Self { n, me, address, net, told, tasks: [actor, answering] }
    }

    pub async fn announce(&self) {
        let record = fixtures::record(self.n, now(), None, vec![self.address.to_string()]).encode();
        self.net.order(ActorCommand::Announce(record)).await.unwrap();
        let tag = Tag::from_text(&tag_of(self.n)).unwrap();
        self.net.order(ActorCommand::Provide(vec![tag])).await.unwrap();
    }

    pub async fn status(&self) -> NetStatus {
        self.net.status().await.unwrap()
    }

    /// Looks up the record of `hub` in the DHT and queries `hub` for its listing.
    pub async fn find_hub(&self, hub: HubId) -> Outcome {
        let mut told = self.told.lock().await;
        self.net.order(ActorCommand::FindHub(hub)).await.unwrap();
        loop {
            match timeout(SILENCE, told.events.recv()).await {
                Ok(Some(ActorEvent::FoundHub(record))) if record.body().hub == hub => break,
                Ok(Some(_)) => {}
                _ => return Err("the DHT has no record of it"),
            }
        }
        self.ask(&mut told, hub).await.map(|_| ())
    }

    /// Looks up a live hub that has an agent with this tag.
    pub async fn find_tag(&self, tag: &str) -> Outcome {
        let (mut told, tag) = (self.told.lock().await, Tag::from_text(tag).unwrap());
        self.net.order(ActorCommand::FindProviders { search: 1, tag: tag.clone() }).await.unwrap();
        let (mut tried, mut last) = (HashSet::from([self.me]), "the DHT names nobody");
        loop {
            while let Some(hub) = told.named.pop_front() {
                if !tried.insert(hub) {
                    continue;
                }
                let has_it = |listing: &Listing| {
                    listing.envelope().content().is_some_and(|content| content.tags.contains(&tag))
                };
                match self.ask(&mut told, hub).await {
                    Ok(listing) if has_it(&listing) => return Ok(()),
                    Ok(_) => last = "whoever was named has no such agent",
                    Err(error) => last = error,
                }
            }
            match timeout(SILENCE, told.events.recv()).await {
                Ok(Some(event)) => told.note(event),
                _ => return Err(last),
            }
        }
    }

    /// Queries a hub for its listing, looking up its address if necessary.
    async fn ask(&self, told: &mut Told, hub: HubId) -> Result<Listing, &'static str> {
        let query = SearchQuery { text: String::new(), tags: Vec::new(), limit: 1 };
        self.net
            .order(ActorCommand::Ask { peer: hub, id: 7, request: PeerRequest::Find(query) })
            .await
            .unwrap();
        loop {
            match timeout(TIMEOUT, told.events.recv()).await.ok().flatten() {
                Some(ActorEvent::Answered { answer: PeerResponse::Records(records), from, .. })
                    if from == hub =>
                {
                    let listing =
                        Listing::parse(&records[0]).and_then(|unverified| unverified.verify()).unwrap();
                    assert_eq!(listing.envelope().hub, hub);
                    return Ok(listing);
                }
                Some(ActorEvent::Failed { from, .. }) if from == hub => return Err("it was not reached"),
                Some(event) => told.note(event),
                None => return Err("it did not answer"),
            }
        }
    }
}

impl Told {
    fn note(&mut self, event: ActorEvent) {
        if let ActorEvent::Providers { hubs, .. } = event {
            self.named.extend(hubs);
        }
    }
}

pub fn tag_of(n: u16) -> String {
    format!("tag {}", n / OF_A_TAG)
}

async fn answer(
    net: ActorHandle,
    mut events: mpsc::Receiver<ActorEvent>,
    listing: Vec<u8>,
    tell: mpsc::Sender<ActorEvent>,
) {
    while let Some(event) = events.recv().await {
        let command = match event {
            ActorEvent::Asked { id, request: PeerRequest::Find(_), .. } => {
                ActorCommand::Reply { id, answer: PeerResponse::Records(vec![listing.clone()]) }
            }
            ActorEvent::Asked { id, .. } => ActorCommand::Refuse { id },
            ActorEvent::Offered { id, .. } => ActorCommand::Noted { id },
            // Nothing is replicated, so nothing is propagated.
            ActorEvent::Gossip { message, .. } => {
                ActorCommand::Judge { message, verdict: GossipVerdict::Ignore(IgnoreReason::Blocked) }
            }
            event @ (ActorEvent::Answered { .. }
            | ActorEvent::Failed { .. }
            | ActorEvent::Providers { .. }
            | ActorEvent::FoundHub(_)) => {
                _ = tell.try_send(event);
                continue;
            }
            _ => continue,
        };
        if net.order(command).await.is_err() {
            return;
        }
    }
}
