//! Settings of single models, which administrators change.

use plexus_domain::{AccountId, Address, Error as Refusal, Name, sanitized_text};
use plexus_store::{
    Conn, Tx, accounts,
    accounts::AccountState,
    model_settings::{self, ModelAccess, ModelSettings},
};
use serde_json::json;

use super::{
    catalog::{list_all, not_found},
    connect::MAX_CONTEXT_TOKENS,
    model_list::{is_name, served},
    offered_models::{ModelAbilities, effective_prices},
};
use crate::{
    Hub, Result,
    account_names::find_account_name,
    agents,
    audit::Administrator,
    config::{FIRST_PROVIDER, Prices},
    model_providers::catalog::{ProviderRow, catalog},
};

const MAX_DISPLAY_NAME: usize = 60;
/// Maximum number of accounts that a model names.
const MAX_USERS: usize = 500;
/// Maximum number of models of one provider with settings.
const MAX_MODELS: usize = 500;
/// Larger limits would overflow sums in the database.
const MAX_DAILY_TOKENS: u64 = 1_000_000_000_000;

/// What an administrator enters about a model.
#[derive(Clone, Debug)]
pub struct ModelForm {
    pub display_name: String,
    /// None for that of the provider.
    pub context_tokens: Option<u64>,
    /// Prices of a million input and output tokens, such as `0.15/0.60`; empty for those of the provider.
    pub price: String,
    pub abilities: ModelAbilities,
    pub is_hidden: bool,
    pub access: ModelAccess,
    /// Names of the accounts that may use the model, if the access is [`ModelAccess::Named`].
    pub users: Vec<String>,
    /// Tokens a day of one account; none for no limit.
    pub account_tokens: Option<u64>,
    /// Tokens a day of all accounts together; none for no limit.
    pub hub_tokens: Option<u64>,
    /// Whether people can talk to the model itself, as agent `@models/NAME`.
    pub is_direct: bool,
}

/// A model of a provider with its settings.
#[derive(Clone, Debug)]
pub struct ModelDetails {
    /// Whether the provider offers it, as far as that is known without asking its server.
    pub is_offered: bool,
    pub settings: ModelSettings,
    /// Names of the accounts that may use it.
    pub users: Vec<Name>,
    /// Its own context window, else that of the provider.
    pub context_tokens: u64,
    /// Its own prices, else those of the provider.
    pub prices: Prices,
}

impl ModelDetails {
    /// Returns the form with the stored settings.
    pub fn form(&self) -> ModelForm {
        let settings = &self.settings;
        let is_priced = settings.sent_price.is_some() || settings.received_price.is_some();
        ModelForm {
            display_name: settings.display_name.clone().unwrap_or_default(),
            context_tokens: settings.context_tokens,
            price: if is_priced { price_text(self.prices) } else { String::new() },
            abilities: ModelAbilities::from(settings),
            is_hidden: settings.is_hidden,
            access: settings.access,
            users: self.users.iter().map(ToString::to_string).collect(),
            account_tokens: settings.account_tokens,
            hub_tokens: settings.hub_tokens,
            is_direct: settings.agent_name.is_some(),
        }
    }

    /// Returns the address of the agent through which people talk to the model itself.
    pub fn direct_address(&self) -> Option<Address> {
        self.settings.agent_name.as_ref().map(agents::direct_address)
    }
}

/// Formats prices as they are entered. Prices of zero are not empty, because empty means those of the provider.
fn price_text(prices: Prices) -> String {
    if prices == Prices::default() { "0/0".to_owned() } else { prices.to_string() }
}

/// A provider with its models.
#[derive(Clone, Debug)]
pub struct ProviderModels {
    pub provider: ProviderRow,
    /// Names that its server lists now, without the prefix of the provider.
    pub served: Vec<String>,
    pub models: Vec<ModelDetails>,
}

/// Returns the audit target of a model.
fn target(provider: &str, model: &str) -> String {
    format!("model:{provider}/{}", sanitized_text::ellipsize(model, 80))
}

