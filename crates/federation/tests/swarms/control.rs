//! A peer that writes gossip by hand and floods others with what governs the mesh (gossipsub specification v1.1,
//! "Control messages"): GRAFT after PRUNE, PRUNE for ever, IHAVE and IWANT of what does not exist.

use futures::{AsyncReadExt, AsyncWriteExt, StreamExt};
use libp2p::{Stream, StreamProtocol, identity::Keypair};
use plexus_federation::record::Listing;

use crate::{
    attack::{field, framed, number},
    hub::Hub,
    hubs::{Whole, connected, now, until},
    make::live,
};

const GOSSIP: StreamProtocol = StreamProtocol::new("/meshsub/1.1.0");
const LISTINGS: &[u8] = b"/plexus/listing/1";
/// RPCs of the flood, each with as many of each kind of message.
const RPCS: u64 = 200;
const OF_EACH: u64 = 60;

struct Raw {
    hub: Hub,
    key: Keypair,
    stream: Stream,
    number: u64,
}

impl Raw {
    /// A peer that is connected with `victim` and subscribed.
    async fn start(victim: &Whole) -> Self {
        let key = Keypair::generate_ed25519();
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
        let peer = plexus_federation::net::id::peer_of(victim.me).unwrap();
        hub.reach(peer, victim.address().await).await;
        let stream = streams.open_stream(peer, GOSSIP).await.unwrap();
        let mut raw = Self { hub, key, stream, number: 0 };
        let subscribe = [number(1, 1), field(2, LISTINGS)].concat();
        assert!(raw.say(&field(1, &subscribe)).await);
        raw
    }

    /// Whether the victim still reads.
    async fn say(&mut self, rpc: &[u8]) -> bool {
        self.stream.write_all(&framed(rpc)).await.is_ok()
    }

    /// A message as the library would sign it.
    async fn publish(&mut self, listing: &Listing) -> bool {
        self.number += 1;
        let fields = [
            field(1, &self.hub.peer.to_bytes()),
            field(2, &listing.encode()),
            field(3, &self.number.to_be_bytes()),
            field(4, LISTINGS),
        ];
        let message = fields.concat();
        let signed = [&b"libp2p-pubsub:"[..], &message].concat();
        let signature = field(5, &self.key.sign(&signed).unwrap());
        self.say(&field(2, &[message, signature].concat())).await
    }

    /// Whether all of it was read.
    async fn flood(&mut self) -> bool {
        for round in 0..RPCS {
            let rpc = field(3, &control(round));
            if !self.say(&rpc).await {
                return false;
            }
        }
        true
    }
}

/// What no honest peer says. A PRUNE for longer than there is time once stopped the program of whoever heard it
/// (GHSA-gc42-3jg7-rxr2).
fn control(round: u64) -> Vec<u8> {
    let name = |n: u64| field(2, &[&round.to_be_bytes()[..], &n.to_be_bytes()].concat());
    let names: Vec<u8> = (0..OF_EACH).flat_map(name).collect();
    let wanted: Vec<u8> = (0..OF_EACH).flat_map(|n| field(1, &(round * OF_EACH + n).to_be_bytes())).collect();
    let have = field(1, &[field(1, LISTINGS), names].concat());
    let for_ever = field(4, &[field(1, LISTINGS), number(3, u64::MAX)].concat());
    let prune = field(4, &[field(1, LISTINGS), number(3, 60)].concat());
    let graft = field(3, &field(1, LISTINGS));
    let mesh = [prune, graft, for_ever].concat().repeat(usize::try_from(OF_EACH).unwrap());
    [have, field(2, &wanted), mesh].concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_floods_the_mesh_is_heard_no_more_and_the_others_go_on() {
    let one = Whole::start(1, &[]).await;
    let two = Whole::start(2, &[&one]).await;
    connected(&[&one, &two], 1).await;
    let (mut greedy, mut quiet) = (Raw::start(&one).await, Raw::start(&one).await);
    let before = live(60, 50, now());
    assert!(greedy.publish(&before).await);
    until("what is written by hand is heard", async || one.holds(&before) && two.holds(&before)).await;

    let read = greedy.flood().await;
    let meanwhile = live(1, 1, now());
    one.publish(&meanwhile).await;
    until("hubs go on meanwhile", async || two.shows(&meanwhile)).await;

    let after = live(61, 50, now());
    greedy.publish(&after).await;
    for agent in 70..75 {
        let other = live(agent, 51, now());
        assert!(quiet.publish(&other).await, "a peer that floods nobody is heard");
        until("and what it says is passed on", async || two.holds(&other)).await;
    }
    assert!(!one.holds(&after) && !two.holds(&after), "a flooder is not; its flood was read: {read}");
}
