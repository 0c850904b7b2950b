//! Agents: registering, changing, deleting. The command line goes through the same functions.

pub mod attach;
mod endpoints;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
    response::IntoResponse,
};
use plexus_domain::{
    Address, DraftId, Error as Refusal,
    agent::{Access, Visibility, http::Request},
};
use plexus_hub::{
    Error, Hub,
    agents::{
        self, About, AgentState, AgentView, Severity,
        credentials::{self, Given},
        instructions::{self, Instructions},
        manage::{self, Refreshed},
        proofs::OriginProof,
        register::{self, Begun, Choice},
    },
    caller::{Caller, Scope},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    state::Site,
    web::{body::JsonBody, caller::Called, error::ApiResult},
};

/// A new agent: one that runs at `url`, one that is called by a `request`, one that is a model with `instructions`, or a
/// program that is `attached` from its owner's machine.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewAgent {
    url: Option<String>,
    instructions: Option<String>,
    /// A program will be attached as it.
    #[serde(default)]
    attached: bool,
    /// How an HTTP endpoint is called.
    request: Option<Request>,
    /// The endpoint at `url` is called as this software is: `openai`, `open-interpreter`, `agent-protocol`.
    like: Option<String>,
    /// Sent to an endpoint first; without an answer it is not registered.
    r#try: Option<String>,
    /// Its name in its address; for one at a URL, the card's unless chosen.
    name: Option<String>,
    /// Private unless chosen.
    visibility: Option<Visibility>,
    /// Whoever signs in unless chosen.
    access: Option<Access>,
    /// An administrator answers for its origins.
    #[serde(default)]
    vouch: bool,
    credentials: Option<NewCredentials>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    summary: String,
    model: Option<String>,
    #[serde(default)]
    starters: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
}

/// What an agent is shown to be let in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewCredentials {
    /// Whether the owner's are used for everybody.
    #[serde(default)]
    for_everybody: bool,
    #[serde(default)]
    user: String,
    secret: String,
}

/// `POST /agents`: all steps of registering in one.
pub async fn create(
    State(site): State<Site>,
    Called(caller): Called,
    JsonBody(body): JsonBody<NewAgent>,
) -> ApiResult<impl IntoResponse> {
    Ok((StatusCode::CREATED, Json(register(&site.hub, &caller, body).await?)))
}

pub async fn register(hub: &Hub, caller: &Caller, mut new: NewAgent) -> Result<Value, Error> {
    let visibility = new.visibility.unwrap_or(Visibility::Private);
    let access = new.access.unwrap_or(Access::Accounts);
    let request =
        endpoints::request(new.request.take(), new.like.as_deref(), new.url.as_deref(), &new.model)?;
    let draft = match (request, &new.url, &new.instructions, new.attached) {
        (Some(request), _, None, false) => endpoints::describe(hub, caller, request, &new).await?,
        (None, Some(url), None, false) => fetch(hub, caller, url, &new).await?,
        (None, None, Some(_), false) => write(hub, caller, new).await?,
        (None, None, None, true) => describe(hub, caller, &new).await?,
        _ => {
            let words = "Give one of url, where the agent runs, request, how it is called, instructions for a model, and \
                         attached, for a program that will be.";
            return Err(Refusal::invalid("url", words).into());
        }
    };
    let address = agents::publish(hub, caller, draft, visibility, access).await?;
    one(hub, caller, &address).await
}

async fn fetch(hub: &Hub, caller: &Caller, url: &str, new: &NewAgent) -> Result<DraftId, Error> {
    let draft = match register::begin(hub, caller, url).await? {
        Begun::Draft(draft) => draft,
        Begun::Broken { card_url, problems } => return Err(unusable(&card_url, &problems).into()),
    };
    let found = register::card(hub, caller, draft).await?;
    let name = new.name.clone().unwrap_or(found.name);
    register::choose(hub, caller, draft, new.choice(name)).await?;
    vouch_for(hub, caller, draft, new.vouch).await?;
    register::go_on(hub, caller, draft).await?;
    Ok(draft)
}

