//! A peer that writes gossip by hand: as fast as it is read, and whatever it likes.

use futures::{AsyncReadExt, AsyncWriteExt, StreamExt};
use libp2p::{Stream, StreamProtocol, identity::Keypair};
use plexus_federation::{net::id, record::Listing};

use crate::{
    attack::{field, framed, number},
    hub::Hub,
    hubs::Whole,
};

const GOSSIP: StreamProtocol = StreamProtocol::new("/meshsub/1.1.0");
pub const LISTINGS: &[u8] = b"/plexus/listing/1";

pub struct Raw {
    /// Its connections end with it.
    _hub: Hub,
    key: Keypair,
    stream: Stream,
    number: u64,
}

impl Raw {
    /// A peer that is connected with `victim` and subscribed.
    pub async fn start(victim: &Whole) -> Self {
        Self::start_as(Keypair::generate_ed25519(), victim).await
    }

    pub async fn start_as(key: Keypair, victim: &Whole) -> Self {
        let hub = Hub::visiting_as(key.clone());
        let mut streams = hub.streams.clone();
        let mut incoming = streams.accept(GOSSIP).unwrap();
        // What the victim says to it is read and forgotten.
        tokio::spawn(async move {
            while let Some((_, mut stream)) = incoming.next().await {
                tokio::spawn(async move {
                    let mut bytes = [0; 4_096];
                    while stream.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
                });
            }
        });
        let peer = id::peer_of(victim.me).unwrap();
        hub.reach(peer, victim.address().await).await;
        let stream = streams.open_stream(peer, GOSSIP).await.unwrap();
        let mut raw = Self { _hub: hub, key, stream, number: 0 };
        let subscribe = [number(1, 1), field(2, LISTINGS)].concat();
        assert!(raw.say(&framed(&field(1, &subscribe))).await);
        raw
    }

    /// Whether the victim still reads. Each RPC has its length before it.
    pub async fn say(&mut self, rpcs: &[u8]) -> bool {
        self.stream.write_all(rpcs).await.is_ok()
    }

    /// What is written lies in buffers for a while. On this stream the victim says nothing, so it is read to its end.
    pub async fn until_shut_out(&mut self) {
        while self.stream.read(&mut [0; 64]).await.is_ok_and(|count| count > 0) {}
    }

    pub async fn publish(&mut self, listing: &Listing) -> bool {
        self.number += 1;
        let rpc = message(&self.key, self.number, listing);
        self.say(&rpc).await
    }
}

/// A listing in a message as the library would sign it, with its length before it.
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
