//! Connects, changes and removes model providers.

use plexus_domain::{Error as Refusal, Name, sanitized_text};
use plexus_store::{
    Tx, account_model_keys, model_providers, model_providers::StoredProvider, model_settings,
    model_settings::ModelSettings,
};
use serde_json::json;
use url::Url;

use super::{
    catalog::{find, key_purpose, not_found, provider},
    model_list::{ModelListError, is_name, request_list},
    test_provider::{ProviderTest, run_test},
};
use crate::{
    Hub, Result, agents,
    audit::Administrator,
    config::{self, DEFAULT_CONTEXT_TOKENS, OwnKeyPolicy, Prices},
};

/// Last part of the address of the form for a new provider, which a provider's own page would hide.
const NEW_PAGE: &str = "new";
const MAX_PROVIDERS: usize = 50;
const MAX_MODELS: usize = 200;
/// Longest API key of a provider or an account.
const MAX_KEY_BYTES: usize = 4 << 10;
/// Larger values would not be context windows, and would overflow byte counts.
pub(super) const MAX_CONTEXT_TOKENS: u64 = 100_000_000;

/// What an administrator enters about a provider.
#[derive(Clone, Debug)]
pub struct ProviderForm {
    pub base_url: String,
    /// Empty keeps the stored key, if the provider has one.
    pub api_key: String,
    /// Models that agents may use, each by its name on the server; empty for all that it lists.
    pub models: Vec<String>,
    pub context_tokens: u64,
    /// Prices of a million input and output tokens, such as `0.15/0.60`; empty for none.
    pub price: String,
    pub own_keys: OwnKeyPolicy,
}

/// Whether a new provider has to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionCheck {
    /// A server that does not answer, or refuses the key, is not connected.
    Required,
    /// It is connected in any case.
    Skipped,
}

/// Returns the target of the audit entries of a provider.
fn target(name: &str) -> String {
    format!("model_provider:{name}")
}

/// Connects a provider and tests it. `name` becomes the prefix of the names of its models.
pub async fn connect(
    hub: &Hub,
    by: Administrator<'_>,
    name: &str,
    form: &ProviderForm,
    check: ConnectionCheck,
) -> Result<ProviderTest> {
    by.check()?;
    let name = new_name(hub, name).await?;
    let mut stored = StoredProvider {
        name,
        base_url: String::new(),
        sealed_key: None,
        models: Vec::new(),
        context_tokens: DEFAULT_CONTEXT_TOKENS,
        sent_price: 0,
        received_price: 0,
        is_paused: false,
        created_at: hub.env().now(),
        last_test: None,
        own_keys: OwnKeyPolicy::Refused,
    };
    fill(hub, &mut stored, form)?;
    let test = test_before_saving(hub, &stored, check).await?;
    stored.last_test = Some(json!(test));
    let mut tx = hub.store().write().await?;
    if model_providers::find(&mut tx, &stored.name).await?.is_some() {
        return Err(name_taken(&stored.name).into());
    }
    save(hub, &mut tx, by, "model_provider.connect", &stored).await?;
    store_abilities(&mut tx, &stored.name, &test).await?;
    tx.commit().await?;
    Ok(test)
}

/// Changes a provider and tests it. The key is kept only while the origin of the address stays the same.
pub async fn update(
    hub: &Hub,
    by: Administrator<'_>,
    name: &str,
    form: &ProviderForm,
    check: ConnectionCheck,
) -> Result<ProviderTest> {
    by.check()?;
    let mut stored = find(hub, name).await?;
    fill(hub, &mut stored, form)?;
    let test = test_before_saving(hub, &stored, check).await?;
    stored.last_test = Some(json!(test));
    let mut tx = hub.store().write().await?;
    let current = model_providers::find(&mut tx, name).await?.ok_or_else(|| not_found(name))?;
    stored.is_paused = current.is_paused;
    save(hub, &mut tx, by, "model_provider.change", &stored).await?;
    store_abilities(&mut tx, &stored.name, &test).await?;
    tx.commit().await?;
    Ok(test)
}

