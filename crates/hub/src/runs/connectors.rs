//! Builds the connector that runs a version of an agent.

use std::{sync::Arc, time::Duration};

use plexus_a2a::Card;
use plexus_domain::{
    Error as Refusal, Part, PartBody,
    agent::{Builtin, Connector as Kind, ToolServerLocation, ToolSource, http_endpoint::EndpointTemplate},
    run::Failure,
};
use plexus_runtime::{
    Connector, ConversationTurn,
    a2a::{A2aConnector, Endpoint},
    attached::AttachedConnector,
    builtin::{Calc, ChartMaker, Tck, TextAnalyzer},
    http_endpoint::HttpConnector,
    llm::{KeyOwner, LlmConnector, ModelEndpoint, ToolServer},
    mcp_client,
    outbound::{self, Dns, HttpClients, OutboundPolicy, SelfCallGuard},
};
use plexus_store::{Conn, agent_credentials, agent_versions::Version, agents::Agent, cards};
use url::Url;

use super::RunJob;
use crate::{
    Error, Hub, HubConfig, Result,
    agents::{self, ToolKeys},
    caller::{Person, Requester},
    config::{FIRST_PROVIDER, Models, PrivateNetworks, Provider, ProviderSource},
    federation,
    model_providers::{self, ModelCall, SelectedModel},
    operator_programs::Programs,
    teams,
};

/// How long a run waits for an attached program to connect.
const ATTACHES_WITHIN: Duration = Duration::from_secs(3);
/// Lower bound of bytes per token of a conversation. The rest of the context window is left for the answer.
const BYTES_PER_TOKEN: usize = 3;

/// Shared resources of connectors: HTTP clients, DNS and programs.
pub struct ConnectorResources {
    calc: Arc<Calc>,
    programs: Programs,
    dns: Dns,
    network: HttpClients,
    private_networks: PrivateNetworks,
    on_loopback: bool,
}

impl ConnectorResources {
    pub fn new(config: &HubConfig) -> anyhow::Result<Self> {
        let dns = Dns::new(config.dns_server);
        let own = SelfCallGuard::new(config.public_url.clone(), config.listen.clone());
        let network = HttpClients::with_lookup(&dns.lookup())?.without_self_calls(own);
        check(&network, &config.models)?;
        let (private_networks, on_loopback) = (config.private_networks, config.on_loopback);
        let (calc, programs) = (Arc::new(Calc::new()), Programs::new(config)?);
        Ok(Self { calc, programs, dns, network, private_networks, on_loopback })
    }

    /// Returns the client for user-supplied URLs. It blocks private addresses (SSRF) unless configured for
    /// administrators.
    pub fn anyone(&self, by_administrator: bool) -> outbound::OutboundClient {
        let allow_private = self.allows_private(by_administrator);
        self.network.for_untrusted(OutboundPolicy { allow_private, ports: None })
    }

    /// Returns the client for webhooks. Never grants the privileges of an administrator.
    pub fn webhooks(&self) -> outbound::OutboundClient {
        self.anyone(false)
    }

    pub const fn allows_private(&self, by_administrator: bool) -> bool {
        match self.private_networks {
            PrivateNetworks::Allowed => true,
            PrivateNetworks::Refused => false,
            PrivateNetworks::Auto => self.on_loopback && by_administrator,
        }
    }

    /// Returns the calculator of the hub.
    pub fn calc(&self) -> &Calc {
        &self.calc
    }

    pub const fn programs(&self) -> &Programs {
        &self.programs
    }

    pub const fn dns(&self) -> Dns {
        self.dns
    }

    /// Returns the client for a model server. It calls no other origin for a server of the configuration.
    pub fn provider(&self, provider: &Provider) -> Result<outbound::OutboundClient, Failure> {
        match provider.source {
            ProviderSource::Configuration => self.network.for_operator(&provider.base_url),
            ProviderSource::Administrator => Ok(self.anyone(true)),
        }
    }
}

