//! Agents: registration, versions, credentials, access and management.

mod about;
pub mod attached;
mod attachments;
mod builtin;
pub mod connection;
pub mod credentials;
mod draft;
pub mod endpoint;
pub mod instructions;
mod kept;
mod look;
pub mod manage;
mod models;
pub mod program;
pub mod proofs;
mod publish;
mod reach;
pub mod register;
pub mod stars;
mod tokens;
pub mod tool_credentials;
pub mod trial;
mod versions;
mod withdraw;

pub use about::About;
pub(crate) use attachments::Attachments;
pub(crate) use builtin::ensure_builtin;
pub use builtin::guide_address;
pub(crate) use builtin::tck_address;
pub(crate) use connection::Begun;
pub(crate) use credentials::credentials_for;
pub use draft::{Step, Way};
pub(crate) use look::rows;
pub use look::{AgentView, Callable, OwnerView, look, own, owner};
pub(crate) use manage::is_administrators;
pub use models::{models, try_provider};
pub use plexus_a2a::{
    Card,
    card::{Interface as CardInterface, Problem, Severity, Skill as CardSkill},
};
pub use plexus_store::{
    agents::AgentState, namespaces::NamespaceKind, proofs::ProofMethod, versions::Version,
};
pub(crate) use proofs::check_proved;
pub use publish::{Done, PublishStep, done, publish, publish_step};
pub(crate) use reach::{Reached, manages, reach, reach_again};
pub(crate) use tokens::Slots;
pub(crate) use tool_credentials::ToolKeys;
pub(crate) use withdraw::withdraw;
