//! Discovery of model servers on this machine.

use std::time::Duration;

use futures::future::join_all;
use plexus_domain::account::Role;
use tokio::time;
use url::Url;

use super::{
    catalog::list_all,
    model_list::served,
    presets::{PRESETS, ProviderPreset},
};
use crate::{
    Caller, Hub, Result,
    config::{OwnKeyPolicy, Prices, Provider, ProviderSource},
};

/// How long a port has to answer. A model server lists its models without loading one.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Model server that answers on a loopback port and is not connected.
#[derive(Clone, Debug)]
pub struct LocalServer {
    /// The usual server on this port; another one may listen there.
    pub preset: &'static ProviderPreset,
    pub models: Vec<String>,
}

/// Looks for model servers on the usual ports of loopback, while only this machine can reach the hub.
pub async fn discover(hub: &Hub, caller: &Caller) -> Result<Vec<LocalServer>> {
    caller.require(Role::Admin)?;
    if !hub.config().on_loopback {
        return Ok(Vec::new());
    }
    let connected: Vec<Url> = list_all(hub).await?.into_iter().map(|row| row.base_url).collect();
    let own_ports: Vec<u16> = hub.config().listen.iter().map(|address| address.port()).collect();
    let candidates = PRESETS.iter().filter(|preset| {
        let Some(port) = preset.local_port else { return false };
        let is_connected = connected
            .iter()
            .any(|url| crate::config::is_loopback(url) && url.port_or_known_default() == Some(port));
        !is_connected && !own_ports.contains(&port)
    });
    let servers = join_all(candidates.map(|preset| look_at(hub, preset))).await;
    Ok(servers.into_iter().flatten().collect())
}

async fn look_at(hub: &Hub, preset: &'static ProviderPreset) -> Option<LocalServer> {
    let provider = Provider {
        base_url: preset.base_url.parse().ok()?,
        api_key: None,
        models: Vec::new(),
        context_tokens: 1,
        prices: Prices::default(),
        source: ProviderSource::Administrator,
        own_keys: OwnKeyPolicy::Refused,
    };
    let models = time::timeout(TIMEOUT, served(hub, &provider)).await.ok()?;
    (!models.is_empty()).then_some(LocalServer { preset, models })
}
