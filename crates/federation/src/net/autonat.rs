//! AutoNAT v2: other hubs test whether this hub is reachable, and this hub tests others.
//!
//! libp2p limits neither the tested addresses nor the rate of dial-backs, so filters wrap both behaviours.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use libp2p::{
    Multiaddr, PeerId,
    autonat::v2::{client, server},
    swarm::{
        ConnectionClosed, ConnectionId, FromSwarm, ListenFailure, THandlerOutEvent, dial_opts::DialOpts,
    },
};

use super::{
    dial_policy::{DialPolicy, is_relayed},
    filtered_behaviour::{EventFilter, FilteredBehaviour},
    window_quota::WindowQuota,
};

/// Maximum addresses that this hub has tested in ten minutes: every peer may report another observed address.
const TRIED: usize = 16;
const TRIED_WITHIN: Duration = Duration::from_secs(600);
/// Maximum dial-backs per minute, for one peer and for all. Their target is chosen by the peer.
pub const CALLS_BACK_EACH: u32 = 4;
const CALLS_BACK: usize = 60;
const CALLS_BACK_WITHIN: Duration = Duration::from_secs(60);
/// Lifetime of a dial-back connection.
const CALLED_BACK_WITHIN: Duration = Duration::from_secs(15);

/// AutoNAT client: requests dial-backs.
pub type AutonatClient = FilteredBehaviour<client::Behaviour, CandidateFilter>;
/// AutoNAT server: performs dial-backs.
pub type AutonatServer = FilteredBehaviour<server::Behaviour, DialBackFilter>;

pub fn asking(me: PeerId, reach: DialPolicy) -> AutonatClient {
    let share = WindowQuota::new(TRIED, TRIED, TRIED_WITHIN);
    FilteredBehaviour {
        inner: client::Behaviour::default(),
        gate: CandidateFilter { me, reach, share, relayed: HashSet::new() },
    }
}

pub fn calling_back() -> AutonatServer {
    let share = WindowQuota::new(CALLS_BACK_EACH as usize, CALLS_BACK, CALLS_BACK_WITHIN);
    FilteredBehaviour {
        inner: server::Behaviour::default(),
        gate: DialBackFilter { share, open: Vec::new() },
    }
}

/// Filter for the client: which observed addresses of this hub are worth testing.
pub struct CandidateFilter {
    me: PeerId,
    reach: DialPolicy,
    share: WindowQuota,
    /// Inbound connections through a relay.
    relayed: HashSet<ConnectionId>,
}

impl CandidateFilter {
    fn trusts(&self, connection: ConnectionId) -> bool {
        !self.relayed.contains(&connection)
    }

    /// Returns whether connections with this address say something about the reachability of this hub.
    pub fn counts(&self, address: &Multiaddr) -> bool {
        self.reach.allows(address)
    }

    fn is_tried(&mut self, address: &Multiaddr) -> bool {
        // A reachable relay proves nothing about this hub.
        !is_relayed(address) && self.reach.allows(address) && self.share.take(self.me, Instant::now())
    }
}

impl EventFilter<client::Behaviour> for CandidateFilter {
    fn hears(&mut self, event: &FromSwarm<'_>) -> bool {
        match event {
            FromSwarm::NewExternalAddrCandidate(candidate) => return self.is_tried(candidate.addr),
            FromSwarm::ConnectionClosed(ConnectionClosed { connection_id, .. })
            | FromSwarm::ListenFailure(ListenFailure { connection_id, .. }) => {
                self.relayed.remove(connection_id);
            }
            _ => {}
        }
        true
    }

    fn comes(&mut self, connection: ConnectionId, local: &Multiaddr) {
        if is_relayed(local) {
            self.relayed.insert(connection);
        }
    }

    /// Ignores dial-backs through a relay, which prove nothing. libp2p accepts the nonce from any peer, on
    /// any connection.
    fn takes(
        &mut self,
        _: PeerId,
        connection: ConnectionId,
        event: &THandlerOutEvent<client::Behaviour>,
    ) -> bool {
        event.is_left() || self.trusts(connection)
    }
}

