//! DNS client: uses the system's resolvers, or the one server that the operator configured.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use hickory_resolver::{
    TokioResolver,
    config::{NameServerConfig, ResolverConfig},
    net::{NetError, runtime::TokioRuntimeProvider},
    proto::rr::RData,
};
use tokio::time::timeout;

use super::{NameResolver, SystemLookup};

const TIMEOUT: Duration = Duration::from_secs(10);

/// DNS resolver configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dns {
    server: Option<SocketAddr>,
}

/// Reason why a DNS record could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DnsError {
    #[error("was not answered in time")]
    TimedOut,
    #[error("does not exist")]
    Missing,
    #[error("could not be read: {0}")]
    Unreadable(String),
}

impl Dns {
    /// Creates a resolver for `server`. `None` uses the system's configuration.
    pub const fn new(server: Option<SocketAddr>) -> Self {
        Self { server }
    }

    /// Returns the name resolver for outgoing connections.
    pub fn lookup(self) -> Arc<dyn NameResolver> {
        match self.server {
            None => Arc::new(SystemLookup::default()),
            Some(_) => Arc::new(self),
        }
    }

    /// Returns the current texts of the TXT record `name`. Does not use a cache.
    pub async fn texts(self, name: &str) -> Result<Vec<Vec<u8>>, DnsError> {
        let resolver = self.resolver().map_err(|error| DnsError::Unreadable(error.to_string()))?;
        // The trailing dot prevents the resolver from appending the system's search domains.
        let found = timeout(TIMEOUT, resolver.txt_lookup(format!("{name}."))).await;
        let found =
            found.map_err(|_| DnsError::TimedOut)?.map_err(|error| match error.is_no_records_found() {
                true => DnsError::Missing,
                false => DnsError::Unreadable(error.to_string()),
            })?;
        let text = |data: &RData| match data {
            RData::TXT(text) => Some(text.txt_data.concat()),
            _ => None,
        };
        Ok(found.answers().iter().filter_map(|record| text(&record.data)).collect())
    }

    fn resolver(self) -> Result<TokioResolver, NetError> {
        let Some(server) = self.server else { return TokioResolver::builder_tokio()?.build() };
        let mut named = NameServerConfig::udp_and_tcp(server.ip());
        named.connections.iter_mut().for_each(|connection| connection.port = server.port());
        let config = ResolverConfig::from_name_servers(vec![named]);
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default()).build()
    }
}

#[async_trait]
impl NameResolver for Dns {
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let resolver = self.resolver().map_err(io::Error::other)?;
        let found = resolver.lookup_ip(format!("{}.", host.trim_end_matches('.'))).await;
        Ok(found.map_err(io::Error::other)?.iter().collect())
    }
}
