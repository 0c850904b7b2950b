//! Publisher of this hub's agents: signs and publishes the listings of agents with federated visibility.
//!
//! Each listing is signed with the agent's key and the hub's key. The publisher compares each changed agent
//! with its last signed listing. It signs a new version if they differ or if the old one expires soon.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use plexus_domain::{AgentId, Digest, agent::Visibility};
use plexus_federation::{
    HubId,
    core::Event,
    net::driver::Order,
    record::{Chain, Content, Envelope, LIFE, Listing, MAX_TAGS, Seq, Status, Tag},
};
use plexus_store::{
    Conn,
    agents::{self, Agent, AgentState},
    carried, listings,
};

use super::{own_id, unreadable};
use crate::{Error, Hub, Result, calls, keys, listings::read_summary};

/// Poll interval, in case a wake-up notification is lost.
const LOOK_EVERY: Duration = Duration::from_secs(30);
const BATCH: i64 = 100;

/// Runs the publisher loop until the future is dropped.
pub(super) async fn publish_until_dropped(hub: &Hub) {
    let mut publisher = Publisher { hub, seen: 0, tags: BTreeMap::new(), provided: BTreeSet::new() };
    loop {
        if let Err(error) = publisher.round().await {
            tracing::warn!(%error, "agents of this hub could not be signed for others; it tries again");
        }
        // Also poll after an error: there may be more to publish.
        let _ = tokio::time::timeout(LOOK_EVERY, hub.federation().own_changed.notified()).await;
    }
}

struct Publisher<'a> {
    hub: &'a Hub,
    /// Number of the last agent change that was processed.
    seen: i64,
    /// Tags of the published agents.
    tags: BTreeMap<AgentId, Vec<Tag>>,
    provided: BTreeSet<Tag>,
}

impl Publisher<'_> {
    async fn round(&mut self) -> Result<()> {
        loop {
            let mut conn = self.hub.store().read().await?;
            let changed = carried::own_changed_since(&mut conn, self.seen, BATCH).await?;
            drop(conn);
            let Some(last) = changed.last().map(|row| row.change) else { break };
            for row in changed {
                self.look_at(row.agent).await?;
            }
            self.seen = last;
        }
        let soon = self.hub.env().now() + LIFE / 3;
        let mut conn = self.hub.store().read().await?;
        let expiring = carried::own_expiring(&mut conn, soon, BATCH).await?;
        drop(conn);
        for row in expiring {
            self.look_at(row.agent).await?;
        }
        self.provide().await;
        Ok(())
    }

    async fn look_at(&mut self, agent: AgentId) -> Result<()> {
        match publish(self.hub, agent).await? {
            Some(tags) => _ = self.tags.insert(agent, tags),
            None => _ = self.tags.remove(&agent),
        }
        Ok(())
    }

    /// Announces this hub in the DHT as provider of its agents' tags, if they changed.
    async fn provide(&mut self) {
        let tags: BTreeSet<Tag> = self.tags.values().flatten().cloned().collect();
        if tags == self.provided {
            return;
        }
        if let Some(running) = self.hub.federation().running() {
            // A failed send means that the driver has stopped. The publisher
            // restarts together with the driver.
            let _ = running.orders.send(Order::Provide(tags.iter().cloned().collect())).await;
        }
        self.provided = tags;
    }
}

/// Change that the published listing of an agent needs.
#[derive(PartialEq)]
enum Wanted {
    /// The listing is current, or there is none and none is needed.
    Same,
    Live(Vec<u8>),
    Paused(Vec<u8>),
    Gone,
}

/// Signs and publishes a new listing of an agent if needed. Returns the agent's
/// tags while its listing is live.
pub(super) async fn publish(hub: &Hub, id: AgentId) -> Result<Option<Vec<Tag>>> {
    let me = own_id(hub).await?;
    let mut conn = hub.store().snapshot().await?;
    let Some(agent) = agents::find(&mut conn, id).await? else { return Ok(None) };
    let said = said(&mut conn, id).await?;
    let wanted = wanted(hub, &mut conn, me, &agent, said.as_ref()).await?;
    if wanted == Wanted::Same {
        return Ok(said.as_ref().and_then(tags_of_live));
    }
    let signed = sign(hub, &mut conn, me, &agent, said.as_ref(), wanted).await;
    drop(conn);
    let listing = match signed {
        Ok(Some(listing)) => listing,
        Ok(None) => return Ok(None),
        Err(error) => {
            tracing::warn!(agent = %crate::views::address(&agent), %error, "this agent cannot be carried by other hubs");
            return Ok(None);
        }
    };
    let expires = listing.envelope().content().map(|content| content.expires);
    let mut tx = hub.store().write_bulk().await?;
    carried::set_own(&mut tx, id, &listing.encode(), &listing.hash(), expires).await?;
    tx.commit().await?;
    let tags = tags_of_live(&listing);
    hub.federation().tell(Event::Published(Box::new(listing))).await;
    Ok(tags)
}

