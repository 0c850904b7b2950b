//! Circuit relay v2 server for hubs behind NAT, with budgets sized for chats (`docs/adr/0023`).

use std::{
    collections::BTreeSet,
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, Instant},
};

use libp2p::{Multiaddr, PeerId, relay};
use parking_lot::Mutex;

use super::window_quota::WindowQuota;

/// Limits of the relay server. The libp2p defaults (128 KiB, two minutes) suffice only to set up a direct
/// connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayLimits {
    /// Maximum hubs with a reservation. Their connections stay open, so this is below the number of
    /// connections that a hub keeps.
    pub hubs: usize,
    /// Maximum concurrent circuits. One whose reader stalls buffers up to half a megabyte here.
    pub circuits: usize,
    /// Maximum concurrent circuits per hub; libp2p allows one more.
    pub circuits_each: usize,
    /// Maximum bytes per circuit, both directions together. The longest request at fifty words per second
    /// takes about as much.
    pub bytes: u64,
    /// Maximum duration of a circuit: longer than any request.
    pub lasts: Duration,
    /// Circuits that one hub (`hourly_each`) and all hubs (`hourly`) may open per hour. Multiplied by `bytes`
    /// this bounds the relayed traffic.
    pub hourly_each: usize,
    pub hourly: usize,
}

impl Default for RelayLimits {
    fn default() -> Self {
        Self {
            hubs: 48,
            circuits: 64,
            circuits_each: 15,
            bytes: 64 << 20,
            lasts: Duration::from_secs(3_600),
            hourly_each: 16,
            hourly: 128,
        }
    }
}

/// Duration of a reservation; clients renew it before it ends.
const RESERVED_FOR: Duration = Duration::from_secs(3_600);
const HOUR: Duration = Duration::from_secs(3_600);
/// Burst (`AT_ONCE_FROM_ADDRESS`) and refill interval of circuits per IP address: keys are free to create,
/// addresses are not (Sybil).
const AT_ONCE_FROM_ADDRESS: NonZeroU32 = NonZeroU32::MIN.saturating_add(31);
const NEXT_FROM_ADDRESS: Duration = Duration::from_secs(120);

impl RelayLimits {
    /// Returns the hourly quota of circuits, unused.
    pub fn quota(self) -> CircuitQuota {
        let quota = WindowQuota::new(self.hourly_each, self.hourly, HOUR);
        CircuitQuota(Arc::new(Mutex::new(quota)))
    }

    pub fn behaviour(self, me: PeerId, quota: CircuitQuota) -> relay::Behaviour {
        relay::Behaviour::new(me, self.config(quota))
    }

    fn config(self, quota: CircuitQuota) -> relay::Config {
        let hourly = move |peer: PeerId, _: &Multiaddr, now: Instant| quota.0.lock().take(peer, now);
        let config = relay::Config {
            max_reservations: self.hubs,
            max_reservations_per_peer: 1,
            reservation_duration: RESERVED_FOR,
            max_circuits: self.circuits,
            max_circuits_per_peer: self.circuits_each,
            max_circuit_duration: self.lasts,
            max_circuit_bytes: self.bytes,
            circuit_src_rate_limiters: Vec::new(),
            // Reservation rate limits: the libp2p defaults.
            ..relay::Config::default()
        };
        // The limiters run in order until one refuses. The per-IP limiter comes first, so that its refusals
        // use up nothing of the shared hourly budget.
        let mut config = config.circuit_src_per_ip(AT_ONCE_FROM_ADDRESS, NEXT_FROM_ADDRESS);
        config.circuit_src_rate_limiters.push(Box::new(hourly));
        config
    }
}

/// Hourly quota of circuits, shared by the relay behaviour, which takes from it before it knows whether the
/// circuit can be opened, and [`RelayClients`], which gives back what was not used.
#[derive(Clone, Debug)]
pub struct CircuitQuota(Arc<Mutex<WindowQuota>>);

/// Current clients of the relay server.
#[derive(Debug, Default)]
pub struct RelayClients {
    /// `None` if this hub is no relay.
    pub quota: Option<CircuitQuota>,
    hubs: BTreeSet<PeerId>,
    /// Source and destination of each circuit.
    circuits: Vec<(PeerId, PeerId)>,
}

impl RelayClients {
    pub fn new(quota: Option<CircuitQuota>) -> Self {
        Self { quota, ..Self::default() }
    }

