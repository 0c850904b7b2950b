//! Registration of agents. The command line uses the same functions.

mod endpoints;

use axum::{Json, extract::State, http::StatusCode};
use plexus_domain::{
    DraftId, Error as Refusal,
    agent::{
        AgentAccess, AnswerLimits, AnswerLimitsInput, ModelParameters, ModelParametersInput, ToolSource,
        Visibility, http_endpoint::EndpointRequestSpec,
    },
};
use plexus_hub::{
    Error, Hub,
    agents::{
        self, AgentProfile, Severity,
        credentials::CredentialInput,
        model_agent::{self, ModelAgentForm},
        program_agent::{self, ProgramAgentForm},
        register_a2a::{self, CardFetchOutcome, RegistrationChoices},
        tool_credentials::ForServer,
    },
    caller::{Caller, Scope},
    model_providers,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::agent::{self, Agent};
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

/// A new agent: one that runs at `url`, an HTTP endpoint called by `request`, a model with `instructions`, a
/// `program` configured by the operator, or a program `attached` from its owner's machine.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAgent {
    /// URL of the agent or of its card.
    url: Option<String>,
    /// Instructions for a model of the hub.
    instructions: Option<String>,
    /// Name of a program configured by the operator.
    program: Option<String>,
    /// Whether the agent is a program that its owner will attach.
    #[serde(default)]
    attached: bool,
    /// Request template of an HTTP endpoint.
    request: Option<EndpointRequestSpec>,
    /// Preset for the request template of the endpoint at `url`: `openai`, `open-interpreter` or
    /// `agent-protocol`.
    preset: Option<String>,
    /// Trial message to an endpoint; if it is not answered, the agent is not registered.
    test_message: Option<String>,
    /// Name in the agent's address; for an agent at a URL, the default is its card's name.
    name: Option<String>,
    /// Default: private.
    visibility: Option<Visibility>,
    /// Default: all signed-in users.
    access: Option<AgentAccess>,
    /// Whether to mark its origins as trusted; administrators only.
    #[serde(default)]
    trust_origins: bool,
    credentials: Option<NewCredentials>,
    #[serde(default)]
    title: String,
    /// One line of text.
    #[serde(default)]
    summary: String,
    /// Default: the first model of the hub.
    model: Option<String>,
    /// Whether images in messages are sent to the model.
    #[serde(default)]
    reads_images: bool,
    #[serde(default)]
    starters: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
    /// MCP servers for a model with instructions. Each has `require_approval`, and either `program`, or `url` with
    /// optional `credentials`.
    #[serde(default)]
    tools: Vec<NewTool>,
    /// Limits for one answer of a model.
    #[serde(default)]
    limits: AnswerLimitsInput,
    /// How the model writes its answers; what is left out is up to the model's server.
    #[serde(default)]
    parameters: ModelParametersInput,
}

/// An MCP server that is attached to an agent.
#[derive(Deserialize, ToSchema)]
struct NewTool {
    #[serde(flatten)]
    source: ToolSource,
    /// Credentials for a server at a `url`.
    credentials: Option<ToolCredentials>,
}

/// Credentials with which the hub authenticates to an MCP server. They are never returned by the API.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ToolCredentials {
    /// Header that carries the API key, such as `X-API-Key`; if empty, the secret is sent as bearer token.
    #[serde(default)]
    header: String,
    secret: String,
}

impl NewTool {
    /// Returns the credentials for the server, if any were given.
    fn given(&self) -> Option<ForServer> {
        let ToolCredentials { header, secret } = self.credentials.as_ref()?;
        let (url, header, secret) = (self.source.place.to_string(), header.clone(), secret.clone());
        Some(ForServer { url, header, secret })
    }
}

/// Credentials with which an agent is called.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCredentials {
    /// Whether the owner's credentials are used for all callers.
    #[serde(default)]
    shared: bool,
    /// User name, if the scheme needs one.
    #[serde(default)]
    user: String,
    #[serde(default)]
    secret: String,
}

/// Registers an agent. Give one of `url`, `request`, `instructions`, `program` and `attached`.
#[utoipa::path(post, path = "/agents", operation_id = "agents.register", tag = "Agents", request_body = NewAgent,
    security(("token" = ["read", "agents"])), responses((status = CREATED, description = "The registered \
        agent.", body = Agent)))]
pub async fn create(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    JsonBody(body): JsonBody<NewAgent>,
) -> ApiResult<(StatusCode, Json<Agent>)> {
    Ok((StatusCode::CREATED, Json(register(&site.hub, &caller, body).await?)))
}

const ONE_OF: &str = "Set exactly one of url (remote agent), request (request template), instructions \
    (model), program (listed by the operator) and attached (attached program).";

