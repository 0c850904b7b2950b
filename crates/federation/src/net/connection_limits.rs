//! Connection limits per IP address and per relay: keys are free to create, addresses are not (Sybil attack).

use std::{
    collections::HashMap,
    convert::Infallible,
    net::{IpAddr, Ipv6Addr},
    task::{Context, Poll},
};

use libp2p::{
    Multiaddr, PeerId,
    core::{Endpoint, transport::PortUse},
    multiaddr::Protocol,
    swarm::{
        ConnectionClosed, ConnectionDenied, ConnectionId, FromSwarm, ListenFailure, NetworkBehaviour,
        THandler, THandlerInEvent, THandlerOutEvent, ToSwarm, dummy,
    },
};

use super::dial_policy::{IsPublic, is_relayed};

/// An IPv6 prefix of this length counts as one address: it is what one customer gets.
const PREFIX_V6: u32 = 64;
/// Maximum connections through one relay, which names the peers behind it itself and could invent them all.
const MAX_PER_RELAY: usize = 24;

/// What a connection is counted under.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConnectionOrigin {
    Address(IpAddr),
    Relay(PeerId),
}

/// Behaviour that limits inbound connections per origin.
pub struct ConnectionLimiter {
    /// Limit per public IP address, and which addresses are public. `None`: no limit.
    most: Option<(usize, IsPublic)>,
    from: HashMap<ConnectionId, ConnectionOrigin>,
}

#[derive(Debug, thiserror::Error)]
#[error("connection limit of this address or relay reached")]
struct ConnectionLimitReached;

impl ConnectionLimiter {
    pub fn new(most: Option<(usize, IsPublic)>) -> Self {
        Self { most, from: HashMap::new() }
    }

    /// Counts an inbound connection, or denies it.
    fn come(
        &mut self,
        id: ConnectionId,
        local: &Multiaddr,
        from: &Multiaddr,
    ) -> Result<(), ConnectionLimitReached> {
        let Some((origin, most)) = self.origin(local, from) else { return Ok(()) };
        // A linear scan suffices: the swarm has a few hundred connections at most.
        if self.from.values().filter(|known| **known == origin).count() >= most {
            return Err(ConnectionLimitReached);
        }
        self.from.insert(id, origin);
        Ok(())
    }

    /// Returns the origin of a connection and its limit, if it is counted.
    fn origin(&self, local: &Multiaddr, from: &Multiaddr) -> Option<(ConnectionOrigin, usize)> {
        if is_relayed(local) {
            return Some((ConnectionOrigin::Relay(relay_of(local)?), MAX_PER_RELAY));
        }
        let (most, is_public) = self.most?;
        // A private address may be a gateway shared by all clients, so it is not counted.
        let ip = ip_of(from).filter(|ip| is_public(*ip))?;
        Some((ConnectionOrigin::Address(ip), most))
    }
}

fn relay_of(local: &Multiaddr) -> Option<PeerId> {
    let name = |part| if let Protocol::P2p(peer) = part { Some(peer) } else { None };
    local.iter().find_map(name)
}

fn ip_of(address: &Multiaddr) -> Option<IpAddr> {
    match address.iter().next()? {
        Protocol::Ip4(ip) => Some(ip.into()),
        Protocol::Ip6(ip) => {
            let network = ip.to_bits() & (u128::MAX << (128 - PREFIX_V6));
            Some(ip.to_ipv4_mapped().map_or_else(|| Ipv6Addr::from_bits(network).into(), IpAddr::from))
        }
        _ => None,
    }
}

impl NetworkBehaviour for ConnectionLimiter {
    type ConnectionHandler = dummy::ConnectionHandler;
    type ToSwarm = Infallible;

    fn handle_pending_inbound_connection(
        &mut self,
        id: ConnectionId,
        local: &Multiaddr,
        from: &Multiaddr,
    ) -> Result<(), ConnectionDenied> {
        self.come(id, local, from).map_err(ConnectionDenied::new)
    }

