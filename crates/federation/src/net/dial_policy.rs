//! Dial policy: which addresses this hub may dial. Peers supply addresses, and must not make this hub connect
//! into its private network (SSRF).

use std::{
    collections::HashSet,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use libp2p::{
    Multiaddr,
    core::{
        Transport,
        transport::{DialOpts, ListenerId, TransportError, TransportEvent},
    },
    multiaddr::Protocol,
};

/// Returns whether an IP address belongs to the public internet.
pub type IsPublic = fn(IpAddr) -> bool;

/// The dial policy.
#[derive(Clone, Debug)]
pub struct DialPolicy {
    /// `None`: any address may be dialed.
    is_public: Option<IsPublic>,
    /// Addresses configured by the operator, allowed even if private.
    named: Arc<HashSet<(IpAddr, u16)>>,
}

impl DialPolicy {
    pub fn new(is_public: Option<IsPublic>, named: &[Multiaddr]) -> Self {
        Self { is_public, named: Arc::new(named.iter().filter_map(place).collect()) }
    }

    /// Returns whether an address may be dialed. DNS names pass; they are checked again after resolution.
    pub fn allows(&self, address: &Multiaddr) -> bool {
        let Some(is_public) = self.is_public else { return true };
        match address.iter().next() {
            Some(Protocol::Ip4(ip)) => is_public(ip.into()) || self.is_named(address),
            Some(Protocol::Ip6(ip)) => is_public(ip.into()) || self.is_named(address),
            Some(Protocol::Dns(_) | Protocol::Dns4(_) | Protocol::Dns6(_) | Protocol::Dnsaddr(_)) => true,
            _ => false,
        }
    }

    fn is_named(&self, address: &Multiaddr) -> bool {
        place(address).is_some_and(|place| self.named.contains(&place))
    }

    /// Returns the connection limit per public address, with the classification; `None` where many hubs may
    /// share an address.
    pub fn most_per_address(&self) -> Option<(usize, IsPublic)> {
        self.is_public.map(|is_public| (MAX_PER_ADDRESS, is_public))
    }
}

/// Connection limit per public address: a household or company has few hubs.
const MAX_PER_ADDRESS: usize = 8;

/// Returns whether an address leads through a relay (circuit relay v2).
pub fn is_relayed(address: &Multiaddr) -> bool {
    address.iter().any(|part| part == Protocol::P2pCircuit)
}

fn place(address: &Multiaddr) -> Option<(IpAddr, u16)> {
    let mut parts = address.iter();
    let ip = match parts.next()? {
        Protocol::Ip4(ip) => IpAddr::from(ip),
        Protocol::Ip6(ip) => IpAddr::from(ip),
        _ => return None,
    };
    match parts.next()? {
        Protocol::Tcp(port) | Protocol::Udp(port) => Some((ip, port)),
        _ => None,
    }
}

/// Transport that enforces the dial policy. It wraps the transports below DNS, so that resolved addresses are
/// checked (DNS rebinding).
pub struct PolicyTransport<T> {
    pub inner: T,
    pub reach: DialPolicy,
}

impl<T: Transport + Unpin> Transport for PolicyTransport<T> {
    type Output = T::Output;
    type Error = T::Error;
    type ListenerUpgrade = T::ListenerUpgrade;
    type Dial = T::Dial;

    fn listen_on(&mut self, id: ListenerId, address: Multiaddr) -> Result<(), TransportError<T::Error>> {
        self.inner.listen_on(id, address)
    }

    fn remove_listener(&mut self, id: ListenerId) -> bool {
        self.inner.remove_listener(id)
    }

    fn dial(&mut self, address: Multiaddr, options: DialOpts) -> Result<T::Dial, TransportError<T::Error>> {
        if self.reach.allows(&address) {
            return self.inner.dial(address, options);
        }
        tracing::debug!(%address, "dial refused: private address");
        Err(TransportError::MultiaddrNotSupported(address))
    }

    fn poll(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<TransportEvent<T::ListenerUpgrade, T::Error>> {
        Pin::new(&mut self.inner).poll(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_called_where_the_operator_says_so() {
        let at = |text: &str| text.parse::<Multiaddr>().unwrap();
        let is_public: IsPublic = |ip| ip == IpAddr::from([192, 0, 2, 1]);
        let reach =
            DialPolicy::new(Some(is_public), &[at("/ip4/10.0.0.1/tcp/4001"), at("/dns4/a.example/tcp/1")]);
        for allowed in [
            "/ip4/192.0.2.1/tcp/4001",
            "/ip4/192.0.2.1/udp/4001/quic-v1",
            "/ip4/10.0.0.1/tcp/4001",
            "/dns4/b.example/tcp/4001",
        ] {
            assert!(reach.allows(&at(allowed)), "{allowed}");
        }
        for refused in
            ["/ip4/10.0.0.1/tcp/22", "/ip4/127.0.0.1/tcp/4001", "/ip6/::1/tcp/4001", "/memory/1", ""]
        {
            assert!(!reach.allows(&at(refused)), "{refused}");
        }
        assert!(DialPolicy::new(None, &[]).allows(&at("/ip4/127.0.0.1/tcp/4001")));
    }
}
