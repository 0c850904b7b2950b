//! Principals: the identities that own memberships, author messages and call agents.

use serde::{Deserialize, Serialize};

use crate::{AccountId, AgentId, HubRowId};

/// An identity that can author messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Principal {
    /// A user with an account on this hub.
    Account { account: AccountId },
    /// An agent of this hub or of a remote hub.
    Agent { agent: AgentId },
    /// A user of a remote hub, known only by the pseudonym that hub assigned.
    Remote { hub: HubRowId, pseudonym: String },
    /// A caller without identity.
    Anonymous,
    /// An assistant of another service, as author of imported messages. `label` names service and model.
    Imported { label: String },
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