/// Fails at startup if the URL of a model server is unusable.
fn check(network: &HttpClients, models: &Models) -> Result<(), Failure> {
    for provider in models.all().map(|(_, provider)| provider).chain(&models.fallback) {
        network.for_operator(&provider.base_url)?;
    }
    Ok(())
}

/// The requester, and the agent to call.
#[derive(Clone, Copy)]
pub(super) struct RunParties<'a> {
    pub requester: &'a Requester,
    pub agent: &'a Agent,
    pub version: &'a Version,
}

impl<'a> From<&'a RunJob> for RunParties<'a> {
    fn from(job: &'a RunJob) -> Self {
        Self { requester: &job.requester, agent: &job.agent, version: &job.version }
    }
}

/// Builds the connector of a run. Fails if the requester may not use it.
///
/// `turns` are the conversation, the message to answer last.
pub(super) async fn connector(
    hub: &Hub,
    job: &RunJob,
    turns: &[ConversationTurn],
) -> Result<Arc<dyn Connector>> {
    match &job.version.connector {
        Kind::Builtin { program: Builtin::Calc } => Ok(hub.outbound().calc.clone()),
        Kind::Builtin { program: Builtin::Chart } => Ok(Arc::new(ChartMaker)),
        Kind::Builtin { program: Builtin::Text } => Ok(Arc::new(TextAnalyzer)),
        Kind::Builtin { program: Builtin::Guide } => Ok(teams::front_agent(hub, job)),
        Kind::Builtin { program: Builtin::Tck } if hub.config().conformance => Ok(Arc::new(Tck)),
        Kind::Builtin { program: Builtin::Tck } => {
            Err(Refusal::unavailable("This agent is available only in conformance mode.").into())
        }
        Kind::Attached => Ok(Arc::new(attached(hub, job).await?)),
        Kind::Llm { model, instructions, tools, budget, reads_images, parameters, .. } => {
            let tools = tool_servers(hub, job, tools).await?;
            let call = ModelCall {
                agent: Some(&job.agent),
                requester: Some(&job.requester),
                needs_images: *reads_images && turns.last().is_some_and(has_images),
                needs_tools: !tools.is_empty() || !job.options.callable_tools().is_empty(),
            };
            let llm = llm(hub, model, instructions, &call).await?;
            let llm = llm.with_tools(tools).with_limits(*budget).with_parameters(*parameters);
            Ok(Arc::new(match agents::knowledge::search_of(hub, job.agent.id).await? {
                Some(knowledge) => llm.with_knowledge(knowledge),
                None => llm,
            }))
        }
        Kind::Process { program } => {
            let scope = job.version.id.to_string();
            Ok(Arc::new(hub.outbound().programs.connector(job.requester.person.as_ref(), program, scope)?))
        }
        Kind::A2a { .. } => Ok(Arc::new(a2a(hub, job.into()).await?)),
        Kind::Http { request } => {
            let mut conn = hub.store().snapshot().await?;
            agents::check_proved(&mut conn, &job.requester, &job.agent, &job.version).await?;
            Ok(Arc::new(http(hub, &mut conn, job.into(), EndpointTemplate::clone(request)).await?))
        }
    }
}

/// Builds the connector of a provider's model, with its fallback servers.
pub(crate) async fn llm(
    hub: &Hub,
    name: &str,
    instructions: &str,
    call: &ModelCall<'_>,
) -> Result<LlmConnector> {
    let mut llm: Option<LlmConnector> = None;
    for SelectedModel { provider, endpoint } in model_providers::select(hub, name, call).await? {
        let client = hub.outbound().provider(&provider).map_err(refused)?;
        let next = match llm {
            None => LlmConnector::new(client, endpoint, instructions.to_owned()),
            Some(llm) => llm.with_fallback(client, endpoint),
        };
        llm = Some(next.map_err(refused)?);
    }
    llm.ok_or_else(|| Refusal::unavailable(format!("The model {name} is not available on this hub.")).into())
}

