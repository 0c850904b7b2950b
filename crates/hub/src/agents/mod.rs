//! Agents: registration, versions, credentials, access and management.

mod access;
mod agent_export;
pub mod attached;
mod attached_registry;
mod builtin;
mod copy;
pub mod credentials;
mod direct_model;
mod document_text;
mod draft_secrets;
mod export;
pub mod http_endpoint;
mod hub_agent;
mod import;
pub mod knowledge;
mod line_diff;
pub mod manage;
pub mod model_agent;
pub mod named_users;
pub mod oauth_connect;
mod oauth_tokens;
mod openid_discovery;
pub mod origin_verification;
mod passage_embeddings;
mod profile;
pub mod program_agent;
mod publish;
pub mod register_a2a;
mod registration_draft;
mod restore_version;
pub mod stars;
mod starters;
pub mod test_call;
pub mod tool_credentials;
mod version_fields;
mod version_history;
mod versions;
mod view;
mod withdraw;

pub(crate) use access::{
    ResolvedAgent, cancel_revoked_runs, ensure_access, is_visible_to, resolve_callable,
    resolve_callable_by_principal, restricted_for,
};
pub use agent_export::{AGENT_EXPORT_FORMAT, AgentExport, MAX_AGENT_EXPORT_BYTES, export_too_large};
pub(crate) use attached_registry::AttachedRegistry;
pub use builtin::guide_address;
pub(crate) use builtin::{ensure_builtin, tck_address, working_builtins};
pub use copy::{copy_agent, set_allows_copies};
pub(crate) use credentials::credentials_for;
pub(crate) use direct_model::{
    direct_address, free_name, is_direct, models_owner, pause_agent as pause_direct_agent,
    update_agent as update_direct_agent,
};
pub use export::export_agent;
pub use import::{CreatedModelAgent, ImportChoices, import_agent};
pub(crate) use knowledge::KnowledgeCache;
pub use line_diff::{DiffLine, DiffLineKind, LineDiff};
pub(crate) use manage::{agent_owned_by, is_administrators};
pub(crate) use oauth_connect::PendingOauthFlows;
pub(crate) use oauth_tokens::TokenCache;
pub(crate) use openid_discovery::DiscoveryCache;
pub(crate) use origin_verification::check_proved;
pub(crate) use passage_embeddings::run_embedding_worker;
pub use plexus_a2a::{
    Card,
    card::{Interface as CardInterface, Problem, Severity, Skill as CardSkill},
};
pub use plexus_store::{
    agent_versions::Version, agents::AgentState, namespaces::NamespaceKind, origin_verifications::ProofMethod,
};
pub use profile::AgentProfile;
pub use publish::{PublishStep, RegisteredAgent, done, publish, publish_step};
pub use registration_draft::{RegistrationKind, RegistrationStep};
pub use restore_version::restore_version;
pub use starters::starters;
pub(crate) use tool_credentials::ToolKeys;
pub use version_history::{COMPARED_VERSIONS, FieldChange, VersionChanges, VersionHistory, version_history};
pub(crate) use view::rows;
pub use view::{AgentView, CallableState, OwnerView, get, get_namespace, list_own};
pub(crate) use withdraw::{delete_content, withdraw};
