//! Asking the DNS: the machine's own resolvers, or the one server that the operator names.

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

use super::{Lookup, SystemLookup};

const PATIENCE: Duration = Duration::from_secs(10);

/// Where names are looked up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dns {
    server: Option<SocketAddr>,
}

/// Why a record was not read.
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
    /// None asks as the machine is set up to.
    pub const fn new(server: Option<SocketAddr>) -> Self {
        Self { server }
    }

    /// What connections find their addresses with.
    pub fn lookup(self) -> Arc<dyn Lookup> {
        match self.server {
            None => Arc::new(SystemLookup::default()),
            Some(_) => Arc::new(self),
        }
    }

    /// The texts of the TXT record `name`, as they are now: nothing is remembered of an earlier answer.
    pub async fn texts(self, name: &str) -> Result<Vec<Vec<u8>>, DnsError> {
        let resolver = self.resolver().map_err(|error| DnsError::Unreadable(error.to_string()))?;
        // The last dot keeps the resolver from trying the machine's own domain.
        let found = timeout(PATIENCE, resolver.txt_lookup(format!("{name}."))).await;
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
impl Lookup for Dns {
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let resolver = self.resolver().map_err(io::Error::other)?;
        let found = resolver.lookup_ip(format!("{}.", host.trim_end_matches('.'))).await;
        Ok(found.map_err(io::Error::other)?.iter().collect())
    }
}
