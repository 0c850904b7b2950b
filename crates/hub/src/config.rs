//! What an operator decides about a hub, checked.

use std::{collections::BTreeMap, iter, net::SocketAddr, path::PathBuf, ptr, time::Duration};

use ipnet::IpNet;
use plexus_domain::account::Registration;
pub use plexus_runtime::llm::Prices;
use url::{Host, Url};

pub use crate::limits::{Rates, Scale};
pub use crate::programs::{Listed, MayUse, Speaks};
pub use crate::quotas::Quotas;
pub use plexus_federation::{core::policy::Mode, net::Multiaddr};
pub use plexus_runtime::program::Total as ProgramTotal;
pub use plexus_runtime::sandbox::{Limits as ProgramLimits, Program, Sandbox};
pub use plexus_store::Durability;

/// Whether an address leads back to this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[derive(Clone, Debug)]
pub struct Config {
    pub hub_name: String,
    pub public_url: Url,
    /// The addresses that the hub is bound to.
    pub listen: Vec<SocketAddr>,
    /// Asked for names instead of the machine's own resolvers.
    pub dns_server: Option<SocketAddr>,
    /// Whom to tell about a weakness: a URI (RFC 9116).
    pub security_contact: Option<Url>,
    pub data_dir: PathBuf,
    /// None is SQLite in the data folder.
    pub database_url: Option<Secret>,
    pub database_pool: u32,
    /// What an acknowledged write survives on SQLite.
    pub durability: Durability,
    /// The files that agents and callers sent. All processes of a hub share it.
    pub blobs_dir: PathBuf,
    pub secret_key_file: PathBuf,
    pub registration: Registration,
    pub private_networks: PrivateNetworks,
    /// Whether only this machine reaches the hub: it listens on loopback, and its public URL is on loopback as well.
    pub on_loopback: bool,
    /// Whether the hub is one for test kits, see [`crate::conformance`]. No setting says so.
    pub conformance: bool,
    /// Reverse proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Other origins whose pages may call over MCP.
    pub mcp_origins: Vec<String>,
    /// Programs on this machine may launch teams without a token, while the hub listens on loopback.
    pub open_launch: bool,
    pub models: Option<Models>,
    /// None: this hub has nothing to do with others.
    pub federation: Option<Federation>,
    /// What agents may be made of, or may use.
    pub programs: Vec<Listed>,
    /// How many of them run at once.
    pub programs_at_once: usize,
    /// They may run as the hub's own user where nothing keeps them apart from it.
    pub unsafe_processes: bool,
    pub limits: RunLimits,
    pub quotas: Quotas,
    pub rates: Rates,
    pub scale: Scale,
}

impl Config {
    /// Settings that work and are likely a mistake, each with what to do.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let is_https = self.public_url.scheme() == "https";
        let listens_here = self.listen.iter().all(|address| address.ip().is_loopback());
        if !self.on_loopback && !is_https {
            warnings.push(
                "Passwords cross the network unprotected: the public URL is plain http. Put a proxy with https in front and set PLEXUS_PUBLIC_URL."
                    .to_owned(),
            );
        }
        if !self.on_loopback && self.private_networks == PrivateNetworks::Allowed {
            warnings.push(
                "Agents of every account may be at private addresses, so the hub can be made to call machines of your network. Set PLEXUS_ALLOW_PRIVATE_NETWORKS=auto unless you mean this."
                    .to_owned(),
            );
        }
        // The hub itself does not speak TLS, and what listens on loopback only is reached from elsewhere through a proxy.
        let is_proxied = !is_loopback(&self.public_url) && (is_https || listens_here);
        if is_proxied && self.trusted_proxies.is_empty() {
            warnings.push(format!(
                "The public URL {} needs a reverse proxy, and none is trusted: all clients count as one address and share its rate limits. Set PLEXUS_TRUSTED_PROXIES to the proxy's address.",
                self.public_url
            ));
        }
        warnings
    }
}

impl Config {
    /// The hub's name as an authorization server (RFC 8414 section 2).
    pub fn issuer(&self) -> String {
        self.public_url.as_str().trim_end_matches('/').to_owned()
    }
}

