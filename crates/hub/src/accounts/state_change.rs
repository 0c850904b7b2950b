//! Side effects of account state changes: listings of its agents, streams and runs.

use plexus_domain::{AccountId, AgentId, NamespaceId};
use plexus_store::{Tx, agents};

use crate::{
    Hub, Result,
    bus::{AccessChange, ClusterNotice},
    listings,
};

/// An account whose state has changed, and its agents.
pub(crate) struct AccountStateChange {
    account: AccountId,
    agents: Vec<AgentId>,
}

impl AccountStateChange {
    /// Republishes the listings of the account's agents. Call it in the transaction that changes the state.
    pub async fn publish(hub: &Hub, tx: &mut Tx, account: AccountId, namespace: NamespaceId) -> Result<Self> {
        let agents = agents::list_by_namespace(tx, namespace).await?;
        let agents: Vec<AgentId> = agents.into_iter().map(|agent| agent.id).collect();
        for agent in &agents {
            listings::publish(hub, tx, *agent).await?;
        }
        Ok(Self { account, agents })
    }

    /// Ends the streams and runs of an account that was suspended or deleted. Call it after the commit.
    pub fn left(self, hub: &Hub) {
        hub.live().access.notify(AccessChange::Account(self.account));
        hub.run_registry().cancel_account(self.account, &self.agents);
        hub.cluster_notifier().enqueue(ClusterNotice::Left(self.account));
        hub.wake_index_worker();
    }

    /// Makes the agents of a restored account visible. Call it after the commit.
    pub fn came_back(self, hub: &Hub) {
        hub.wake_index_worker();
    }
}