    fn handle_established_inbound_connection(
        &mut self,
        _: ConnectionId,
        _: PeerId,
        _: &Multiaddr,
        _: &Multiaddr,
    ) -> Result<THandler<Self>, ConnectionDenied> {
        Ok(dummy::ConnectionHandler)
    }

    fn handle_established_outbound_connection(
        &mut self,
        _: ConnectionId,
        _: PeerId,
        _: &Multiaddr,
        _: Endpoint,
        _: PortUse,
    ) -> Result<THandler<Self>, ConnectionDenied> {
        Ok(dummy::ConnectionHandler)
    }

    fn on_swarm_event(&mut self, event: FromSwarm<'_>) {
        match event {
            FromSwarm::ConnectionClosed(ConnectionClosed { connection_id, .. })
            | FromSwarm::ListenFailure(ListenFailure { connection_id, .. }) => {
                self.from.remove(&connection_id);
            }
            _ => {}
        }
    }

    fn on_connection_handler_event(&mut self, _: PeerId, _: ConnectionId, never: THandlerOutEvent<Self>) {
        match never {}
    }

    fn poll(&mut self, _: &mut Context<'_>) -> Poll<ToSwarm<Infallible, THandlerInEvent<Self>>> {
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_connections_and_no_more() {
        let at = |text: &str| text.parse::<Multiaddr>().unwrap();
        let is_public: IsPublic = |ip| ip != IpAddr::from([10, 0, 0, 1]);
        let mut crowd = ConnectionLimiter::new(Some((2, is_public)));
        let id = ConnectionId::new_unchecked;
        let (here, one) = (at("/ip4/192.0.2.9/tcp/1"), at("/ip4/192.0.2.1/tcp/1"));
        assert!(
            crowd.come(id(1), &here, &one).is_ok()
                && crowd.come(id(2), &here, &at("/ip4/192.0.2.1/tcp/2")).is_ok()
        );
        assert!(crowd.come(id(3), &here, &one).is_err());
        assert!(crowd.come(id(4), &here, &at("/ip4/192.0.2.2/tcp/1")).is_ok(), "another address");
        crowd.from.remove(&id(1));
        assert!(crowd.come(id(5), &here, &one).is_ok());
        assert!(crowd.come(id(6), &here, &at("/ip6/2001:db8:0:1::1/tcp/1")).is_ok());
        assert!(crowd.come(id(7), &here, &at("/ip6/2001:db8:0:1::2/tcp/1")).is_ok());
        assert!(crowd.come(id(8), &here, &at("/ip6/2001:db8:0:1:ffff::3/tcp/1")).is_err(), "one network");
        assert!(crowd.come(id(9), &here, &at("/ip6/2001:db8:0:2::1/tcp/1")).is_ok());
        let gateway = at("/ip4/10.0.0.1/tcp/1");
        assert!(
            (10..100).all(|n| crowd.come(id(n), &here, &gateway).is_ok()),
            "everybody may come through it"
        );
        let mut open = ConnectionLimiter::new(None);
        assert!((0..100).all(|n| open.come(id(n), &here, &one).is_ok()));
    }

    #[test]
    fn a_relay_has_so_many_connections_whoever_it_says_they_are_from() {
        let mut crowd = ConnectionLimiter::new(None);
        let through = |relay| {
            let place: Multiaddr = "/ip4/192.0.2.1/tcp/1".parse().unwrap();
            place.with(Protocol::P2p(relay)).with(Protocol::P2pCircuit)
        };
        let (one, other) = (through(PeerId::random()), through(PeerId::random()));
        let mut comes = |n, local| {
            let from = Protocol::P2p(PeerId::random()).into();
            crowd.come(ConnectionId::new_unchecked(n), local, &from).is_ok()
        };
        assert_eq!((0..100).filter(|n| comes(*n, &one)).count(), MAX_PER_RELAY);
        assert!(comes(100, &other));
    }
}
