//! Test helper: a TCP proxy in front of a hub that adds latency and loss, preserving order.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use libp2p::Multiaddr;
use plexus_federation::net::dial_policy::IsPublic;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};

use crate::rng::Dice;

/// Bytes that are lost or arrive together: the payload of one Ethernet packet.
const SEGMENT: usize = 1_448;
/// Maximum segments in transit per connection and direction.
const ON_THE_WAY: usize = 256;
/// Retransmission timeout of TCP (RFC 6298, with Linux's minimum), doubled for each further loss.
const RESEND_INTERVAL: Duration = Duration::from_millis(200);
/// Address filter that treats the proxies' loopback addresses as public. Hubs listen at 127.0.0.1, so with
/// this filter only proxies are dialed.
pub const INTERNET: IsPublic = |ip| ip.is_loopback() && ip != Ipv4Addr::LOCALHOST;

/// Settings shared by all proxies.
pub struct Roads {
    /// One-way latency.
    delay: Duration,
    /// Percentage of lost segments.
    lost: AtomicUsize,
    dice: Mutex<Dice>,
}

impl Roads {
    pub fn new(delay: Duration) -> Arc<Self> {
        Arc::new(Self { delay, lost: AtomicUsize::new(0), dice: Mutex::new(Dice::new(1)) })
    }

    /// Sets the percentage of lost segments.
    pub fn lose(&self, percent: usize) {
        self.lost.store(percent, Ordering::Relaxed);
    }

    /// Returns the transit time of the next segment.
    fn time(&self) -> Duration {
        let (lost, mut dice) = (self.lost.load(Ordering::Relaxed), self.dice.lock().unwrap());
        let (mut time, mut again) = (self.delay, RESEND_INTERVAL);
        while dice.roll(100) < lost {
            time += again;
            again *= 2;
        }
        time
    }
}

/// Proxy address at which other hubs reach a hub.
pub struct Gate(TcpListener);

impl Gate {
    /// Binds the proxy. Each hub gets its own loopback address.
    pub async fn new(n: u16) -> Self {
        let [low, high] = n.to_le_bytes();
        Self(TcpListener::bind((Ipv4Addr::new(127, 1, high, low), 0)).await.unwrap())
    }

    pub fn address(&self) -> Multiaddr {
        let at = self.0.local_addr().unwrap();
        format!("/ip4/{}/tcp/{}", at.ip(), at.port()).parse().unwrap()
    }

    /// Forwards connections to `inside`, until the returned set is dropped.
    pub fn open(self, inside: SocketAddr, roads: Arc<Roads>) -> JoinSet<()> {
        let mut open = JoinSet::new();
        open.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((outside, _)) = self.0.accept().await {
                connections.spawn(connect(outside, inside, roads.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        open
    }
}

async fn connect(outside: TcpStream, inside: SocketAddr, roads: Arc<Roads>) {
    // Time of the TCP handshake, which the proxy answered at once.
    sleep(2 * roads.delay).await;
    let Ok(inside) = TcpStream::connect(inside).await else { return };
    [&outside, &inside].iter().for_each(|end| end.set_nodelay(true).unwrap());
    let ((from_outside, to_outside), (from_inside, to_inside)) = (outside.into_split(), inside.into_split());
    tokio::join!(carry(from_outside, to_inside, &roads), carry(from_inside, to_outside, &roads));
}

/// Forwards one direction, in order.
async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, roads: &Roads) {
    let (send, mut on_its_way) = mpsc::channel::<(Instant, Vec<u8>)>(ON_THE_WAY);
    let departing = async move {
        let (mut latest, mut segment) = (Instant::now(), [0; SEGMENT]);
        while let Ok(read @ 1..) = from.read(&mut segment).await {
            latest = latest.max(Instant::now() + roads.time());
            if send.send((latest, segment[..read].to_vec())).await.is_err() {
                return;
            }
        }
    };
    let arriving = async move {
        while let Some((due, segment)) = on_its_way.recv().await {
            sleep_until(due).await;
            if to.write_all(&segment).await.is_err() {
                return;
            }
        }
    };
    tokio::join!(departing, arriving);
}
