//! Agents that run on their owner's machine: registered by a profile, online while a program is attached.

use std::{sync::Arc, time::Duration};

use plexus_domain::{Address, AgentId, DraftId, Error as Refusal, Name, agent::Connector};
use plexus_runtime::attached::{AttachedConnection, protocol::HubFrame};
use plexus_store::{Tx, agents::Agent};
use tokio::{
    select,
    sync::mpsc,
    time::{self, Instant},
};
use tokio_util::sync::CancellationToken;

use super::{
    http_endpoint::numbered,
    manage,
    profile::AgentProfile,
    registration_draft::{self, DraftTarget},
    versions::{self, NewVersion},
};
use crate::{Caller, Hub, Result, caller::Scope, listings};

/// Interval at which the program is marked as online, and its agent and permission are checked again.
const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// Creates the registration draft of a new agent. The only remaining step is to publish it.
pub async fn describe(hub: &Hub, caller: &Caller, name: &str, about: &AgentProfile) -> Result<DraftId> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = name.trim().parse()?;
    registration_draft::begin_named(hub, person, name, DraftTarget::Attached(about.checked()?)).await
}

/// Adds the first version.
pub(super) async fn add(hub: &Hub, tx: &mut Tx, agent: &Agent, about: &AgentProfile) -> Result<()> {
    let (number, card) = numbered(hub, tx, agent, about, false).await?;
    let pinned = NewVersion { card: &card, connector: Connector::Attached, secret: None, wanted: &number };
    versions::add(hub, tx, agent.id, pinned).await?;
    Ok(())
}

/// Attached program. The agent counts as online until this is dropped.
pub struct AttachedProgram {
    hub: Hub,
    caller: Caller,
    address: Address,
    agent: AgentId,
    link: Arc<AttachedConnection>,
    frames: mpsc::Receiver<HubFrame>,
    broken: CancellationToken,
    look: Instant,
}

/// Attaches a program as the agent at `address`. Replaces a program that was attached before.
pub async fn attach(hub: &Hub, caller: &Caller, address: &Address) -> Result<AttachedProgram> {
    let agent = attachable(hub, caller, address).await?;
    let broken = CancellationToken::new();
    let (link, frames) = AttachedConnection::new(broken.clone());
    hub.attachments().put(agent, link.clone());
    let (hub, caller, address) = (hub.clone(), caller.clone(), address.clone());
    let attachment =
        AttachedProgram { hub, caller, address, agent, link, frames, broken, look: Instant::now() };
    listings::mark_online(&attachment.hub, agent).await?;
    Ok(attachment)
}

async fn attachable(hub: &Hub, caller: &Caller, address: &Address) -> Result<AgentId> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().read().await?;
    let agent = manage::agent_owned_by(&mut conn, person, address).await?;
    let (version, _) = manage::current(&mut conn, &agent).await?;
    if version.connector != Connector::Attached {
        let kind = version.connector.kind();
        let words = format!(
            "{address} is an agent of another kind ({kind}), so no program can be attached to it. Choose \
             another name."
        );
        return Err(Refusal::conflict(words).into());
    }
    Ok(agent.id)
}

impl AttachedProgram {
    /// Returns the link that receives the output of the program.
    pub fn link(&self) -> Arc<AttachedConnection> {
        self.link.clone()
    }

    /// Returns the next frame for the program. The error says why it is no longer attached.
    pub async fn next_frame(&mut self) -> Result<HubFrame> {
        loop {
            select! {
                biased;
                () = self.broken.cancelled() => return Err(self.why_broken().into()),
                () = self.hub.stop().cancelled() => {
                    return Err(Refusal::unavailable("The hub is shutting down.").into());
                }
                () = time::sleep_until(self.look) => {
                    attachable(&self.hub, &self.caller, &self.address).await?;
                    self.look = Instant::now() + POLL_INTERVAL;
                    listings::mark_online(&self.hub, self.agent).await?;
                }
                frame = self.frames.recv() => {
                    return frame.ok_or_else(|| Refusal::unavailable("The connection has ended.").into());
                }
            }
        }
    }

    fn why_broken(&self) -> Refusal {
        let address = &self.address;
        match self.hub.attachments().find(self.agent) {
            Some(_) => Refusal::conflict(format!("Another program has been attached as {address}.")),
            None => Refusal::not_found(format!("Agent {address} no longer exists.")),
        }
    }
}

impl Drop for AttachedProgram {
    fn drop(&mut self) {
        self.link.close();
        if self.hub.attachments().remove(self.agent, &self.link) {
            let (hub, agent) = (self.hub.clone(), self.agent);
            self.hub.spawn_once("agent detachment", async move {
                // The program may have reconnected already.
                if hub.attachments().find(agent).is_none()
                    && let Err(error) = listings::mark_offline(&hub, agent).await
                {
                    tracing::warn!(%error, "agent status: offline not recorded");
                }
            });
        }
    }
}
