//! The task that owns the swarm, and nothing else.
//!
//! It never reads a store and never waits for room in a queue: the hub may be slow, the network goes on. `react` has
//! what comes from the swarm, `tend` what the clock brings; here is what comes from the hub.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use futures::StreamExt;
use libp2p::{
    Multiaddr, PeerId, Swarm,
    gossipsub::{self, MessageAcceptance},
    kad::{self, QueryId},
    swarm::dial_opts::{DialOpts, PeerCondition},
};
use plexus_domain::Timestamp;
use tokio::{sync::mpsc, task::JoinHandle};

use super::{
    announcing::Announcing,
    api::{Command, Config, EVENTS, Event, Handle, Kept},
    behaviour::{self, Behaviour, StartError},
    book::Book,
    gossip::{BLAME, HEADS, LISTINGS},
    id, key,
    links::Links,
    pending::{Lane, Pending},
    reach::Reach,
    records::Records,
    wire::{Message, Reply},
};
use crate::{
    HubId,
    core::{Request, Verdict},
    record::{self, HubRecord, Received, Signed, Tag},
};

const TICK: Duration = Duration::from_secs(1);
/// What is to be written down and waits for room among the events. What does not fit is not written.
const MAX_KEPT: usize = 1_024;
/// Of that, what concerns the DHT. Anybody may have much of it.
const MAX_KEPT_OF_DHT: usize = 768;
/// Peers that are refused. Of more, each is disconnected when it comes.
const MAX_BLOCKED: usize = 4_096;
/// Requests that wait until the DHT says where their hub is.
const MAX_WAITING: usize = 256;

/// What a query of the DHT is for.
pub(super) enum LookUp {
    Providers {
        search: u64,
        /// Where to look when nobody is named: in the shards of this tag.
        otherwise: Option<Tag>,
    },
    Hub {
        hub: HubId,
        best: Option<Box<Best>>,
    },
}

/// The newest record that a look-up brought.
pub(super) struct Best {
    pub(super) record: Signed<HubRecord>,
    /// How many brought one that holds, and when the first did.
    pub(super) brought: usize,
    pub(super) since: Instant,
}

pub struct Actor {
    pub(super) me: HubId,
    pub(super) swarm: Swarm<Behaviour>,
    pub(super) events: mpsc::Sender<Event>,
    pub(super) pending: Pending,
    pub(super) book: Book,
    pub(super) links: Links,
    pub(super) reach: Reach,
    pub(super) look_ups: HashMap<QueryId, LookUp>,
    /// Look-ups that ended, and their requests.
    pub(super) looked: (u64, u64),
    pub(super) announcing: Announcing,
    /// What this hub asks of hubs that are being looked up.
    pub(super) waiting: Vec<(HubId, u64, Request)>,
    pub(super) kept: Vec<Kept>,
    pub(super) own_addresses: bool,
    pub(super) own_record: Option<Vec<u8>>,
    orders: mpsc::Receiver<Command>,
    clock: (Instant, Timestamp),
    pub(super) trimmed: Instant,
    pub(super) expired: Instant,
    pub(super) put: Instant,
}

/// Joins the network. Ends when the handle is dropped, or when nobody takes the events any more.
///
/// # Errors
/// When the key cannot be used, or the hub cannot listen where it is to.
pub fn start(config: Config) -> Result<(Handle, mpsc::Receiver<Event>, JoinHandle<()>), StartError> {
    let (handle, orders) = Handle::new();
    let (events, told) = mpsc::channel(EVENTS);
    let actor = Actor::new(config, orders, events)?;
    let handle = handle.with_streams(actor.swarm.behaviour().calls.new_control());
    Ok((handle, told, tokio::spawn(actor.run())))
}

impl Actor {
    pub(super) fn new(
        config: Config,
        orders: mpsc::Receiver<Command>,
        events: mpsc::Sender<Event>,
    ) -> Result<Self, StartError> {
        let now = Instant::now();
        let clock = (now, config.now);
        let (known, announced) = restore(config.kept.clone(), clock);
        // Whoever looks for hubs in the local network calls them there.
        let reach = Reach::new(config.is_public.filter(|_| !config.mdns), &config.doors);
        let mut swarm = behaviour::swarm(&config, reach.clone(), |me| {
            let mut records = Records::new(me, config.secret);
            announced.into_iter().for_each(|record| _ = records.take(record));
            records
        })?;
        let me = id::hub_of(swarm.local_peer_id());
        let me = me.ok_or_else(|| StartError::SetUp("the key names no hub".to_owned()))?;
        let mode = if config.listen.is_empty() { kad::Mode::Client } else { kad::Mode::Server };
        swarm.behaviour_mut().kad.set_mode(Some(mode));
        Ok(Self {
            me,
            swarm,
            events,
            pending: Pending::default(),
            book: Book::new(config.doors, known, now),
            links: Links::default(),
            reach,
            look_ups: HashMap::new(),
            looked: (0, 0),
            announcing: Announcing::new(me),
            waiting: Vec::new(),
            kept: Vec::new(),
            own_addresses: config.external.is_empty(),
            own_record: None,
            orders,
            clock,
            trimmed: now,
            expired: now,
            put: now,
        })
    }

