//! SSRF-safe HTTP client for all outgoing calls. An [`OutboundClient`] enforces which destinations it may call.
//!
//! There are two destination policies. *Anyone's* URLs come from users, agent cards and peers: they must be
//! public addresses, which is checked when the connection is made. *Operators'* URLs come from the
//! configuration: one exact origin, which may be private.

mod card_discovery;
mod connection_failure;
mod deadline;
mod dns;
mod error_text;
mod fetch;
mod http_error;
mod public_ip;
mod resolver;
mod response;
mod self_call_guard;
mod webhook;

use std::{fmt, net::IpAddr, sync::Arc, time::Duration};

use http::Method;
use plexus_domain::run::{Failure, FailureClass};
use reqwest::{RequestBuilder, redirect};
use tokio::time;
use url::{Host, Origin, Url};

pub use self::{
    card_discovery::FoundCard,
    dns::{Dns, DnsError},
    fetch::Fetched,
    public_ip::is_public,
    resolver::{NameResolver, SystemLookup},
    self_call_guard::SelfCallGuard,
    webhook::WebhookRequest,
};
pub(crate) use self::{
    connection_failure::{connection_failure, without_code},
    deadline::{RunInterruption, WaitInterrupted, WaitTimer},
    error_text::{words, words_of},
    http_error::{ErrorHints, by_status, error_message},
    response::{HttpResponse, connection_error, peer, quote_foreign_text, retry_after, subject},
};
use self::{
    public_ip::is_never_called,
    resolver::{NeverCalledError, PrivateAddressError, PublicResolver, Reach},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum idle connections per host, and how long they stay open.
const IDLE_CONNECTIONS: usize = 64;
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// Destination policy for URLs from untrusted sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboundPolicy {
    /// Allow private addresses and plain HTTP, as for the agents of an administrator.
    pub allow_private: bool,
    /// Allowed ports. `None` allows all.
    pub ports: Option<Vec<u16>>,
}

/// Shared connection pools of all [`OutboundClient`] clients. Created once.
pub struct HttpClients {
    public: Pool,
    local: Pool,
    any: Pool,
    own: Option<Arc<SelfCallGuard>>,
}

impl HttpClients {
    pub fn new() -> Result<Self, Failure> {
        let lookup: Arc<dyn NameResolver> = Arc::new(SystemLookup::default());
        Self::with_lookup(&lookup)
    }

    /// Creates the pools with a name resolver other than the system's.
    pub fn with_lookup(lookup: &Arc<dyn NameResolver>) -> Result<Self, Failure> {
        let pool = |reach| Pool::new(PublicResolver::new(Arc::clone(lookup), reach));
        let (public, local, any) = (pool(Reach::Public)?, pool(Reach::Local)?, pool(Reach::Any)?);
        Ok(Self { public, local, any, own: None })
    }

    /// Rejects URLs from untrusted sources that point to this hub (self-call loops).
    #[must_use]
    pub fn without_self_calls(self, own: SelfCallGuard) -> Self {
        Self { own: Some(Arc::new(own)), ..self }
    }

    /// Returns a client for URLs from users, agent cards and peers.
    pub fn for_untrusted(&self, policy: OutboundPolicy) -> OutboundClient {
        let pool = if policy.allow_private { &self.local } else { &self.public };
        OutboundClient { pool: pool.clone(), reach: DestinationPolicy::Anyone(policy, self.own.clone()) }
    }

    /// Returns a client for one origin from the configuration, given by any URL of it.
    pub fn for_operator(&self, url: &Url) -> Result<OutboundClient, Failure> {
        check_form(url)?;
        Ok(OutboundClient { pool: self.any.clone(), reach: DestinationPolicy::Origin(url.origin()) })
    }
}

/// Connection pool with the resolver that it uses.
#[derive(Clone)]
struct Pool {
    client: reqwest::Client,
    resolver: PublicResolver,
}

impl Pool {
    fn new(resolver: PublicResolver) -> Result<Self, Failure> {
        Ok(Self { client: client(resolver.clone())?, resolver })
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.client.fmt(f)
    }
}

#[expect(clippy::disallowed_methods, reason = "this module is the one place that makes clients")]
fn client(resolver: PublicResolver) -> Result<reqwest::Client, Failure> {
    reqwest::Client::builder()
        .dns_resolver(Arc::new(resolver))
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        // Decompression is disabled so that the size limit applies before anything is unpacked (decompression
        // bomb).
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(IDLE_CONNECTIONS)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .tcp_nodelay(true)
        .user_agent(concat!("plexus/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| {
            let words = format!("The hub cannot make outbound connections: {error}. Check its certificates.");
            Failure::new(FailureClass::Internal, words)
        })
}