/// Performs all steps of a registration.
pub async fn register(hub: &Hub, caller: &Caller, mut new: NewAgent) -> Result<Agent, Error> {
    // The response shows the agent.
    caller.may(Scope::Read)?;
    let visibility = new.visibility.unwrap_or(Visibility::Private);
    let access = new.access.unwrap_or(AgentAccess::Accounts);
    let request =
        endpoints::request(new.request.take(), new.preset.as_deref(), new.url.as_deref(), &new.model)?;
    let draft = match (request, &new.url, &new.instructions, &new.program, new.attached) {
        (Some(request), _, None, None, false) => endpoints::describe(hub, caller, request, &new).await?,
        (None, Some(url), None, None, false) => fetch(hub, caller, url, &new).await?,
        (None, None, Some(_), None, false) => write(hub, caller, new).await?,
        (None, None, None, Some(_), false) => run_program(hub, caller, new).await?,
        (None, None, None, None, true) => describe(hub, caller, &new).await?,
        _ => {
            return Err(Refusal::invalid("url", ONE_OF).into());
        }
    };
    let omitted_tools = agents::publish_step(hub, caller, draft).await?.omitted_tools;
    let address = agents::publish(hub, caller, draft, visibility, access).await?;
    let mut shown = agent::one(hub, caller, &address).await?;
    shown.omitted_tools = omitted_tools;
    Ok(shown)
}

async fn fetch(hub: &Hub, caller: &Caller, url: &str, new: &NewAgent) -> Result<DraftId, Error> {
    let draft = match register_a2a::begin(hub, caller, url).await? {
        CardFetchOutcome::Draft(draft) => draft,
        CardFetchOutcome::Broken { card_url, problems } => return Err(unusable(&card_url, &problems).into()),
    };
    let found = register_a2a::card(hub, caller, draft).await?;
    let name = new.name.clone().unwrap_or(found.name);
    register_a2a::save_choices(hub, caller, draft, new.choice(name)).await?;
    trust_origins(hub, caller, draft, new.trust_origins).await?;
    register_a2a::continue_unverified(hub, caller, draft).await?;
    Ok(draft)
}

impl NewAgent {
    fn choice(&self, name: String) -> RegistrationChoices {
        let given = self.credentials.as_ref();
        RegistrationChoices {
            name,
            shared: given.is_some_and(|given| given.shared),
            given: given
                .map(|given| CredentialInput { user: given.user.clone(), secret: given.secret.clone() })
                .unwrap_or_default(),
        }
    }

    /// Returns the descriptive fields; the default of the title is the name.
    fn about(&self, name: &str) -> AgentProfile {
        AgentProfile {
            title: if self.title.is_empty() { name.to_owned() } else { self.title.clone() },
            summary: self.summary.clone(),
            starters: self.starters.clone(),
            tags: self.tags.clone(),
        }
    }

    fn chosen_name(&self) -> Result<String, Refusal> {
        let missing = || Refusal::invalid("name", "Set the agent's name in its address.");
        self.name.clone().ok_or_else(missing)
    }
}

async fn trust_origins(hub: &Hub, caller: &Caller, draft: DraftId, trust: bool) -> Result<(), Error> {
    if trust {
        for proof in register_a2a::origins(hub, caller, draft).await? {
            register_a2a::trust_origin(hub, caller, draft, &proof.origin).await?;
        }
    }
    Ok(())
}

async fn describe(hub: &Hub, caller: &Caller, new: &NewAgent) -> Result<DraftId, Error> {
    let name = new.chosen_name()?;
    agents::attached::describe(hub, caller, &name, &new.about(&name)).await
}

async fn default_model(hub: &Hub, caller: &Caller) -> Result<String, Error> {
    let offered = model_providers::offered_models(hub, caller.may(Scope::Agents)?).await?;
    Ok(offered.into_iter().next().map(|model| model.name).unwrap_or_default())
}

async fn write(hub: &Hub, caller: &Caller, new: NewAgent) -> Result<DraftId, Error> {
    let name = new.chosen_name()?;
    let model = match new.model {
        Some(model) => model,
        None => default_model(hub, caller).await?,
    };
    let given: Vec<ForServer> = new.tools.iter().filter_map(NewTool::given).collect();
    let filled = ModelAgentForm {
        title: if new.title.is_empty() { name.clone() } else { new.title },
        summary: new.summary,
        instructions: new.instructions.unwrap_or_default(),
        model,
        starters: new.starters,
        tags: new.tags,
        tools: new.tools.into_iter().map(|tool| tool.source).collect(),
        budget: AnswerLimits::try_from(new.limits)?,
        reads_images: new.reads_images,
        parameters: ModelParameters::try_from(new.parameters)?,
    };
    model_agent::write(hub, caller, &name, filled, &given).await
}

async fn run_program(hub: &Hub, caller: &Caller, new: NewAgent) -> Result<DraftId, Error> {
    let name = new.chosen_name()?;
    let about = AgentProfile {
        title: if new.title.is_empty() { name.clone() } else { new.title },
        summary: if new.summary.is_empty() { name.clone() } else { new.summary },
        starters: new.starters,
        tags: new.tags,
    };
    let filled = ProgramAgentForm { about, program: new.program.unwrap_or_default() };
    program_agent::describe(hub, caller, &name, filled).await
}

fn unusable(card_url: &str, problems: &[agents::Problem]) -> Refusal {
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
    let words: Vec<String> =
        errors.map(|problem| format!("{} {}", problem.pointer, problem.message).trim().to_owned()).collect();
    Refusal::invalid("url", format!("The card at {card_url} cannot be used. {}", words.join(" ")))
}