    pub async fn run(mut self) {
        let (events, mut ticks) = (self.events.clone(), tokio::time::interval(TICK));
        loop {
            let news = self.links.news();
            tokio::select! {
                event = self.swarm.select_next_some() => self.react(event),
                order = self.orders.recv() => match order {
                    Some(order) => self.obey(order),
                    None => return,
                },
                room = events.reserve(), if news.is_some() => match (room, news) {
                    (Ok(room), Some(news)) => {
                        self.links.told(&news);
                        room.send(news);
                    }
                    _ => return,
                },
                _ = ticks.tick() => self.tick(Instant::now()),
            }
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Judge { message, verdict } => self.judge(message, &verdict),
            Command::Announce(record) => self.announce(record),
            Command::Ask { peer, id, request } => self.ask(peer, id, request),
            Command::Reply { id, answer } => self.reply(id, Reply::Answer(answer)),
            Command::Refuse { id } => _ = self.pending.answered(id),
            Command::Noted { id } => self.note(id),
            Command::Offer { to, records } => self.offer(to, records),
            Command::Disconnect(hub) => self.disconnect(hub),
            Command::Forgive => self.forgive(),
            Command::Blame(hub) => self.blame(hub),
            Command::Provide(tags) => {
                let gone = self.announcing.set(&tags);
                let kad = &mut self.swarm.behaviour_mut().kad;
                gone.iter().for_each(|key| kad.stop_providing(key));
            }
            Command::FindProviders { search, tag } => {
                let query = self.swarm.behaviour_mut().kad.get_providers(key::tag(&tag));
                self.look_ups.insert(query, LookUp::Providers { search, otherwise: Some(tag) });
            }
            Command::FindHub(hub) => self.find_hub(hub),
            Command::Dial(address) => self.dial(&address),
            Command::Reach { hub, done } => {
                self.reach(hub);
                _ = done.send(());
            }
            Command::Doors(found) => self.book.add_doors(found, Instant::now()),
            Command::Status(tell) => _ = tell.send(self.status()),
        }
    }

    fn judge(&mut self, message: u64, verdict: &Verdict) {
        let Some(heard) = self.pending.judged(message) else { return };
        let acceptance = match verdict {
            Verdict::Accept => MessageAcceptance::Accept,
            Verdict::Ignore(_) => MessageAcceptance::Ignore,
            Verdict::Reject(_) => MessageAcceptance::Reject,
        };
        let gossip = &mut self.swarm.behaviour_mut().gossip;
        gossip.report_message_validation_result(&heard.id, &heard.from, acceptance);
    }

    /// Gossip reaches whoever is there; the others learn of it when hubs compare what they have.
    fn announce(&mut self, bytes: Vec<u8>) {
        let topic = match record::parse(&bytes) {
            Ok(Received::Listing(_)) => LISTINGS,
            Ok(Received::Head(_)) => HEADS,
            Ok(Received::Hub(_)) => {
                self.own_record = Some(bytes.clone());
                self.put_record();
                HEADS
            }
            Err(_) => return,
        };
        let sent = self.swarm.behaviour_mut().gossip.publish(gossipsub::IdentTopic::new(topic), bytes);
        if let Err(error) = sent {
            tracing::debug!(topic, %error, "not told by gossip");
        }
    }

    /// Asks at once if it is known where the hub is, otherwise once the DHT says so.
    fn ask(&mut self, hub: HubId, id: u64, request: Request) {
        let Some(peer) = id::peer_of(hub) else { return };
        let reachable = self.swarm.is_connected(&peer) || !self.addresses(&peer).is_empty();
        if reachable || self.waiting.len() >= MAX_WAITING {
            return self.send(peer, hub, Some(id), Message::Request(request));
        }
        self.waiting.push((hub, id, request));
        self.find_hub(hub);
    }

    /// What waited for the address of `hub` is sent, or fails for want of one.
    pub(super) fn found(&mut self, hub: HubId) {
        let (ready, rest) = std::mem::take(&mut self.waiting).into_iter().partition(|(of, _, _)| *of == hub);
        self.waiting = rest;
        let ready: Vec<(HubId, u64, Request)> = ready;
        let Some(peer) = id::peer_of(hub) else { return };
        ready
            .into_iter()
            .for_each(|(hub, id, request)| self.send(peer, hub, Some(id), Message::Request(request)));
    }

    fn offer(&mut self, to: HubId, records: Vec<Vec<u8>>) {
        if let Some(peer) = id::peer_of(to).filter(|peer| self.swarm.is_connected(peer)) {
            self.send(peer, to, None, Message::Offer(records));
        }
    }

    fn send(&mut self, peer: PeerId, hub: HubId, id: Option<u64>, message: Message) {
        let addresses = self.addresses(&peer);
        let behaviour = self.swarm.behaviour_mut();
        let (lane, exchange) = match message {
            Message::Request(Request::Find(_)) => (Lane::Query, &mut behaviour.query),
            _ => (Lane::Sync, &mut behaviour.sync),
        };
        let request = exchange.send_request_with_addresses(&peer, message, addresses);
        self.pending.ask(lane, request, hub, id);
    }

