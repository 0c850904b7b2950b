//! Limits of open connections: in all, and per client address.
//!
//! The open-file limit of the process bounds the total, with room for the files and outgoing connections of the hub. When
//! there is no room, idle connections are closed, oldest first, of the address with the most connections. An address at
//! its own limit loses its oldest idle connection. Only if none is idle is the new connection refused.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;
use plexus_hub::Caller;
use tokio_util::sync::CancellationToken;

/// Connections that are closed at once when there is no room, as a fraction of the limit: the search for them visits all.
const CLOSED_AT_ONCE: usize = 16;
/// Upper bound of the limit, whatever the open-file limit is.
const MOST: usize = 65_536;
/// Open files when the limit of the process is unknown.
const USUAL_OPEN_FILES: u64 = 1_024;

/// Limits of open connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    pub total: usize,
    /// Of one client address. A trusted proxy, whose address stands for many clients, has no such limit.
    pub per_address: usize,
}

impl ConnectionLimits {
    /// Returns the limits for a process with this open-file limit. A relayed stream takes two sockets, so half of the
    /// files are for connections of clients.
    pub fn for_open_files(files: u64) -> Self {
        let total = usize::try_from(files / 2).unwrap_or(MOST).clamp(64, MOST);
        Self { total, per_address: total / 2 }
    }

    /// Returns the limits for this process.
    pub fn for_process() -> Self {
        let files = rlimit::Resource::NOFILE.get().map_or(USUAL_OPEN_FILES, |(soft, _)| soft);
        Self::for_open_files(files)
    }
}

/// The open connections of a listener.
pub struct ConnectionTable {
    limits: ConnectionLimits,
    open: Mutex<OpenConnections>,
    /// Increases with each request and each connection: a clock for the order of idle connections.
    ticks: AtomicU64,
}

#[derive(Default)]
struct OpenConnections {
    next_id: u64,
    by_id: HashMap<u64, Arc<ConnectionState>>,
    by_address: HashMap<String, usize>,
}

struct ConnectionState {
    address: String,
    /// Requests in progress, with their responses.
    requests: AtomicUsize,
    /// The connection was upgraded, such as to a WebSocket: it is in use until it closes.
    is_upgraded: AtomicBool,
    /// The tick of the last change of `requests`.
    since: AtomicU64,
    close: CancellationToken,
}

/// An open connection. Dropping it frees its place.
pub struct OpenConnection {
    id: u64,
    state: Arc<ConnectionState>,
    table: Arc<ConnectionTable>,
}

/// A request in progress on a connection, until its response is sent.
pub struct RequestGuard {
    state: Arc<ConnectionState>,
    table: Arc<ConnectionTable>,
}

impl ConnectionTable {
    pub fn new(limits: ConnectionLimits) -> Self {
        Self { limits, open: Mutex::default(), ticks: AtomicU64::new(0) }
    }

    /// Registers a new connection. `is_proxy`: its address is that of a trusted proxy. `None`: there is no room.
    pub fn open(self: &Arc<Self>, ip: IpAddr, is_proxy: bool) -> Option<OpenConnection> {
        let address = Caller::anonymous(ip).key();
        let mut open = self.open.lock();
        let own = open.by_address.get(&address).copied().unwrap_or_default();
        if !is_proxy && own >= self.limits.per_address && open.close_idle(&address, 1) == 0 {
            return refuse("connections_per_address");
        }
        if open.by_id.len() >= self.limits.total {
            let count = (self.limits.total / CLOSED_AT_ONCE).max(1);
            let most = open.by_address.iter().max_by_key(|(_, count)| **count);
            let most = most.map(|(address, _)| address.clone()).unwrap_or_default();
            if open.close_idle(&most, count) == 0 && open.close_idle_of_all(count) == 0 {
                return refuse("connections");
            }
        }
        let state = Arc::new(ConnectionState {
            address: address.clone(),
            requests: AtomicUsize::new(0),
            is_upgraded: AtomicBool::new(false),
            since: AtomicU64::new(self.tick()),
            close: CancellationToken::new(),
        });
        let id = open.next_id;
        open.next_id += 1;
        open.by_id.insert(id, Arc::clone(&state));
        *open.by_address.entry(address).or_default() += 1;
        Some(OpenConnection { id, state, table: Arc::clone(self) })
    }

    fn tick(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::Relaxed)
    }
}

fn refuse(limit: &'static str) -> Option<OpenConnection> {
    metrics::counter!("plexus_refused_total", "limit" => limit).increment(1);
    None
}

