//! API keys of accounts for model providers, where the administrator permits them.

use plexus_domain::{AccountId, Error as Refusal, Timestamp};
use plexus_store::{
    Conn, account_model_keys,
    account_model_keys::AccountModelKey,
    model_providers::{self, OwnKeyPolicy, StoredProvider},
};
use url::Url;

use super::{
    catalog::{not_found, provider},
    connect::checked_key,
    model_list::{ModelListError, request_list},
};
use crate::{
    Caller, Hub, Result,
    caller::{Requester, Scope},
    config::{Provider, Secret},
    limits::Rate,
};

/// A provider for which an account may store a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountKeyRow {
    pub provider: String,
    /// Server that gets the key.
    pub host: String,
    pub policy: OwnKeyPolicy,
    /// When the account stored its key; none without a key.
    pub added_at: Option<Timestamp>,
}

/// Lists the providers that permit keys of accounts, by name.
pub async fn account_keys(hub: &Hub, caller: &Caller) -> Result<Vec<AccountKeyRow>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    let keys = account_model_keys::list_by_account(&mut conn, person.account).await?;
    let providers = model_providers::list(&mut conn).await?;
    let configured = &hub.config().models.named;
    let rows = providers.into_iter().filter_map(|stored| {
        let key = keys.iter().find(|key| key.provider == stored.name);
        // A key that the policy does not permit any more can still be removed.
        let is_listed = stored.own_keys != OwnKeyPolicy::Refused || key.is_some();
        (is_listed && !configured.contains_key(&stored.name)).then(|| AccountKeyRow {
            host: host(&stored),
            policy: stored.own_keys,
            added_at: key.map(|key| key.created_at),
            provider: stored.name,
        })
    });
    Ok(rows.collect())
}

fn host(stored: &StoredProvider) -> String {
    let url = stored.base_url.parse::<Url>().ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

/// Stores the caller's key for a provider, after the provider accepted it.
pub async fn set_account_key(hub: &Hub, caller: &Caller, name: &str, key: &str) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let key = checked_key(key)?;
    if key.is_empty() {
        return Err(Refusal::invalid("api_key", "Enter the API key.").into());
    }
    hub.limits().take(Rate::Fetches, &caller.key())?;
    let stored = model_providers::find(&mut hub.store().read().await?, name).await?;
    let stored = stored.filter(|stored| stored.own_keys != OwnKeyPolicy::Refused);
    let stored = stored.ok_or_else(|| not_found(name))?;
    let unreadable = || Refusal::unavailable(format!("The model provider {name} cannot be used now."));
    let mut usable = provider(hub, &stored).ok_or_else(unreadable)?;
    usable.api_key = Some(Secret::new(key.to_owned()));
    match request_list(hub, &usable).await {
        Ok(_) | Err(ModelListError::NotOffered(_) | ModelListError::Unreadable) => {}
        Err(error) => return Err(Refusal::invalid("api_key", error.to_string()).into()),
    }
    let sealed_key = hub.vault().seal(&key_purpose(person.account, &usable.base_url), key.as_bytes())?;
    let new = AccountModelKey {
        account: person.account,
        provider: stored.name,
        sealed_key,
        created_at: hub.env().now(),
    };
    let mut tx = hub.store().write().await?;
    account_model_keys::put(&mut tx, &new).await?;
    Ok(tx.commit().await?)
}

/// Deletes the caller's key for a provider. Runs that have begun go on to use it.
pub async fn remove_account_key(hub: &Hub, caller: &Caller, name: &str) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let mut tx = hub.store().write().await?;
    if !account_model_keys::delete(&mut tx, person.account, name).await? {
        return Err(Refusal::not_found(format!("You have no key for the model provider {name}.")).into());
    }
    Ok(tx.commit().await?)
}

/// Returns the key that a run of the requester uses with a provider, if the provider permits it. A key that was stored
/// for another address of the provider is not used, which is logged.
pub(super) async fn key_of_requester(
    hub: &Hub,
    conn: &mut Conn,
    provider: &Provider,
    name: &str,
    requester: Option<&Requester>,
) -> Result<Option<Secret>> {
    if provider.own_keys == OwnKeyPolicy::Refused {
        return Ok(None);
    }
    let Some(account) = requester.and_then(Requester::account) else { return Ok(None) };
    let Some(stored) = account_model_keys::find(conn, account, name).await? else { return Ok(None) };
    let opened = hub.vault().open_sealed(&key_purpose(account, &provider.base_url), &stored.sealed_key);
    let key = opened.and_then(|key| Ok(String::from_utf8(key)?));
    match key {
        Ok(key) => Ok(Some(Secret::new(key))),
        Err(error) => {
            let error = format!("{error:#}");
            tracing::warn!(%account, provider = name, error, "model key of an account: not used");
            Ok(None)
        }
    }
}

/// Returns the purpose that a key is encrypted for. It includes the origin, so that the key is never sent to another
/// server after a change of the address.
fn key_purpose(account: AccountId, base_url: &Url) -> String {
    format!("model key of account {account} at {}", base_url.origin().ascii_serialization())
}
