//! How many connections one address may begin: keys cost nothing, addresses do.

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

use super::reach::IsPublic;

/// An IPv6 network of this size is one address: it is what one customer gets.
const PREFIX_V6: u32 = 64;

pub struct Crowd {
    /// How many, of which addresses. None: as many as there are.
    most: Option<(usize, IsPublic)>,
    from: HashMap<ConnectionId, IpAddr>,
}

#[derive(Debug, thiserror::Error)]
#[error("this address has as many connections as it may have")]
struct TooMany;

impl Crowd {
    pub fn new(most: Option<(usize, IsPublic)>) -> Self {
        Self { most, from: HashMap::new() }
    }

    fn come(&mut self, id: ConnectionId, from: &Multiaddr) -> Result<(), TooMany> {
        let Some((most, is_public)) = self.most else { return Ok(()) };
        // Behind a private address may be a gateway through which everybody comes.
        let Some(ip) = ip_of(from).filter(|ip| is_public(*ip)) else { return Ok(()) };
        // The swarm has a few hundred connections at most.
        if self.from.values().filter(|known| **known == ip).count() >= most {
            return Err(TooMany);
        }
        self.from.insert(id, ip);
        Ok(())
    }
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

impl NetworkBehaviour for Crowd {
    type ConnectionHandler = dummy::ConnectionHandler;
    type ToSwarm = Infallible;

    fn handle_pending_inbound_connection(
        &mut self,
        id: ConnectionId,
        _: &Multiaddr,
        from: &Multiaddr,
    ) -> Result<(), ConnectionDenied> {
        self.come(id, from).map_err(ConnectionDenied::new)
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
        let mut crowd = Crowd::new(Some((2, is_public)));
        let id = ConnectionId::new_unchecked;
        let one = at("/ip4/192.0.2.1/tcp/1");
        assert!(crowd.come(id(1), &one).is_ok() && crowd.come(id(2), &at("/ip4/192.0.2.1/tcp/2")).is_ok());
        assert!(crowd.come(id(3), &one).is_err());
        assert!(crowd.come(id(4), &at("/ip4/192.0.2.2/tcp/1")).is_ok(), "another address");
        crowd.from.remove(&id(1));
        assert!(crowd.come(id(5), &one).is_ok());
        assert!(crowd.come(id(6), &at("/ip6/2001:db8:0:1::1/tcp/1")).is_ok());
        assert!(crowd.come(id(7), &at("/ip6/2001:db8:0:1::2/tcp/1")).is_ok());
        assert!(crowd.come(id(8), &at("/ip6/2001:db8:0:1:ffff::3/tcp/1")).is_err(), "one network");
        assert!(crowd.come(id(9), &at("/ip6/2001:db8:0:2::1/tcp/1")).is_ok());
        let gateway = at("/ip4/10.0.0.1/tcp/1");
        assert!((10..100).all(|n| crowd.come(id(n), &gateway).is_ok()), "everybody may come through it");
        let mut open = Crowd::new(None);
        assert!((0..100).all(|n| open.come(id(n), &one).is_ok()));
    }
}