/// Returns a model of a provider as the runtime calls it.
pub(crate) fn model_endpoint(provider: &Provider, name: &str) -> ModelEndpoint {
    ModelEndpoint {
        provider: FIRST_PROVIDER.to_owned(),
        reads_images: true,
        base: provider.base_url.clone(),
        server_name: None,
        key_owner: KeyOwner::Hub,
        key: provider.api_key.clone(),
        name: name.to_owned(),
        history_bytes: provider.context_tokens.saturating_mul(BYTES_PER_TOKEN),
        is_window_unknown: provider.has_unknown_window(),
        prices: provider.prices,
    }
}

fn has_images(turn: &ConversationTurn) -> bool {
    let is_image = |part: &Part| {
        let media_type = part.media_type.as_deref();
        matches!(part.content, PartBody::File { .. })
            && media_type.is_some_and(|media_type| media_type.starts_with("image/"))
    };
    turn.parts.iter().any(is_image)
}

async fn tool_servers(hub: &Hub, job: &RunJob, tools: &[ToolSource]) -> Result<Vec<ToolServer>> {
    if tools.is_empty() {
        return Ok(Vec::new());
    }
    let mut conn = hub.store().read().await?;
    let outbound = client(hub, &mut conn, &job.agent).await?;
    let keys = ToolKeys::of(hub, &mut conn, job.agent.id, job.version.secret).await?;
    drop(conn);
    let person = job.requester.person.as_ref();
    let mend = format!("The agent’s owner can enter them at /{}/credentials.", job.agent.address());
    let servers = tools.iter().map(|source| tool_server(hub, person, &outbound, source, &keys, &mend));
    Ok(servers.collect::<Result<_, Refusal>>()?)
}

/// Builds a tool server, if the hub may call it and the account may use it, with its credentials.
///
/// `mend` is shown when the server demands other credentials.
pub(crate) fn tool_server(
    hub: &Hub,
    person: Option<&Person>,
    outbound: &outbound::OutboundClient,
    source: &ToolSource,
    keys: &ToolKeys,
    mend: &str,
) -> Result<ToolServer, Refusal> {
    let wrong = |words: String| Refusal::invalid("tools", words);
    let server = match &source.place {
        ToolServerLocation::Url(url) => {
            let parsed =
                url.parse::<Url>().map_err(|error| wrong(format!("{url} is not a valid URL: {error}.")));
            let (outbound, url, mend) = (outbound.clone(), parsed?, mend.to_owned());
            let shown = keys.shown(&url);
            mcp_client::McpServer::Remote { outbound, url, shown, mend }
        }
        ToolServerLocation::Program(name) => hub.outbound().programs.server(person, name)?,
    };
    Ok(ToolServer { server, require_approval: source.require_approval })
}

/// The attached program may be reconnecting, so wait for it.
async fn attached(hub: &Hub, job: &RunJob) -> Result<AttachedConnector> {
    let link = hub.attachments().wait_attached(job.agent.id, ATTACHES_WITHIN).await;
    let link = link.ok_or_else(|| {
        let address = job.agent.address();
        let words =
            format!("{address} runs on its owner's machine, which is not connected now. Try again later.");
        Refusal::unavailable(words)
    })?;
    Ok(AttachedConnector::new(link))
}

pub(super) async fn a2a(hub: &Hub, parties: RunParties<'_>) -> Result<A2aConnector> {
    let RunParties { requester, agent, version } = parties;
    let mut conn = hub.store().snapshot().await?;
    agents::check_proved(&mut conn, requester, agent, version).await?;
    if agent.home.is_some() {
        drop(conn);
        return elsewhere(hub, parties).await;
    }
    let card = card(&mut conn, version).await?;
    let agent = A2aConnector::new(client(hub, &mut conn, agent).await?, endpoint(&card)?).map_err(refused)?;
    with_credentials(hub, &mut conn, parties, &card, agent).await
}

