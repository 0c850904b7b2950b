//! The programs that are attached to this process now.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use plexus_domain::AgentId;
use plexus_runtime::attached::Link;
use tokio::{sync::Notify, time};

/// By agent: one program each.
#[derive(Default)]
pub struct Attachments {
    links: Mutex<HashMap<AgentId, Arc<Link>>>,
    came: Notify,
}

impl Attachments {
    pub fn find(&self, agent: AgentId) -> Option<Arc<Link>> {
        self.links.lock().get(&agent).cloned()
    }

    /// The program of an agent, once it is there: it may be connecting anew at this moment.
    pub async fn wait(&self, agent: AgentId, patience: Duration) -> Option<Arc<Link>> {
        let there = async {
            loop {
                let mut came = std::pin::pin!(self.came.notified());
                // From here on no arrival is missed.
                came.as_mut().enable();
                if let Some(link) = self.find(agent) {
                    return link;
                }
                came.await;
            }
        };
        time::timeout(patience, there).await.ok()
    }

    /// Takes the place of a program that was there before, which fails what it works on.
    pub fn put(&self, agent: AgentId, link: Arc<Link>) {
        let former = self.links.lock().insert(agent, link);
        if let Some(former) = former {
            former.close();
        }
        self.came.notify_waiters();
    }

    /// Whether it was still the one.
    pub fn remove(&self, agent: AgentId, link: &Arc<Link>) -> bool {
        let mut links = self.links.lock();
        let is_current = links.get(&agent).is_some_and(|current| Arc::ptr_eq(current, link));
        if is_current {
            links.remove(&agent);
        }
        is_current
    }

    /// Ends the connection of an agent that is no more.
    pub fn close(&self, agent: AgentId) {
        let link = self.links.lock().remove(&agent);
        if let Some(link) = link {
            link.close();
        }
    }
}
