//! Test helper: a hand-written Kademlia peer that floods victims with provider records.

use futures::{AsyncWriteExt, StreamExt, stream};
use libp2p::PeerId;
use plexus_domain::Digest;

use crate::dht_node::{Hub, KAD};

/// Concurrent connections.
const AT_ONCE: usize = 16;
/// Messages per write.
const BATCH: usize = 100;

/// Announces `each` junk keys to every victim from every attacker.
pub async fn junk(attackers: &[Hub], victims: &[Hub], each: usize) {
    let pairs = attackers.iter().flat_map(|attacker| victims.iter().map(move |victim| (attacker, victim)));
    let floods = pairs.map(|(attacker, victim)| flood(attacker, victim, each));
    stream::iter(floods).buffer_unordered(AT_ONCE).collect::<()>().await;
}

async fn flood(attacker: &Hub, victim: &Hub, each: usize) {
    let mut streams = attacker.streams.clone();
    let mut stream = streams.open_stream(victim.peer, KAD).await.unwrap();
    for batch in 0..each.div_ceil(BATCH) {
        let numbers = batch * BATCH..each.min((batch + 1) * BATCH);
        let bytes: Vec<u8> =
            numbers.flat_map(|n| announcement(attacker.peer, &format!("{victim:p} {n}"))).collect();
        // The victim may close the stream.
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
    }
    _ = stream.close().await;
}

/// Builds an ADD_PROVIDER message (libp2p specification "kad-dht", "RPC messages"), length-prefixed.
fn announcement(provider: PeerId, what: &str) -> Vec<u8> {
    let key = [&[0x12, 0x20][..], Digest::of(what).as_bytes()].concat();
    let peer = [field(1, &provider.to_bytes()), field(2, &[4, 127, 0, 0, 1, 6, 0, 9])].concat();
    framed(&[number(1, 2), field(2, &key), field(9, &peer)].concat())
}

/// Prefixes a message with its length.
pub fn framed(message: &[u8]) -> Vec<u8> {
    [&varint(message.len() as u64)[..], message].concat()
}

/// Encodes a protobuf field of bytes (protobuf.dev, "Encoding").
pub fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2][..], &varint(bytes.len() as u64), bytes].concat()
}

/// Encodes a protobuf field that holds a number.
pub fn number(number: u8, value: u64) -> Vec<u8> {
    [&[number << 3][..], &varint(value)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap());
    bytes
}