    pub(super) fn reply(&mut self, id: u64, reply: Reply) {
        let Some(question) = self.pending.answered(id) else { return };
        let bytes = reply.weight();
        if !self.pending.may_write(bytes) {
            tracing::debug!(peer = %question.from, "too much is being written");
            return;
        }
        let behaviour = self.swarm.behaviour_mut();
        let exchange = match question.lane {
            Lane::Sync => &mut behaviour.sync,
            Lane::Query => &mut behaviour.query,
        };
        // Whoever asked may be gone. If not, the swarm says how this ended (`exchanged`).
        if exchange.send_response(question.channel, reply).is_ok() {
            self.pending.writes(question.lane, question.request, question.from, bytes);
        }
    }

    fn note(&mut self, id: u64) {
        if let Some(offer) = self.pending.noted(id) {
            _ = self.swarm.behaviour_mut().sync.send_response(offer.channel, Reply::Noted);
        }
    }

    fn disconnect(&mut self, hub: HubId) {
        let Some(peer) = id::peer_of(hub) else { return };
        let blocked = &mut self.swarm.behaviour_mut().blocked;
        if blocked.blocked_peers().len() < MAX_BLOCKED {
            blocked.block_peer(peer);
        }
        _ = self.swarm.disconnect_peer_id(peer);
    }

    fn forgive(&mut self) {
        let blocked = &mut self.swarm.behaviour_mut().blocked;
        let peers: Vec<PeerId> = blocked.blocked_peers().iter().copied().collect();
        peers.into_iter().for_each(|peer| _ = blocked.unblock_peer(peer));
    }

    fn blame(&mut self, hub: HubId) {
        if let Some(peer) = id::peer_of(hub) {
            self.swarm.behaviour_mut().gossip.set_application_score(&peer, BLAME);
        }
    }

    fn find_hub(&mut self, hub: HubId) {
        let query = self.swarm.behaviour_mut().kad.get_record(key::hub_record(hub));
        self.look_ups.insert(query, LookUp::Hub { hub, best: None });
    }

    pub(super) fn dial(&mut self, address: &Multiaddr) {
        if let Err(error) = self.swarm.dial(address.clone()) {
            tracing::debug!(%address, %error, "not dialled");
        }
    }

    /// Begins to connect with a hub, unless it is connected.
    fn reach(&mut self, hub: HubId) {
        let Some(peer) = id::peer_of(hub).filter(|peer| !self.swarm.is_connected(peer)) else { return };
        let addresses = self.addresses(&peer);
        if addresses.is_empty() {
            return self.find_hub(hub);
        }
        let options = DialOpts::peer_id(peer).addresses(addresses);
        let options = options.condition(PeerCondition::DisconnectedAndNotDialing).build();
        if let Err(error) = self.swarm.dial(options) {
            tracing::debug!(%hub, %error, "not dialled");
        }
    }

    /// Where a hub was last, by the book or by the table of the DHT.
    fn addresses(&mut self, peer: &PeerId) -> Vec<Multiaddr> {
        let addresses = self.book.addresses(peer).to_vec();
        if addresses.is_empty() { self.in_table(peer) } else { addresses }
    }

    /// What the table of the DHT knows of a peer.
    pub(super) fn in_table(&mut self, peer: &PeerId) -> Vec<Multiaddr> {
        let Some(bucket) = self.swarm.behaviour_mut().kad.kbucket(*peer) else { return Vec::new() };
        let entry = bucket.iter().find(|entry| entry.node.key.preimage() == peer);
        entry.into_iter().flat_map(|entry| entry.node.value.iter().cloned()).collect()
    }

    /// Notes what the hub is to write down.
    pub(super) fn keep(&mut self, kept: Kept) {
        let most = if matches!(kept, Kept::Address { .. }) { MAX_KEPT } else { MAX_KEPT_OF_DHT };
        if self.kept.len() < most {
            self.kept.push(kept);
        }
    }

    /// The time of day of a moment.
    pub(super) fn time_of(&self, moment: Instant) -> Timestamp {
        let (start, at) = self.clock;
        at + moment.saturating_duration_since(start)
    }
}

type Known = Vec<(PeerId, Vec<Multiaddr>)>;

/// What was kept, sorted into the book and the store of the DHT. What ran out meanwhile is left out.
fn restore(kept: Vec<Kept>, (start, now): (Instant, Timestamp)) -> (Known, Vec<kad::ProviderRecord>) {
    let (mut known, mut announced) = (Vec::new(), Vec::new());
    for kept in kept {
        match kept {
            Kept::Address { peer, addresses } => known.push((peer, addresses)),
            Kept::Announced { key, provider, addresses, until } if until > now => {
                let expires = Some(start + until.since(now));
                announced.push(kad::ProviderRecord { key, provider, expires, addresses });
            }
            Kept::Announced { .. } | Kept::Withdrawn { .. } => {}
        }
    }
    (known, announced)
}
