//! Whether others can call this hub, and what it does where they cannot.
//!
//! Others try the addresses from which they see it call (AutoNAT v2). A hub that nobody gets through to takes no part in
//! the DHT as a server, and reserves places at hubs that lend themselves; whoever calls it there may go on directly where both
//! can (DCUtR).

use std::time::{Duration, Instant};

use libp2p::{
    Multiaddr, PeerId,
    autonat::v2::client,
    dcutr, kad,
    multiaddr::Protocol,
    relay,
    swarm::{FromSwarm, NetworkBehaviour as _, NewExternalAddrCandidate, dial_opts::DialOpts},
};

use super::{actor::Actor, api::Config, book::split, lend::Lent, relays::Relays};

/// One failure may be that of an address that another peer made up, so a success has so long to come.
const SETTLED_AFTER: Duration = Duration::from_secs(10);

/// One who says that it called back may lie; relays are given up when so many say so.
const SURE: usize = 2;

/// Whether others can call this hub, as far as it knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reachability {
    /// Nobody has tried yet.
    #[default]
    Unknown,
    /// The configuration says where.
    Configured,
    /// Another hub called it back.
    Confirmed { by: PeerId },
    /// It listens nowhere, or nobody who tried got through.
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

/// What this hub knows of its reachability, and whom it uses and serves because of that.
#[derive(Debug, Default)]
pub struct Nat {
    configured: bool,
    listens: bool,
    /// Who called this hub back, so many as are needed to be sure.
    confirmed: Vec<PeerId>,
    failed: Option<Instant>,
    pub(super) relays: Relays,
    pub(super) lent: Lent,
    /// Connections through relays that became direct ones.
    pub(super) upgraded: u64,
}

impl Nat {
    pub fn new(config: &Config) -> Self {
        let (configured, listens) = (!config.external.is_empty(), !config.listen.is_empty());
        Self { configured, listens, ..Self::default() }
    }

    /// A peer has no connection any more.
    pub(super) fn left(&mut self, peer: &PeerId) {
        self.relays.left(peer);
        self.lent.left(peer);
    }

    fn confirm(&mut self, by: PeerId) {
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
    pub(super) fn tend_reachability(&mut self, now: Instant) {
        let alone = self.nat.reachability(now) == Reachability::No;
        let (mode, status) = match alone {
            true => (kad::Mode::Client, relay::Status::Disable),
            false => (kad::Mode::Server, relay::Status::Enable),
        };
        let behaviour = self.swarm.behaviour_mut();
        if behaviour.kad.mode() != mode {
            behaviour.kad.set_mode(Some(mode));
        }
        if let Some(lending) = behaviour.lending.as_mut() {
            lending.set_status(Some(status));
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

    fn seek_relays(&mut self, now: Instant) {
        while let Some((relay, address)) = self.nat.relays.ask_next(now) {
            let circuit = split(&address).0.with(Protocol::P2p(relay)).with(Protocol::P2pCircuit);
            match self.swarm.listen_on(circuit) {
                Ok(listener) => self.nat.relays.asked(listener, relay),
                Err(error) => {
                    tracing::debug!(%relay, %error, "no place was asked for");
                    self.nat.relays.rest(relay, now);
                }
            }
        }
        if let Some((relay, addresses)) = self.nat.relays.call_next(now) {
            _ = self.swarm.dial(DialOpts::peer_id(relay).addresses(addresses).build());
        }
    }

    /// Others are to try an address that this hub says is its own; by itself libp2p has them try only what it does not say.
    pub(super) fn have_tried(&mut self, address: &Multiaddr) {
        let behaviour = self.swarm.behaviour_mut();
        let candidate = || FromSwarm::NewExternalAddrCandidate(NewExternalAddrCandidate { addr: address });
        behaviour.asking.on_swarm_event(candidate());
        behaviour.punching.on_swarm_event(candidate());
    }

    /// A peer tried one of this hub's addresses.
    pub(super) fn probed(&mut self, event: &client::Event) {
        let client::Event { tested_addr: address, server, result, .. } = event;
        match result {
            Ok(()) => self.nat.confirm(*server),
            Err(error) => {
                tracing::debug!(%address, %server, %error, "nobody can call this hub there");
                self.nat.failed.get_or_insert_with(Instant::now);
            }
        }
    }

    pub(super) fn relayed(&mut self, event: &relay::client::Event) {
        if let relay::client::Event::ReservationReqAccepted { relay_peer_id, renewal, .. } = event {
            tracing::debug!(relay = %relay_peer_id, renewal, "others reach this hub through a relay");
            self.nat.relays.agreed(*relay_peer_id);
        }
    }

    pub(super) fn punched(&mut self, event: &dcutr::Event) {
        match &event.result {
            Ok(_) => self.nat.upgraded += 1,
            Err(error) => tracing::debug!(peer = %event.remote_peer_id, %error, "it stays with the relay"),
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
        let mut nat = Nat { listens: true, ..Nat::default() };
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
        assert_eq!(Nat::default().reachability(now), Reachability::No, "there is nothing to try");
        nat.configured = true;
        assert_eq!(nat.reachability(later), Reachability::Configured);
    }
}
