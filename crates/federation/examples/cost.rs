//! Benchmarks of records and engine: `cargo run --release -p plexus-federation --example cost`.

use std::{
    collections::{BTreeMap, VecDeque},
    hint::black_box,
    io::Write,
    time::{Duration, Instant},
};

use plexus_a2a::{keys::SecretKey, listing_id::Genesis};
use plexus_domain::{Digest, Timestamp};
use plexus_federation::{
    HubId,
    engine::{
        Effect, Engine, Event, KnownHub, PeerRequest, PeerResponse,
        policy::{AdmissionMode, Policy},
    },
    record::{
        Content, Envelope, InventoryHead, KeyChain, LISTING_TTL, Listing, Seq, SetFingerprint, Signed,
        Status, Tag, parse,
    },
};

const NOW: Timestamp = Timestamp::from_millis(1_795_132_800_000);
const RECORDS: u32 = 2_000;
const CAUGHT_UP: u32 = 10_000;
const SWEPT: u32 = 100_000;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let mut out = std::io::stdout().lock();
    records(&mut out)?;
    catching_up(&mut out)?;
    sweeping(&mut out)
}

fn key(kind: u8, n: u32) -> SecretKey {
    let mut seed = [kind; 32];
    seed[..4].copy_from_slice(&n.to_le_bytes());
    SecretKey::from_seed(&seed)
}

fn hub(n: u32) -> HubId {
    key(0, n).public().into()
}

fn envelope(agent: u32, home: u32, card: &[u8], at: Timestamp) -> Outcome<Envelope> {
    let (first, recovery) = (key(1, agent).public(), key(2, agent).public());
    let genesis = Genesis { agent: first, recovery, created: NOW, nonce: [0; 16] };
    let seq = Seq::next(None, at);
    let tags = Tag::from_text("count").into_iter().collect();
    let content =
        Content { card: Digest::of(card), expires: seq.issued() + LISTING_TTL, tags, langs: Vec::new() };
    let (owner, name) = ("ada".parse()?, format!("agent-{agent}").parse()?);
    Ok(Envelope {
        chain: KeyChain::new(genesis)?,
        seq,
        hub: hub(home),
        owner,
        name,
        status: Status::Live(content),
    })
}

/// Builds an agent card of 1.5 KB.
fn card(agent: u32) -> Vec<u8> {
    let skill = r#"{"id":"count","name":"Count words","description":"Counts the words of a text, by language and by sentence.","tags":["count","words","text"]}"#;
    let skills = [skill; 8].join(",");
    format!(
        r#"{{"name":"Agent {agent}","description":"Counts.","version":"1.0","supportedInterfaces":[{{"url":"https://agents.example/{agent}","protocolBinding":"JSONRPC","protocolVersion":"1.0"}}],"capabilities":{{}},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{skills}]}}"#
    )
    .into_bytes()
}

fn listing(agent: u32, home: u32, at: Timestamp) -> Outcome<Listing> {
    let card = card(agent);
    Ok(Listing::sign(envelope(agent, home, &card, at)?, card, &key(1, agent), &key(0, home))?)
}

fn line(out: &mut impl Write, what: &str, took: Duration, times: u32) -> Outcome {
    Ok(writeln!(out, "{what:<58} {:>8.1} µs", took.as_secs_f64() * 1e6 / f64::from(times))?)
}

fn records(out: &mut impl Write) -> Outcome {
    let start = Instant::now();
    let listings: Vec<Listing> = (0..RECORDS).map(|n| listing(n, 1 + n / 50, NOW)).collect::<Outcome<_>>()?;
    line(out, "sign a listing, with new keys", start.elapsed(), RECORDS)?;
    let bytes: Vec<Vec<u8>> = listings.iter().map(Listing::encode).collect();
    writeln!(out, "{:<58} {:>8} B", "a listing with a card of 1.5 KB", bytes[0].len())?;
    let start = Instant::now();
    bytes.iter().for_each(|bytes| _ = black_box(parse(bytes)));
    line(out, "read a listing", start.elapsed(), RECORDS)?;
    let (mut core, from) = (Engine::new(key(0, 0), Policy::new(AdmissionMode::Open), NOW), hub(9_999));
    for what in ["take in a listing: signatures, card, merge", "hear a listing again"] {
        let start = Instant::now();
        for bytes in &bytes {
            let event = Event::Gossip { from, message: 0, bytes: bytes.clone() };
            black_box(core.handle(event, NOW));
        }
        line(out, what, start.elapsed(), RECORDS)?;
    }
    let junk = vec![b'{'; 2_000];
    let start = Instant::now();
    for _ in 0..RECORDS {
        let event = Event::Gossip { from, message: 0, bytes: junk.clone() };
        black_box(core.handle(event, NOW));
    }
    line(out, "hear 2 KB of junk", start.elapsed(), RECORDS)
}

