//! The validated configuration of a hub.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    ptr,
    time::Duration,
};

use ipnet::IpNet;
use plexus_domain::account::Registration;
pub use plexus_runtime::{
    Secret,
    llm::{InvalidPrices, Prices},
};
use url::{Host, Url};

pub use crate::backups::{ArchiveFolder, BackupRetention, BackupSchedule};
pub use crate::limits::{RateLimitScale, Rates};
pub use crate::mail::MailServer;
pub use crate::operator_programs::{ProgramAccess, ProgramConfig, ProgramProtocol};
pub use crate::quotas::Quotas;
pub use plexus_federation::{engine::policy::AdmissionMode, net::Multiaddr};
pub use plexus_runtime::child_process::Total as ProgramTotal;
pub use plexus_runtime::sandbox::{Limits as ProgramLimits, Sandbox, SandboxedCommand};
pub use plexus_store::{Durability, model_providers::OwnKeyPolicy};

/// Returns whether the host of `url` is a loopback address or `localhost`.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.to_canonical().is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Returns the URL without the dot that ends a fully qualified host name.
fn without_trailing_dot(url: &Url) -> Url {
    let mut url = url.clone();
    if let Some(Host::Domain(name)) = url.host().map(|host| host.to_owned())
        && let Some(plain) = name.strip_suffix('.')
    {
        // `set_host` cannot fail for a name that was parsed before.
        let _ = url.set_host(Some(plain));
    }
    url
}

/// The configuration of a hub.
#[derive(Clone, Debug)]
pub struct HubConfig {
    pub hub_name: String,
    /// What this hub is good for, in one sentence of its operator.
    pub hub_description: Option<String>,
    pub public_url: Url,
    /// The addresses that the hub is bound to.
    pub listen: Vec<SocketAddr>,
    /// Host name of the machine or container, in lower case.
    pub machine_name: Option<String>,
    /// DNS server for name lookups of agents; none uses the resolvers of the operating system.
    pub dns_server: Option<SocketAddr>,
    /// Contact URI for reports of vulnerabilities (RFC 9116).
    pub security_contact: Option<Url>,
    pub data_dir: PathBuf,
    /// None is SQLite in the data folder.
    pub database_url: Option<Secret>,
    pub database_pool_size: u32,
    /// Which failures an acknowledged write survives on SQLite.
    pub durability: Durability,
    /// Folder of the files that agents and callers sent. All instances of a hub share it.
    pub files_dir: PathBuf,
    pub secret_key_file: PathBuf,
    /// None: backups are made only on request.
    pub backups: Option<BackupSchedule>,
    pub registration: Registration,
    pub private_networks: PrivateNetworks,
    /// Whether only this machine can reach the hub: it listens on loopback, and its public URL is on loopback
    /// as well.
    pub on_loopback: bool,
    /// Whether this hub serves conformance tests, see [`crate::conformance`]. No setting enables this.
    pub conformance: bool,
    /// Reverse proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Additional web origins whose pages may call the MCP endpoint.
    pub mcp_allowed_origins: Vec<String>,
    /// Lets programs on this machine launch teams without a token, while the hub listens on loopback.
    pub launch_goal_without_token: bool,
    /// Model providers. Administrators can connect more, see [`crate::model_providers`].
    pub models: Models,
    /// None: this hub sends no e-mail.
    pub mail: Option<MailServer>,
    /// None: this hub does not join the federation.
    pub federation: Option<Federation>,
    /// Programs that agents can be made of, or whose tools models can call.
    pub programs: Vec<ProgramConfig>,
    /// Maximum number of concurrent program processes, counted for agents and for tool servers separately.
    pub max_programs: usize,
    /// Allows programs to run without a sandbox, as the hub's user, on a machine that supports none.
    pub allow_unsandboxed_programs: bool,
    /// The `plexus` program, which the hub runs to extract the text of PDF files.
    pub extractor_program: PathBuf,
    /// How long after its latest message a temporary chat is deleted.
    pub temporary_chat_ttl: Duration,
    pub limits: RunLimits,
    pub quotas: Quotas,
    pub rates: Rates,
    pub scale: RateLimitScale,
}

