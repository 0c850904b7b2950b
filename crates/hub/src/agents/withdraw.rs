//! Deletion of an agent.

use plexus_store::{
    Tx, account_erasure, agent_credentials, agent_versions,
    agents::{self, Agent, AgentState},
    featured_agents, keys, knowledge, listings,
    listings::ListingState,
    secrets, stars,
};

use crate::{Hub, Result};

/// Deletes an agent. Its address stays reserved, its listing becomes a tombstone and its keys are retired.
/// Its stars, its files and the credentials for it are deleted; [`delete_content`] deletes its instructions and cards.
pub(crate) async fn withdraw(hub: &Hub, tx: &mut Tx, agent: &Agent) -> Result<()> {
    agents::set_state(tx, agent.id, AgentState::Deleted).await?;
    listings::set_state(tx, agent.id, ListingState::Deleted).await?;
    stars::delete_by_agent(tx, agent.id).await?;
    featured_agents::delete(tx, agent.id).await?;
    knowledge::delete_by_agent(tx, agent.id).await?;
    agent_credentials::delete_by_agent(tx, agent.id).await?;
    for key in keys::list_by_agent(tx, agent.id).await? {
        keys::retire(tx, key.id, hub.env().now()).await?;
    }
    let mut shared = Vec::new();
    for version in agent_versions::list_by_agent(tx, agent.id).await? {
        shared.extend(version.secret.filter(|secret| !shared.contains(secret)));
        agent_versions::set_secret(tx, version.id, None).await?;
    }
    for secret in shared {
        secrets::delete(tx, secret).await?;
    }
    Ok(())
}

/// Versions per transaction of [`delete_content`].
const VERSIONS: i64 = 200;

/// Deletes instructions, cards and other content of deleted agents whose runs have ended. Returns the number of versions.
pub(crate) async fn delete_content(hub: &Hub) -> Result<u64> {
    let mut deleted = 0;
    loop {
        let mut tx = hub.store().write_background().await?;
        let count = account_erasure::delete_agent_content(&mut tx, VERSIONS).await?;
        tx.commit().await?;
        deleted += count;
        if count == 0 {
            return Ok(deleted);
        }
    }
}