impl NewAgent {
    fn choice(&self, name: String) -> Choice {
        let given = self.credentials.as_ref();
        Choice {
            name,
            for_everybody: given.is_some_and(|given| given.for_everybody),
            given: given
                .map(|given| Given { user: given.user.clone(), secret: given.secret.clone() })
                .unwrap_or_default(),
        }
    }

    /// Its title is its name unless given.
    fn about(&self, name: &str) -> About {
        About {
            title: if self.title.is_empty() { name.to_owned() } else { self.title.clone() },
            summary: self.summary.clone(),
            starters: self.starters.clone(),
            tags: self.tags.clone(),
        }
    }

    fn chosen_name(&self) -> Result<String, Refusal> {
        let missing = || Refusal::invalid("name", "Choose the agent's name in its address.");
        self.name.clone().ok_or_else(missing)
    }
}

async fn vouch_for(hub: &Hub, caller: &Caller, draft: DraftId, vouch: bool) -> Result<(), Error> {
    if vouch {
        for proof in register::origins(hub, caller, draft).await? {
            register::vouch_origin(hub, caller, draft, &proof.origin).await?;
        }
    }
    Ok(())
}

async fn describe(hub: &Hub, caller: &Caller, new: &NewAgent) -> Result<DraftId, Error> {
    let name = new.chosen_name()?;
    agents::attached::describe(hub, caller, &name, &new.about(&name)).await
}

async fn write(hub: &Hub, caller: &Caller, new: NewAgent) -> Result<DraftId, Error> {
    let name = new.chosen_name()?;
    let model = match new.model {
        Some(model) => model,
        None => agents::models(hub).await.into_iter().next().unwrap_or_default(),
    };
    let filled = Instructions {
        title: if new.title.is_empty() { name.clone() } else { new.title },
        summary: new.summary,
        instructions: new.instructions.unwrap_or_default(),
        model,
        starters: new.starters,
        tags: new.tags,
    };
    instructions::write(hub, caller, &name, filled).await
}

fn unusable(card_url: &str, problems: &[agents::Problem]) -> Refusal {
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
    let words: Vec<String> =
        errors.map(|problem| format!("{} {}", problem.pointer, problem.message).trim().to_owned()).collect();
    Refusal::invalid("url", format!("The card at {card_url} cannot be used. {}", words.join(" ")))
}

type At = Path<(String, String)>;

/// `GET /agents/{owner}/{name}`.
pub async fn show(State(site): State<Site>, Called(caller): Called, Path(at): At) -> ApiResult<Json<Value>> {
    Ok(Json(one(&site.hub, &caller, &address(&at)?).await?))
}

/// One agent; its owner is also told how its origins are proved.
pub async fn one(hub: &Hub, caller: &Caller, address: &Address) -> Result<Value, Error> {
    caller.may(Scope::Read)?;
    let view = agents::look(hub, caller, address).await?.ok_or_else(missing)?;
    let mut shown = agent(&view);
    if view.can_manage && caller.may(Scope::Agents).is_ok() {
        let managed = manage::managed(hub, caller, address).await?;
        shown["origins"] = managed.origins.iter().map(origin).collect();
    }
    Ok(shown)
}

fn agent(view: &AgentView) -> Value {
    let version = view.versions.iter().find(|version| version.yanked_reason.is_none());
    json!({ "address": view.address, "listing": view.agent.listing_id, "title": view.summary.title,
            "summary": view.summary.summary, "kind": view.summary.kind, "protocol": view.summary.protocol,
            "version": version.map(|version| &version.semver), "tags": view.summary.tags,
            "visibility": view.agent.visibility, "access": view.agent.access, "state": state(view.agent.state),
            "verified": view.summary.verified, "online": view.is_online })
}

const fn state(state: AgentState) -> &'static str {
    match state {
        AgentState::Active => "active",
        AgentState::Paused => "paused",
        AgentState::Hidden => "hidden",
        AgentState::Deleted => "deleted",
    }
}