/// Tests a connected provider with a model, or with the first that is meant for chats.
pub async fn test(hub: &Hub, by: Administrator<'_>, name: &str, model: Option<&str>) -> Result<ProviderTest> {
    by.check()?;
    let stored = find(hub, name).await?;
    let usable = provider(hub, &stored).ok_or_else(unreadable_key)?;
    let test = run_test(hub, &usable, model, request_list(hub, &usable).await).await;
    let mut tx = hub.store().write().await?;
    let mut stored = model_providers::find(&mut tx, name).await?.ok_or_else(|| not_found(name))?;
    stored.last_test = Some(json!(test));
    model_providers::put(&mut tx, &stored).await?;
    store_abilities(&mut tx, &stored.name, &test).await?;
    tx.commit().await?;
    Ok(test)
}

/// Stores the abilities that a model has shown in a test, where they are not known. A model that failed once may have
/// them as well, so a failed test refuses no agent with tools.
async fn store_abilities(tx: &mut Tx, provider: &str, test: &ProviderTest) -> Result<()> {
    let Some(model) = &test.model else { return Ok(()) };
    let shown = |ability: Option<bool>| ability.filter(|has| *has);
    let found = model_settings::find(tx, provider, model).await?;
    let stored = found.unwrap_or_else(|| ModelSettings::new(provider, model));
    let mut settings = stored.clone();
    settings.calls_tools = settings.calls_tools.or(shown(test.calls_tools));
    settings.reads_images = settings.reads_images.or(shown(test.reads_images));
    if settings != stored {
        model_settings::put(tx, &settings).await?;
    }
    Ok(())
}

/// Pauses a provider, or resumes it. Agents that use its models do not answer while it is paused.
pub async fn set_paused(hub: &Hub, by: Administrator<'_>, name: &str, is_paused: bool) -> Result<()> {
    by.check()?;
    let mut tx = hub.store().write().await?;
    let mut stored = model_providers::find(&mut tx, name).await?.ok_or_else(|| not_found(name))?;
    stored.is_paused = is_paused;
    model_providers::put(&mut tx, &stored).await?;
    let action = if is_paused { "model_provider.pause" } else { "model_provider.resume" };
    by.write_audit(hub, &mut tx, action, target(name), json!({})).await?;
    Ok(tx.commit().await?)
}

pub async fn remove(hub: &Hub, by: Administrator<'_>, name: &str) -> Result<()> {
    by.check()?;
    let mut tx = hub.store().write().await?;
    account_model_keys::delete_by_provider(&mut tx, name).await?;
    if !model_providers::delete(&mut tx, name).await? {
        return Err(not_found(name).into());
    }
    for settings in model_settings::list_by_provider(&mut tx, name).await? {
        if let Some(agent) = &settings.agent_name {
            agents::pause_direct_agent(hub, &mut tx, agent).await?;
        }
    }
    model_settings::delete_by_provider(&mut tx, name).await?;
    by.write_audit(hub, &mut tx, "model_provider.remove", target(name), json!({})).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    Ok(())
}

async fn save(
    hub: &Hub,
    tx: &mut Tx,
    by: Administrator<'_>,
    action: &str,
    stored: &StoredProvider,
) -> Result<()> {
    model_providers::put(tx, stored).await?;
    let change = json!({ "base_url": stored.base_url, "models": stored.models });
    by.write_audit(hub, tx, action, target(&stored.name), change).await
}

async fn new_name(hub: &Hub, name: &str) -> Result<String> {
    let parsed: Name = name.trim().parse()?;
    let name = parsed.canonical();
    if name == NEW_PAGE {
        return Err(Refusal::invalid("name", "This name is reserved. Choose another name.").into());
    }
    let stored = model_providers::list(&mut hub.store().read().await?).await?;
    if hub.config().models.named.contains_key(&name) || stored.iter().any(|other| other.name == name) {
        return Err(name_taken(&name).into());
    }
    if stored.len() >= MAX_PROVIDERS {
        let words = format!("A hub can have up to {MAX_PROVIDERS} connected model providers.");
        return Err(Refusal::conflict(words).into());
    }
    Ok(name)
}