/// Returns a provider by its stored name, with its models. Asks its server for its models.
pub async fn provider_models(hub: &Hub, by: Administrator<'_>, provider: &str) -> Result<ProviderModels> {
    by.check()?;
    let row = find_provider(hub, provider).await?;
    let models = catalog(hub).await?;
    let usable = models.all().find(|(name, _)| name.unwrap_or(FIRST_PROVIDER) == provider);
    let served = match (usable, row.is_paused) {
        (Some((_, usable)), false) => served(hub, usable).await,
        _ => Vec::new(),
    };
    // The first server of the configuration offers more than the configured models.
    let mut offered = row.models.clone();
    if offered.is_empty() || row.name.is_none() {
        offered.extend(served.iter().filter(|name| !row.models.contains(*name)).cloned());
    }
    let mut conn = hub.store().read().await?;
    let stored = model_settings::list_by_provider(&mut conn, provider).await?;
    let mut names = offered.clone();
    names.extend(stored.iter().map(|one| one.model.clone()).filter(|name| !offered.contains(name)));
    let mut models = Vec::with_capacity(names.len());
    for name in names {
        let settings = stored.iter().find(|one| one.model == name).cloned();
        let settings = settings.unwrap_or_else(|| ModelSettings::new(provider, &name));
        models.push(details(&mut conn, &row, settings, offered.contains(&name)).await?);
    }
    Ok(ProviderModels { provider: row, served, models })
}

/// Returns one model of a provider with its settings, also one that its server does not list.
pub async fn model_details(
    hub: &Hub,
    by: Administrator<'_>,
    provider: &str,
    model: &str,
) -> Result<ModelDetails> {
    by.check()?;
    let row = find_provider(hub, provider).await?;
    let mut conn = hub.store().read().await?;
    let settings = model_settings::find(&mut conn, provider, model).await?;
    let settings = settings.unwrap_or_else(|| ModelSettings::new(provider, model));
    let is_offered = row.models.iter().any(|known| known == model);
    details(&mut conn, &row, settings, is_offered).await
}

async fn details(
    conn: &mut Conn,
    row: &ProviderRow,
    settings: ModelSettings,
    is_offered: bool,
) -> Result<ModelDetails> {
    let mut users = Vec::new();
    if settings.access == ModelAccess::Named {
        for account in model_settings::list_users(conn, &settings.provider, &settings.model).await? {
            users.extend(find_account_name(conn, account).await?);
        }
        users.sort_by_key(Name::canonical);
    }
    Ok(ModelDetails {
        is_offered,
        users,
        context_tokens: settings.context_tokens.unwrap_or(row.context_tokens as u64),
        prices: effective_prices(&settings, row.prices),
        settings,
    })
}

async fn find_provider(hub: &Hub, provider: &str) -> Result<ProviderRow> {
    let rows = list_all(hub).await?.into_iter();
    let mut found = rows.filter(|row| row.name.as_deref().unwrap_or(FIRST_PROVIDER) == provider);
    Ok(found.next().ok_or_else(|| not_found(provider))?)
}

/// Stores the settings of a model. The model does not have to be offered now, so that a server that is off can be
/// prepared.
pub async fn set_model(
    hub: &Hub,
    by: Administrator<'_>,
    provider: &str,
    model: &str,
    form: &ModelForm,
) -> Result<()> {
    by.check()?;
    find_provider(hub, provider).await?;
    if !is_name(model) {
        return Err(Refusal::invalid("model", "This cannot be the name of a model.").into());
    }
    let mut settings = checked(provider, model, form)?;
    let mut tx = hub.store().write().await?;
    let before = model_settings::find(&mut tx, provider, model).await?.and_then(|stored| stored.agent_name);
    if form.is_direct {
        settings.agent_name = match &before {
            Some(name) => Some(name.clone()),
            None => Some(agents::free_name(&mut tx, &settings).await?),
        };
    }
    let users = match form.access {
        ModelAccess::Named => find_users(&mut tx, &form.users).await?,
        _ => Vec::new(),
    };
    check_count(&mut tx, provider, model).await?;
    model_settings::put(&mut tx, &settings).await?;
    model_settings::set_users(&mut tx, provider, model, &users).await?;
    agents::update_direct_agent(hub, &mut tx, before.as_ref(), &settings).await?;
    let change = json!({
        "access": settings.access.as_str(), "users": users.len(), "hidden": settings.is_hidden,
        "account_tokens": settings.account_tokens, "hub_tokens": settings.hub_tokens,
        "agent": settings.agent_name,
    });
    by.write_audit(hub, &mut tx, "model.change", target(provider, model), change).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    Ok(())
}

