//! Periodic maintenance (tick): dials peers, prunes connections, re-announces records in the DHT, and reports
//! the status.

use std::time::{Duration, Instant};

use libp2p::{
    Multiaddr,
    kad::{self, Quorum},
    swarm::dial_opts::DialOpts,
};

use super::{
    actor::Actor,
    actor_api::{ActorEvent, NetStatus},
    address_book::WANTED,
    connection_pruning::{self, ConnectionScore, TRIM_INTERVAL},
    dht_keys,
    dial_policy::is_relayed,
    discovery::DhtQuery,
    peer_id,
};

/// Interval of publishing this hub's own record in the DHT; it expires after twice as long.
const RECORD_INTERVAL: Duration = Duration::from_secs(12 * 3_600);
/// How long a lookup that has found a record waits for a newer one.
const ENOUGH_WAITING: Duration = Duration::from_secs(1);
/// Interval of removing expired DHT records.
const EXPIRE_INTERVAL: Duration = Duration::from_secs(60);

impl Actor {
    /// Runs the maintenance; called every second.
    pub(super) fn tick(&mut self, now: Instant) {
        let connected = self.links.names();
        let (hubs, bootstrap) = self.book.next_dials(&connected, self.links.hubs_called().len(), now);
        for (peer, addresses) in hubs {
            self.dial(DialOpts::peer_id(peer).addresses(addresses).build());
        }
        bootstrap.into_iter().for_each(|address| self.dial(address));
        self.trim(now);
        self.unban_expired(now);
        self.deliver_gossip();
        self.update_reachability(now);
        self.tend_dht(now);
        self.hurry_dht_queries(now);
        if !self.kept.is_empty()
            && let Ok(room) = self.events.try_reserve()
        {
            room.send(ActorEvent::Keep(std::mem::take(&mut self.kept)));
        }
    }

    /// Prunes surplus connections.
    fn trim(&mut self, now: Instant) {
        if now.saturating_duration_since(self.trimmed) < TRIM_INTERVAL {
            return;
        }
        self.trimmed = now;
        let gossip = &self.swarm.behaviour().gossip;
        let mut needed = self.pending.peers();
        // Outbound connections are not pruned in favour of inbound ones (eclipse protection).
        needed.extend(self.links.hubs_called().into_iter().take(WANTED));
        needed.extend(gossip.all_mesh_peers().copied());
        needed.extend(self.nat.relays.needed().chain(self.nat.relay_clients.needed()));
        let standings = self.links.peers().map(|(peer, link)| ConnectionScore {
            peer: *peer,
            needed: link.is_bootstrap || needed.contains(peer),
            score: gossip.peer_score(peer).unwrap_or_default(),
            age: now.saturating_duration_since(link.since),
        });
        for peer in connection_pruning::connections_to_close(standings.collect()) {
            _ = self.swarm.disconnect_peer_id(peer);
        }
    }

    /// Expires DHT records, publishes this hub's record, and announces queued provider keys.
    fn tend_dht(&mut self, now: Instant) {
        let known = self.table();
        let kad = &mut self.swarm.behaviour_mut().kad;
        if now.saturating_duration_since(self.expired) >= EXPIRE_INTERVAL {
            self.expired = now;
            kad.store_mut().expire(now);
        }
        let due = now.saturating_duration_since(self.put) >= RECORD_INTERVAL;
        if self.announcing.grown(known) || due {
            self.put = now;
            self.put_record();
        }
        let kad = &mut self.swarm.behaviour_mut().kad;
        while let Some(key) = self.announcing.next() {
            match kad.start_providing(key) {
                Ok(query) => self.announcing.began(query),
                Err(error) => tracing::warn!(%error, "DHT announcement failed"),
            }
        }
    }

    /// Finishes lookups that have waited long enough for a newer record.
    fn hurry_dht_queries(&mut self, now: Instant) {
        let kad = &mut self.swarm.behaviour_mut().kad;
        for (id, running) in &self.dht_queries {
            if let DhtQuery::Hub { best: Some(best), .. } = running
                && now.saturating_duration_since(best.since) >= ENOUGH_WAITING
                && let Some(mut query) = kad.query_mut(id)
            {
                query.finish();
            }
        }
    }

    /// Publishes this hub's record in the DHT.
    pub(super) fn put_record(&mut self) {
        let Some(value) = self.own_record.clone() else { return };
        let record = kad::Record {
            expires: Some(Instant::now() + 2 * RECORD_INTERVAL),
            ..kad::Record::new(dht_keys::hub_record(self.me), value)
        };
        if let Err(error) = self.swarm.behaviour_mut().kad.put_record(record, Quorum::One) {
            tracing::warn!(%error, "DHT: hub record not published");
        }
    }

    fn table(&mut self) -> usize {
        self.swarm.behaviour_mut().kad.kbuckets().map(|bucket| bucket.num_entries()).sum()
    }

    /// Returns this hub's addresses, relayed ones first: a peer that needs a relayed address cannot use the
    /// direct ones.
    fn own_addresses(&self) -> Vec<Multiaddr> {
        let mut addresses: Vec<Multiaddr> = self.swarm.external_addresses().cloned().collect();
        addresses.sort_by_cached_key(|address| (!is_relayed(address), address.to_string()));
        addresses
    }

    pub(super) fn status(&mut self) -> NetStatus {
        let table = self.table();
        let announcements = self.swarm.behaviour_mut().kad.store_mut().announcements();
        NetStatus {
            listening: self.swarm.listeners().cloned().collect(),
            addresses: self.own_addresses(),
            reachability: self.nat.reachability(Instant::now()),
            relays: self.nat.relays.in_use().filter_map(|relay| peer_id::hub_of(&relay)).collect(),
            relay_usage: self.swarm.behaviour().relay_server.as_ref().map(|_| self.nat.relay_clients.count()),
            upgraded: self.nat.upgraded,
            bootstrap_failures: self.book.bootstrap_failures(),
            connections: self.links.names().len(),
            hubs: self.links.hubs().iter().copied().collect(),
            mesh: self.swarm.behaviour().gossip.all_mesh_peers().count(),
            table,
            announcements,
            dht_lookups: self.looked.0,
            requests: self.looked.1,
        }
    }
}
