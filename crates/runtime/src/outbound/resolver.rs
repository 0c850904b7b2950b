//! DNS resolver that drops addresses that may not be called at connection time. Therefore a name that first resolves to a
//! public address and then to a private one (DNS rebinding) is rejected.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::{net::lookup_host, sync::Semaphore};

use super::public_ip::{is_never_called, is_public};

/// Maximum concurrent lookups. The system's resolver blocks threads of the runtime's pool, so slow names
/// could otherwise exhaust it.
const LOOKUPS_AT_ONCE: usize = 32;

/// Resolves host names.
#[async_trait]
pub trait NameResolver: Send + Sync {
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The operating system's resolver, including its hosts file.
pub struct SystemLookup {
    at_once: Semaphore,
}

impl Default for SystemLookup {
    fn default() -> Self {
        Self { at_once: Semaphore::new(LOOKUPS_AT_ONCE) }
    }
}

#[async_trait]
impl NameResolver for SystemLookup {
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let _turn = self.at_once.acquire().await;
        Ok(lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// Error: a name has only private addresses.
#[derive(Debug, thiserror::Error)]
#[error("{0} has only private addresses")]
pub(super) struct PrivateAddressError(String);

/// Error: a name has only addresses at which no host can be called.
#[derive(Debug, thiserror::Error)]
#[error("{0} has only addresses that cannot be called")]
pub(super) struct NeverCalledError(String);

/// Error: the lookup of a name failed.
#[derive(Debug, thiserror::Error)]
#[error("the name lookup failed: {0}")]
pub(super) struct NameLookupError(#[source] io::Error);

/// Addresses that a client may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Those of the public internet.
    Public,
    /// Those of this machine and its networks as well.
    Local,
    /// All, as in the operator's configuration.
    Any,
}

impl Reach {
    /// Returns the addresses of `name` that may be called. Fails if there are none among some.
    fn filter(self, name: &str, found: Vec<IpAddr>) -> Result<Vec<IpAddr>, BoxError> {
        let had_some = !found.is_empty();
        let may_call = |ip: &IpAddr| match self {
            Self::Public => is_public(*ip),
            Self::Local => !is_never_called(*ip),
            Self::Any => true,
        };
        let allowed: Vec<IpAddr> = found.into_iter().filter(may_call).collect();
        match (allowed.is_empty() && had_some, self) {
            (true, Self::Public) => Err(PrivateAddressError(name.to_owned()).into()),
            (true, _) => Err(NeverCalledError(name.to_owned()).into()),
            (false, _) => Ok(allowed),
        }
    }
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Resolver for reqwest that drops the addresses beyond its reach.
#[derive(Clone)]
pub(super) struct PublicResolver {
    lookup: Arc<dyn NameResolver>,
    reach: Reach,
}

impl PublicResolver {
    pub fn new(lookup: Arc<dyn NameResolver>, reach: Reach) -> Self {
        Self { lookup, reach }
    }

    /// Resolves a name to the addresses that may be called.
    pub async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, BoxError> {
        let found = self.lookup.lookup(name).await.map_err(NameLookupError)?;
        self.reach.filter(name, found)
    }
}

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let allowed = resolver.addresses(name.as_str()).await?;
            Ok(Box::new(allowed.into_iter().map(|ip| SocketAddr::new(ip, 0))) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Resolver that returns a public address first, then private ones.
    #[derive(Default)]
    struct Rebinding(AtomicUsize);

    #[async_trait]
    impl NameResolver for Rebinding {
        async fn lookup(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
            let is_first = self.0.fetch_add(1, Ordering::Relaxed) == 0;
            Ok(vec![if is_first { [93, 184, 215, 14].into() } else { [127, 0, 0, 1].into() }])
        }
    }

    struct Mixed;

    #[async_trait]
    impl NameResolver for Mixed {
        async fn lookup(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
            Ok(vec![[10, 0, 0, 1].into(), [1, 1, 1, 1].into(), [169, 254, 169, 254].into()])
        }
    }

    async fn resolve(resolver: &PublicResolver) -> Result<Vec<String>, String> {
        let addresses = resolver.resolve("rebind.example".parse().unwrap()).await;
        addresses
            .map(|list| list.map(|address| address.to_string()).collect())
            .map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn a_name_that_turns_private_is_not_connected_to() {
        let resolver = PublicResolver::new(Arc::new(Rebinding::default()), Reach::Public);
        assert_eq!(resolve(&resolver).await.unwrap(), ["93.184.215.14:0"]);
        assert_eq!(resolve(&resolver).await.unwrap_err(), "rebind.example has only private addresses");
    }

    #[tokio::test]
    async fn private_addresses_among_public_ones_are_left_out() {
        let resolved = async |reach| resolve(&PublicResolver::new(Arc::new(Mixed), reach)).await.unwrap();
        assert_eq!(resolved(Reach::Public).await, ["1.1.1.1:0"]);
        assert_eq!(resolved(Reach::Local).await, ["10.0.0.1:0", "1.1.1.1:0"]);
        assert_eq!(resolved(Reach::Any).await.len(), 3);
    }
}
