//! Resource exhaustion: greedy and slow peers against an actor whose hub is slow.

use std::time::{Duration, Instant};

use futures::{AsyncReadExt, AsyncWriteExt, StreamExt, stream::FuturesUnordered};
use libp2p::{Multiaddr, PeerId, Stream, StreamProtocol};
use plexus_domain::Digest;
use plexus_federation::{
    engine::{PeerRequest, PeerResponse},
    net::{
        self, ActorHandle,
        actor_api::{ActorCommand, ActorEvent},
        cbor::{self, PeerMessage, PeerReply},
        peer_id,
    },
};
use tokio::{sync::mpsc, task::JoinHandle, time::timeout};

use crate::{
    dht_node::Hub,
    fixtures,
    full_hub::{TIMEOUT, config},
};

const SYNC: StreamProtocol = StreamProtocol::new("/plexus/sync/1");

/// An actor without a hub: the test handles its events.
struct Victim {
    peer: PeerId,
    address: Multiaddr,
    net: ActorHandle,
    events: mpsc::Receiver<ActorEvent>,
    actor: JoinHandle<()>,
}

impl Drop for Victim {
    fn drop(&mut self) {
        self.actor.abort();
    }
}

impl Victim {
    async fn start() -> Self {
        let config = config(1, Vec::new(), Vec::new(), "/ip4/127.0.0.1/tcp/0");
        let (net, mut events, actor) = net::start(config).unwrap();
        let address = loop {
            if let Some(ActorEvent::Listening(address)) = events.recv().await {
                break address;
            }
        };
        Self { peer: peer_id::peer_of(fixtures::hub(1)).unwrap(), address, net, events, actor }
    }

    /// Returns the sender and the id of the next request or offer.
    async fn asked(&mut self) -> (PeerId, u64) {
        let next = async {
            loop {
                match self.events.recv().await.unwrap() {
                    ActorEvent::Asked { from, id, .. } | ActorEvent::Offered { from, id, .. } => {
                        return (from, id);
                    }
                    _ => {}
                }
            }
        };
        let (from, id) = timeout(TIMEOUT, next).await.unwrap();
        (peer_id::peer_of(from).unwrap(), id)
    }

    async fn greedy(&self) -> Hub {
        let greedy = Hub::start().await;
        greedy.reach(self.peer, self.address.clone()).await;
        greedy
    }
}

async fn send(from: &Hub, to: PeerId, message: &PeerMessage) -> Stream {
    let mut stream = from.streams.clone().open_stream(to, SYNC).await.unwrap();
    // A refused sender may be disconnected while it still writes.
    _ = stream.write_all(&cbor::write_message(message).unwrap()).await;
    _ = stream.close().await;
    stream
}

/// Returns the response; empty when the request was refused.
async fn reply(mut stream: Stream) -> Vec<u8> {
    let mut bytes = Vec::new();
    _ = timeout(TIMEOUT, stream.read_to_end(&mut bytes)).await.unwrap();
    bytes
}

