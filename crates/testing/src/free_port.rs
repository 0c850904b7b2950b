//! Ports for servers that a test starts in another process.

use std::{
    net::TcpListener,
    sync::atomic::{AtomicU16, Ordering},
};

/// Below the ports that Linux gives to outgoing connections and to port 0 (32768 and up): one of those could be taken
/// between the choice and the start of the server.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

static NEXT: AtomicU16 = AtomicU16::new(0);

/// Returns a TCP port of 127.0.0.1 that is free now. It is given once per process, and processes begin at different ports.
///
/// # Panics
/// If all ports of the range are taken.
pub fn free_port() -> u16 {
    let offset = u16::try_from(std::process::id() % u32::from(COUNT)).unwrap_or(0);
    for _ in 0..COUNT {
        let next = NEXT.fetch_add(1, Ordering::Relaxed) % COUNT;
        let port = FIRST + (offset.wrapping_mul(97).wrapping_add(next)) % COUNT;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no free port from {FIRST} to {}", FIRST + COUNT);
}
