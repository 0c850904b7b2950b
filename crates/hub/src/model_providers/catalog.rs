//! Catalog of the model providers: those of the configuration, and those that administrators connected.

use plexus_domain::{Error as Refusal, Timestamp};
use plexus_store::{model_providers, model_providers::StoredProvider};
use url::Url;

use super::test_provider::ProviderTest;
use crate::{
    Hub, Result,
    audit::Administrator,
    config::{Models, OwnKeyPolicy, Prices, Provider, ProviderSource, Secret},
};

/// A provider in the administrators' list. It never contains the API key.
#[derive(Clone, Debug)]
pub struct ProviderRow {
    /// Prefix of the names of its models; none for the first server of the configuration.
    pub name: Option<String>,
    pub base_url: Url,
    pub source: ProviderSource,
    pub has_key: bool,
    /// The models that agents may use; empty for all that the server lists.
    pub models: Vec<String>,
    pub context_tokens: usize,
    pub prices: Prices,
    pub is_paused: bool,
    pub own_keys: OwnKeyPolicy,
    /// None for providers of the configuration.
    pub created_at: Option<Timestamp>,
    pub last_test: Option<ProviderTest>,
}

/// Returns the usable providers: those of the configuration, and those that administrators connected. Paused providers
/// are named only. A configured provider hides a connected one of the same name.
pub(crate) async fn catalog(hub: &Hub) -> Result<Models> {
    let mut models = hub.config().models.clone();
    for stored in model_providers::list(&mut hub.store().read().await?).await? {
        if models.named.contains_key(&stored.name) {
            continue;
        }
        if stored.is_paused {
            models.paused.insert(stored.name);
        } else if let Some(provider) = provider(hub, &stored) {
            models.named.insert(stored.name, provider);
        }
    }
    Ok(models)
}

/// What the usable providers offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelAvailability {
    /// Whether any provider is usable.
    pub has_models: bool,
    /// Whether any of them has prices.
    pub has_prices: bool,
}

pub async fn availability(hub: &Hub) -> Result<ModelAvailability> {
    let models = catalog(hub).await?;
    Ok(ModelAvailability {
        has_models: models.all().next().is_some(),
        has_prices: models.all().any(|(_, provider)| provider.prices != Prices::default()),
    })
}

/// Returns the provider of a row with its key decrypted, or `None` if the row cannot be used: its problem is logged.
pub(super) fn provider(hub: &Hub, stored: &StoredProvider) -> Option<Provider> {
    let name = &stored.name;
    let problem = |error: String| tracing::error!(provider = name, error, "model provider: cannot be used");
    let base_url: Url = stored.base_url.parse().map_err(|error| problem(format!("{error}"))).ok()?;
    let api_key = match &stored.sealed_key {
        None => None,
        Some(sealed) => {
            let opened = hub.vault().open_sealed(&key_purpose(name, &base_url), sealed);
            let key = opened.map_err(|error| problem(format!("{error:#}"))).ok()?;
            Some(Secret::new(String::from_utf8(key).map_err(|error| problem(error.to_string())).ok()?))
        }
    };
    Some(Provider {
        base_url,
        api_key,
        models: stored.models.clone(),
        context_tokens: usize::try_from(stored.context_tokens).unwrap_or(usize::MAX),
        prices: Prices { sent: stored.sent_price, received: stored.received_price },
        source: ProviderSource::Administrator,
        own_keys: stored.own_keys,
    })
}

/// Returns the purpose that a key is encrypted for. It includes the origin, so that the key is never sent to another
/// server after a change of the address.
pub(super) fn key_purpose(name: &str, base_url: &Url) -> String {
    format!("model provider {name} at {}", base_url.origin().ascii_serialization())
}

/// Lists the providers: those of the configuration first, then those that administrators connected by name.
pub async fn list(hub: &Hub, by: Administrator<'_>) -> Result<Vec<ProviderRow>> {
    by.check()?;
    list_all(hub).await
}

pub(super) async fn list_all(hub: &Hub) -> Result<Vec<ProviderRow>> {
    let models = &hub.config().models;
    let mut rows: Vec<ProviderRow> =
        models.all().map(|(name, provider)| configured(name, provider)).collect();
    let stored = model_providers::list(&mut hub.store().read().await?).await?;
    rows.extend(stored.into_iter().filter_map(row));
    Ok(rows)
}

fn configured(name: Option<&str>, provider: &Provider) -> ProviderRow {
    ProviderRow {
        name: name.map(str::to_owned),
        base_url: provider.base_url.clone(),
        source: ProviderSource::Configuration,
        has_key: provider.api_key.is_some(),
        models: provider.models.clone(),
        context_tokens: provider.context_tokens,
        prices: provider.prices,
        is_paused: false,
        own_keys: provider.own_keys,
        created_at: None,
        last_test: None,
    }
}

fn row(stored: StoredProvider) -> Option<ProviderRow> {
    Some(ProviderRow {
        base_url: stored.base_url.parse().ok()?,
        source: ProviderSource::Administrator,
        has_key: stored.sealed_key.is_some(),
        models: stored.models,
        context_tokens: usize::try_from(stored.context_tokens).unwrap_or(usize::MAX),
        prices: Prices { sent: stored.sent_price, received: stored.received_price },
        is_paused: stored.is_paused,
        own_keys: stored.own_keys,
        created_at: Some(stored.created_at),
        last_test: stored.last_test.and_then(|test| serde_json::from_value(test).ok()),
        name: Some(stored.name),
    })
}

pub(super) async fn find(hub: &Hub, name: &str) -> Result<StoredProvider> {
    let found = model_providers::find(&mut hub.store().read().await?, name).await?;
    Ok(found.ok_or_else(|| not_found(name))?)
}

pub(super) fn not_found(name: &str) -> Refusal {
    Refusal::not_found(format!("No model provider called {name} is connected."))
}