/// Makes a model an agent of its own, and returns its address. Its other settings stay.
pub async fn offer_in_chats(
    hub: &Hub,
    by: Administrator<'_>,
    provider: &str,
    model: &str,
) -> Result<Address> {
    let form = model_details(hub, by, provider, model).await?.form();
    set_model(hub, by, provider, model, &ModelForm { is_direct: true, ..form }).await?;
    let address = model_details(hub, by, provider, model).await?.direct_address();
    Ok(address
        .ok_or_else(|| Refusal::conflict("The settings of this model were changed meanwhile. Try again."))?)
}

/// Deletes the settings of a model, so that it has those of its provider.
pub async fn reset_model(hub: &Hub, by: Administrator<'_>, provider: &str, model: &str) -> Result<()> {
    by.check()?;
    let mut tx = hub.store().write().await?;
    let before = model_settings::find(&mut tx, provider, model).await?;
    if let Some(name) = before.and_then(|stored| stored.agent_name) {
        agents::pause_direct_agent(hub, &mut tx, &name).await?;
    }
    model_settings::delete(&mut tx, provider, model).await?;
    by.write_audit(hub, &mut tx, "model.reset", target(provider, model), json!({})).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    Ok(())
}

async fn check_count(tx: &mut Tx, provider: &str, model: &str) -> Result<()> {
    let known = model_settings::list_by_provider(tx, provider).await?;
    if known.len() >= MAX_MODELS && !known.iter().any(|one| one.model == model) {
        let words = format!("A provider can have settings for up to {MAX_MODELS} models. Reset one first.");
        return Err(Refusal::conflict(words).into());
    }
    Ok(())
}

fn checked(provider: &str, model: &str, form: &ModelForm) -> Result<ModelSettings, Refusal> {
    let display_name = sanitized_text::one_line(&form.display_name).trim().to_owned();
    if display_name.chars().count() > MAX_DISPLAY_NAME {
        let words = format!("Enter up to {MAX_DISPLAY_NAME} characters.");
        return Err(Refusal::invalid("display_name", words));
    }
    if form.context_tokens.is_some_and(|tokens| !(512..=MAX_CONTEXT_TOKENS).contains(&tokens)) {
        let words = "Enter a number of tokens from 512 to 100,000,000.";
        return Err(Refusal::invalid("context_tokens", words));
    }
    for (field, limit) in [("account_tokens", form.account_tokens), ("hub_tokens", form.hub_tokens)] {
        if limit.is_some_and(|limit| !(1..=MAX_DAILY_TOKENS).contains(&limit)) {
            return Err(Refusal::invalid(field, "Enter a number of tokens from 1 to 1,000,000,000,000."));
        }
    }
    let wrong = |_| Refusal::invalid("price", "Enter two numbers, as in 0.15/0.60.");
    let prices: Prices = form.price.parse().map_err(wrong)?;
    let is_priced = !form.price.trim().is_empty();
    let ModelAbilities { calls_tools, reads_images, can_reason, writes_json } = form.abilities;
    Ok(ModelSettings {
        display_name: (!display_name.is_empty()).then_some(display_name),
        context_tokens: form.context_tokens,
        sent_price: is_priced.then_some(prices.sent),
        received_price: is_priced.then_some(prices.received),
        calls_tools,
        reads_images,
        can_reason,
        writes_json,
        is_hidden: form.is_hidden,
        access: form.access,
        account_tokens: form.account_tokens,
        hub_tokens: form.hub_tokens,
        ..ModelSettings::new(provider, model)
    })
}

/// Finds the accounts by their names, with or without `@`.
async fn find_users(conn: &mut Conn, names: &[String]) -> Result<Vec<AccountId>> {
    let names = names.iter().map(|name| name.trim().trim_start_matches('@'));
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Err(Refusal::invalid("users", "Enter the names of the users who may use it.").into());
    }
    if names.len() > MAX_USERS {
        return Err(Refusal::invalid("users", format!("Enter up to {MAX_USERS} users.")).into());
    }
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let missing = || {
            let name = sanitized_text::ellipsize(name, 80);
            Refusal::invalid("users", format!("User {name} not found on this hub. Check the name."))
        };
        let parsed: Name = name.parse().map_err(|_| missing())?;
        let account = accounts::by_name(conn, &parsed).await?.ok_or_else(missing)?;
        if account.state == AccountState::Deleted {
            return Err(missing().into());
        }
        found.push(account.id);
    }
    Ok(found)
}
