//! Test helper: a hand-written gossipsub peer that sends arbitrary RPCs at full speed.

use futures::{AsyncReadExt, AsyncWriteExt, StreamExt};
use libp2p::{Stream, StreamProtocol, identity::Keypair};
use plexus_federation::{net::peer_id, record::Listing};

use crate::{
    dht_node::Hub,
    full_hub::Whole,
    raw_kad_peer::{field, framed, number},
};

const GOSSIP: StreamProtocol = StreamProtocol::new("/meshsub/1.1.0");
pub const LISTINGS: &[u8] = b"/plexus/listing/1";

pub struct Raw {
    /// Its connections close when it is dropped.
    _hub: Hub,
    key: Keypair,
    stream: Stream,
    number: u64,
}

impl Raw {
    /// Starts a peer that is connected to `victim` and subscribed to listings.
    pub async fn start(victim: &Whole) -> Self {
        Self::start_as(Keypair::generate_ed25519(), victim).await
    }

    pub async fn start_as(key: Keypair, victim: &Whole) -> Self {
        let hub = Hub::visiting_as(key.clone());
        let mut streams = hub.streams.clone();
        let mut incoming = streams.accept(GOSSIP).unwrap();
        // Read and discard what the victim sends.
        tokio::spawn(async move {
            while let Some((_, mut stream)) = incoming.next().await {
                tokio::spawn(async move {
                    let mut bytes = [0; 4_096];
                    while stream.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
                });
            }
        });
        let peer = peer_id::peer_of(victim.me).unwrap();
        hub.reach(peer, victim.address().await).await;
        let stream = streams.open_stream(peer, GOSSIP).await.unwrap();
        let mut raw = Self { _hub: hub, key, stream, number: 0 };
        let subscribe = [number(1, 1), field(2, LISTINGS)].concat();
        assert!(raw.say(&framed(&field(1, &subscribe))).await);
        raw
    }

    /// Sends length-prefixed RPCs; returns whether the victim still reads.
    pub async fn say(&mut self, rpcs: &[u8]) -> bool {
        self.stream.write_all(rpcs).await.is_ok()
    }

    /// Waits until the victim closes the connection. Writes are buffered, so only reading detects it; the
    /// victim sends nothing on this stream.
    pub async fn until_shut_out(&mut self) {
        while self.stream.read(&mut [0; 64]).await.is_ok_and(|count| count > 0) {}
    }

    pub async fn publish(&mut self, listing: &Listing) -> bool {
        self.number += 1;
        let rpc = message(&self.key, self.number, listing);
        self.say(&rpc).await
    }
}

/// Builds a length-prefixed message with a listing, signed like the library does.
pub fn message(key: &Keypair, number: u64, listing: &Listing) -> Vec<u8> {
    let fields = [
        field(1, &key.public().to_peer_id().to_bytes()),
        field(2, &listing.encode()),
        field(3, &number.to_be_bytes()),
        field(4, LISTINGS),
    ];
    let message = fields.concat();
    let signed = [&b"libp2p-pubsub:"[..], &message].concat();
    let signature = field(5, &key.sign(&signed).unwrap());
    framed(&field(2, &[message, signature].concat()))
}