fn rows() -> PeerMessage {
    PeerMessage::Request(PeerRequest::Rows { root: Digest::of("nothing") })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn offers_that_nobody_looks_at_are_few_and_others_are_heard() {
    let mut victim = Victim::start().await;
    let (greedy, other) = (victim.greedy().await, victim.greedy().await);
    let offer = PeerMessage::Offer(vec![vec![1; 15_000]; 30]);
    let mut replies = FuturesUnordered::new();
    for _ in 0..6 {
        replies.push(reply(send(&greedy, victim.peer, &offer).await));
    }
    for _ in 0..4 {
        assert_eq!(replies.next().await, Some(Vec::new()), "more than two are refused");
    }
    let (first, second) = (victim.asked().await, victim.asked().await);
    assert_eq!((first.0, second.0), (greedy.peer, greedy.peer));
    let waiting = send(&other, victim.peer, &rows()).await;
    assert_eq!(victim.asked().await.0, other.peer, "nothing of the others came in between");
    drop(waiting);
    for (_, id) in [first, second] {
        victim.net.order(ActorCommand::Noted { id }).await.unwrap();
        let noted = cbor::read_reply(&replies.next().await.unwrap());
        assert_eq!(noted, Ok(PeerReply::Noted), "once it was looked at");
    }
    let again = send(&greedy, victim.peer, &offer).await;
    assert_eq!(victim.asked().await.0, greedy.peer);
    drop(again);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_nobody_reads_count_against_whoever_asked() {
    let mut victim = Victim::start().await;
    let (greedy, other) = (victim.greedy().await, victim.greedy().await);
    let mut unread = Vec::new();
    for _ in 0..4 {
        unread.push(send(&greedy, victim.peer, &rows()).await);
        let (_, id) = victim.asked().await;
        let answer = PeerResponse::Records(vec![vec![1; 15_000]; 130]);
        victim.net.order(ActorCommand::Reply { id, answer }).await.unwrap();
    }
    // Commands are executed in order.
    victim.net.status().await.unwrap();
    assert!(reply(send(&greedy, victim.peer, &rows()).await).await.is_empty(), "all four are being written");
    let waiting = send(&other, victim.peer, &rows()).await;
    assert_eq!(victim.asked().await.0, other.peer, "the fifth came to nobody");
    drop(waiting);
    for stream in unread {
        assert!(reply(stream).await.len() > 130 * 15_000);
    }
    let mut tries = Vec::new();
    let again = async {
        loop {
            tries.push(send(&greedy, victim.peer, &rows()).await);
            if let Ok(asked) = timeout(Duration::from_millis(200), victim.asked()).await {
                return asked;
            }
        }
    };
    assert_eq!(timeout(TIMEOUT, again).await.unwrap().0, greedy.peer, "whoever reads may ask again");
}

/// The read timeout of the network is ten seconds.
// Slow: the read timeout of the network is 10 s.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_says_a_byte_a_second_is_given_up_and_others_are_answered() {
    const MAX_ITEMS: Duration = Duration::from_secs(30);
    let mut victim = Victim::start().await;
    let (slow, other) = (victim.greedy().await, victim.greedy().await);
    let mut streams = Vec::new();
    for _ in 0..40 {
        streams.push(slow.streams.clone().open_stream(victim.peer, SYNC).await.unwrap());
    }
    let began = Instant::now();
    while !streams.is_empty() {
        assert!(began.elapsed() < MAX_ITEMS, "{} streams are still read", streams.len());
        let mut read = Vec::new();
        for mut stream in streams {
            if stream.write_all(&[0xa1]).await.is_ok() && stream.flush().await.is_ok() {
                read.push(stream);
            }
        }
        streams = read;
        let asked = send(&other, victim.peer, &rows()).await;
        let (from, id) = victim.asked().await;
        assert_eq!(from, other.peer);
        victim.net.order(ActorCommand::Reply { id, answer: PeerResponse::Rows(None) }).await.unwrap();
        assert!(!reply(asked).await.is_empty(), "an answer in between");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_of_ten_megabytes_is_none() {
    let mut victim = Victim::start().await;
    let generous = Hub::start().await;
    let mut incoming = generous.streams.clone().accept(SYNC).unwrap();
    tokio::spawn(async move {
        while let Some((_, mut stream)) = incoming.next().await {
            // A record list whose only record is too large.
            let start = [&[0xa1, 0x67][..], b"records", &[0x81, 0x5a, 0x00, 0xa0, 0x00, 0x00]].concat();
            _ = stream.write_all(&start).await;
            _ = stream.write_all(&vec![1; 10 << 20]).await;
            _ = stream.close().await;
        }
    });
    generous.reach(victim.peer, victim.address.clone()).await;
    let peer = peer_id::hub_of(&generous.peer).unwrap();
    let request = PeerRequest::Rows { root: Digest::of("nothing") };
    victim.net.order(ActorCommand::Ask { peer, id: 7, request }).await.unwrap();
    let failed = async {
        loop {
            match victim.events.recv().await.unwrap() {
                ActorEvent::Failed { id: 7, .. } => return,
                ActorEvent::Answered { answer, .. } => panic!("{answer:?}"),
                _ => {}
            }
        }
    };
    timeout(TIMEOUT, failed).await.unwrap();
}
