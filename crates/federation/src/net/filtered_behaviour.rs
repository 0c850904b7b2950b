//! Wrapper that filters the events of a libp2p behaviour.

use std::task::{Context, Poll};

use libp2p::{
    Multiaddr, PeerId,
    core::{Endpoint, transport::PortUse},
    swarm::{
        ConnectionDenied, ConnectionId, FromSwarm, NetworkBehaviour, THandler, THandlerInEvent,
        THandlerOutEvent, ToSwarm, dial_opts::DialOpts,
    },
};

/// Filter in front of a behaviour.
pub trait EventFilter<B: NetworkBehaviour>: 'static {
    /// Returns whether the behaviour receives this swarm event.
    fn hears(&mut self, _: &FromSwarm<'_>) -> bool {
        true
    }

    /// Called for each established inbound connection; `local` is the address that it reached.
    fn comes(&mut self, _: ConnectionId, _local: &Multiaddr) {}

    /// Returns whether the behaviour receives this event of a connection handler.
    fn takes(&mut self, _: PeerId, _: ConnectionId, _: &THandlerOutEvent<B>) -> bool {
        true
    }

    /// Called before the behaviour dials.
    fn calls(&mut self, _: &DialOpts) {}

    /// Returns whether a dial to these addresses is allowed.
    fn goes(&self, _: ConnectionId, _: &[Multiaddr]) -> bool {
        true
    }
}

#[derive(Debug, thiserror::Error)]
#[error("address not allowed")]
struct Elsewhere;

/// A behaviour with a filter in front.
pub struct FilteredBehaviour<B, G> {
    pub inner: B,
    pub gate: G,
}

impl<B: NetworkBehaviour, G: EventFilter<B>> NetworkBehaviour for FilteredBehaviour<B, G> {
    type ConnectionHandler = B::ConnectionHandler;
    type ToSwarm = B::ToSwarm;

    fn handle_pending_inbound_connection(
        &mut self,
        id: ConnectionId,
        local: &Multiaddr,
        remote: &Multiaddr,
    ) -> Result<(), ConnectionDenied> {
        self.inner.handle_pending_inbound_connection(id, local, remote)
    }

    fn handle_established_inbound_connection(
        &mut self,
        id: ConnectionId,
        peer: PeerId,
        local: &Multiaddr,
        remote: &Multiaddr,
    ) -> Result<THandler<Self>, ConnectionDenied> {
        self.gate.comes(id, local);
        self.inner.handle_established_inbound_connection(id, peer, local, remote)
    }

    fn handle_pending_outbound_connection(
        &mut self,
        id: ConnectionId,
        peer: Option<PeerId>,
        addresses: &[Multiaddr],
        role: Endpoint,
    ) -> Result<Vec<Multiaddr>, ConnectionDenied> {
        if !self.gate.goes(id, addresses) {
            return Err(ConnectionDenied::new(Elsewhere));
        }
        self.inner.handle_pending_outbound_connection(id, peer, addresses, role)
    }

    fn handle_established_outbound_connection(
        &mut self,
        id: ConnectionId,
        peer: PeerId,
        address: &Multiaddr,
        role: Endpoint,
        port: PortUse,
    ) -> Result<THandler<Self>, ConnectionDenied> {
        self.inner.handle_established_outbound_connection(id, peer, address, role, port)
    }

    fn on_swarm_event(&mut self, event: FromSwarm<'_>) {
        if self.gate.hears(&event) {
            self.inner.on_swarm_event(event);
        }
    }

    fn on_connection_handler_event(&mut self, peer: PeerId, id: ConnectionId, event: THandlerOutEvent<Self>) {
        if self.gate.takes(peer, id, &event) {
            self.inner.on_connection_handler_event(peer, id, event);
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<ToSwarm<Self::ToSwarm, THandlerInEvent<Self>>> {
        let polled = self.inner.poll(cx);
        if let Poll::Ready(ToSwarm::Dial { opts }) = &polled {
            self.gate.calls(opts);
        }
        polled
    }
}
