//! Taking an agent away.

use plexus_store::{
    Tx,
    agents::{self, Agent, AgentState},
    listings,
    listings::ListingState,
};

use crate::Result;

/// Deletes an agent: its address stays taken, its listing says that it is gone.
pub(crate) async fn withdraw(tx: &mut Tx, agent: &Agent) -> Result<()> {
    agents::set_state(tx, agent.id, AgentState::Deleted).await?;
    listings::set_state(tx, agent.id, ListingState::Deleted).await?;
    Ok(())
}