fn origin(proof: &OriginProof) -> Value {
    json!({ "origin": proof.origin, "check": proof.check, "file_url": proof.file_url, "token": proof.token,
            "record": proof.record })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    pub visibility: Option<Visibility>,
    pub access: Option<Access>,
    pub state: Option<Running>,
}

/// Whether an agent takes new work.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Running {
    Active,
    Paused,
}

/// `PATCH /agents/{owner}/{name}`: what is not named stays.
pub async fn change(
    State(site): State<Site>,
    Called(caller): Called,
    Path(at): At,
    JsonBody(body): JsonBody<Change>,
) -> ApiResult<Json<Value>> {
    Ok(Json(apply(&site.hub, &caller, &address(&at)?, body).await?))
}

pub async fn apply(hub: &Hub, caller: &Caller, address: &Address, change: Change) -> Result<Value, Error> {
    if change.visibility.is_some() || change.access.is_some() {
        manage::set_reach(hub, caller, address, change.visibility, change.access).await?;
    }
    if let Some(state) = change.state {
        manage::set_paused(hub, caller, address, state == Running::Paused).await?;
    }
    one(hub, caller, address).await
}

/// `DELETE /agents/{owner}/{name}`.
pub async fn delete(State(site): State<Site>, Called(caller): Called, Path(at): At) -> ApiResult<StatusCode> {
    manage::delete(&site.hub, &caller, &address(&at)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /agents/{owner}/{name}/refresh`: fetches the card again.
pub async fn refresh(
    State(site): State<Site>,
    Called(caller): Called,
    Path(at): At,
) -> ApiResult<Json<Value>> {
    Ok(Json(renew(&site.hub, &caller, &address(&at)?).await?))
}

pub async fn renew(hub: &Hub, caller: &Caller, address: &Address) -> Result<Value, Error> {
    let refreshed = manage::refresh(hub, caller, address).await?;
    Ok(json!({ "changed": refreshed == Refreshed::NewVersion }))
}

/// `POST /agents/{owner}/{name}/check`: looks for proof at each origin.
pub async fn check(State(site): State<Site>, Called(caller): Called, Path(at): At) -> ApiResult<Json<Value>> {
    Ok(Json(prove(&site.hub, &caller, &address(&at)?).await?))
}

pub async fn prove(hub: &Hub, caller: &Caller, address: &Address) -> Result<Value, Error> {
    let found = manage::check_proofs(hub, caller, address).await?;
    Ok(json!({ "origins": found.iter().map(origin).collect::<Vec<_>>() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vouch {
    origin: String,
}

/// `POST /agents/{owner}/{name}/vouch`, for administrators.
pub async fn vouch(
    State(site): State<Site>,
    Called(caller): Called,
    Path(at): At,
    JsonBody(body): JsonBody<Vouch>,
) -> ApiResult<StatusCode> {
    manage::vouch(&site.hub, &caller, &address(&at)?, &body.origin).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `PUT /agents/{owner}/{name}/credentials`: the caller's own; never told again.
pub async fn give(
    State(site): State<Site>,
    Called(caller): Called,
    Path(at): At,
    JsonBody(body): JsonBody<NewCredentials>,
) -> ApiResult<StatusCode> {
    let given = Given { user: body.user, secret: body.secret };
    credentials::give(&site.hub, &caller, &address(&at)?, given).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /agents/{owner}/{name}/credentials`.
pub async fn forget(State(site): State<Site>, Called(caller): Called, Path(at): At) -> ApiResult<StatusCode> {
    credentials::forget(&site.hub, &caller, &address(&at)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The owner may be written with or without its @.
fn address((owner, name): &(String, String)) -> Result<Address, Error> {
    let owner = owner.strip_prefix('@').unwrap_or(owner);
    let parse = || Some(Address::local(owner.parse().ok()?, name.parse().ok()?));
    parse().ok_or_else(|| missing().into())
}

fn missing() -> Refusal {
    Refusal::not_found("There is no such agent here, or it is not yours.")
}