/// Measures the catch-up of a new hub from a complete one, without a network in between.
fn catching_up(out: &mut impl Write) -> Outcome {
    let listings: Vec<Listing> =
        (0..CAUGHT_UP).map(|n| listing(n, 1, NOW + Duration::from_secs(n.into()))).collect::<Outcome<_>>()?;
    let now = NOW + Duration::from_secs(CAUGHT_UP.into());
    let hashes: Vec<Digest> = listings.iter().map(Listing::hash).collect();
    let fingerprint: SetFingerprint = hashes.iter().collect();
    let head =
        InventoryHead { hub: hub(1), seq: Seq::next(None, now), count: hashes.len() as u64, fingerprint };
    let head = Signed::sign(head, &key(0, 1))?;
    let mut whole = Engine::new(key(0, 2), Policy::new(AdmissionMode::Open), now);
    whole.restore_hub(KnownHub {
        hub: hub(1),
        first_seen: now,
        proved_domain: None,
        head: Some(head),
        record: None,
    });
    let mut bodies = BTreeMap::new();
    for listing in listings {
        whole.restore_listing(listing.envelope(), listing.hash(), listing.encode().len(), true);
        bodies.insert(listing.hash(), listing.encode());
    }
    let mut new = Engine::new(key(0, 3), Policy::new(AdmissionMode::Open), now);
    let start = Instant::now();
    let (mut requests, mut bytes) = (0_u32, 0_usize);
    let mut queue: VecDeque<Effect> = new.handle(Event::Connected(hub(2)), now).into();
    while let Some(effect) = queue.pop_front() {
        let Effect::Ask { peer, id, request } = effect else { continue };
        requests += 1;
        let answer = answer(&mut whole, &bodies, request, now);
        bytes +=
            if let PeerResponse::Records(records) = &answer { records.iter().map(Vec::len).sum() } else { 0 };
        queue.extend(new.handle(Event::Answered { from: peer, id, answer }, now));
    }
    let caught_up = new.inventory(now).into_iter().find(|row| row.hub == hub(1)).map(|row| row.count);
    let megabytes = bytes as f64 / 1e6;
    let took = start.elapsed();
    writeln!(
        out,
        "a new hub catches up with {caught_up:?} listings in {took:.2?}: {requests} requests, {megabytes:.1} MB"
    )?;
    Ok(())
}

fn answer(
    whole: &mut Engine,
    bodies: &BTreeMap<Digest, Vec<u8>>,
    request: PeerRequest,
    now: Timestamp,
) -> PeerResponse {
    match whole.handle(Event::Asked { from: hub(3), id: 0, request }, now).pop() {
        Some(Effect::Reply { answer, .. }) => answer,
        Some(Effect::ReplyBodies { hashes, .. }) => {
            PeerResponse::Records(hashes.iter().filter_map(|hash| bodies.get(hash).cloned()).collect())
        }
        _ => PeerResponse::Records(Vec::new()),
    }
}

fn sweeping(out: &mut impl Write) -> Outcome {
    let mut core = Engine::new(key(0, 0), Policy::new(AdmissionMode::Open), NOW);
    let card = card(0);
    let start = Instant::now();
    for agent in 0..SWEPT {
        let envelope = envelope(agent, 1 + agent / 1_000, &card, NOW)?;
        core.restore_listing(&envelope, Digest::of(agent.to_le_bytes()), 2_500, false);
    }
    line(out, "bring back a listing, with new keys", start.elapsed(), SWEPT)?;
    core.handle(Event::Tick, NOW);
    let start = Instant::now();
    core.handle(Event::Tick, NOW + Duration::from_secs(60));
    writeln!(out, "a sweep over {SWEPT} listings: {:.1?}", start.elapsed())?;
    Ok(())
}
