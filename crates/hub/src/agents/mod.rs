//! Agents: which there are, who may see and use them, and how they come and go.

mod builtin;
mod look;
mod reach;
mod withdraw;

pub(crate) use builtin::ensure_builtin;
pub use builtin::guide_address;
pub use look::{AgentView, Callable, OwnerView, look, owner};
pub use plexus_a2a::card::Skill as CardSkill;
pub use plexus_store::{
    agents::AgentState, namespaces::NamespaceKind, proofs::ProofMethod, versions::Version,
};
pub(crate) use reach::{reach, reach_by_id};
pub(crate) use withdraw::withdraw;
