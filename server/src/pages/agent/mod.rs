//! Page of an agent, `/@{owner}/{agent}`, with its tabs.

mod connect;
pub mod copy;
pub mod export;
pub mod feedback;
pub mod star;
pub mod versions;
pub mod visitor_chat;

use std::time::Duration;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use plexus_app::view_models::{
    Badge,
    agent::{self as model, AgentHead, AgentPage, AgentTab, ExternalLink, Overview, Skill},
    register::MissingModel,
};
use plexus_domain::{
    Address, Error as Refusal,
    agent::{Connector, Visibility},
};
use plexus_hub::{
    agents::{self, AgentState, AgentView, CallableState},
    caller::{Caller, Scope},
    model_providers::offered_models,
};
use tokio::time::timeout;

use super::register::instructions;
use crate::{
    app_state::AppState,
    rendering::TextRenderer,
    web::{page::PageContext, page_cache},
};

/// How long the page of an agent waits for model servers to list their models.
const MODEL_LIST_TIMEOUT: Duration = Duration::from_secs(1);

pub async fn overview(
    site: State<AppState>,
    visit: PageContext,
    Path(path): Path<(String, String)>,
) -> Response {
    show(site, visit, &path, |shown, renderer| AgentTab::Overview(about(shown, renderer))).await
}

pub async fn skills(
    site: State<AppState>,
    visit: PageContext,
    Path(path): Path<(String, String)>,
) -> Response {
    show(site, visit, &path, |shown, _| AgentTab::Skills(skill_rows(&shown.view))).await
}

pub async fn connect(
    site: State<AppState>,
    visit: PageContext,
    Path(path): Path<(String, String)>,
) -> Response {
    show(site, visit, &path, |shown, _| {
        AgentTab::Connect(connect::snippets(&shown.origin, &shown.view.address))
    })
    .await
}

/// The agent of a page, and what its tabs need besides.
struct ShownAgent {
    view: AgentView,
    /// URL of the hub.
    origin: String,
    missing_model: Option<MissingModel>,
}

async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    (owner, name): &(String, String),
    tab: impl FnOnce(&ShownAgent, &mut TextRenderer) -> AgentTab + Send + 'static,
) -> Response {
    let Ok(address) = format!("@{owner}/{name}").parse::<Address>() else {
        return visit.refuse_status(StatusCode::NOT_FOUND);
    };
    let origin = visit.frame().origin.clone();
    let caller = visit.caller.clone();
    let page = Box::pin(async {
        let view = agents::get(&site.hub, &caller, &address).await?;
        let view = view.ok_or_else(|| Refusal::not_found(format!("Agent {address} not found.")))?;
        let missing_model = missing_model(&site, &caller, &view).await;
        let shown = ShownAgent { view, origin, missing_model };
        site.renderer
            .run(caller.key(), move |renderer| AgentPage {
                tab: tab(&shown, renderer),
                head: head(shown.view),
            })
            .await
    });
    page_cache::cached_page(&site, visit, page).await
}

/// Returns the agent's model if the hub does not list it, for users who may choose another. Model servers that do not
/// answer soon count as listing it.
async fn missing_model(site: &AppState, caller: &Caller, view: &AgentView) -> Option<MissingModel> {
    let Some(Connector::Llm { model, .. }) = view.versions.first().map(|version| &version.connector) else {
        return None;
    };
    if !view.can_manage {
        return None;
    }
    let person = caller.may(Scope::Agents).ok()?;
    let offered = timeout(MODEL_LIST_TIMEOUT, offered_models(&site.hub, person)).await.ok()?.ok()?;
    instructions::missing_model(model, offered.iter().map(|model| model.name.as_str()))
}

