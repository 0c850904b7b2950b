//! The way to a hub that is far off, over loopback: a TCP proxy before it that holds up what goes through, in order.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use libp2p::Multiaddr;
use plexus_federation::net::reach::IsPublic;
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

use crate::dice::Dice;

/// Bytes that are lost or arrive together: what fits into one packet of Ethernet.
const SEGMENT: usize = 1_448;
/// Segments of one connection on their way in one direction.
const ON_THE_WAY: usize = 256;
/// TCP sends a lost segment again after that (RFC 6298, with the least that Linux waits), then after twice as long each time.
const SENT_AGAIN: Duration = Duration::from_millis(200);
/// Gates stand here, and hubs behind them at the usual address of loopback: who takes this network for the internet calls
/// gates only.
pub const INTERNET: IsPublic = |ip| ip.is_loopback() && ip != Ipv4Addr::LOCALHOST;

/// What all ways have in common.
pub struct Roads {
    /// In one direction.
    delay: Duration,
    /// Of a hundred segments.
    lost: AtomicUsize,
    dice: Mutex<Dice>,
}

impl Roads {
    pub fn new(delay: Duration) -> Arc<Self> {
        Arc::new(Self { delay, lost: AtomicUsize::new(0), dice: Mutex::new(Dice::new(1)) })
    }

    /// From now on so many of a hundred segments are lost.
    pub fn lose(&self, percent: usize) {
        self.lost.store(percent, Ordering::Relaxed);
    }

    /// How long the next segment is on its way.
    fn time(&self) -> Duration {
        let (lost, mut dice) = (self.lost.load(Ordering::Relaxed), self.dice.lock().unwrap());
        let (mut time, mut again) = (self.delay, SENT_AGAIN);
        while dice.roll(100) < lost {
            time += again;
            again *= 2;
        }
        time
    }
}

/// Where others call a hub.
pub struct Gate(TcpListener);

impl Gate {
    /// Each hub has an address of its own.
    pub async fn new(n: u16) -> Self {
        let [low, high] = n.to_le_bytes();
        Self(TcpListener::bind((Ipv4Addr::new(127, 1, high, low), 0)).await.unwrap())
    }

    pub fn address(&self) -> Multiaddr {
        let at = self.0.local_addr().unwrap();
        format!("/ip4/{}/tcp/{}", at.ip(), at.port()).parse().unwrap()
    }

    /// Leads to `inside`, until what it returns is dropped.
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
    // The handshake of TCP, which the proxy answered at once.
    sleep(2 * roads.delay).await;
    let Ok(inside) = TcpStream::connect(inside).await else { return };
    [&outside, &inside].iter().for_each(|end| end.set_nodelay(true).unwrap());
    let ((from_outside, to_outside), (from_inside, to_inside)) = (outside.into_split(), inside.into_split());
    tokio::join!(carry(from_outside, to_inside, &roads), carry(from_inside, to_outside, &roads));
}

/// One direction: nothing overtakes what was sent before it.
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