impl HubConfig {
    /// Returns warnings about settings that are valid but probably a mistake, each with advice.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let is_https = self.public_url.scheme() == "https";
        let listens_here = self.listen.iter().all(|address| address.ip().is_loopback());
        if !self.on_loopback && !is_https {
            warnings.push(
                "Passwords are sent unencrypted: the public URL is plain http. Add an https proxy and set \
                 PLEXUS_PUBLIC_URL."
                    .to_owned(),
            );
        }
        if !self.on_loopback && self.private_networks == PrivateNetworks::Allowed {
            warnings.push(
                "Agents of all accounts may use private addresses, so users can make the hub call machines \
                 in your network. Set PLEXUS_ALLOW_PRIVATE_NETWORKS=auto unless you intend this."
                    .to_owned(),
            );
        }
        // The hub does not terminate TLS, and a loopback listener is reachable from other machines only by a
        // proxy.
        let is_proxied = !is_loopback(&self.public_url) && (is_https || listens_here);
        if is_proxied && self.trusted_proxies.is_empty() {
            warnings.push(format!(
                "The public URL {} needs a reverse proxy, but no proxy is trusted: all clients count as one \
                 address and share its rate limits. Set PLEXUS_TRUSTED_PROXIES to the proxy's address.",
                self.public_url
            ));
        }
        if let Some(schedule) = &self.backups
            && schedule.folder.0.starts_with(&self.data_dir)
        {
            warnings.push(
                "Scheduled backups are written into the data folder, so one failure of its disk takes both. Set \
                 PLEXUS_BACKUP_DIR to a folder on another disk."
                    .to_owned(),
            );
        }
        warnings
    }
}

impl HubConfig {
    /// Returns the issuer identifier of the hub's authorization server (RFC 8414 section 2).
    pub fn issuer(&self) -> String {
        self.public_url.as_str().trim_end_matches('/').to_owned()
    }

    /// Returns whether the origin of `url` is one that this configuration implies: the public one; another loopback
    /// name with the same port if that is on loopback; with plain HTTP the address on which the hub listens and the
    /// name of its machine. Case, a default port and a trailing dot make no difference.
    pub fn is_own_origin(&self, url: &Url) -> bool {
        let public = &self.public_url;
        let is_same_place = url.scheme() == public.scheme()
            && url.port_or_known_default() == public.port_or_known_default()
            && url.username().is_empty()
            && url.password().is_none();
        let url = without_trailing_dot(url);
        let public = without_trailing_dot(public);
        let is_public = is_same_place && url.host() == public.host();
        // A container listens on all its addresses, and its port is published on loopback.
        let is_here = is_same_place && is_loopback(&public) && is_loopback(&url);
        is_public || is_here || self.is_listen_address(&url)
    }

    /// Returns whether the URL names a hub with plain HTTP by the address on which it listens, or by the name of its
    /// machine, as other containers of its network do. No other site can have these names (DNS rebinding).
    fn is_listen_address(&self, url: &Url) -> bool {
        let is_plain = url.scheme() == "http" && self.public_url.scheme() == "http";
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        let is_named = |listen: IpAddr| match url.host() {
            Some(Host::Ipv4(ip)) => listen == ip && !ip.is_unspecified(),
            Some(Host::Ipv6(ip)) => listen == ip && !ip.is_unspecified(),
            Some(Host::Domain(name)) => !listen.is_loopback() && self.machine_name.as_deref() == Some(name),
            None => false,
        };
        let is_own =
            |listen: &SocketAddr| url.port_or_known_default() == Some(listen.port()) && is_named(listen.ip());
        is_plain && !has_credentials && self.listen.iter().any(is_own)
    }
}

/// How the hub takes part in the federation.
#[derive(Clone, Debug)]
pub struct Federation {
    /// None: this hub only dials out, and is reached through relays.
    pub listen: Vec<Multiaddr>,
    /// Bootstrap addresses.
    pub bootstrap: Vec<Multiaddr>,
    /// Domains whose TXT records list further bootstrap addresses.
    pub domains: Vec<String>,
    /// Addresses at which remote hubs reach this hub, if they differ from the listen addresses.
    pub external: Vec<Multiaddr>,
    /// Discovers hubs in the local network by mDNS, and answers their queries.
    pub mdns: bool,
    /// Relays connections for hubs behind NAT.
    pub relay: bool,
    pub mode: AdmissionMode,
    /// Publishes this hub's rules about remote hubs as a signed list.
    pub publish_federation_rules: bool,
}

/// Default of [`HubConfig::temporary_chat_ttl`].
pub const TEMPORARY_CHAT_TTL: Duration = Duration::from_hours(24);

/// Whether agents may be at private addresses (SSRF policy).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateNetworks {
    /// Only agents of administrators, while the hub listens on loopback.
    Auto,
    Allowed,
    Refused,
}

/// Stored name of the first server of the configuration, which has none. Names of other providers begin with a letter
/// or a digit.
pub const FIRST_PROVIDER: &str = "-";
/// Stored name of the configured fallback.
pub const FALLBACK_PROVIDER: &str = "-fallback";