/// HTTP client that enforces a destination policy.
#[derive(Clone, Debug)]
pub struct OutboundClient {
    pool: Pool,
    reach: DestinationPolicy,
}

#[derive(Clone, Debug)]
enum DestinationPolicy {
    Anyone(OutboundPolicy, Option<Arc<SelfCallGuard>>),
    Origin(Origin),
}

impl OutboundClient {
    /// Validates that `url` may be called. Host names are checked again when they are resolved, at each
    /// connection (DNS rebinding).
    pub fn check(&self, url: &Url) -> Result<(), Failure> {
        check_form(url)?;
        match &self.reach {
            DestinationPolicy::Origin(origin) if *origin == url.origin() => Ok(()),
            DestinationPolicy::Origin(origin) => Err(refusal(format!(
                "{} is not the configured address {}.",
                url.origin().ascii_serialization(),
                origin.ascii_serialization()
            ))),
            DestinationPolicy::Anyone(_, Some(own)) if own.is_at(url) => Err(refusal(
                "This is the address of this hub itself. Give the address at which the agent runs.",
            )),
            DestinationPolicy::Anyone(policy, _) => check_policy(url, policy),
        }
    }

    /// Returns the underlying client, for a library that calls only `url`.
    pub(crate) fn client_for(&self, url: &Url) -> Result<reqwest::Client, Failure> {
        self.check(url)?;
        Ok(self.pool.client.clone())
    }

    /// Validates that `url` may be called, and the addresses of its host name. A name that cannot be resolved now
    /// passes: each call resolves it again.
    pub async fn check_resolved(&self, url: &Url) -> Result<(), Failure> {
        self.check(url)?;
        let (DestinationPolicy::Anyone(..), Some(Host::Domain(name))) = (&self.reach, url.host()) else {
            return Ok(());
        };
        match time::timeout(CONNECT_TIMEOUT, self.pool.resolver.addresses(name)).await {
            Ok(Err(error)) if error.is::<PrivateAddressError>() => Err(private()),
            Ok(Err(error)) if error.is::<NeverCalledError>() => Err(never_called(&peer(url))),
            _ => Ok(()),
        }
    }

    /// Builds a request, to be sent by `HttpResponse::to`. Redirects are not followed.
    pub(crate) fn request(&self, method: Method, url: &Url) -> Result<RequestBuilder, Failure> {
        self.check(url)?;
        Ok(self.pool.client.request(method, url.clone()))
    }
}

fn check_form(url: &Url) -> Result<(), Failure> {
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(refusal("An address begins with https:// and names a host."));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refusal(
            "The URL must not contain a user name or password. Enter credentials separately.",
        ));
    }
    Ok(())
}

fn check_policy(url: &Url, policy: &OutboundPolicy) -> Result<(), Failure> {
    let port = url.port_or_known_default().unwrap_or_default();
    if policy.ports.as_ref().is_some_and(|ports| !ports.contains(&port)) {
        return Err(refusal(format!("Port {port} is not allowed.")));
    }
    let address: Option<IpAddr> = match url.host() {
        Some(Host::Ipv4(address)) => Some(address.into()),
        Some(Host::Ipv6(address)) => Some(address.into()),
        Some(Host::Domain(_)) | None => None,
    };
    if policy.allow_private {
        return if address.is_some_and(is_never_called) { Err(never_called(&peer(url))) } else { Ok(()) };
    }
    if address.is_some_and(|address| !is_public(address)) {
        return Err(private());
    }
    if url.scheme() != "https" {
        return Err(refusal("Only https URLs are allowed."));
    }
    Ok(())
}

/// Message of the refusal of a private address, which the operator can allow.
pub const PRIVATE_ADDRESS: &str = "This address is private. Only administrators can use private addresses.";

fn private() -> Failure {
    refusal(PRIVATE_ADDRESS)
}

fn never_called(peer: &str) -> Failure {
    refusal(format!(
        "No agent can be called at {peer}: it is an unspecified, link-local, multicast or reserved address, or \
         stands for another one. Give the address at which the agent is reached."
    ))
}

fn refusal(message: impl Into<String>) -> Failure {
    Failure::new(FailureClass::Policy, message)
}

#[cfg(test)]
mod tests;
