//! Relays for unreachable hubs: streamed responses with backpressure and reset, over short and long times;
//! budgets; replacement of a lost relay; upgrade to direct connections.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures::{Stream, StreamExt, stream};
use plexus_federation::{
    engine::Event,
    net::{
        Multiaddr, NetConfig, Protocol,
        actor_api::NetStatus,
        reachability::Reachability,
        relay_server::{RelayLimits, RelayUsage},
        streams::{IncomingRequest, RequestHead, ResponseHead, StreamListener},
    },
};
use tokio::time::{interval, sleep, timeout};

use crate::{
    full_hub::{TIMEOUT, Whole, config, until},
    measure::{memory, say, spread},
};

const LOOPBACK: &str = "/ip4/127.0.0.1/tcp/0";
const TOKEN: usize = 24;
const TOKENS_INTERVAL: Duration = Duration::from_millis(20);
/// A writer without progress for this long is blocked.
const BLOCKED: Duration = Duration::from_secs(1);
const CHUNK: usize = 16 * 1024;
/// Maximum bytes buffered for a stream that is not read, in four buffers.
const MAX_IN_FLIGHT: usize = 8 * 1024 * 1024;
/// Delay above which a token counts as stalled.
const STALL: Duration = Duration::from_millis(250);
/// Timeout of a token, on a busy machine.
const LATEST: Duration = Duration::from_secs(30);

