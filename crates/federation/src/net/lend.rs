//! Lending this hub to others that nobody can call (circuit relay v2), within budgets that suit chats (`docs/adr/0023`).

use std::{
    collections::BTreeSet,
    num::NonZeroU32,
    time::{Duration, Instant},
};

use libp2p::{Multiaddr, PeerId, relay};

use super::share::Share;

/// What a hub lends. What libp2p lends by itself, 128 KiB and two minutes, is meant for an introduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lending {
    /// Hubs that others may reach through this one. The connection of each is kept open, so there are fewer than a hub keeps.
    pub hubs: usize,
    /// Circuits at the same time. One that nobody reads holds up to half a megabyte here.
    pub circuits: usize,
    /// Of them, so many of one hub; libp2p lets one more through.
    pub circuits_each: usize,
    /// What may pass in both directions before a circuit is cut, in bytes: the longest call at fifty words a second takes
    /// about as much.
    pub bytes: u64,
    /// How long a circuit lasts at most: longer than any call.
    pub lasts: Duration,
    /// Circuits that one hub may begin in an hour, and all together. With `bytes` that is what this hub passes on.
    pub hourly_each: usize,
    pub hourly: usize,
}

impl Default for Lending {
    fn default() -> Self {
        Self {
            hubs: 48,
            circuits: 64,
            circuits_each: 4,
            bytes: 64 << 20,
            lasts: Duration::from_secs(3_600),
            hourly_each: 8,
            hourly: 128,
        }
    }
}

/// A hub reserves its place for so long, and again before that is over.
const RESERVED_FOR: Duration = Duration::from_secs(3_600);
const HOUR: Duration = Duration::from_secs(3_600);
/// Circuits that one address may begin at once, and how soon it may begin another: keys cost nothing, addresses do.
const AT_ONCE_FROM_ADDRESS: NonZeroU32 = NonZeroU32::MIN.saturating_add(31);
const NEXT_FROM_ADDRESS: Duration = Duration::from_secs(120);

impl Lending {
    pub fn behaviour(self, me: PeerId) -> relay::Behaviour {
        relay::Behaviour::new(me, self.config())
    }

    fn config(self) -> relay::Config {
        let mut share = Share::new(self.hourly_each, self.hourly, HOUR);
        let hourly = move |peer: PeerId, _: &Multiaddr, now: Instant| share.take(peer, now);
        let config = relay::Config {
            max_reservations: self.hubs,
            max_reservations_per_peer: 1,
            reservation_duration: RESERVED_FOR,
            max_circuits: self.circuits,
            max_circuits_per_peer: self.circuits_each,
            max_circuit_duration: self.lasts,
            max_circuit_bytes: self.bytes,
            circuit_src_rate_limiters: Vec::new(),
            // How often one may reserve is as libp2p has it.
            ..relay::Config::default()
        };
        // One after the other is asked until one refuses: what an address may not begin takes nothing from all.
        let mut config = config.circuit_src_per_ip(AT_ONCE_FROM_ADDRESS, NEXT_FROM_ADDRESS);
        config.circuit_src_rate_limiters.push(Box::new(hourly));
        config
    }
}

/// Who uses this hub now.
#[derive(Debug, Default)]
pub struct Lent {
    hubs: BTreeSet<PeerId>,
    /// Who began each circuit, and to whom.
    circuits: Vec<(PeerId, PeerId)>,
}

impl Lent {
    pub fn note(&mut self, event: &relay::Event) {
        match event {
            relay::Event::ReservationReqAccepted { src_peer_id, .. } => _ = self.hubs.insert(*src_peer_id),
            relay::Event::ReservationTimedOut { src_peer_id }
            | relay::Event::ReservationClosed { src_peer_id } => _ = self.hubs.remove(src_peer_id),
            relay::Event::CircuitReqAccepted { src_peer_id, dst_peer_id } => {
                self.circuits.push((*src_peer_id, *dst_peer_id));
            }
            relay::Event::CircuitClosed { src_peer_id, dst_peer_id, error } => {
                if let Some(error) = error {
                    tracing::debug!(from = %src_peer_id, to = %dst_peer_id, %error, "a circuit was cut");
                }
                let ends = (*src_peer_id, *dst_peer_id);
                if let Some(at) = self.circuits.iter().position(|circuit| *circuit == ends) {
                    self.circuits.swap_remove(at);
                }
            }
            _ => {}
        }
    }

    /// It has no connection any more.
    pub fn left(&mut self, peer: &PeerId) {
        self.hubs.remove(peer);
        self.circuits.retain(|(from, to)| from != peer && to != peer);
    }

    /// Whose connections others need.
    pub fn needed(&self) -> impl Iterator<Item = PeerId> {
        self.hubs.iter().copied().chain(self.circuits.iter().map(|(from, _)| *from))
    }

    pub fn count(&self) -> Use {
        Use { hubs: self.hubs.len(), circuits: self.circuits.len() }
    }
}

/// How much of this hub is lent now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Hubs that others reach through this one.
    pub hubs: usize,
    pub circuits: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_does_not_use_up_what_all_may_begin() {
        let (now, mut config) = (Instant::now(), Lending::default().config());
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
        let (mut lent, src_peer_id) = (Lent::default(), PeerId::random());
        for over in [
            relay::Event::ReservationClosed { src_peer_id },
            relay::Event::ReservationTimedOut { src_peer_id },
        ] {
            lent.note(&relay::Event::ReservationReqAccepted { src_peer_id, renewed: false });
            assert_eq!(lent.count().hubs, 1);
            lent.note(&over);
            assert_eq!(lent.count(), Use::default());
        }
    }
}
