//! Selects the models that a run may use: the model of its agent, then its fallbacks.

use std::iter;

use plexus_domain::{Error as Refusal, Timestamp, number::grouped};
use plexus_runtime::llm::{KeyOwner, ModelEndpoint};
use plexus_store::{
    Conn, accounts,
    accounts::AccountState,
    agents::Agent,
    model_settings::{self, ModelAccess, ModelSettings},
    model_usage::{self, OWN_KEY_SUFFIX},
};

use super::{
    account_keys::key_of_requester,
    catalog::catalog,
    offered_models::{ModelUser, effective_prices, is_permitted},
};
use crate::{
    Hub, Result, agents,
    caller::Requester,
    config::{FIRST_PROVIDER, Models, OwnKeyPolicy, Prices, Provider, Secret},
    model_budget, runs,
};

/// Use of a model: its agent and requester, and what the model has to be able to do.
#[derive(Clone, Copy, Default)]
pub(crate) struct ModelCall<'a> {
    /// The agent that runs on the model; `None` for the work of the hub itself, which has no limits.
    pub agent: Option<&'a Agent>,
    pub requester: Option<&'a Requester>,
    pub needs_images: bool,
    pub needs_tools: bool,
}

/// A model that may be used now, with its server.
pub(crate) struct SelectedModel {
    pub provider: Provider,
    pub endpoint: ModelEndpoint,
}

/// Why a model cannot be used.
enum Obstacle {
    /// The agent's owner may not use it. Its fallbacks are not used either.
    NotPermitted(Refusal),
    /// It cannot be used now, or not for this message.
    Unsuitable(Refusal),
}

/// Returns the models that a run may use, in order of preference. Fails with the reason if there is none.
pub(crate) async fn select(hub: &Hub, name: &str, call: &ModelCall<'_>) -> Result<Vec<SelectedModel>> {
    let models = catalog(hub).await?;
    let (own, model) = models.find(name).ok_or_else(|| model_missing(&models, name))?;
    let mut conn = hub.store().read().await?;
    let is_over_budget = model_budget::stops_models(&mut conn, hub.env().now()).await?;
    let (mut selected, mut why) = (Vec::new(), None);
    for (provider, model) in iter::once((own, model)).chain(models.stand_ins(own, model)) {
        let stored_name = models.stored_name(provider);
        let settings = model_settings::find(&mut conn, stored_name, model).await?;
        let settings = settings.unwrap_or_else(|| ModelSettings::new(stored_name, model));
        let prices = effective_prices(&settings, provider.prices);
        let own_key = match call.agent {
            Some(_) => key_of_requester(hub, &mut conn, provider, stored_name, call.requester).await?,
            None => None,
        };
        let obstacle = match obstacle(&mut conn, &settings, call).await? {
            Some(found) => Some(found),
            // What an account pays for itself has no limits of the hub.
            None if own_key.is_some() || call.agent.is_none() => None,
            None if provider.own_keys == OwnKeyPolicy::Required => Some(key_missing(&settings, stored_name)),
            None => reached_limit(&mut conn, &settings, call.requester, hub.env().now()).await?,
        };
        let obstacle = match obstacle {
            None if own_key.is_none() && is_over_budget && prices != Prices::default() => {
                Some(Obstacle::Unsuitable(model_budget::used_up()))
            }
            found => found,
        };
        match obstacle {
            None => selected.push(selected_model(hub, provider, &settings, own_key)),
            Some(Obstacle::NotPermitted(refusal)) if why.is_none() && selected.is_empty() => {
                return Err(refusal.into());
            }
            Some(Obstacle::NotPermitted(refusal) | Obstacle::Unsuitable(refusal)) => {
                why.get_or_insert(refusal);
            }
        }
    }
    match why {
        Some(refusal) if selected.is_empty() => Err(refusal.into()),
        _ => Ok(selected),
    }
}

fn model_missing(models: &Models, name: &str) -> Refusal {
    let prefix = name.split_once('/').map(|(prefix, _)| prefix);
    match prefix.filter(|prefix| models.paused.contains(*prefix)) {
        Some(prefix) => Refusal::unavailable(format!(
            "The model provider {prefix} is paused. An administrator can resume it."
        )),
        None => Refusal::unavailable(format!(
            "The model {name} is not available on this hub any more. The agent's owner can choose another one."
        )),
    }
}

fn selected_model(
    hub: &Hub,
    provider: &Provider,
    settings: &ModelSettings,
    own_key: Option<Secret>,
) -> SelectedModel {
    let mut provider = provider.clone();
    let mut used_provider = settings.provider.clone();
    let key_owner = if own_key.is_some() { KeyOwner::Requester } else { KeyOwner::Hub };
    if own_key.is_some() {
        provider.api_key = own_key;
        used_provider += OWN_KEY_SUFFIX;
    }
    provider.prices = effective_prices(settings, provider.prices);
    let entered = settings.context_tokens.map(|tokens| usize::try_from(tokens).unwrap_or(usize::MAX));
    let listed = || hub.model_lists().find_window(&provider.base_url, &settings.model);
    let window = if provider.has_unknown_window() { entered.or_else(listed) } else { entered };
    if let Some(tokens) = window {
        provider.context_tokens = tokens;
    }
    let server_name = (settings.provider != FIRST_PROVIDER).then(|| settings.provider.clone());
    let endpoint = ModelEndpoint {
        provider: used_provider,
        server_name,
        key_owner,
        reads_images: settings.reads_images != Some(false),
        ..runs::model_endpoint(&provider, &settings.model)
    };
    let endpoint = match window {
        Some(_) => ModelEndpoint { is_window_unknown: false, ..endpoint },
        None => endpoint,
    };
    SelectedModel { provider, endpoint }
}

