//! Peers that take up what others need, against an actor whose hub is slow.

use futures::{AsyncReadExt, AsyncWriteExt, StreamExt, stream::FuturesUnordered};
use libp2p::{Multiaddr, PeerId, Stream, StreamProtocol};
use plexus_domain::Digest;
use plexus_federation::{
    core::{Answer, Request},
    net::{
        self, Handle,
        api::{Command, Event},
        id,
        wire::{self, Message, Reply},
    },
};
use tokio::{sync::mpsc, task::JoinHandle, time::timeout};

use crate::{
    hub::Hub,
    hubs::{PATIENCE, config},
    make,
};

const SYNC: StreamProtocol = StreamProtocol::new("/plexus/sync/1");

/// An actor without a hub behind it: the test is what answers.
struct Victim {
    peer: PeerId,
    address: Multiaddr,
    net: Handle,
    events: mpsc::Receiver<Event>,
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
            if let Some(Event::Listening(address)) = events.recv().await {
                break address;
            }
        };
        Self { peer: id::peer_of(make::hub(1)).unwrap(), address, net, events, actor }
    }

    /// The number of the next request or offer, and whose it is.
    async fn asked(&mut self) -> (PeerId, u64) {
        let next = async {
            loop {
                match self.events.recv().await.unwrap() {
                    Event::Asked { from, id, .. } | Event::Offered { from, id, .. } => return (from, id),
                    _ => {}
                }
            }
        };
        let (from, id) = timeout(PATIENCE, next).await.unwrap();
        (id::peer_of(from).unwrap(), id)
    }

    async fn greedy(&self) -> Hub {
        let greedy = Hub::start().await;
        greedy.reach(self.peer, self.address.clone()).await;
        greedy
    }
}

async fn send(from: &Hub, to: PeerId, message: &Message) -> Stream {
    let mut stream = from.streams.clone().open_stream(to, SYNC).await.unwrap();
    // Whoever is refused may be cut off while it still writes.
    _ = stream.write_all(&wire::write_message(message).unwrap()).await;
    _ = stream.close().await;
    stream
}

/// What came back, nothing when it was refused.
async fn reply(mut stream: Stream) -> Vec<u8> {
    let mut bytes = Vec::new();
    _ = timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.unwrap();
    bytes
}

fn rows() -> Message {
    Message::Request(Request::Rows { root: Digest::of("nothing") })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn offers_that_nobody_looks_at_are_few_and_others_are_heard() {
    let mut victim = Victim::start().await;
    let (greedy, other) = (victim.greedy().await, victim.greedy().await);
    let offer = Message::Offer(vec![vec![1; 15_000]; 30]);
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
        victim.net.order(Command::Noted { id }).await.unwrap();
        let noted = wire::read_reply(&replies.next().await.unwrap());
        assert_eq!(noted, Ok(Reply::Noted), "once it was looked at");
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
        let answer = Answer::Records(vec![vec![1; 15_000]; 130]);
        victim.net.order(Command::Reply { id, answer }).await.unwrap();
    }
    // Orders are obeyed one after the other.
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
            if let Ok(asked) = timeout(std::time::Duration::from_millis(200), victim.asked()).await {
                return asked;
            }
        }
    };
    assert_eq!(timeout(PATIENCE, again).await.unwrap().0, greedy.peer, "whoever reads may ask again");
}
