//! From a version to the connector that runs it.

use std::{sync::Arc, time::Duration};

use plexus_a2a::Card;
use plexus_domain::{
    Error as Refusal,
    agent::{Builtin, Connector as Kind, http::Template},
    run::Failure,
};
use plexus_runtime::{
    Connector, Secret,
    a2a::{A2a, Endpoint},
    attached::Attached,
    builtin::{Calc, Guide, Tck},
    http::Http,
    llm::{Llm, Model},
    outbound::{self, Dns, Network, Own, Policy},
};
use plexus_store::{Conn, agents::Agent, cards};

use super::Job;
use crate::{Config, Error, Hub, Result, agents, config::PrivateNetworks, listings, views};

/// How long a question waits for a program that is not attached.
const ATTACHES_WITHIN: Duration = Duration::from_secs(3);
/// How much of a conversation a model is sent.
const HISTORY_BYTES: usize = 96 << 10;

/// What connectors share: clients and programs that are made once.
pub struct Outbound {
    calc: Arc<Calc>,
    dns: Dns,
    network: Network,
    /// The client for the model server that the operator named.
    models: Option<outbound::Outbound>,
    private_networks: PrivateNetworks,
    on_loopback: bool,
}

impl Outbound {
    pub fn new(config: &Config) -> anyhow::Result<Self> {
        let dns = Dns::new(config.dns_server);
        let own = Own::new(config.public_url.clone(), config.listen.clone());
        let network = Network::with_lookup(dns.lookup())?.refusing(own);
        let models = config.model.as_ref().map(|model| network.operators(&model.base_url)).transpose()?;
        let (private_networks, on_loopback) = (config.private_networks, config.on_loopback);
        Ok(Self { calc: Arc::new(Calc::new()), dns, network, models, private_networks, on_loopback })
    }

    /// The client for addresses that somebody gave, by whether an administrator answers for them.
    pub fn anyone(&self, by_administrator: bool) -> outbound::Outbound {
        let allow_private = self.allows_private(by_administrator);
        self.network.anyone(Policy { allow_private, ports: None })
    }

    /// The client for webhooks, whoever gave them.
    pub fn webhooks(&self) -> outbound::Outbound {
        self.anyone(false)
    }

    pub const fn allows_private(&self, by_administrator: bool) -> bool {
        match self.private_networks {
            PrivateNetworks::Allowed => true,
            PrivateNetworks::Refused => false,
            PrivateNetworks::Auto => self.on_loopback && by_administrator,
        }
    }

    pub const fn dns(&self) -> Dns {
        self.dns
    }

    pub const fn models(&self) -> Option<&outbound::Outbound> {
        self.models.as_ref()
    }
}

pub(super) async fn connector(hub: &Hub, job: &Job) -> Result<Arc<dyn Connector>> {
    match &job.version.connector {
        Kind::Builtin { program: Builtin::Calc } => Ok(hub.outbound().calc.clone()),
        Kind::Builtin { program: Builtin::Guide } => Ok(Arc::new(Guide::new(listings::finder(hub)))),
        Kind::Builtin { program: Builtin::Tck } if hub.config().conformance => Ok(Arc::new(Tck)),
        Kind::Builtin { program: Builtin::Tck } => {
            Err(Refusal::unavailable("This agent answers test kits only, and this hub is not for them.")
                .into())
        }
        Kind::Attached => Ok(Arc::new(attached(hub, job).await?)),
        Kind::Llm { model, instructions, .. } => Ok(Arc::new(llm(hub, model, instructions)?)),
        Kind::A2a { .. } => {
            let mut conn = hub.store().snapshot().await?;
            agents::check_proved(&mut conn, &job.asker, &job.agent, &job.version).await?;
            Ok(Arc::new(a2a(hub, &mut conn, job).await?))
        }
        Kind::Http { request } => {
            let mut conn = hub.store().snapshot().await?;
            agents::check_proved(&mut conn, &job.asker, &job.agent, &job.version).await?;
            Ok(Arc::new(http(hub, &mut conn, job, request.clone()).await?))
        }
    }
}

fn llm(hub: &Hub, name: &str, instructions: &str) -> Result<Llm> {
    let missing = || Refusal::unavailable("This hub has no model any more. Its administrator can name one.");
    let (operator, client) = hub.config().model.as_ref().zip(hub.outbound().models()).ok_or_else(missing)?;
    let model = Model {
        base: operator.base_url.clone(),
        key: operator.api_key.as_ref().map(|key| Secret::new(key.reveal())),
        name: name.to_owned(),
        history_bytes: HISTORY_BYTES,
    };
    Llm::new(client.clone(), model, instructions.to_owned()).map_err(refused)
}

/// Its program may be connecting anew.
async fn attached(hub: &Hub, job: &Job) -> Result<Attached> {
    let link = hub.attachments().wait(job.agent.id, ATTACHES_WITHIN).await;
    let link = link.ok_or_else(|| {
        let address = views::address(&job.agent);
        let words =
            format!("{address} runs on its owner's machine, which is not connected now. Try again later.");
        Refusal::unavailable(words)
    })?;
    Ok(Attached::new(link))
}

async fn a2a(hub: &Hub, conn: &mut Conn, job: &Job) -> Result<A2a> {
    let card = card(conn, job).await?;
    let unusable = || Refusal::conflict("The card of this agent names no address that the hub can call.");
    let endpoint = Endpoint::of(&card).ok_or_else(unusable)?;
    let agent = A2a::new(client(hub, conn, &job.agent).await?, endpoint).map_err(refused)?;
    match agents::credentials_for(hub, conn, &job.asker, &job.agent, &job.version, &card).await? {
        Some((origin, credentials)) => agent.with_credentials(&origin, credentials).map_err(refused),
        None => Ok(agent),
    }
}

async fn http(hub: &Hub, conn: &mut Conn, job: &Job, request: Template) -> Result<Http> {
    let card = card(conn, job).await?;
    let agent = Http::new(client(hub, conn, &job.agent).await?, request).map_err(refused)?;
    match agents::credentials_for(hub, conn, &job.asker, &job.agent, &job.version, &card).await? {
        Some((origin, credentials)) => agent.with_credentials(&origin, credentials).map_err(refused),
        None => Ok(agent),
    }
}

/// An agent may be where its owner may have it.
async fn client(hub: &Hub, conn: &mut Conn, agent: &Agent) -> Result<outbound::Outbound> {
    Ok(hub.outbound().anyone(agents::is_administrators(conn, agent).await?))
}

async fn card(conn: &mut Conn, job: &Job) -> Result<Card> {
    let missing = || Error::Fault(anyhow::anyhow!("version {} has no readable card", job.version.id));
    let body = cards::find(conn, &job.version.card).await?.ok_or_else(missing)?;
    Card::read(&body).card.ok_or_else(missing)
}

fn refused(failure: Failure) -> Error {
    Refusal::conflict(failure.message).into()
}
