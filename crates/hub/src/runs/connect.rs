//! From a version to the connector that runs it.

use std::sync::Arc;

use plexus_domain::agent::{Builtin, Connector as Kind};
use plexus_runtime::{Connector, builtin::Calc};

use super::Job;
use crate::{Config, Hub, Result};

/// What connectors share: clients and programs that are made once.
pub struct Outbound {
    calc: Arc<Calc>,
}

impl Outbound {
    pub fn new(_config: &Config) -> anyhow::Result<Self> {
        Ok(Self { calc: Arc::new(Calc::new()) })
    }
}

pub(super) async fn connector(hub: &Hub, job: &Job) -> Result<Arc<dyn Connector>> {
    match &job.version.connector {
        Kind::Builtin { program: Builtin::Calc } => Ok(hub.outbound().calc.clone()),
        _ => Err(plexus_domain::Error::unavailable("not yet").into()),
    }
}