/// How the hub takes part in the network of hubs.
#[derive(Clone, Debug)]
pub struct Federation {
    /// None: this hub calls others, and is reached through them.
    pub listen: Vec<Multiaddr>,
    /// Ways into the network,
    pub bootstrap: Vec<Multiaddr>,
    /// and domains whose TXT records name more of them.
    pub domains: Vec<String>,
    /// Where others reach this hub, if that differs from where it listens.
    pub external: Vec<Multiaddr>,
    /// Look for hubs in the same local network, and be found there.
    pub mdns: bool,
    /// Lend itself to hubs that nobody can call.
    pub relay: bool,
    pub mode: Mode,
    /// Give this hub's rules about others to whoever asks, signed.
    pub share_rules: bool,
}

/// Whether agents may be at private addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateNetworks {
    /// An administrator's own, while the hub listens on loopback.
    Auto,
    Allowed,
    Refused,
}

/// The model servers that the operator named.
#[derive(Clone, Debug)]
pub struct Models {
    /// Its models go by the names that it gives them.
    pub first: Provider,
    /// More servers. A model of theirs goes by `PROVIDER/MODEL`.
    pub named: BTreeMap<String, Provider>,
    /// Asked last where others do not answer.
    pub fallback: Option<Provider>,
    /// The model that decides in teams; none leaves it to the rules.
    pub for_teams: Option<String>,
}

impl Models {
    /// Each server whose models agents may be made of, with the name that stands before them.
    pub fn all(&self) -> impl Iterator<Item = (Option<&str>, &Provider)> {
        let named = self.named.iter().map(|(name, provider)| (Some(name.as_str()), provider));
        iter::once((None, &self.first)).chain(named)
    }

    /// Whose model this is, and what its server calls it.
    pub fn find<'a>(&'a self, name: &'a str) -> (&'a Provider, &'a str) {
        let named = name
            .split_once('/')
            .and_then(|(provider, model)| self.named.get(provider).map(|provider| (provider, model)));
        named.unwrap_or((&self.first, name))
    }

    /// Who is asked, and for what, where a provider does not answer for its model: first those for which the operator
    /// names the same one.
    pub fn stand_ins<'a>(
        &'a self,
        own: &'a Provider,
        model: &'a str,
    ) -> impl Iterator<Item = (&'a Provider, &'a str)> {
        let others = self.all().map(|(_, other)| other).filter(move |other| !ptr::eq(*other, own));
        let same = others.filter(move |other| other.models.iter().any(|one| one == model));
        let last = self.fallback.iter();
        let last = last.map(move |other| (other, other.models.first().map_or(model, String::as_str)));
        same.map(move |other| (other, model)).chain(last)
    }
}

/// A server that speaks the OpenAI-compatible protocol.
#[derive(Clone, Debug)]
pub struct Provider {
    pub base_url: Url,
    pub api_key: Option<Secret>,
    /// Those of its models that the operator names, the usual one first.
    pub models: Vec<String>,
    /// How much its models take at once.
    pub context_tokens: usize,
    pub prices: Prices,
}

#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    pub max_message_bytes: usize,
    pub max_answer_bytes: usize,
    /// Of all files of one answer together.
    pub max_file_bytes: usize,
    pub runs_per_account: usize,
    /// At once, for all who are not signed in together.
    pub runs_of_strangers: usize,
    /// At once, of one agent.
    pub runs_per_agent: usize,
    /// That wait for their turn, of one account; and of all strangers together.
    pub waiting_per_account: usize,
    pub whole: Duration,
    pub idle: Duration,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            max_message_bytes: 1 << 20,
            max_answer_bytes: 4 << 20,
            max_file_bytes: 16 << 20,
            runs_per_account: 8,
            runs_of_strangers: 16,
            runs_per_agent: 64,
            waiting_per_account: 64,
            whole: Duration::from_secs(30 * 60),
            idle: Duration::from_secs(120),
        }
    }
}

/// A value that is never printed.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    pub const fn new(value: String) -> Self {
        Self(value)
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(secret)")
    }
}