/// Returns the data above the tabs and in the side bar.
pub fn head(view: AgentView) -> AgentHead {
    let badges = badges(&view);
    let card = view.card.as_ref();
    let version = view.versions.first();
    AgentHead {
        seed: view.seed,
        name: view.summary.title.clone(),
        summary: view.summary.summary.clone(),
        badges,
        callable: match view.callable {
            CallableState::Yes => model::Callable::Yes,
            CallableState::SignIn => model::Callable::SignIn,
            CallableState::NeedsCredentials => model::Callable::NeedsCredentials,
            CallableState::Unproved { origin } => model::Callable::Unproved { origin },
            CallableState::NotAllowed => model::Callable::NotAllowed,
            CallableState::Paused => model::Callable::Paused,
        },
        visibility: view.agent.visibility,
        can_manage: view.can_manage,
        can_copy: view.can_copy,
        protocol: view.summary.protocol.clone(),
        version: version.map(|version| version.semver.clone()).unwrap_or_default(),
        published: version.map(|version| version.created_at),
        last_answered: view.summary.online_at.or(view.last_run),
        uses: view.summary.uses,
        stars: view.stars,
        starred: view.starred,
        provider: card.and_then(|card| card.provider.as_ref()).map(|provider| provider.organization.clone()),
        links: card
            .and_then(|card| card.documentation_url.as_ref())
            .map(|url| ExternalLink { label: "Documentation".to_owned(), url: url.to_string() })
            .into_iter()
            .collect(),
        card_href: String::new(),
        hub_name: view.hub_name,
        address: view.address,
    }
}

fn badges(view: &AgentView) -> Vec<Badge> {
    let mut badges = Vec::new();
    if view.is_online {
        badges.push(Badge::Online);
    }
    if let Some(hub) = &view.address.hub {
        badges.push(Badge::Elsewhere { hub: hub.clone(), name: view.hub_name.clone() });
    }
    match view.versions.first().map(|version| &version.connector) {
        Some(Connector::Builtin { .. }) => badges.push(Badge::BuiltIn),
        Some(Connector::Attached) if !view.is_online => badges.push(Badge::Detached),
        Some(Connector::A2a { .. } | Connector::Http { .. }) if view.summary.verified => {
            badges.extend(view.proofs.iter().map(|proof| match proof.method {
                agents::ProofMethod::TrustedOrigin => Badge::Trusted(proof.origin.clone()),
                _ => Badge::Domain(proof.origin.clone()),
            }));
        }
        Some(Connector::A2a { .. } | Connector::Http { .. }) => badges.push(Badge::Unverified),
        _ => {}
    }
    match view.agent.visibility {
        Visibility::Private => badges.push(Badge::Private),
        Visibility::Unlisted => badges.push(Badge::Unlisted),
        Visibility::Public | Visibility::Federated => {}
    }
    if view.agent.state == AgentState::Paused {
        badges.push(Badge::Paused);
    }
    badges
}

fn about(shown: &ShownAgent, renderer: &mut TextRenderer) -> Overview {
    let view = &shown.view;
    let starters: Vec<String> = match view.versions.first().map(|version| &version.connector) {
        Some(Connector::Llm { starters, .. }) => starters.clone(),
        _ => view
            .card
            .iter()
            .flat_map(|card| &card.skills)
            .flat_map(|skill| skill.examples.clone())
            .take(4)
            .collect(),
    };
    // The head of the page shows the summary.
    let summary = &view.summary;
    let says_more = !summary.description.split_whitespace().eq(summary.summary.split_whitespace());
    Overview {
        missing_model: shown.missing_model.clone(),
        description: renderer.html("", if says_more { &summary.description } else { "" }),
        starters,
        skills: skill_rows(view),
        tags: view.summary.tags.clone(),
    }
}

fn skill_rows(view: &AgentView) -> Vec<Skill> {
    let skills = view.card.iter().flat_map(|card| &card.skills);
    let row = |skill: &agents::CardSkill| Skill {
        name: skill.name.clone(),
        description: skill.description.clone(),
        tags: skill.tags.clone(),
        examples: skill.examples.clone(),
        inputs: skill.input_modes.clone(),
        outputs: skill.output_modes.clone(),
    };
    skills.map(row).collect()
}
