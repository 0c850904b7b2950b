//! View models of the model providers at `/admin/models`.

use plexus_domain::Timestamp;

use super::Form;

/// List of the providers at `/admin/models`.
#[derive(Clone, Debug)]
pub struct ModelsPage {
    pub providers: Vec<ProviderItem>,
    /// Servers that answer on this machine and are not connected.
    pub local: Vec<LocalServerItem>,
    pub presets: Vec<PresetItem>,
}

#[derive(Clone, Debug)]
pub struct ProviderItem {
    /// Last part of its address; `-` for the first server of the configuration.
    pub id: String,
    /// None for the first server of the configuration, whose models have no prefix.
    pub name: Option<String>,
    pub base_url: String,
    /// The provider is in the configuration, so that it cannot be changed here.
    pub is_configured: bool,
    pub has_key: bool,
    /// Empty for all models that the server lists.
    pub models: Vec<String>,
    pub context_tokens: usize,
    /// Such as "0.15/0.6" for a million input and output tokens; empty without prices.
    pub price: String,
    pub is_paused: bool,
    pub last_test: Option<ProviderTestItem>,
    /// Whether runs use keys of users, in words; none if they do not.
    pub own_keys: Option<&'static str>,
}

/// Result of a test.
#[derive(Clone, Debug)]
pub struct ProviderTestItem {
    pub tested_at: Timestamp,
    /// Number of models that the server lists.
    pub listed: Option<usize>,
    pub model: Option<String>,
    pub first_token_ms: Option<u64>,
    /// Whether the model calls tools; none if that was not tested.
    pub calls_tools: Option<bool>,
    /// Whether it named the colour of an image; none if that was not tested.
    pub reads_images: Option<bool>,
    /// What failed and what to do.
    pub problem: Option<String>,
}

/// Server that answers on this machine. Posts to `/admin/models` with its values.
#[derive(Clone, Debug)]
pub struct LocalServerItem {
    pub id: String,
    pub title: String,
    pub base_url: String,
    pub models: usize,
}

/// Known server or service with a prefilled form at `/admin/models/new?preset=ID`.
#[derive(Clone, Debug)]
pub struct PresetItem {
    pub id: String,
    pub title: String,
    /// It usually runs on the hub's machine or network.
    pub is_local: bool,
}

/// Form for a new provider at `/admin/models/new`. Posts to `/admin/models`.
#[derive(Clone, Debug)]
pub struct NewProviderPage {
    /// Title of the preset.
    pub preset: Option<String>,
    pub needs_key: bool,
    pub form: Form,
}

/// A provider at `/admin/models/{id}`. One of the configuration has no forms.
///
/// Posts to itself with `action`: `save` with the fields of the form, `test` or `offer` with
/// `model`, `pause`, `resume`, `remove`.
#[derive(Clone, Debug)]
pub struct ProviderPage {
    pub provider: ProviderItem,
    /// Models that the server lists now.
    pub served: Vec<String>,
    /// Its models with their settings.
    pub models: Vec<ModelItem>,
    pub form: Form,
}

/// A model of a provider.
#[derive(Clone, Debug)]
pub struct ModelItem {
    /// Name on its server.
    pub name: String,
    pub display_name: Option<String>,
    pub is_offered: bool,
    pub is_hidden: bool,
    pub context_tokens: u64,
    /// Such as "0.15/0.6"; empty without prices.
    pub price: String,
    /// Known abilities in words, such as "tools" and "no images".
    pub abilities: Vec<String>,
    /// Who may use it, in words.
    pub access: String,
    /// Limits in words.
    pub limits: Vec<String>,
    /// Address of the agent through which people talk to the model itself.
    pub direct_address: Option<String>,
}

/// Settings of a model at `/admin/models/{provider}/model?name=NAME`. Posts to itself with `action`: `save` with the
/// fields of the form, or `reset`.
#[derive(Clone, Debug)]
pub struct ModelSettingsPage {
    /// Last part of the address of its provider.
    pub provider: String,
    pub provider_title: String,
    pub name: String,
    /// Values of the provider, which empty fields stand for.
    pub provider_context_tokens: u64,
    pub provider_price: String,
    /// Address of the agent through which people talk to the model itself.
    pub direct_address: Option<String>,
    pub form: Form,
}

impl NewProviderPage {
    /// Whether the server did not answer, so that connecting it without a test is offered.
    pub fn offers_skip(&self) -> bool {
        offers_skip(&self.form)
    }
}

impl ProviderPage {
    /// Whether the server did not answer, so that saving without a test is offered.
    pub fn offers_skip(&self) -> bool {
        offers_skip(&self.form)
    }
}

/// The viewer's keys for model providers at `/settings/model-keys`. Posts to itself with `provider` and `action`: `save`
/// with `api_key`, or `remove`.
#[derive(Clone, Debug)]
pub struct ModelKeysPage {
    pub providers: Vec<ModelKeyItem>,
    pub form: Form,
}

/// A provider that takes keys of users.
#[derive(Clone, Debug)]
pub struct ModelKeyItem {
    pub provider: String,
    /// Server that gets the key.
    pub host: String,
    pub policy: ModelKeyPolicy,
    pub added_at: Option<Timestamp>,
}

/// What a provider does with the keys of users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKeyPolicy {
    /// No longer used; a stored key can only be removed.
    Refused,
    Allowed,
    Required,
}

fn offers_skip(form: &Form) -> bool {
    form.error("base_url").is_some() || form.error("api_key").is_some()
}