fn endpoint(card: &Card) -> Result<Endpoint, Refusal> {
    let unusable = || Refusal::conflict("The agent card has no address that the hub can call.");
    Endpoint::of(card).ok_or_else(unusable)
}

async fn with_credentials(
    hub: &Hub,
    conn: &mut Conn,
    parties: RunParties<'_>,
    card: &Card,
    a2a: A2aConnector,
) -> Result<A2aConnector> {
    let RunParties { requester, agent, version } = parties;
    match agents::credentials_for(hub, conn, requester, agent, version, card).await? {
        Some((origin, shown)) => a2a.with_credentials(&origin, shown).map_err(refused),
        None => Ok(a2a),
    }
}

/// Builds the connector for an agent of a remote hub.
///
/// It authenticates with a token for an account there if the user stored one, else with this hub's signature.
async fn elsewhere(hub: &Hub, parties: RunParties<'_>) -> Result<A2aConnector> {
    let RunParties { requester, agent, version } = parties;
    let outbound = client(hub, &mut hub.store().read().await?, agent).await?;
    let mut conn = hub.store().snapshot().await?;
    let card = card(&mut conn, version).await?;
    let endpoint = endpoint(&card)?;
    let unknown =
        || Refusal::unauthenticated("Agents of other hubs require an account on this hub. Sign in.");
    let account = requester.account().ok_or_else(unknown)?;
    let voucher = federation::UserRequestSigner::new(hub, &mut conn, account, agent).await?;
    // What follows opens connections of its own: a use case that waits for a second one while it holds the first can
    // exhaust the pool (deadlock).
    drop(conn);
    if let Some(home) = federation::transport_for(hub, &outbound, agent, &endpoint.url).await? {
        let pseudonym = voucher.pseudonym().clone();
        let network = federation::P2pTransport { hub: hub.clone(), home, pseudonym };
        return Ok(A2aConnector::with_transport(Arc::new(network), outbound, endpoint).with_caller_timeout());
    }
    federation::prove(hub, &outbound, agent, version).await?;
    let mut conn = hub.store().snapshot().await?;
    let a2a = A2aConnector::new(outbound, endpoint).map_err(refused)?.with_caller_timeout();
    if agent_credentials::find(&mut conn, agent.id, account).await?.is_some() {
        return with_credentials(hub, &mut conn, parties, &card, a2a).await;
    }
    Ok(a2a.with_signer(Arc::new(voucher)))
}

async fn http(
    hub: &Hub,
    conn: &mut Conn,
    parties: RunParties<'_>,
    request: EndpointTemplate,
) -> Result<HttpConnector> {
    let RunParties { requester, agent, version } = parties;
    let card = card(conn, version).await?;
    let http = HttpConnector::new(client(hub, conn, agent).await?, request).map_err(refused)?;
    match agents::credentials_for(hub, conn, requester, agent, version, &card).await? {
        Some((origin, shown)) => http.with_credentials(&origin, shown).map_err(refused),
        None => Ok(http),
    }
}

/// Returns the client for an agent: the owner's role decides whether private addresses are allowed.
async fn client(hub: &Hub, conn: &mut Conn, agent: &Agent) -> Result<outbound::OutboundClient> {
    Ok(hub.outbound().anyone(agents::is_administrators(conn, agent).await?))
}

async fn card(conn: &mut Conn, version: &Version) -> Result<Card> {
    let missing = || Error::Fault(anyhow::anyhow!("version {} has no readable card", version.id));
    let body = cards::find(conn, &version.card).await?.ok_or_else(missing)?;
    Card::read(&body).card.ok_or_else(missing)
}

fn refused(failure: Failure) -> Error {
    Refusal::conflict(failure.message).into()
}
