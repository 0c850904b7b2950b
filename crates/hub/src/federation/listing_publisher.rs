//! Publisher of this hub's agents: signs and publishes the listings of agents with federated visibility.
//!
//! Each listing is signed with the agent's key and the hub's key. The publisher compares each changed agent
//! with its last signed listing. It signs a new version if they differ or if the old one expires soon.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::Ordering,
    time::Duration,
};

use plexus_domain::{AgentId, Digest, Timestamp, agent::Visibility};
use plexus_federation::{
    HubId,
    engine::Event,
    net::driver::DriverCommand,
    record::{Content, Envelope, KeyChain, LISTING_TTL, Listing, MAX_TAGS, RecordError, Seq, Status, Tag},
};
use plexus_store::{
    Conn,
    agents::{self, Agent, AgentState},
    listings, replicated_listings,
};

use super::{own_id, read_own_id, unreadable};
use crate::{Error, Hub, Result, calls, keys, listings::read_summary};

/// Poll interval, in case a wake-up notification is lost.
const POLL_INTERVAL: Duration = Duration::from_secs(30);
const BATCH: i64 = 100;
/// How long the publisher waits after its start for the first sync round before it signs changed listings. The database
/// may be an older copy, and a new signature would publish agents again that were deleted after the copy.
const SYNC_TIMEOUT: Duration = Duration::from_secs(60);

/// Runs the publisher loop until the future is dropped.
pub(super) async fn run_publisher(hub: &Hub) {
    let mut publisher = ListingPublisher {
        hub,
        started: hub.env().now(),
        seen: 0,
        held: BTreeSet::new(),
        tags: BTreeMap::new(),
        provided: BTreeSet::new(),
    };
    loop {
        if let Err(error) = publisher.round().await {
            tracing::warn!(%error, "listing publication failed; will retry");
        }
        // Also poll after an error: there may be more to publish.
        let _ = tokio::time::timeout(POLL_INTERVAL, hub.federation().own_changed.notified()).await;
    }
}

struct ListingPublisher<'a> {
    hub: &'a Hub,
    started: Timestamp,
    /// Number of the last agent change that was processed.
    seen: i64,
    /// Agents with a listing from before the start, until the first sync round ended.
    held: BTreeSet<AgentId>,
    /// Tags of the published agents.
    tags: BTreeMap<AgentId, Vec<Tag>>,
    provided: BTreeSet<Tag>,
}

impl ListingPublisher<'_> {
    async fn round(&mut self) -> Result<()> {
        if self.may_sign_again() {
            while let Some(agent) = self.held.first().copied() {
                self.look_at(agent).await?;
                self.held.remove(&agent);
            }
        }
        loop {
            let mut conn = self.hub.store().read().await?;
            let changed = replicated_listings::own_changed_since(&mut conn, self.seen, BATCH).await?;
            drop(conn);
            let Some(last) = changed.last().map(|row| row.change) else { break };
            for row in changed {
                self.look_at(row.agent).await?;
            }
            self.seen = last;
        }
        let soon = self.hub.env().now() + LISTING_TTL / 3;
        let mut conn = self.hub.store().read().await?;
        let expiring = replicated_listings::own_expiring(&mut conn, soon, BATCH).await?;
        drop(conn);
        for row in expiring {
            self.look_at(row.agent).await?;
        }
        self.provide().await;
        Ok(())
    }

    fn may_sign_again(&self) -> bool {
        self.hub.federation().has_synced.load(Ordering::Relaxed)
            || self.hub.env().now().since(self.started) >= SYNC_TIMEOUT
    }

    async fn look_at(&mut self, agent: AgentId) -> Result<()> {
        if !self.may_sign_again() {
            let mut conn = self.hub.store().read().await?;
            let known = stored_listing(&mut conn, agent).await?;
            if known.is_some_and(|known| known.envelope().seq.issued() < self.started) {
                self.held.insert(agent);
                return Ok(());
            }
        }
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
            let _ = running.orders.send(DriverCommand::Provide(tags.iter().cloned().collect())).await;
        }
        self.provided = tags;
    }
}

/// Change that the published listing of an agent needs.
#[derive(PartialEq)]
enum DesiredListing {
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
    let said = stored_listing(&mut conn, id).await?;
    let wanted = wanted(hub, &mut conn, me, &agent, said.as_ref()).await?;
    if wanted == DesiredListing::Same {
        return Ok(said.as_ref().and_then(tags_of_live));
    }
    let signed = sign(hub, &mut conn, me, &agent, said.as_ref(), wanted).await;
    drop(conn);
    let signed = signed.and_then(|signed| signed.transpose().map_err(Error::fault));
    let listing = match signed {
        Ok(Some(listing)) => listing,
        Ok(None) => return Ok(None),
        Err(error) => {
            tracing::warn!(agent = %agent.address(), %error, "listing publication \
                refused");
            return Ok(None);
        }
    };
    let expires = listing.envelope().content().map(|content| content.expires);
    let mut tx = hub.store().write_background().await?;
    replicated_listings::set_own(&mut tx, id, &listing.encode(), &listing.hash(), expires).await?;
    tx.commit().await?;
    let tags = tags_of_live(&listing);
    hub.federation().tell(Event::Published(Box::new(listing))).await;
    Ok(tags)
}