type Words = Pin<Box<dyn Stream<Item = io::Result<Vec<u8>>> + Send>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_come_through_a_relay_while_another_stream_is_blocked() {
    measure(Duration::from_secs(3)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "five minutes: scripts/test-long runs it"]
async fn long_words_come_through_a_relay_for_five_minutes() {
    measure(Duration::from_secs(300)).await;
}

async fn measure(time: Duration) {
    let relay = relay_hub(1, RelayLimits::default());
    let home = Home::start(2, &relay).await;
    let caller = dial_only(3, &[&relay]).await;

    let before = memory();
    let mut blocked = ask(&caller, &home, "/flood").await;
    let on_the_way = until_blocked(&home.flooded).await;
    say(&format!("a stream that nobody reads: the writer blocks after {} KiB", on_the_way / 1024));
    assert!(on_the_way < MAX_IN_FLIGHT);

    let late = listen(ask(&caller, &home, "/words").await, time).await;
    let (count, worst) = (late.len(), *late.iter().max().unwrap());
    let stalls = late.iter().filter(|late| **late > STALL).count();
    say(&format!(
        "{count} words within {time:.0?} while that stream is blocked: behind by {}, {stalls} by more than {STALL:?}; {} MiB more",
        spread(late),
        memory().saturating_sub(before)
    ));
    assert!(worst < LATEST, "no stall");
    assert_eq!(home.flooded.load(Ordering::Relaxed), on_the_way, "still blocked");
    assert_eq!(relay.status().await.relay_usage.unwrap().circuits, 1, "all of it passed through the relay");

    for number in 0..on_the_way / CHUNK {
        let chunk = timeout(LATEST, blocked.next()).await.unwrap().unwrap().unwrap();
        assert!(chunk.iter().all(|byte| usize::from(*byte) == number % 251), "in order");
    }
    until("reading sets the writer free", async || home.flooded.load(Ordering::Relaxed) > on_the_way).await;

    let began = Instant::now();
    drop(blocked);
    until("both writers are told", async || home.ended.load(Ordering::Relaxed) == 2).await;
    say(&format!("a stream that the reader drops: the writer is told after {:.1?}", began.elapsed()));
}

/// Reads tokens for some time, then drops the stream. Returns the delay of each token.
async fn listen(mut words: Words, time: Duration) -> Vec<Duration> {
    let (began, mut late) = (Instant::now(), Vec::new());
    let mut first = None;
    while began.elapsed() < time {
        let token = timeout(LATEST, words.next()).await.unwrap().unwrap().unwrap();
        let number = u32::from_le_bytes(token[..4].try_into().unwrap());
        assert_eq!(usize::try_from(number).unwrap(), late.len(), "each once, in order");
        let first = *first.get_or_insert_with(Instant::now);
        late.push(first.elapsed().saturating_sub(TOKENS_INTERVAL * number));
    }
    late
}

/// Waits until the writer is blocked; returns the number of bytes written.
async fn until_blocked(written: &AtomicUsize) -> usize {
    let mut before = usize::MAX;
    loop {
        let now = written.load(Ordering::Relaxed);
        if now > 0 && now == before {
            return now;
        }
        before = now;
        sleep(BLOCKED).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_circuit_beyond_its_budget_is_cut_and_the_next_call_goes_on() {
    let budget = 512 * 1024;
    let relay = relay_hub(1, RelayLimits { bytes: budget, hourly_each: 2, ..RelayLimits::default() });
    let home = Home::start(2, &relay).await;
    let caller = dial_only(3, &[&relay]).await;
    for _ in 0..2 {
        let mut flood = ask(&caller, &home, "/flood").await;
        let (mut read, mut error) = (0, None);
        while let Some(piece) = timeout(TIMEOUT, flood.next()).await.unwrap() {
            match piece {
                Ok(piece) => read += piece.len() as u64,
                Err(broken) => error = Some(broken),
            }
        }
        assert!(error.is_some(), "who reads is told that it broke off");
        assert!(read > 0 && read <= budget, "{read} bytes came through");
        until("the circuit is gone", async || relay.status().await.relay_usage.unwrap().circuits == 0).await;
    }
    let caller = caller.net.caller().unwrap();
    let refused = caller.ask(home.hub.me, &question("/words"), b"").await.err().unwrap();
    assert!(refused.to_string().contains("is not reached"), "a third circuit within the hour: {refused}");
}

/// The hub learns of each relay only from its record, so it connects at a time that the test controls.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relay_that_is_lost_is_replaced_by_one_that_said_that_it_lends_itself() {
    let [bootstrap, second, third] = [1, 2, 3].map(|n| relay_hub(n, RelayLimits::default()));
    let hidden = dial_only(4, &[&bootstrap]).await;
    assert_eq!(hidden.status().await.reachability, Reachability::No);
    until("it has a place at the door", async || uses(&hidden, &bootstrap).await).await;
    hears_of(&hidden, &second).await;
    until("it has a second place", async || uses(&hidden, &second).await).await;
    assert_eq!(second.status().await.relay_usage, Some(RelayUsage { hubs: 1, circuits: 0 }));
    let told = hidden.status().await.addresses;
    assert_eq!(told.len(), 2, "one address for each relay: {told:?}");
    assert_eq!(
        bootstrap.status().await.table,
        0,
        "who has an address only through others is not asked in the DHT"
    );
    drop(second);
    hears_of(&hidden, &third).await;
    until("another takes its place", async || uses(&hidden, &third).await).await;
    let NetStatus { addresses, relays, .. } = hidden.status().await;
    assert_eq!((addresses.len(), relays.len()), (2, 2), "{addresses:?}");
}

/// Passes the record of a relay to a hub.
async fn hears_of(hub: &Whole, lender: &Whole) {
    let record = lender.record(vec![lender.address().await.to_string()], true);
    hub.tell(Event::Offered { from: lender.me, records: vec![record.encode()] }).await;
}

/// One hub calls as many private hubs behind one relay as its budget allows to begin circuits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_hub_reaches_many_hubs_behind_one_relay() {
    let relay = relay_hub(1, RelayLimits::default());
    let caller = dial_only(2, &[&relay]).await;
    let mut homes = Vec::new();
    for n in 3..13 {
        homes.push(Home::start(n, &relay).await);
    }
    let mut answers = Vec::new();
    for home in &homes {
        answers.push(ask(&caller, home, "/words").await);
    }
    for answer in answers {
        assert!(!listen(answer, Duration::from_millis(100)).await.is_empty());
    }
}

/// Each update of a relay restarts it. Its clients have their reservations again within seconds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relay_that_restarts_is_used_again_within_seconds() {
    let relay = relay_hub(1, RelayLimits::default());
    let hidden = dial_only(2, &[&relay]).await;
    until("it has a place", async || uses(&hidden, &relay).await).await;
    let address = relay.status().await.listening[0].clone();
    drop(relay);
    until("the place is lost", async || hidden.status().await.relays.is_empty()).await;
    let port = address.iter().find_map(|part| if let Protocol::Tcp(port) = part { Some(port) } else { None });
    let place = (std::net::Ipv4Addr::LOCALHOST, port.unwrap());
    until("the port is free", async || tokio::net::TcpListener::bind(place).await.is_ok()).await;
    let limits = Some(RelayLimits::default());
    let config = config(1, Vec::new(), Vec::new(), &address.to_string());
    let (relay, began) = (Whole::start_as(1, NetConfig { relay: limits, ..config }), Instant::now());
    until("it has a place again", async || uses(&hidden, &relay).await).await;
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_is_called_back_takes_no_relay() {
    let relay = relay_hub(1, RelayLimits::default());
    let hub = Whole::start(2, &[&relay]).await;
    let id = plexus_federation::net::peer_id::peer_of(relay.me).unwrap();
    until("another called it back", async || {
        hub.status().await.reachability == Reachability::Confirmed { by: id }
    })
    .await;
    assert!(hub.status().await.relays.is_empty());
    assert_eq!(relay.status().await.relay_usage, Some(RelayUsage::default()));
}

/// The relay refuses to dial loopback addresses, so its probes find the others unreachable; they can reach
/// each other.
// Slow: libp2p probes reachability in real time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hubs_that_meet_at_a_relay_go_on_directly() {
    let relay = Whole::start_as(
        1,
        NetConfig {
            relay: Some(RelayLimits::default()),
            is_public: Some(|_| false),
            ..config(1, Vec::new(), Vec::new(), LOOPBACK)
        },
    );
    let (home, caller) = (Whole::start(2, &[&relay]).await, Whole::start(3, &[&relay]).await);
    until("both take the relay", async || uses(&home, &relay).await && uses(&caller, &relay).await).await;
    let addresses = home.status().await.addresses;
    let circuits = addresses.iter().filter(|address| is_relayed(address)).map(ToString::to_string);
    home.describe_as(circuits.collect(), false).await;
    let home = Home::of(home);
    let words = ask(&caller, &home, "/words").await;
    until("they are connected directly", async || caller.status().await.upgraded > 0).await;
    assert!(!listen(words, Duration::from_millis(200)).await.is_empty(), "what was begun goes on");
}