    /// Updates the state from an event of the relay server.
    pub fn note(&mut self, event: &relay::Event) {
        match event {
            relay::Event::ReservationReqAccepted { src_peer_id, .. } => _ = self.hubs.insert(*src_peer_id),
            relay::Event::ReservationTimedOut { src_peer_id }
            | relay::Event::ReservationClosed { src_peer_id } => _ = self.hubs.remove(src_peer_id),
            relay::Event::CircuitReqAccepted { src_peer_id, dst_peer_id } => {
                self.circuits.push((*src_peer_id, *dst_peer_id));
            }
            // A refusal for want of quota has taken nothing.
            relay::Event::CircuitReqDenied { src_peer_id, status, .. }
                if !matches!(status, relay::StatusCode::ResourceLimitExceeded) =>
            {
                if let Some(quota) = &self.quota {
                    quota.0.lock().give_back(*src_peer_id);
                }
            }
            relay::Event::CircuitClosed { src_peer_id, dst_peer_id, error } => {
                if let Some(error) = error {
                    tracing::debug!(from = %src_peer_id, to = %dst_peer_id, %error, "relay circuit closed");
                }
                let ends = (*src_peer_id, *dst_peer_id);
                if let Some(at) = self.circuits.iter().position(|circuit| *circuit == ends) {
                    self.circuits.swap_remove(at);
                }
            }
            _ => {}
        }
    }

    /// Removes a disconnected peer.
    pub fn left(&mut self, peer: &PeerId) {
        self.hubs.remove(peer);
        self.circuits.retain(|(from, to)| from != peer && to != peer);
    }

    /// Returns the peers whose connections the relay server needs.
    pub fn needed(&self) -> impl Iterator<Item = PeerId> {
        self.hubs.iter().copied().chain(self.circuits.iter().map(|(from, _)| *from))
    }

    pub fn count(&self) -> RelayUsage {
        RelayUsage { hubs: self.hubs.len(), circuits: self.circuits.len() }
    }
}

/// Current usage of the relay server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelayUsage {
    /// Hubs with a reservation.
    pub hubs: usize,
    pub circuits: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_does_not_use_up_what_all_may_begin() {
        let limits = RelayLimits::default();
        let (now, mut config) = (Instant::now(), limits.config(limits.quota()));
        let mut begins = |address: &str| {
            let (peer, address) = (PeerId::random(), address.parse().unwrap());
            config.circuit_src_rate_limiters.iter_mut().all(|limiter| limiter.try_next(peer, &address, now))
        };
        let from_one = (0..1_000).filter(|_| begins("/ip4/192.0.2.1/tcp/1")).count();
        assert_eq!(from_one, 32);
        assert!(begins("/ip4/192.0.2.2/tcp/1"), "there is something left for another");
    }

    #[test]
    fn a_place_that_is_given_up_is_not_lent_any_more() {
        let (mut clients, src_peer_id) = (RelayClients::default(), PeerId::random());
        for over in [
            relay::Event::ReservationClosed { src_peer_id },
            relay::Event::ReservationTimedOut { src_peer_id },
        ] {
            clients.note(&relay::Event::ReservationReqAccepted { src_peer_id, renewed: false });
            assert_eq!(clients.count().hubs, 1);
            clients.note(&over);
            assert_eq!(clients.count(), RelayUsage::default());
        }
    }

    #[test]
    fn a_circuit_that_cannot_be_opened_costs_nothing() {
        let limits = RelayLimits::default();
        let quota = limits.quota();
        let mut clients = RelayClients::new(Some(quota.clone()));
        let (now, src_peer_id, dst_peer_id) = (Instant::now(), PeerId::random(), PeerId::random());
        for _ in 0..10 * limits.hourly {
            assert!(quota.0.lock().take(src_peer_id, now));
            let status = relay::StatusCode::NoReservation;
            clients.note(&relay::Event::CircuitReqDenied { src_peer_id, dst_peer_id, status });
        }
        assert!((0..limits.hourly_each).all(|_| quota.0.lock().take(src_peer_id, now)));
        let status = relay::StatusCode::ResourceLimitExceeded;
        clients.note(&relay::Event::CircuitReqDenied { src_peer_id, dst_peer_id, status });
        assert!(!quota.0.lock().take(src_peer_id, now), "a refusal for want of quota gives nothing back");
    }
}
