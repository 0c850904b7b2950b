//! Hubs that carry nothing of each other: is a hub found by its address, and are its agents by their tag?

use std::{
    collections::{HashSet, VecDeque},
    time::{Duration, Instant},
};

use futures::{StreamExt, future::join_all, stream};
use libp2p::Multiaddr;
use plexus_federation::{
    HubId,
    core::{Answer, Ignored, Query, Request, Verdict},
    net::{
        self, Handle,
        api::{Command, Event},
        id,
    },
    record::{Listing, Tag},
};
use tokio::{
    sync::{Mutex, mpsc},
    task::JoinHandle,
    time::timeout,
};

use crate::{
    hubs::{config, now},
    make::{self, tagged},
    measure::{memory, say, spread},
};

/// Hubs that share a tag.
const OF_A_TAG: u16 = 4;
/// How long a table may take to fill, and a look-up to end, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(300);
/// A look-up of which nothing is heard for so long found nobody.
const SILENCE: Duration = Duration::from_secs(30);
const WAITING: usize = 256;
const AT_ONCE: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_hub_is_found_among_10() {
    measure(10, 30).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: scripts/test-long runs it"]
async fn long_every_hub_is_found_among_50_to_400() {
    for count in [50, 100, 400] {
        measure(count, 100).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "half an hour: scripts/test-long runs it"]
async fn long_every_hub_is_found_among_1000() {
    measure(1_000, 100).await;
}

/// A hub's network, and an answer to whoever asks for its one listing.
struct Lone {
    n: u16,
    me: HubId,
    address: Multiaddr,
    net: Handle,
    told: Mutex<Told>,
    tasks: [JoinHandle<()>; 2],
}

struct Told {
    events: mpsc::Receiver<Event>,
    /// Hubs that the DHT named.
    named: VecDeque<HubId>,
}

impl Drop for Lone {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Lone {
    async fn start(n: u16, doors: Vec<Multiaddr>) -> Self {
        let (net, mut events, actor) =
            net::start(config(n, doors, Vec::new(), "/ip4/127.0.0.1/tcp/0")).unwrap();
        let me = make::hub(n);
        let address = loop {
            if let Some(Event::Listening(address)) = events.recv().await {
                break address.with_p2p(id::peer_of(me).unwrap()).unwrap();
            }
        };
        let (tell, told) = mpsc::channel(WAITING);
        let listing = tagged(n, n, now(), &[&tag_of(n)]).encode();
        let answering = tokio::spawn(answer(net.clone(), events, listing, tell));
        let told = Mutex::new(Told { events: told, named: VecDeque::new() });
        Self { n, me, address, net, told, tasks: [actor, answering] }
    }

    async fn announce(&self) {
        let record = make::record(self.n, now(), None, vec![self.address.to_string()]).encode();
        self.net.order(Command::Announce(record)).await.unwrap();
        let tag = Tag::from_text(&tag_of(self.n)).unwrap();
        self.net.order(Command::Provide(vec![tag])).await.unwrap();
    }

    /// Whether the DHT has the record of `hub`, and `hub` gave its listing.
    async fn find_hub(&self, hub: HubId) -> bool {
        let mut told = self.told.lock().await;
        self.net.order(Command::FindHub(hub)).await.unwrap();
        loop {
            match timeout(SILENCE, told.events.recv()).await {
                Ok(Some(Event::FoundHub(record))) if record.body().hub == hub => break,
                Ok(Some(_)) => {}
                _ => return false,
            }
        }
        self.ask(&mut told, hub).await.is_some()
    }

    /// Whether a living hub was found that has agents with this tag.
    async fn find_tag(&self, tag: &str) -> bool {
        let (mut told, tag) = (self.told.lock().await, Tag::from_text(tag).unwrap());
        self.net.order(Command::FindProviders { search: 1, tag: tag.clone() }).await.unwrap();
        let mut tried = HashSet::from([self.me]);
        loop {
            while let Some(hub) = told.named.pop_front() {
                let new = tried.insert(hub);
                let listing = if new { self.ask(&mut told, hub).await } else { None };
                let content = listing.as_ref().and_then(|listing| listing.envelope().content());
                if content.is_some_and(|content| content.tags.contains(&tag)) {
                    return true;
                }
            }
            match timeout(SILENCE, told.events.recv()).await {
                Ok(Some(event)) => told.note(event),
                _ => return false,
            }
        }
    }

    /// Asks a hub for what it has, wherever it is.
    async fn ask(&self, told: &mut Told, hub: HubId) -> Option<Listing> {
        let query = Query { text: String::new(), tags: Vec::new(), limit: 1 };
        self.net.order(Command::Ask { peer: hub, id: 7, request: Request::Find(query) }).await.unwrap();
        loop {
            match timeout(PATIENCE, told.events.recv()).await.ok()?? {
                Event::Answered { answer: Answer::Records(records), from, .. } if from == hub => {
                    let listing = Listing::parse(records.first()?).ok()?.verify().ok()?;
                    return Some(listing).filter(|listing| listing.envelope().hub == hub);
                }
                Event::Failed { from, .. } if from == hub => return None,
                event => told.note(event),
            }
        }
    }
}

impl Told {
    fn note(&mut self, event: Event) {
        if let Event::Providers { hubs, .. } = event {
            self.named.extend(hubs);
        }
    }
}

fn tag_of(n: u16) -> String {
    format!("tag {}", n / OF_A_TAG)
}

async fn answer(net: Handle, mut events: mpsc::Receiver<Event>, listing: Vec<u8>, tell: mpsc::Sender<Event>) {
    while let Some(event) = events.recv().await {
        let command = match event {
            Event::Asked { id, request: Request::Find(_), .. } => {
                Command::Reply { id, answer: Answer::Records(vec![listing.clone()]) }
            }
            Event::Asked { id, .. } => Command::Refuse { id },
            Event::Offered { id, .. } => Command::Noted { id },
            // Nothing is carried, so nothing is passed on.
            Event::Gossip { message, .. } => {
                Command::Judge { message, verdict: Verdict::Ignore(Ignored::Blocked) }
            }
            event @ (Event::Answered { .. }
            | Event::Failed { .. }
            | Event::Providers { .. }
            | Event::FoundHub(_)) => {
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

async fn measure(count: u16, look_ups: usize) {
    let (began, empty) = (Instant::now(), memory());
    let mut hubs = start(1, count, &[]).await;
    announce(&hubs, hubs.len()).await;
    say(&format!(
        "{count} hubs have announced themselves after {:.0?}, {} MiB",
        began.elapsed(),
        memory() - empty
    ));
    find_all("at first", &hubs, look_ups).await;

    let fifth = count / 5;
    hubs.drain(..usize::from(fifth));
    let newcomers = start(count + 1, fifth, &hubs).await;
    hubs.extend(newcomers);
    let everybody = hubs.len();
    announce(&hubs[everybody - usize::from(fifth)..], everybody).await;
    find_all("a fifth killed and replaced", &hubs, look_ups).await;
}

/// Hubs `first` and following. Each knows the way to three of `others`, or of those before it.
async fn start(first: u16, count: u16, others: &[Lone]) -> Vec<Lone> {
    let mut hubs: Vec<Lone> = Vec::new();
    for n in 0..count {
        let known = if others.is_empty() { &hubs[..] } else { others };
        let door = |step: usize| known.get((usize::from(n) * 7 + step * 13) % known.len().max(1));
        let doors = (0..3).filter_map(door).map(|hub| hub.address.clone()).collect();
        hubs.push(Lone::start(first + n, doors).await);
    }
    hubs
}

/// Waits until `hubs` know enough of all, lets them announce themselves, and waits until that is done.
async fn announce(hubs: &[Lone], all: usize) {
    let (began, enough) = (Instant::now(), (all - 1).min(15));
    for hub in hubs {
        while hub.net.status().await.unwrap().table < enough {
            assert!(began.elapsed() < PATIENCE, "a hub knows too few");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    join_all(hubs.iter().map(Lone::announce)).await;
    let copies = async || {
        let status = join_all(hubs.iter().map(|hub| hub.net.status())).await;
        status.into_iter().map(|status| status.unwrap().announcements).sum::<usize>()
    };
    let mut before = usize::MAX;
    while before != copies().await || before < hubs.len() * 3 {
        assert!(began.elapsed() < PATIENCE, "announcements do not end");
        before = copies().await;
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}

async fn find_all(when: &str, hubs: &[Lone], look_ups: usize) {
    let pairs = |by: usize| (0..look_ups).map(move |n| (n * 3 % hubs.len(), (n * 11 + by) % hubs.len()));
    let different = |by| pairs(by).filter(|(from, to)| from != to).map(|(from, to)| (&hubs[from], &hubs[to]));
    let by_name = different(1).map(|(from, to)| timed(from.find_hub(to.me)));
    let by_name: Vec<_> = stream::iter(by_name).buffer_unordered(AT_ONCE).collect().await;
    report(when, "by address", hubs, &by_name).await;
    let tagged = different(2).filter(|(from, to)| from.n / OF_A_TAG != to.n / OF_A_TAG);
    let by_tag = tagged.map(|(from, to)| async move { timed(from.find_tag(&tag_of(to.n))).await });
    let by_tag: Vec<_> = stream::iter(by_tag).buffer_unordered(AT_ONCE).collect().await;
    report(when, "by tag", hubs, &by_tag).await;
}

async fn timed(look_up: impl Future<Output = bool>) -> (bool, Duration) {
    let began = Instant::now();
    (look_up.await, began.elapsed())
}

/// Says what was found, and what it took: requests of all look-ups in the DHT so far.
async fn report(when: &str, how: &str, hubs: &[Lone], look_ups: &[(bool, Duration)]) {
    let found = look_ups.iter().filter(|(found, _)| *found).count();
    let status = join_all(hubs.iter().map(|hub| hub.net.status())).await;
    let sum = |of: fn(&net::api::Status) -> u64| status.iter().flatten().map(of).sum::<u64>();
    let (asked, requests) = (sum(|status| status.look_ups), sum(|status| status.requests));
    let each = requests.checked_div(asked).unwrap_or_default();
    say(&format!(
        "{} hubs, {when}, {how}: {found} of {} found, {}; {asked} look-ups in the DHT so far, {each} requests each (log2 n = {:.1})",
        hubs.len(),
        look_ups.len(),
        spread(look_ups.iter().map(|(_, took)| *took).collect()),
        f64::from(u32::try_from(hubs.len()).unwrap()).log2()
    ));
    assert_eq!(found, look_ups.len(), "{when}, {how}");
}