/// Returns why other hubs do not get the agent, in words for its owner; none if they do, or if it is not
/// federated.
pub(crate) async fn publication_problem(hub: &Hub, conn: &mut Conn, agent: &Agent) -> Result<Option<String>> {
    if agent.visibility != Visibility::Federated {
        return Ok(None);
    }
    if hub.federation().running().is_none() {
        return Ok(Some(
            "This hub is not connected to other hubs. Its operator can set PLEXUS_P2P_LISTEN.".to_owned(),
        ));
    }
    let me = read_own_id(conn).await?;
    let said = stored_listing(conn, agent.id).await?;
    let wanted = wanted(hub, conn, me, agent, said.as_ref()).await?;
    if wanted == DesiredListing::Same {
        return Ok(None);
    }
    Ok(match sign(hub, conn, me, agent, said.as_ref(), wanted).await? {
        Some(Ok(_)) => None,
        None => Some("Its key is not on this hub, so this hub cannot sign its changes.".to_owned()),
        Some(Err(RecordError::TooLarge { bytes, limit })) => Some(format!(
            "Its signed listing has {bytes} bytes, and other hubs accept at most {limit}. Shorten its descriptions and \
             examples, or remove skills."
        )),
        Some(Err(error)) => Some(format!("Its listing is not valid: {error}")),
    })
}

fn tags_of_live(listing: &Listing) -> Option<Vec<Tag>> {
    match &listing.envelope().status {
        Status::Live(content) => Some(content.tags.clone()),
        Status::Paused(_) | Status::Deleted => None,
    }
}

/// Returns the listing of the agent that was signed last.
async fn stored_listing(conn: &mut Conn, agent: AgentId) -> Result<Option<Listing>> {
    let Some(envelope) = replicated_listings::find(conn, agent).await? else { return Ok(None) };
    let listing = Listing::parse(&envelope).and_then(plexus_federation::record::Unverified::verify);
    listing.map(Some).map_err(|error| unreadable("a listing of this hub", error))
}

async fn wanted(
    hub: &Hub,
    conn: &mut Conn,
    me: HubId,
    agent: &Agent,
    said: Option<&Listing>,
) -> Result<DesiredListing> {
    let known = said.map(Listing::envelope);
    // The holder of the agent's key moved the agent to another hub.
    if known.is_some_and(|known| known.hub != me) {
        return Ok(DesiredListing::Same);
    }
    // Signed while the clock was ahead: other hubs refuse it.
    let is_from_future = known.is_some_and(|known| known.seq.is_in_future_of(hub.env().now()));
    let is_federated = agent.visibility == Visibility::Federated && !agent.is_restricted();
    if !is_federated || agent.state == AgentState::Deleted {
        // The tombstone of an erased account loses the name of the account.
        let is_renamed = |known: &Envelope| (&known.owner, &known.name) != (&agent.owner, &agent.name);
        let is_known =
            is_from_future || known.is_some_and(|known| known.status != Status::Deleted || is_renamed(known));
        return Ok(if is_known { DesiredListing::Gone } else { DesiredListing::Same });
    }
    let card = calls::public_card(hub, conn, agent).await?;
    let is_live = agent.state == AgentState::Active;
    let lasts_from = hub.env().now() + LISTING_TTL / 3;
    let same = !is_from_future
        && known.is_some_and(|known| match &known.status {
            Status::Live(content) | Status::Paused(content) => {
                let status = matches!(known.status, Status::Live(_)) == is_live;
                let address = (&known.owner, &known.name) == (&agent.owner, &agent.name);
                status && address && content.card == Digest::of(&card) && content.expires > lasts_from
            }
            Status::Deleted => false,
        });
    Ok(match (same, is_live) {
        (true, _) => DesiredListing::Same,
        (false, true) => DesiredListing::Live(card),
        (false, false) => DesiredListing::Paused(card),
    })
}

/// Signs a listing. Returns `None` if the agent's owner holds its key, so that this hub cannot sign, and an error
/// of the record if the agent does not fit into one.
async fn sign(
    hub: &Hub,
    conn: &mut Conn,
    me: HubId,
    agent: &Agent,
    said: Option<&Listing>,
    wanted: DesiredListing,
) -> Result<Option<Result<Listing, RecordError>>> {
    let Some(signer) = keys::signer(hub, conn, agent.id).await? else { return Ok(None) };
    let (_, hub_key) = keys::hub_seed(hub, conn).await?;
    let chain = match said {
        Some(said) => said.envelope().chain.clone(),
        None => KeyChain::new(signer.genesis).map_err(Error::fault)?,
    };
    let seq = Seq::next(said.map(|said| said.envelope().seq), hub.env().now());
    let content = |card: &[u8], tags: Vec<Tag>| Content {
        card: Digest::of(card),
        expires: seq.issued() + LISTING_TTL,
        tags,
        langs: Vec::new(),
    };
    let (status, card) = match wanted {
        DesiredListing::Live(card) => (Status::Live(content(&card, tags(conn, agent.id).await?)), card),
        DesiredListing::Paused(card) => (Status::Paused(content(&card, tags(conn, agent.id).await?)), card),
        DesiredListing::Gone | DesiredListing::Same => (Status::Deleted, Vec::new()),
    };
    let (owner, name) = (agent.owner.clone(), agent.name.clone());
    let envelope = Envelope { chain, seq, hub: me, owner, name, status };
    Ok(Some(Listing::sign(envelope, card, &signer.key, &hub_key)))
}

/// Returns the agent's tags, normalized and sorted, since hubs compare the signed form.
async fn tags(conn: &mut Conn, agent: AgentId) -> Result<Vec<Tag>> {
    let summary = listings::find(conn, agent).await?.as_ref().map(read_summary).unwrap_or_default();
    let tags: BTreeSet<Tag> = summary.tags.iter().filter_map(|tag| Tag::from_text(tag)).collect();
    Ok(tags.into_iter().take(MAX_TAGS).collect())
}
