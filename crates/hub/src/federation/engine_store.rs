//! Persistence of the federation engine over SQL: performs its effects and reads what peers request.

use std::sync::Arc;

use futures::{FutureExt as _, future::BoxFuture};
use plexus_a2a::listing_id::ListingId;
use plexus_domain::{Digest, Timestamp, page::PageSize};
use plexus_federation::{
    HubId,
    engine::{Effect, HubOutcome, SearchQuery},
    net::{
        actor_api::PersistedNetState,
        driver::{EngineReader, EngineStore},
        latency::LatencySample,
    },
};
use plexus_search::Query as Words;
use plexus_store::{Tx, agents, listings::ListingState, replicated_listings};

use super::{hub_record, hub_rows, live_search, p2p_state, replica_rows, violations};
use crate::{Error, Hub, Result, directory};

/// Listings that are shown or hidden per transaction.
const BATCH: usize = 64;

/// Engine store over this hub's database.
pub(super) struct SqlEngineStore {
    hub: Hub,
}

impl SqlEngineStore {
    pub const fn new(hub: Hub) -> Self {
        Self { hub }
    }

    /// Writes received data in one transaction. Large show and hide effects follow in batches, so that
    /// interactive writes are not blocked. If the hub crashes before the last batch, the engine is restored
    /// from the flags in the database and emits the remaining effects again.
    async fn write(&self, effects: Vec<Effect>) -> Result<()> {
        let (shown, heard): (Vec<Effect>, Vec<Effect>) = effects
            .into_iter()
            .partition(|effect| matches!(effect, Effect::Show(ids) | Effect::Hide(ids) if ids.len() > BATCH));
        let mut changed = false;
        let heard: Vec<Effect> = heard.into_iter().filter(is_written).collect();
        if !heard.is_empty() {
            let mut tx = self.hub.store().write_background().await?;
            for effect in heard {
                changed |= self.write_one(&mut tx, effect).await?;
            }
            tx.commit().await?;
        }
        for effect in shown {
            let (ids, show) = match effect {
                Effect::Show(ids) => (ids, true),
                Effect::Hide(ids) => (ids, false),
                _ => continue,
            };
            for ids in ids.chunks(BATCH) {
                let mut tx = self.hub.store().write_background().await?;
                changed |= set_shown(&mut tx, ids, show).await?;
                tx.commit().await?;
            }
        }
        if changed {
            self.hub.mark_index_behind();
        }
        Ok(())
    }

    /// Performs one effect. Returns whether the search index must be updated.
    async fn write_one(&self, tx: &mut Tx, effect: Effect) -> Result<bool> {
        let now = self.hub.env().now();
        match effect {
            Effect::StoreListing(listing) => return replica_rows::store(&self.hub, tx, &listing).await,
            Effect::StoreHub(record) => hub_rows::store_record(&self.hub, tx, &record).await?,
            Effect::StoreHead(head) => hub_rows::store_head(&self.hub, tx, &head, now).await?,
            Effect::Accuse(accusation) => violations::note(&self.hub, tx, &accusation).await?,
            Effect::Forget(ids) => {
                for id in &ids {
                    replica_rows::forget(tx, id).await?;
                }
            }
            Effect::ForgetHubs(hubs) => {
                for hub in hubs {
                    hub_rows::forget(tx, hub).await?;
                }
            }
            Effect::Show(ids) => return set_shown(tx, &ids, true).await,
            Effect::Hide(ids) => return set_shown(tx, &ids, false).await,
            _ => {}
        }
        Ok(false)
    }

    /// Returns the signed bytes of the listings with these hashes, up to `limit` bytes.
    async fn by_hash(&self, hashes: Vec<Digest>, limit: usize) -> Result<Vec<Vec<u8>>> {
        let mut conn = self.hub.store().read().await?;
        let (mut bodies, mut left) = (Vec::new(), limit);
        for hash in hashes {
            let Some(body) = replicated_listings::by_hash(&mut conn, &hash).await? else { continue };
            let Some(rest) = left.checked_sub(body.len()) else { break };
            left = rest;
            bodies.push(body);
        }
        Ok(bodies)
    }

    /// Returns this hub's own listings that match a query, up to `limit` bytes. Skips agents that are
    /// not published to the federation.
    async fn own(&self, query: SearchQuery, limit: usize) -> Result<Vec<Vec<u8>>> {
        let most = query.limit;
        let words = Words {
            text: query.text,
            tags: query.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
            here: Some(true),
            size: PageSize::new(PageSize::MAX)?,
            ..Words::default()
        };
        let found = directory::search(&self.hub, words).await?;
        let mut conn = self.hub.store().read().await?;
        let (mut bodies, mut left) = (Vec::new(), limit);
        for row in found.rows {
            let listing = plexus_store::listings::find(&mut conn, row.agent).await?;
            let live = listing.filter(|listing| listing.state == ListingState::Live);
            let Some(body) = live.and_then(|listing| listing.envelope) else { continue };
            let Some(rest) = left.checked_sub(body.len()).filter(|_| bodies.len() < most) else { break };
            left = rest;
            bodies.push(body);
        }
        Ok(bodies)
    }

