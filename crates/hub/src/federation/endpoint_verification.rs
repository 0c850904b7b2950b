//! Endpoint verification of replicated agents, before the first call.
//!
//! The endpoint must serve the agent's card at its address, signed with the key of the agent's hub. This
//! prevents a hub from directing the requests of other hubs to an address that is not its own.

use std::time::Duration;

use plexus_a2a::{Card, card::Origin};
use plexus_domain::{Error as Refusal, ProofId, agent::Connector};
use plexus_federation::HubId;
use plexus_runtime::outbound::OutboundClient;
use plexus_store::{
    agent_versions::Version,
    agents::Agent,
    hubs,
    origin_verifications::{self, Proof, ProofMethod},
};
use url::Url;

use crate::{Error, Hub, Result};

/// How long a successful verification is valid.
const HOLDS: Duration = Duration::from_secs(24 * 3_600);

/// Verifies the endpoint, or uses a recent verification. Fails if the endpoint does
/// not belong to the agent's hub.
pub(crate) async fn prove(
    hub: &Hub,
    outbound: &OutboundClient,
    agent: &Agent,
    version: &Version,
) -> Result<()> {
    let Connector::A2a { url, card_url, .. } = &version.connector else { return Ok(()) };
    let (url, card_url): (Url, Url) =
        (url.parse().map_err(Error::fault)?, card_url.parse().map_err(Error::fault)?);
    let origin = Origin::of(&url).map(|origin| origin.to_string()).unwrap_or_default();
    let mut conn = hub.store().read().await?;
    let known = origin_verifications::find(&mut conn, agent.id, &origin).await?;
    let now = hub.env().now();
    if known.is_some_and(|proof| proof.holds() && proof.verified_at.is_some_and(|at| now.since(at) < HOLDS)) {
        return Ok(());
    }
    let peer = hubs::find(&mut conn, agent.hub).await?.and_then(|row| row.hub_key).unwrap_or_default();
    drop(conn);
    let key = peer.parse::<HubId>().and_then(|id| id.key()).map_err(Error::fault)?;
    let found = outbound.fetch_card(&card_url).await.map_err(|failure| {
        Refusal::unavailable(format!("{} is unreachable. {}", agent.address(), failure.message))
    })?;
    let card = Card::read(&found.body).card;
    let is_its = card.is_some_and(|card| {
        let same = card.best_interface().is_some_and(|interface| interface.url == url);
        same && card.verify(&key).is_ok()
    });
    if !is_its {
        let words = format!(
            "{url} does not serve a card signed by {}'s hub, so it cannot be called.",
            agent.address()
        );
        return Err(Refusal::conflict(words).into());
    }
    let proof = Proof {
        id: hub.env().id(ProofId::new),
        agent: agent.id,
        origin,
        method: ProofMethod::Card,
        verified_at: Some(now),
        failed_at: None,
    };
    let mut tx = hub.store().write().await?;
    origin_verifications::put(&mut tx, &proof).await?;
    Ok(tx.commit().await?)
}
