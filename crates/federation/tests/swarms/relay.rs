//! Words of an agent on a hub without a public address: a stream through a relay, with back-pressure and reset.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures::{AsyncReadExt, AsyncWriteExt, StreamExt};
use libp2p::{
    Multiaddr, Stream, StreamProtocol, Swarm, SwarmBuilder, identify,
    multiaddr::Protocol,
    noise, ping, relay,
    swarm::{NetworkBehaviour, SwarmEvent},
    tcp, yamux,
};
use libp2p_stream::{Control, IncomingStreams};
use tokio::time::{interval, sleep, timeout};

use crate::measure::{memory, say, spread};

const CHAT: StreamProtocol = StreamProtocol::new("/plexus/a2a/1");
const TOKEN: usize = 24;
const TOKENS_EVERY: Duration = Duration::from_millis(20);
/// A writer that got rid of nothing for so long is blocked.
const BLOCKED: Duration = Duration::from_secs(1);
const CHUNK: usize = 16 * 1024;
/// What a stream that nobody reads may take up on its way, in four buffers.
const MOST_ON_THE_WAY: usize = 8 * 1024 * 1024;
/// On a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(NetworkBehaviour)]
struct Hub {
    relay: relay::client::Behaviour,
    identify: identify::Behaviour,
    ping: ping::Behaviour,
    streams: libp2p_stream::Behaviour,
}

#[derive(NetworkBehaviour)]
struct Relay {
    relay: relay::Behaviour,
    identify: identify::Behaviour,
    ping: ping::Behaviour,
}

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
    let through = relay().await;
    let home = at_home(&through).await;
    let mut caller = hub();
    let mut streams = caller.behaviour().streams.new_control();
    caller.dial(through.with(Protocol::P2pCircuit).with(Protocol::P2p(home.peer))).unwrap();
    tokio::spawn(async move { while caller.next().await.is_some() {} });

    let before = memory();
    let mut blocked = ask(&mut streams, &home, b'f').await;
    let on_the_way = until_blocked(&home.flooded).await;
    say(&format!("a stream that nobody reads: the writer blocks after {} KiB", on_the_way / 1024));
    assert!(on_the_way < MOST_ON_THE_WAY);

    let words = ask(&mut streams, &home, b't').await;
    let late = listen(words, time).await;
    let (count, worst) = (late.len(), *late.iter().max().unwrap());
    say(&format!(
        "{count} words within {time:.0?} while that stream is blocked: behind by {}; {} MiB more",
        spread(late),
        memory().saturating_sub(before)
    ));
    assert!(worst < PATIENCE, "no stall");
    assert_eq!(home.flooded.load(Ordering::Relaxed), on_the_way, "still blocked");

    // A stream grants more when it is read again, so one read of everything would grant nothing.
    let mut chunk = vec![0; CHUNK];
    for number in 0..on_the_way / CHUNK {
        timeout(PATIENCE, blocked.read_exact(&mut chunk)).await.unwrap().unwrap();
        assert!(chunk.iter().all(|byte| usize::from(*byte) == number % 251), "in order");
    }
    until(|| home.flooded.load(Ordering::Relaxed) > on_the_way, "reading sets the writer free").await;

    let began = Instant::now();
    drop(blocked);
    until(|| home.broken.load(Ordering::Relaxed) == 2, "both writers are told").await;
    say(&format!("a stream that the reader drops: the writer is told after {:.1?}", began.elapsed()));
}

/// Reads words for some time, then resets their stream. How late each was.
async fn listen(mut words: Stream, time: Duration) -> Vec<Duration> {
    let (began, mut late) = (Instant::now(), Vec::new());
    let mut token = [0; TOKEN];
    let mut first = None;
    while began.elapsed() < time {
        timeout(PATIENCE, words.read_exact(&mut token)).await.unwrap().unwrap();
        let number = u32::from_le_bytes(token[..4].try_into().unwrap());
        assert_eq!(usize::try_from(number).unwrap(), late.len(), "each once, in order");
        let first = *first.get_or_insert_with(Instant::now);
        late.push(first.elapsed().saturating_sub(TOKENS_EVERY * number));
    }
    late
}

/// How much was written when nothing goes any more.
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

async fn until(holds: impl Fn() -> bool, what: &str) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        sleep(Duration::from_millis(1)).await;
    }
}