/// Filter for the server: limits dial-backs.
pub struct DialBackFilter {
    share: WindowQuota,
    /// Open dial-back connections, tracked to be closed: gossipsub would keep them open.
    open: Vec<(ConnectionId, Instant)>,
}

impl DialBackFilter {
    /// Returns whether a connection is a dial-back.
    pub fn made(&self, connection: ConnectionId) -> bool {
        self.open.iter().any(|(open, _)| *open == connection)
    }

    /// Removes and returns the dial-back connections to close.
    pub fn done(&mut self, now: Instant) -> Vec<ConnectionId> {
        let is_done = |at: &Instant| now.saturating_duration_since(*at) >= CALLED_BACK_WITHIN;
        self.open.extract_if(.., |(_, at)| is_done(at)).map(|(id, _)| id).collect()
    }
}

impl EventFilter<server::Behaviour> for DialBackFilter {
    /// Limits dial-back requests. A refused peer gets an error that implies nothing about its address.
    fn takes(&mut self, peer: PeerId, _: ConnectionId, event: &THandlerOutEvent<server::Behaviour>) -> bool {
        let wants_a_call = event.as_ref().right().is_some_and(|of_request| of_request.is_left());
        !wants_a_call || self.share.take(peer, Instant::now())
    }

    fn calls(&mut self, opts: &DialOpts) {
        self.open.push((opts.connection_id(), Instant::now()));
    }

    /// Refuses dial-backs through a relay: they prove nothing about the target and use up this hub's budget
    /// at the relay.
    fn goes(&self, connection: ConnectionId, addresses: &[Multiaddr]) -> bool {
        !self.made(connection) || !addresses.iter().any(is_relayed)
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use libp2p::{multiaddr::Protocol, swarm::NewExternalAddrCandidate};

    use super::*;
    use crate::net::dial_policy::IsPublic;

    #[test]
    fn of_what_peers_name_a_few_public_addresses_are_tried() {
        let is_public: IsPublic = |ip| ip == IpAddr::from([192, 0, 2, 1]);
        let mut asking = asking(PeerId::random(), DialPolicy::new(Some(is_public), &[]));
        let mut hears = |addr: &Multiaddr| {
            let candidate = NewExternalAddrCandidate { addr };
            asking.gate.hears(&FromSwarm::NewExternalAddrCandidate(candidate))
        };
        let at = |port: usize| format!("/ip4/192.0.2.1/tcp/{port}").parse::<Multiaddr>().unwrap();
        let circuit = at(1).with(Protocol::P2p(PeerId::random())).with(Protocol::P2pCircuit);
        assert!(!hears(&circuit) && !hears(&"/ip4/10.0.0.1/tcp/1".parse().unwrap()));
        assert_eq!((1..1_000).filter(|port| hears(&at(*port))).count(), TRIED);
    }

    #[test]
    fn nobody_is_called_back_through_a_relay() {
        let mut gate = calling_back().gate;
        let place: Multiaddr = "/ip4/192.0.2.1/tcp/1".parse().unwrap();
        let circuit = place.clone().with(Protocol::P2p(PeerId::random())).with(Protocol::P2pCircuit);
        let call = DialOpts::peer_id(PeerId::random()).build();
        assert!(
            gate.goes(call.connection_id(), std::slice::from_ref(&circuit)),
            "this hub calls somebody itself"
        );
        gate.calls(&call);
        assert!(gate.goes(call.connection_id(), &[place]));
        assert!(!gate.goes(call.connection_id(), &[circuit]));
    }

    #[test]
    fn nobody_calls_back_through_a_relay() {
        let mut gate = asking(PeerId::random(), DialPolicy::new(None, &[])).gate;
        let (direct, relayed) = (ConnectionId::new_unchecked(1), ConnectionId::new_unchecked(2));
        let place: Multiaddr = "/ip4/192.0.2.1/tcp/1".parse().unwrap();
        gate.comes(direct, &place);
        gate.comes(relayed, &place.with(Protocol::P2p(PeerId::random())).with(Protocol::P2pCircuit));
        assert!(gate.trusts(direct) && !gate.trusts(relayed));
    }
}