impl OpenConnections {
    /// Closes up to `count` idle connections of an address, oldest first, and returns how many.
    fn close_idle(&mut self, address: &str, count: usize) -> usize {
        self.close_where(count, |state| state.address == address)
    }

    fn close_idle_of_all(&mut self, count: usize) -> usize {
        self.close_where(count, |_| true)
    }

    fn close_where(&mut self, count: usize, concerns: impl Fn(&ConnectionState) -> bool) -> usize {
        let mut idle: Vec<(u64, u64)> = self
            .by_id
            .iter()
            .filter(|(_, state)| concerns(state) && state.is_idle())
            .map(|(id, state)| (state.since.load(Ordering::Relaxed), *id))
            .collect();
        idle.sort_unstable();
        idle.truncate(count);
        for (_, id) in &idle {
            self.remove(*id);
        }
        idle.len()
    }

    /// Removes a connection and tells its task to end.
    fn remove(&mut self, id: u64) {
        let Some(state) = self.by_id.remove(&id) else { return };
        state.close.cancel();
        if let Some(count) = self.by_address.get_mut(&state.address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.by_address.remove(&state.address);
            }
        }
    }
}

impl ConnectionState {
    fn is_idle(&self) -> bool {
        self.requests.load(Ordering::Relaxed) == 0 && !self.is_upgraded.load(Ordering::Relaxed)
    }
}

impl RequestGuard {
    /// Marks the connection as upgraded.
    pub fn keep_busy(&self) {
        self.state.is_upgraded.store(true, Ordering::Relaxed);
    }
}

impl OpenConnection {
    /// Cancelled when the connection must close.
    pub fn closed(&self) -> &CancellationToken {
        &self.state.close
    }

    pub fn begin_request(&self) -> RequestGuard {
        self.state.requests.fetch_add(1, Ordering::Relaxed);
        RequestGuard { state: Arc::clone(&self.state), table: Arc::clone(&self.table) }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.table.open.lock().remove(self.id);
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.state.since.store(self.table.tick(), Ordering::Relaxed);
        self.state.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(total: usize, per_address: usize) -> Arc<ConnectionTable> {
        Arc::new(ConnectionTable::new(ConnectionLimits { total, per_address }))
    }

    fn ip(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn a_full_table_closes_the_oldest_idle_connection_of_the_largest_address() {
        let table = table(4, 4);
        let many: Vec<_> = (0..3).map(|_| table.open(ip(1), false).unwrap()).collect();
        let other = table.open(ip(2), false).unwrap();
        drop(many[0].begin_request());
        let newest = table.open(ip(3), false).unwrap();
        let closed: Vec<bool> = many.iter().map(|one| one.closed().is_cancelled()).collect();
        assert_eq!(closed, [false, true, false], "the first has just been used");
        assert!(!other.closed().is_cancelled() && !newest.closed().is_cancelled());
    }

    #[test]
    fn connections_with_requests_are_kept_and_the_new_one_is_refused() {
        let table = table(2, 2);
        let busy: Vec<_> = (0..2).map(|_| table.open(ip(1), false).unwrap()).collect();
        let requests: Vec<_> = busy.iter().map(OpenConnection::begin_request).collect();
        assert!(table.open(ip(2), false).is_none());
        drop(requests);
        assert!(table.open(ip(2), false).is_some());
    }

    #[test]
    fn an_address_has_its_share_unless_it_is_a_trusted_proxy() {
        let table = table(100, 2);
        let own: Vec<_> = (0..3).map(|_| table.open(ip(1), false).unwrap()).collect();
        assert!(own[0].closed().is_cancelled() && !own[1].closed().is_cancelled());
        let requests: Vec<_> = own[1..].iter().map(OpenConnection::begin_request).collect();
        assert!(table.open(ip(1), false).is_none(), "none of the address is idle");
        assert!(table.open(ip(2), false).is_some());
        let proxied: Vec<_> = (0..10).filter_map(|_| table.open(ip(9), true)).collect();
        assert_eq!(proxied.len(), 10);
        drop((own, requests, proxied));
        assert!(table.open.lock().by_address.is_empty() && table.open.lock().by_id.is_empty());
    }

    #[test]
    fn limits_follow_the_open_files() {
        assert_eq!(
            ConnectionLimits::for_open_files(4_096),
            ConnectionLimits { total: 2_048, per_address: 1_024 }
        );
        assert_eq!(ConnectionLimits::for_open_files(u64::MAX).total, MOST);
        assert_eq!(ConnectionLimits::for_open_files(10).total, 64);
    }
}