async fn ask(streams: &mut Control, home: &Home, what: u8) -> Stream {
    let began = Instant::now();
    loop {
        match streams.open_stream(home.peer, CHAT).await {
            Ok(mut stream) => {
                stream.write_all(&[what]).await.unwrap();
                stream.flush().await.unwrap();
                return stream;
            }
            Err(error) => assert!(began.elapsed() < PATIENCE, "{error}"),
        }
        sleep(Duration::from_millis(20)).await;
    }
}

struct Home {
    peer: libp2p::PeerId,
    flooded: Arc<AtomicUsize>,
    /// Streams that were broken off.
    broken: Arc<AtomicUsize>,
}

/// A hub that is reached through the relay alone.
async fn at_home(through: &Multiaddr) -> Home {
    let mut swarm = hub();
    let incoming = swarm.behaviour().streams.new_control().accept(CHAT).unwrap();
    swarm.listen_on(through.clone().with(Protocol::P2pCircuit)).unwrap();
    loop {
        let event = timeout(PATIENCE, swarm.select_next_some()).await.unwrap();
        if let SwarmEvent::Behaviour(HubEvent::Relay(relay::client::Event::ReservationReqAccepted {
            ..
        })) = event
        {
            break;
        }
    }
    let home = Home { peer: *swarm.local_peer_id(), flooded: Arc::default(), broken: Arc::default() };
    tokio::spawn(async move { while swarm.next().await.is_some() {} });
    tokio::spawn(serve(incoming, home.flooded.clone(), home.broken.clone()));
    home
}

async fn serve(mut incoming: IncomingStreams, flooded: Arc<AtomicUsize>, broken: Arc<AtomicUsize>) {
    while let Some((_, mut stream)) = incoming.next().await {
        let (flooded, broken) = (flooded.clone(), broken.clone());
        tokio::spawn(async move {
            let mut what = [0];
            stream.read_exact(&mut what).await.unwrap();
            if what[0] == b'f' {
                flood(stream, &flooded).await;
            } else {
                speak(stream).await;
            }
            broken.fetch_add(1, Ordering::Relaxed);
        });
    }
}

/// One word after the other, until nobody listens.
async fn speak(mut stream: Stream) {
    let mut ticks = interval(TOKENS_EVERY);
    for number in 0_u32.. {
        ticks.tick().await;
        let mut token = [b'.'; TOKEN];
        token[..4].copy_from_slice(&number.to_le_bytes());
        if stream.write_all(&token).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}

async fn flood(mut stream: Stream, written: &AtomicUsize) {
    for number in 0_usize.. {
        let chunk = vec![u8::try_from(number % 251).unwrap(); CHUNK];
        if stream.write_all(&chunk).await.is_err() {
            return;
        }
        written.fetch_add(CHUNK, Ordering::Relaxed);
    }
}

/// A relay with limits that suit chats; the address with its name.
async fn relay() -> Multiaddr {
    let config = relay::Config {
        max_circuit_duration: Duration::from_secs(3_600),
        max_circuit_bytes: 64 * 1024 * 1024,
        ..relay::Config::default()
    };
    let mut swarm = SwarmBuilder::with_new_identity()
        .with_tokio()
        .with_tcp(tcp::Config::default(), noise::Config::new, yamux::Config::default)
        .unwrap()
        .with_behaviour(|key| Relay {
            relay: relay::Behaviour::new(key.public().to_peer_id(), config),
            identify: identify::Behaviour::new(identify::Config::new("/plexus/1".into(), key.public())),
            ping: ping::Behaviour::default(),
        })
        .unwrap()
        .build();
    swarm.listen_on("/ip4/127.0.0.1/tcp/0".parse().unwrap()).unwrap();
    let address = loop {
        if let SwarmEvent::NewListenAddr { address, .. } = swarm.select_next_some().await {
            break address;
        }
    };
    swarm.add_external_address(address.clone());
    let name = *swarm.local_peer_id();
    tokio::spawn(async move { while swarm.next().await.is_some() {} });
    address.with(Protocol::P2p(name))
}

fn hub() -> Swarm<Hub> {
    SwarmBuilder::with_new_identity()
        .with_tokio()
        .with_tcp(tcp::Config::default(), noise::Config::new, yamux::Config::default)
        .unwrap()
        .with_relay_client(noise::Config::new, yamux::Config::default)
        .unwrap()
        .with_behaviour(|key, relay| Hub {
            relay,
            identify: identify::Behaviour::new(identify::Config::new("/plexus/1".into(), key.public())),
            ping: ping::Behaviour::default(),
            streams: libp2p_stream::Behaviour::new(),
        })
        .unwrap()
        .with_swarm_config(|config| config.with_idle_connection_timeout(PATIENCE))
        .build()
}