fn key_missing(settings: &ModelSettings, provider: &str) -> Obstacle {
    let title = settings.display_name.as_deref().unwrap_or(&settings.model);
    let words = format!(
        "The model {title} answers with an API key of your own. Add your key for {provider} under Settings, Model keys \
         (/settings/model-keys)."
    );
    Obstacle::Unsuitable(Refusal::forbidden(words))
}

/// Checks the access to a model, and what it has to be able to do.
async fn obstacle(
    conn: &mut Conn,
    settings: &ModelSettings,
    call: &ModelCall<'_>,
) -> Result<Option<Obstacle>> {
    let title = settings.display_name.as_deref().unwrap_or(&settings.model);
    if let Some(agent) = call.agent.filter(|_| settings.access != ModelAccess::Everyone) {
        let is_direct = agents::is_direct(agent);
        let user = match is_direct {
            true => call.requester.and_then(|requester| requester.person.as_ref()).map(ModelUser::from),
            false => owner(conn, agent).await?,
        };
        if !is_permitted(conn, settings, user).await? {
            return Ok(Some(not_permitted(title, is_direct)));
        }
    }
    if call.needs_images && settings.reads_images == Some(false) {
        let words = format!(
            "The model {title} does not read images. Send the message without the image, or choose an agent \
             whose model reads images."
        );
        return Ok(Some(Obstacle::Unsuitable(Refusal::invalid("images", words))));
    }
    if call.needs_tools && settings.calls_tools == Some(false) {
        let words = format!(
            "The model {title} does not call tools, which this agent needs. Its owner can choose another model."
        );
        return Ok(Some(Obstacle::Unsuitable(Refusal::invalid("tools", words))));
    }
    Ok(None)
}

fn not_permitted(title: &str, is_direct: bool) -> Obstacle {
    let words = match is_direct {
        true => format!("You may not use the model {title}. An administrator can permit it."),
        false => format!(
            "The owner of this agent may not use the model {title}. The owner can choose another model, or an \
             administrator can permit it."
        ),
    };
    Obstacle::NotPermitted(Refusal::forbidden(words))
}

/// Returns the owner of an agent, if it is an active account.
async fn owner(conn: &mut Conn, agent: &Agent) -> Result<Option<ModelUser>> {
    let Some(namespace) = agent.namespace else { return Ok(None) };
    let account = accounts::by_namespace(conn, namespace).await?;
    let account = account.filter(|account| account.state == AccountState::Active);
    Ok(account.map(|account| ModelUser { account: account.id, role: account.role }))
}

/// Checks the tokens of the day. Runs that have not ended yet do not count.
async fn reached_limit(
    conn: &mut Conn,
    settings: &ModelSettings,
    requester: Option<&Requester>,
    now: Timestamp,
) -> Result<Option<Obstacle>> {
    let (provider, model) = (settings.provider.as_str(), settings.model.as_str());
    let title = settings.display_name.as_deref().unwrap_or(model);
    if let Some(limit) = settings.account_tokens {
        let account = requester.and_then(Requester::account);
        let used = model_usage::tokens_of_account(conn, now.day(), provider, model, account).await?;
        if used >= limit {
            let whose = if account.is_some() { "You have" } else { "Callers without an account have" };
            let used = format!("{whose} used the {} tokens of today with the model {title}.", grouped(limit));
            return Ok(Some(Obstacle::Unsuitable(renewed_tomorrow(&used, now))));
        }
    }
    if let Some(limit) = settings.hub_tokens
        && model_usage::tokens_of_model(conn, now.day(), provider, model).await? >= limit
    {
        let used =
            format!("This hub has used its {} tokens of today with the model {title}.", grouped(limit));
        return Ok(Some(Obstacle::Unsuitable(renewed_tomorrow(&used, now))));
    }
    Ok(None)
}

fn renewed_tomorrow(used: &str, now: Timestamp) -> Refusal {
    let left = Timestamp::of_day(now.day() + 1).millis() - now.millis();
    let minutes = (left / 60_000).max(1);
    let time = match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    };
    let message = format!("{used} The limit is renewed at 00:00 UTC, in {time}.");
    Refusal::RateLimited { message, retry_after_ms: u64::try_from(left).unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reached_limit_names_the_time_of_renewal() {
        let day = Timestamp::of_day(20_000).millis();
        for (left, words) in [(5 * 3_600_000 + 720_000, "in 5 h 12 min."), (30_000, "in 1 min.")] {
            let refusal = renewed_tomorrow("Used.", Timestamp::from_millis(day - left));
            assert!(refusal.to_string().ends_with(words), "{refusal}");
        }
    }
}