fn is_relayed(address: &Multiaddr) -> bool {
    address.iter().any(|part| part == Protocol::P2pCircuit)
}

/// Starts a reachable hub with a relay server.
fn relay_hub(n: u16, limits: RelayLimits) -> Whole {
    let relay = Some(limits);
    Whole::start_as(n, NetConfig { relay, ..config(n, Vec::new(), Vec::new(), LOOPBACK) })
}

/// Starts a hub without listen addresses.
async fn dial_only(n: u16, bootstrap: &[&Whole]) -> Whole {
    let mut ways = Vec::new();
    for hub in bootstrap {
        ways.push(hub.address().await);
    }
    Whole::start_as(n, NetConfig { listen: Vec::new(), ..config(n, ways, Vec::new(), LOOPBACK) })
}

async fn uses(hub: &Whole, relay: &Whole) -> bool {
    hub.status().await.relays.contains(&relay.me)
}

/// A hub whose agents respond.
struct Home {
    hub: Whole,
    /// Bytes taken from the flood stream for its readers.
    flooded: Arc<AtomicUsize>,
    /// Number of responses that have ended.
    ended: Arc<AtomicUsize>,
}

impl Home {
    /// Starts a hub that is reachable only through `relay`, and announces that address.
    async fn start(n: u16, relay: &Whole) -> Self {
        let hub = dial_only(n, &[relay]).await;
        until("it has a place at the relay", async || uses(&hub, relay).await).await;
        hub.describe().await;
        Self::of(hub)
    }

    fn of(hub: Whole) -> Self {
        let (flooded, ended) = (Arc::default(), Arc::default());
        tokio::spawn(serve(hub.net.calls().unwrap(), Arc::clone(&flooded), Arc::clone(&ended)));
        Self { hub, flooded, ended }
    }
}

async fn serve(mut calls: StreamListener, flooded: Arc<AtomicUsize>, ended: Arc<AtomicUsize>) {
    while let Some(coming) = calls.next().await {
        let (flooded, ended) = (Arc::clone(&flooded), Arc::clone(&ended));
        tokio::spawn(async move {
            let called = coming.read(CHUNK).await.unwrap();
            answer(called, flooded).await;
            ended.fetch_add(1, Ordering::Relaxed);
        });
    }
}

async fn answer(called: IncomingRequest, flooded: Arc<AtomicUsize>) {
    let told = ResponseHead { status: 200, ..ResponseHead::default() };
    if called.question.path == "/words" {
        called.answer(told, words()).await;
    } else {
        called.answer(told, flood(flooded)).await;
    }
}

/// Streams tokens at a fixed rate.
fn words() -> impl Stream<Item = io::Result<Vec<u8>>> + Send {
    stream::unfold((interval(TOKENS_INTERVAL), 0_u32), |(mut ticks, number)| async move {
        ticks.tick().await;
        let mut token = vec![b'.'; TOKEN];
        token[..4].copy_from_slice(&number.to_le_bytes());
        Some((Ok(token), (ticks, number + 1)))
    })
}

/// Streams chunks without pause, counting the bytes taken.
fn flood(taken: Arc<AtomicUsize>) -> impl Stream<Item = io::Result<Vec<u8>>> + Send {
    stream::iter(0_usize..).map(move |number| {
        taken.fetch_add(CHUNK, Ordering::Relaxed);
        Ok(vec![u8::try_from(number % 251).unwrap(); CHUNK])
    })
}

fn question(path: &str) -> RequestHead {
    RequestHead { path: path.to_owned(), deadline_ms: 1_000_000, ..RequestHead::default() }
}

/// Sends a request, retrying until the DHT returns the hub's address.
async fn ask(caller: &Whole, home: &Home, path: &str) -> Words {
    let (net, began) = (caller.net.caller().unwrap(), Instant::now());
    loop {
        match net.ask(home.hub.me, &question(path), b"").await {
            Ok(answer) => return Box::pin(answer.into_body()),
            Err(error) => assert!(began.elapsed() < TIMEOUT, "{error}"),
        }
        sleep(Duration::from_millis(50)).await;
    }
}
