//! Whoever acts: members, authors and callers are principals.

use serde::{Deserialize, Serialize};

use crate::{AccountId, AgentId, HubRowId};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Principal {
    /// A person who signs in here.
    Account { account: AccountId },
    /// An agent, of this hub or of another.
    Agent { agent: AgentId },
    /// A person of another hub, known here only by what that hub calls them.
    Remote { hub: HubRowId, pseudonym: String },
    /// Nobody in particular.
    Anonymous,
}

impl Principal {
    pub const fn account(&self) -> Option<AccountId> {
        match self {
            Self::Account { account } => Some(*account),
            _ => None,
        }
    }

    pub const fn agent(&self) -> Option<AgentId> {
        match self {
            Self::Agent { agent } => Some(*agent),
            _ => None,
        }
    }
}