fn name_taken(name: &str) -> Refusal {
    Refusal::invalid("name", format!("A model provider called {name} exists already. Choose another name."))
}

fn unreadable_key() -> Refusal {
    Refusal::conflict(
        "The stored API key cannot be decrypted with this hub's key file. Enter the key again on the provider's page.",
    )
}

/// Sets the values of a form. Fails with the field of the first invalid one.
fn fill(hub: &Hub, stored: &mut StoredProvider, form: &ProviderForm) -> Result<()> {
    let base_url = config::parse_base_url(form.base_url.trim()).ok_or_else(|| {
        Refusal::invalid("base_url", "Enter a URL such as http://127.0.0.1:11434/v1, without a user name.")
    })?;
    let has_moved = stored.base_url.parse::<Url>().is_ok_and(|old| old.origin() != base_url.origin());
    let key = checked_key(&form.api_key)?;
    if !key.is_empty() {
        stored.sealed_key = Some(hub.vault().seal(&key_purpose(&stored.name, &base_url), key.as_bytes())?);
    } else if has_moved && stored.sealed_key.is_some() {
        let words = "The address names another server. Enter the API key for it.";
        return Err(Refusal::invalid("api_key", words).into());
    }
    if !(512..=MAX_CONTEXT_TOKENS).contains(&form.context_tokens) {
        let words = "Enter a number of tokens from 512 to 100,000,000.";
        return Err(Refusal::invalid("context_tokens", words).into());
    }
    let prices: Prices =
        form.price.parse().map_err(|_| Refusal::invalid("price", "Enter two numbers, as in 0.15/0.60."))?;
    stored.base_url = base_url.into();
    stored.models = model_names(&form.models)?;
    stored.context_tokens = form.context_tokens;
    (stored.sent_price, stored.received_price) = (prices.sent, prices.received);
    stored.own_keys = form.own_keys;
    Ok(())
}

/// Returns the trimmed text of an API key, which may be empty.
pub(super) fn checked_key(text: &str) -> Result<&str, Refusal> {
    let key = text.trim();
    if key.len() > MAX_KEY_BYTES || key.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(Refusal::invalid("api_key", "An API key has no spaces and at most 4,096 bytes."));
    }
    if key.starts_with("${") && key.ends_with('}') {
        let words = format!(
            "{} is a variable, not its value. Enter the key itself.",
            sanitized_text::ellipsize(key, 60)
        );
        return Err(Refusal::invalid("api_key", words));
    }
    Ok(key)
}

fn model_names(given: &[String]) -> Result<Vec<String>, Refusal> {
    let mut names: Vec<String> = Vec::new();
    for name in given.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        if !is_name(name) {
            let words = format!("{} cannot be the name of a model.", sanitized_text::ellipsize(name, 60));
            return Err(Refusal::invalid("models", words));
        }
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    if names.len() > MAX_MODELS {
        return Err(Refusal::invalid("models", format!("Enter up to {MAX_MODELS} models.")));
    }
    Ok(names)
}

/// Tests a provider that is not stored yet. Fails if the check is required and the server neither lists its models nor
/// answers.
async fn test_before_saving(
    hub: &Hub,
    stored: &StoredProvider,
    check: ConnectionCheck,
) -> Result<ProviderTest> {
    let usable = provider(hub, stored).ok_or_else(unreadable_key)?;
    let listed = request_list(hub, &usable).await;
    let field = if matches!(listed, Err(ModelListError::KeyRefused(_))) { "api_key" } else { "base_url" };
    let test = run_test(hub, &usable, None, listed).await;
    match &test.problem {
        Some(problem) if check == ConnectionCheck::Required && test.listed.is_none() => {
            Err(Refusal::invalid(field, problem.clone()).into())
        }
        _ => Ok(test),
    }
}
