//! NAT status of this hub, and its use of relays while unreachable.
//!
//! Other hubs probe the addresses that they observe (AutoNAT v2). An unreachable hub runs the DHT in client
//! mode and makes reservations at relays. Connections through a relay are upgraded to direct ones where both
//! sides can (DCUtR hole punching).

use std::time::{Duration, Instant};

use libp2p::{
    Multiaddr, PeerId,
    autonat::v2::client,
    core::ConnectedPoint,
    dcutr, kad,
    multiaddr::Protocol,
    relay,
    swarm::{FromSwarm, NetworkBehaviour as _, NewExternalAddrCandidate, dial_opts::DialOpts},
};

use super::{
    actor::Actor,
    actor_api::NetConfig,
    address_book::split,
    dial_policy::is_relayed,
    relay_client::RelaySelector,
    relay_server::{RelayClients, RelayLimits},
};

/// Delay before a failed probe counts: its address may have been made up by a peer, so wait for a success.
const SETTLED_AFTER: Duration = Duration::from_secs(10);

/// Confirmations by different peers after which relay reservations are dropped; a single peer may lie.
const SURE: usize = 2;

/// Whether other hubs can connect to this hub, as far as known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reachability {
    /// Not probed yet.
    #[default]
    Unknown,
    /// External addresses are configured.
    Configured,
    /// Another hub connected back successfully.
    Confirmed { by: PeerId },
    /// No listen address, or all probes failed.
    No,
}

impl Reachability {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Configured => "configured",
            Self::Confirmed { .. } => "confirmed",
            Self::No => "no",
        }
    }
}

/// Reachability state, with the relay client and the relay server.
#[derive(Debug, Default)]
pub struct ReachabilityState {
    configured: bool,
    listens: bool,
    /// Peers that confirmed reachability, at most [`SURE`].
    confirmed: Vec<PeerId>,
    failed: Option<Instant>,
    pub(super) relays: RelaySelector,
    pub(super) relay_clients: RelayClients,
    /// Relayed connections upgraded to direct ones.
    pub(super) upgraded: u64,
}

impl ReachabilityState {
    pub fn new(config: &NetConfig) -> Self {
        let (configured, listens) = (!config.external.is_empty(), !config.listen.is_empty());
        let relay_clients = RelayClients::new(config.relay.map(RelayLimits::quota));
        Self { configured, listens, relay_clients, ..Self::default() }
    }

    /// Handles a peer that has disconnected completely.
    pub(super) fn left(&mut self, peer: &PeerId) {
        self.relays.left(peer);
        self.relay_clients.left(peer);
    }

    pub(super) fn confirm(&mut self, by: PeerId) {
        if self.confirmed.len() < SURE && !self.confirmed.contains(&by) {
            self.confirmed.push(by);
        }
    }

    fn is_sure(&self) -> bool {
        self.confirmed.len() >= SURE
    }

    pub fn reachability(&self, now: Instant) -> Reachability {
        let settled = |failed: Instant| now.saturating_duration_since(failed) >= SETTLED_AFTER;
        match (self.confirmed.first(), self.failed) {
            _ if self.configured => Reachability::Configured,
            _ if !self.listens => Reachability::No,
            (Some(by), _) => Reachability::Confirmed { by: *by },
            (None, Some(failed)) if settled(failed) => Reachability::No,
            _ => Reachability::Unknown,
        }
    }
}

impl Actor {
    /// Applies the current reachability: DHT mode, relay server, and relay reservations.
    pub(super) fn update_reachability(&mut self, now: Instant) {
        let alone = self.nat.reachability(now) == Reachability::No;
        let (mode, status) = match alone {
            true => (kad::Mode::Client, relay::Status::Disable),
            false => (kad::Mode::Server, relay::Status::Enable),
        };
        let behaviour = self.swarm.behaviour_mut();
        if behaviour.kad.mode() != mode {
            behaviour.kad.set_mode(Some(mode));
        }
        if let Some(relay_server) = behaviour.relay_server.as_mut() {
            relay_server.set_status(Some(status));
        }
        let done = behaviour.calling_back.gate.done(now);
        done.into_iter().for_each(|connection| _ = self.swarm.close_connection(connection));
        if alone {
            self.seek_relays(now);
        } else if self.nat.is_sure() {
            let unneeded = self.nat.relays.unneeded();
            unneeded.into_iter().for_each(|listener| _ = self.swarm.remove_listener(listener));
        }
    }

