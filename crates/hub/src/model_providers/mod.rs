//! Model providers: servers with the OpenAI chat completions API, whose models agents with instructions use.
//!
//! The operator configures providers, and administrators connect more while the hub runs.

mod account_keys;
mod catalog;
mod connect;
mod context_windows;
mod discovery;
mod model_list;
mod model_list_cache;
mod model_settings;
mod offered_models;
mod presets;
mod selection;
mod test_provider;

pub use account_keys::{AccountKeyRow, account_keys, remove_account_key, set_account_key};
pub use catalog::{ModelAvailability, ProviderRow, availability, list};
pub use connect::{ConnectionCheck, ProviderForm, connect, remove, set_paused, test, update};
pub use discovery::{LocalServer, discover};
pub use model_list::{check_configured, models, nearest_name};
pub(crate) use model_list_cache::ModelListCache;
pub use model_settings::{
    ModelDetails, ModelForm, ProviderModels, model_details, offer_in_chats, provider_models, reset_model,
    set_model,
};
pub use offered_models::{ModelAbilities, OfferedModel, offered_models};
pub(crate) use offered_models::{ModelNeeds, check_usable};
pub use plexus_store::model_settings::{ModelAccess, ModelSettings};
pub use presets::{PRESETS, ProviderPreset};
pub(crate) use selection::{ModelCall, SelectedModel, select};
pub use test_provider::ProviderTest;
