//! The agents that are members of a chat.

use plexus_domain::{Address, AgentId, ChatId, PrincipalId};
use plexus_store::{Conn, members};

use crate::{Result, message_views, views::Author};

/// Maximum number of agents of a chat that are read.
const MAX_AGENTS: u32 = 100;

/// An agent that is a member of a chat.
#[derive(Clone, Debug)]
pub(crate) struct AgentMember {
    pub principal: PrincipalId,
    pub agent: AgentId,
    pub address: Address,
    /// Title on its card; its name if it has none.
    pub name: String,
}

/// Returns the agents of a chat, in the order in which they joined.
pub(crate) async fn agent_members(conn: &mut Conn, chat: ChatId) -> Result<Vec<AgentMember>> {
    let found = members::list_agents(conn, chat, MAX_AGENTS).await?;
    let mut authors = message_views::authors(conn, found.iter().map(|(principal, _)| *principal)).await?;
    let member = |(principal, agent)| match authors.remove(&principal) {
        Some(Author::Agent { name, address, .. }) => Some(AgentMember { principal, agent, address, name }),
        _ => None,
    };
    Ok(found.into_iter().filter_map(member).collect())
}
