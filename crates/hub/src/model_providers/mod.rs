//! Model providers: servers with the OpenAI chat completions API, whose models agents with instructions use.
//!
//! The operator configures providers, and administrators connect more while the hub runs.

mod catalog;
mod connect;
mod discovery;
mod model_list;
mod presets;
mod test_provider;

pub(crate) use catalog::catalog;
pub use catalog::{ModelAvailability, ProviderDetails, ProviderRow, availability, details, list};
pub use connect::{
    ConnectionCheck, DEFAULT_CONTEXT_TOKENS, ProviderForm, connect, remove, set_paused, test, update,
};
pub use discovery::{LocalServer, discover};
pub(crate) use model_list::check_available;
pub use model_list::{check_configured, models};
pub use presets::{PRESETS, ProviderPreset};
pub use test_provider::ProviderTest;
