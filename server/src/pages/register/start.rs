//! Pages `/register`: choice of what to register, and unfinished registrations; and `/register/address`: the URL of an
//! agent card.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Form,
    register::{DraftRow, RegisterAddress, RegisterCard, RegisterStart, Step},
};
use plexus_domain::DraftId;
use plexus_hub::{
    Error,
    agents::{
        self, program_agent,
        register_a2a::{self, CardFetchOutcome},
    },
    caller::Caller,
    config::ProgramProtocol,
    model_providers,
};

use super::{card_views, draft};
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{form::Fields, page::PageContext},
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site, &visit.caller).await;
    visit.show_or_refuse(page)
}

async fn page(site: &AppState, caller: &Caller) -> Result<RegisterStart, Error> {
    let row = |row: register_a2a::DraftRow| DraftRow {
        id: row.id,
        label: row.label,
        way: card_views::way(row.way),
        step: step(row.step),
        begun: row.begun,
    };
    Ok(RegisterStart {
        drafts: register_a2a::list(&site.hub, caller).await?.into_iter().map(row).collect(),
        has_programs: !program_agent::programs(&site.hub, caller, ProgramProtocol::Acp)?.is_empty(),
        has_models: model_providers::availability(&site.hub).await?.has_models,
    })
}

pub async fn show_address(State(site): State<AppState>, visit: PageContext) -> Response {
    // The list of drafts requires an account, as this form does.
    let allowed = register_a2a::list(&site.hub, &visit.caller).await;
    let page = allowed.map(|_| address(&site, &visit.caller, Form::default()));
    visit.show_or_refuse(page)
}

fn address(site: &AppState, caller: &Caller, form: Form) -> RegisterAddress {
    RegisterAddress { allows_private: register_a2a::allows_private(&site.hub, caller), form }
}

const fn step(step: agents::RegistrationStep) -> Step {
    match step {
        agents::RegistrationStep::Card => Step::Card,
        agents::RegistrationStep::Proof => Step::Proof,
        agents::RegistrationStep::Try => Step::Try,
        agents::RegistrationStep::Publish | agents::RegistrationStep::Done => Step::Publish,
    }
}

pub async fn fetch(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    match register_a2a::begin(&site.hub, &visit.caller, fields.get("url")).await {
        Ok(CardFetchOutcome::Draft(id)) => Redirect::to(&format!("/register/{id}/card")).into_response(),
        Ok(CardFetchOutcome::Broken { card_url, problems }) => {
            let page = broken(&site, &visit, card_url, problems);
            visit.show_as(StatusCode::UNPROCESSABLE_ENTITY, page)
        }
        Err(error) => {
            let caller = visit.caller.clone();
            refused(visit, error, fields, |form| address(&site, &caller, form))
        }
    }
}

/// Handles `/register/{draft}/discard`.
pub async fn discard(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    let discarded = async { register_a2a::discard(&site.hub, &visit.caller, draft(&id)?).await };
    match discarded.await {
        Ok(()) => Redirect::to("/register").into_response(),
        Err(error) => visit.refuse(error),
    }
}

/// Returns the card's page for an unusable card. It has no stored draft, so the registration cannot continue.
fn broken(
    site: &AppState,
    visit: &PageContext,
    card_url: String,
    problems: Vec<agents::Problem>,
) -> RegisterCard {
    let owner = visit.caller.person.as_ref().map(|person| person.name.to_string());
    RegisterCard {
        draft: site.hub.env().id(DraftId::new),
        owner: owner.unwrap_or_default(),
        card: card_views::unreadable(card_url.clone(), card_url),
        problems: problems.into_iter().map(card_views::problem).collect(),
        form: Form::default(),
    }
}
