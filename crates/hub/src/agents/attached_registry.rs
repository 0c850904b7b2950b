//! Registry of the programs that are attached to this instance.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use plexus_domain::AgentId;
use plexus_runtime::attached::AttachedConnection;
use tokio::{sync::Notify, time};

/// Attached programs by agent: at most one each.
#[derive(Default)]
pub struct AttachedRegistry {
    links: Mutex<HashMap<AgentId, Arc<AttachedConnection>>>,
    came: Notify,
}

impl AttachedRegistry {
    pub fn find(&self, agent: AgentId) -> Option<Arc<AttachedConnection>> {
        self.links.lock().get(&agent).cloned()
    }

    /// Waits until a program is attached as the agent, up to `patience`. It may
    /// be reconnecting at this moment.
    pub async fn wait_attached(&self, agent: AgentId, patience: Duration) -> Option<Arc<AttachedConnection>> {
        let there = async {
            loop {
                let mut came = std::pin::pin!(self.came.notified());
                // Subscribe before the check, so that no attachment is missed (race).
                came.as_mut().enable();
                if let Some(link) = self.find(agent) {
                    return link;
                }
                came.await;
            }
        };
        time::timeout(patience, there).await.ok()
    }

    /// Registers a program. A program attached before is closed, and its runs fail.
    pub fn put(&self, agent: AgentId, link: Arc<AttachedConnection>) {
        let former = self.links.lock().insert(agent, link);
        if let Some(former) = former {
            former.close();
        }
        self.came.notify_waiters();
    }

    /// Removes the program if it is still the registered one. Returns whether it was.
    pub fn remove(&self, agent: AgentId, link: &Arc<AttachedConnection>) -> bool {
        let mut links = self.links.lock();
        let is_current = links.get(&agent).is_some_and(|current| Arc::ptr_eq(current, link));
        if is_current {
            links.remove(&agent);
        }
        is_current
    }

    /// Closes the connection of a deleted agent.
    pub fn close(&self, agent: AgentId) {
        let link = self.links.lock().remove(&agent);
        if let Some(link) = link {
            link.close();
        }
    }
}