    fn say(&self, effect: &Effect) {
        match effect {
            Effect::Lease { hub, lease } => tracing::debug!(%hub, ?lease, "hub status changed"),
            Effect::Accuse(accusation) => {
                let (hub, fault) = (accusation.accused, &accusation.fault);
                tracing::warn!(%hub, ?fault, "protocol violation by remote hub");
            }
            Effect::OwnKeyUsed { signed, since_start } => {
                self.hub.federation().own_key.lock().note(*signed, *since_start);
            }
            Effect::RuleRefused { subject, .. } => {
                tracing::warn!(?subject, "federation rule refused: too many rules");
            }
            Effect::SearchDone { provenance, .. } => {
                for (hub, outcome) in &provenance.asked {
                    if let HubOutcome::Answered { wrong: wrong @ 1.. } = outcome {
                        tracing::warn!(%hub, wrong, "live search: invalid records from remote hub");
                    }
                }
            }
            Effect::ProveDomain { hub, domain } => hub_record::prove_domain(&self.hub, *hub, domain.clone()),
            _ => {}
        }
    }
}

const fn is_written(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::StoreListing(_)
            | Effect::StoreHub(_)
            | Effect::StoreHead(_)
            | Effect::Accuse(_)
            | Effect::Forget(_)
            | Effect::ForgetHubs(_)
            | Effect::Show(_)
            | Effect::Hide(_)
    )
}

async fn set_shown(tx: &mut Tx, ids: &[ListingId], shown: bool) -> Result<bool> {
    let mut changed = false;
    for id in ids {
        let found = agents::by_listing_id(tx, &id.to_string()).await?;
        // The visibility of own agents is not decided by the engine.
        if let Some(agent) = found.filter(|agent| agent.namespace.is_none()) {
            changed |= replica_rows::set_shown(tx, agent.id, shown).await?;
        }
    }
    Ok(changed)
}

impl EngineStore for SqlEngineStore {
    type Error = Error;

    fn now(&self) -> Timestamp {
        self.hub.env().now()
    }

    async fn perform(&mut self, effects: Vec<Effect>) -> Result<()> {
        effects.iter().for_each(|effect| self.say(effect));
        let (heard, effects): (Vec<Effect>, Vec<Effect>) =
            effects.into_iter().partition(live_search::is_heard);
        let own_key_used = effects.iter().any(|effect| matches!(effect, Effect::OwnKeyUsed { .. }));
        let round_ended = effects.iter().any(|effect| matches!(effect, Effect::Compared { .. }));
        self.write(effects).await?;
        if own_key_used {
            // The publisher signs for restored agents.
            self.hub.federation().own_changed();
        }
        if round_ended {
            self.hub.federation().round_ended();
        }
        // Report results after the write, so that a subscriber can open what was found.
        heard.into_iter().for_each(|effect| self.hub.federation().searches.on_event(effect));
        Ok(())
    }

    fn measured(&mut self, measured: LatencySample) {
        self.hub.federation().measures.note(measured, self.hub.env().now());
    }

    async fn keep(&mut self, kept: Vec<PersistedNetState>) -> Result<()> {
        p2p_state::keep(&self.hub, kept).await
    }

    async fn bodies(&mut self, _: HubId, hashes: Vec<Digest>, limit: usize) -> Result<Vec<Vec<u8>>> {
        self.by_hash(hashes, limit).await
    }

    async fn find(&mut self, query: SearchQuery, limit: usize) -> Result<Vec<Vec<u8>>> {
        self.own(query, limit).await
    }

    fn reader(&self) -> Option<Arc<dyn EngineReader<Error>>> {
        Some(Arc::new(Self::new(self.hub.clone())))
    }
}

impl EngineReader<Error> for SqlEngineStore {
    fn bodies(&self, _: HubId, hashes: Vec<Digest>, limit: usize) -> BoxFuture<'_, Result<Vec<Vec<u8>>>> {
        self.by_hash(hashes, limit).boxed()
    }

    fn find(&self, query: SearchQuery, limit: usize) -> BoxFuture<'_, Result<Vec<Vec<u8>>>> {
        self.own(query, limit).boxed()
    }
}