fn tags_of_live(listing: &Listing) -> Option<Vec<Tag>> {
    match &listing.envelope().status {
        Status::Live(content) => Some(content.tags.clone()),
        Status::Paused(_) | Status::Deleted => None,
    }
}

/// Returns the listing of the agent that was signed last.
async fn said(conn: &mut Conn, agent: AgentId) -> Result<Option<Listing>> {
    let Some(envelope) = carried::find(conn, agent).await? else { return Ok(None) };
    let listing = Listing::parse(&envelope).and_then(plexus_federation::record::Unverified::verify);
    listing.map(Some).map_err(|error| unreadable("a listing of this hub", error))
}

async fn wanted(
    hub: &Hub,
    conn: &mut Conn,
    me: HubId,
    agent: &Agent,
    said: Option<&Listing>,
) -> Result<Wanted> {
    let known = said.map(Listing::envelope);
    // The holder of the agent's key moved the agent to another hub.
    if known.is_some_and(|known| known.hub != me) {
        return Ok(Wanted::Same);
    }
    if agent.visibility != Visibility::Federated || agent.state == AgentState::Deleted {
        let is_known = known.is_some_and(|known| known.status != Status::Deleted);
        return Ok(if is_known { Wanted::Gone } else { Wanted::Same });
    }
    let card = calls::public_card(hub, conn, agent).await?;
    let is_live = agent.state == AgentState::Active;
    let lasts_from = hub.env().now() + LIFE / 3;
    let same = known.is_some_and(|known| match &known.status {
        Status::Live(content) | Status::Paused(content) => {
            let status = matches!(known.status, Status::Live(_)) == is_live;
            let address = (&known.owner, &known.name) == (&agent.owner, &agent.name);
            status && address && content.card == Digest::of(&card) && content.expires > lasts_from
        }
        Status::Deleted => false,
    });
    Ok(match (same, is_live) {
        (true, _) => Wanted::Same,
        (false, true) => Wanted::Live(card),
        (false, false) => Wanted::Paused(card),
    })
}

/// Signs a listing. Returns `None` if the agent's owner holds its key, so that this hub cannot sign.
async fn sign(
    hub: &Hub,
    conn: &mut Conn,
    me: HubId,
    agent: &Agent,
    said: Option<&Listing>,
    wanted: Wanted,
) -> Result<Option<Listing>> {
    let Some(signer) = keys::signer(hub, conn, agent.id).await? else { return Ok(None) };
    let (_, hub_key) = keys::hub_seed(hub, conn).await?;
    let chain = match said {
        Some(said) => said.envelope().chain.clone(),
        None => Chain::new(signer.genesis).map_err(Error::fault)?,
    };
    let seq = Seq::next(said.map(|said| said.envelope().seq), hub.env().now());
    let content = |card: &[u8], tags: Vec<Tag>| Content {
        card: Digest::of(card),
        expires: seq.issued() + LIFE,
        tags,
        langs: Vec::new(),
    };
    let (status, card) = match wanted {
        Wanted::Live(card) => (Status::Live(content(&card, tags(conn, agent.id).await?)), card),
        Wanted::Paused(card) => (Status::Paused(content(&card, tags(conn, agent.id).await?)), card),
        Wanted::Gone | Wanted::Same => (Status::Deleted, Vec::new()),
    };
    let (owner, name) = (agent.owner.clone(), agent.name.clone());
    let envelope = Envelope { chain, seq, hub: me, owner, name, status };
    Listing::sign(envelope, card, &signer.key, &hub_key).map(Some).map_err(Error::fault)
}

/// Returns the agent's tags, normalized and sorted, since hubs compare the signed form.
async fn tags(conn: &mut Conn, agent: AgentId) -> Result<Vec<Tag>> {
    let summary = listings::find(conn, agent).await?.as_ref().map(read_summary).unwrap_or_default();
    let tags: BTreeSet<Tag> = summary.tags.iter().filter_map(|tag| Tag::from_text(tag)).collect();
    Ok(tags.into_iter().take(MAX_TAGS).collect())
}