    /// Requests the next relay reservations, or dials the next relay.
    fn seek_relays(&mut self, now: Instant) {
        while let Some((relay, address)) = self.nat.relays.next_reservation(now) {
            let circuit = split(&address).0.with(Protocol::P2p(relay)).with(Protocol::P2pCircuit);
            match self.swarm.listen_on(circuit) {
                Ok(listener) => self.nat.relays.asked(listener, relay),
                Err(error) => {
                    tracing::debug!(%relay, %error, "relay reservation failed");
                    self.nat.relays.rest(relay, now);
                }
            }
        }
        if let Some((relay, addresses)) = self.nat.relays.next_relay_dial(now) {
            self.dial(DialOpts::peer_id(relay).addresses(addresses).build());
        }
    }

    /// Requests a probe of one of this hub's own listen addresses; libp2p would probe only addresses that
    /// peers observed.
    pub(super) fn request_probe(&mut self, address: &Multiaddr) {
        let behaviour = self.swarm.behaviour_mut();
        let candidate = || FromSwarm::NewExternalAddrCandidate(NewExternalAddrCandidate { addr: address });
        behaviour.asking.on_swarm_event(candidate());
        behaviour.punching.on_swarm_event(candidate());
    }

    /// Returns whether an inbound connection proves that other hubs can connect to this one: it comes directly,
    /// from an address that counts for probes, and from a peer without another connection, so no router let it
    /// in as the answer to a dial. It also proves so after failed probes.
    pub(super) fn proves_reachability(&self, peer: &PeerId, endpoint: &ConnectedPoint) -> bool {
        let ConnectedPoint::Listener { local_addr, send_back_addr } = endpoint else { return false };
        let is_direct = !is_relayed(local_addr) && !is_relayed(send_back_addr);
        let probed = &self.swarm.behaviour().asking.gate;
        is_direct && probed.counts(send_back_addr) && !self.links.is_connected(peer)
    }

    /// Records the result of a probe by a peer.
    pub(super) fn probed(&mut self, event: &client::Event) {
        let client::Event { tested_addr: address, server, result, .. } = event;
        match result {
            Ok(()) => self.nat.confirm(*server),
            Err(error) => {
                tracing::debug!(%address, %server, %error, "reachability probe failed");
                self.nat.failed.get_or_insert_with(Instant::now);
            }
        }
    }

    pub(super) fn relayed(&mut self, event: &relay::client::Event) {
        if let relay::client::Event::ReservationReqAccepted { relay_peer_id, renewal, .. } = event {
            tracing::debug!(relay = %relay_peer_id, renewal, "relay reservation accepted");
            self.nat.relays.on_reserved(*relay_peer_id);
        }
    }

    pub(super) fn on_hole_punch(&mut self, event: &dcutr::Event) {
        match &event.result {
            Ok(_) => self.nat.upgraded += 1,
            Err(error) => {
                tracing::debug!(peer = %event.remote_peer_id, %error, "hole punching failed; staying relayed");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_who_got_through_counts_more_than_those_who_did_not() {
        let (now, by) = (Instant::now(), PeerId::random());
        let later = now + SETTLED_AFTER;
        let mut nat = ReachabilityState { listens: true, ..ReachabilityState::default() };
        assert_eq!(nat.reachability(now), Reachability::Unknown);
        nat.failed = Some(now);
        assert_eq!(nat.reachability(now), Reachability::Unknown, "another may get through");
        assert_eq!(nat.reachability(later), Reachability::No);
        nat.confirm(by);
        nat.confirm(by);
        assert_eq!(nat.reachability(later), Reachability::Confirmed { by });
        assert!(!nat.is_sure(), "it keeps the relays that it has");
        nat.confirm(PeerId::random());
        assert!(nat.is_sure() && nat.reachability(later) == Reachability::Confirmed { by });
        assert_eq!(
            ReachabilityState::default().reachability(now),
            Reachability::No,
            "there is nothing to try"
        );
        nat.configured = true;
        assert_eq!(nat.reachability(later), Reachability::Configured);
    }
}