/// Model providers, by the prefix of the names of their models.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// Default server. Its models have no prefix.
    pub first: Option<Provider>,
    /// Further servers by name. Their models are addressed as `PROVIDER/MODEL`.
    pub named: BTreeMap<String, Provider>,
    /// Names of the providers whose models do not answer now.
    pub paused: BTreeSet<String>,
    /// Last server to try when the server of a model does not respond.
    pub fallback: Option<Provider>,
    /// The model that names chats after their first answer; none: the title is the beginning of the first message.
    pub for_titles: Option<String>,
    /// The model that embeds passages of knowledge files; none: passages are found by their words.
    pub for_embeddings: Option<String>,
    /// The model that decides in teams; none uses the rule-based decision maker.
    pub for_teams: Option<String>,
}

impl Models {
    /// Returns the servers whose models agents can use, each with the prefix of its model names.
    pub fn all(&self) -> impl Iterator<Item = (Option<&str>, &Provider)> {
        let named = self.named.iter().map(|(name, provider)| (Some(name.as_str()), provider));
        self.first.iter().map(|first| (None, first)).chain(named)
    }

    /// Returns the name under which settings and usage of a provider are stored.
    pub fn stored_name(&self, provider: &Provider) -> &str {
        let found = self.all().find(|(_, other)| ptr::eq(*other, provider));
        found.map_or(FALLBACK_PROVIDER, |(name, _)| name.unwrap_or(FIRST_PROVIDER))
    }

    /// Splits a model name into its server and the name of the model on that server. Returns `None` if no server has
    /// it, or its server is paused.
    pub fn find<'a>(&'a self, name: &'a str) -> Option<(&'a Provider, &'a str)> {
        if let Some((prefix, model)) = name.split_once('/') {
            if let Some(provider) = self.named.get(prefix) {
                return Some((provider, model));
            }
            if self.paused.contains(prefix) {
                return None;
            }
        }
        self.first.as_ref().map(|first| (first, name))
    }

    /// Returns the fallback servers for a model, each with the model name to request there, in the order to
    /// try.
    ///
    /// Servers for which a model of the same name is listed come first, then the configured fallback.
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
    /// The models that are listed for this server; the first is its default.
    pub models: Vec<String>,
    /// Context window of its models, in tokens. The default stands for an unknown one.
    pub context_tokens: usize,
    pub prices: Prices,
    pub source: ProviderSource,
    /// Whether runs use API keys of the accounts that ask. Providers of the configuration refuse them.
    pub own_keys: OwnKeyPolicy,
}

impl Provider {
    /// Returns true if no context window was entered. No request is refused in advance then.
    pub fn has_unknown_window(&self) -> bool {
        u64::try_from(self.context_tokens) == Ok(DEFAULT_CONTEXT_TOKENS)
    }
}

/// Where a model provider was entered. It decides which addresses it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderSource {
    /// In the configuration: any address.
    Configuration,
    /// By an administrator while the hub runs: private addresses only where [`PrivateNetworks`] allows them.
    Administrator,
}

/// Context window of models whose window is unknown, in tokens.
pub const DEFAULT_CONTEXT_TOKENS: u64 = 32_768;

/// Parses the base URL of a model server: http or https, without a user name.
pub fn parse_base_url(text: &str) -> Option<Url> {
    let url: Url = text.parse().ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    (is_web && url.username().is_empty() && url.password().is_none()).then_some(url)
}

/// Size, concurrency and time limits of runs.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    pub max_message_bytes: usize,
    pub max_answer_bytes: usize,
    /// Limit for the sum of all files of one message or answer.
    pub max_file_bytes: usize,
    pub max_runs_per_account: usize,
    /// Concurrent runs per subject without an account: one remote hub, all hubs on probation, or all
    /// anonymous callers.
    pub max_runs_anonymous: usize,
    /// Concurrent runs of one agent.
    pub max_runs_per_agent: usize,
    /// Queued runs per subject: one account, one remote hub, all hubs on probation, or all anonymous callers.
    pub max_queued_runs_per_account: usize,
    /// Timeout of a whole run.
    pub whole: Duration,
    /// Timeout without output of the agent, from the first byte of its answer.
    pub idle: Duration,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            max_message_bytes: 1 << 20,
            max_answer_bytes: 4 << 20,
            max_file_bytes: 16 << 20,
            max_runs_per_account: 8,
            max_runs_anonymous: 16,
            max_runs_per_agent: 64,
            max_queued_runs_per_account: 64,
            whole: Duration::from_secs(30 * 60),
            idle: Duration::from_secs(120),
        }
    }
}
