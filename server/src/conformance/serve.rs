//! Configuration of a hub for test kits. It ignores all settings, so no setting can put a regular hub into
//! this mode.

use std::{net::SocketAddr, path::Path};

use anyhow::{Context as _, bail};
use plexus_domain::account::Registration;
use plexus_hub::config::{
    HubConfig, Models, PrivateNetworks, Quotas, RateLimitScale, Rates, RunLimits, TEMPORARY_CHAT_TTL,
};

use crate::config::{ServeConfig, THIS_PROGRAM};

/// Concurrent runs: kits send many requests at once, all of them for one account.
const RUNS: usize = 256;
const SCALE: u32 = 100_000;

/// Returns the configuration of a hub on `listen`. Its data is in `folder`, which the caller removes
/// afterwards.
pub fn serve(listen: SocketAddr, folder: &Path) -> anyhow::Result<ServeConfig> {
    if !listen.ip().is_loopback() {
        bail!("a conformance hub has no sign-in, so it listens on loopback only, not on {listen}");
    }
    let limits = RunLimits {
        max_runs_per_account: RUNS,
        max_runs_anonymous: RUNS,
        max_runs_per_agent: RUNS,
        ..RunLimits::default()
    };
    let hub = HubConfig {
        backups: None,
        hub_name: "Plexus".to_owned(),
        hub_description: None,
        public_url: format!("http://{listen}").parse().context("the address of the hub")?,
        listen: vec![listen],
        machine_name: None,
        dns_server: None,
        security_contact: None,
        data_dir: folder.to_owned(),
        files_dir: folder.join("blobs"),
        database_url: None,
        database_pool_size: 1,
        durability: plexus_hub::config::Durability::Crash,
        secret_key_file: folder.join("secret.key"),
        registration: Registration::Closed,
        // Kits receive webhooks on loopback.
        private_networks: PrivateNetworks::Allowed,
        mcp_allowed_origins: Vec::new(),
        launch_goal_without_token: false,
        mail: None,
        on_loopback: true,
        conformance: true,
        trusted_proxies: Vec::new(),
        models: Models::default(),
        federation: None,
        programs: Vec::new(),
        max_programs: 0,
        allow_unsandboxed_programs: false,
        extractor_program: THIS_PROGRAM.into(),
        temporary_chat_ttl: TEMPORARY_CHAT_TTL,
        limits,
        // Kits and benchmarks send hundreds of thousands of messages from one account.
        quotas: Quotas {
            chats: 1_000_000_000,
            bytes: 1 << 40,
            bytes_anonymous: 1 << 40,
            ..Quotas::default()
        },
        rates: Rates::default(),
        scale: RateLimitScale(SCALE),
    };
    Ok(ServeConfig { listen, metrics_listen: None, drain_time: std::time::Duration::ZERO, hub })
}
