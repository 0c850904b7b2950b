//! Page `/register`: choice of the kind of agent, the URL of its card, and unfinished registrations.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::model::{
    Form,
    register::{DraftRow, RegisterCard, RegisterStart, Step},
};
use plexus_domain::DraftId;
use plexus_hub::{
    Error,
    agents::{
        self, program,
        register::{self, Begun},
    },
    caller::Caller,
    config::Speaks,
};

use super::{draft, shown};
use crate::{
    pages::account::refused,
    state::Site,
    web::{form::Fields, page::Visit},
};

pub async fn show(State(site): State<Site>, visit: Visit) -> Response {
    let page = page(&site, &visit.caller).await;
    visit.show_or_refuse(page)
}

async fn page(site: &Site, caller: &Caller) -> Result<RegisterStart, Error> {
    let row = |row: register::DraftRow| DraftRow {
        id: row.id,
        label: row.label,
        way: shown::way(row.way),
        step: step(row.step),
        begun: row.begun,
    };
    Ok(RegisterStart {
        drafts: register::list(&site.hub, caller).await?.into_iter().map(row).collect(),
        has_programs: !program::programs(&site.hub, caller, Speaks::Acp)?.is_empty(),
        has_models: site.hub.config().models.is_some(),
        allows_private: register::allows_private(&site.hub, caller),
        form: Form::default(),
    })
}

const fn step(step: agents::Step) -> Step {
    match step {
        agents::Step::Card => Step::Card,
        agents::Step::Proof => Step::Proof,
        agents::Step::Try => Step::Try,
        agents::Step::Publish | agents::Step::Done => Step::Publish,
    }
}

pub async fn fetch(State(site): State<Site>, visit: Visit, fields: Fields) -> Response {
    match register::begin(&site.hub, &visit.caller, fields.get("url")).await {
        Ok(Begun::Draft(id)) => Redirect::to(&format!("/register/{id}/card")).into_response(),
        Ok(Begun::Broken { card_url, problems }) => {
            let page = broken(&site, &visit, card_url, problems);
            visit.show_as(StatusCode::UNPROCESSABLE_ENTITY, page)
        }
        Err(error) => match page(&site, &visit.caller).await {
            Ok(page) => refused(visit, error, fields, |form| RegisterStart { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

/// Handles `/register/{draft}/discard`.
pub async fn discard(State(site): State<Site>, visit: Visit, Path(id): Path<String>) -> Response {
    let discarded = async { register::discard(&site.hub, &visit.caller, draft(&id)?).await };
    match discarded.await {
        Ok(()) => Redirect::to("/register").into_response(),
        Err(error) => visit.refuse(error),
    }
}

/// Returns the card's page for an unusable card. It has no stored draft, so the registration cannot continue.
fn broken(site: &Site, visit: &Visit, card_url: String, problems: Vec<agents::Problem>) -> RegisterCard {
    let owner = visit.caller.person.as_ref().map(|person| person.name.to_string());
    RegisterCard {
        draft: site.hub.env().id(DraftId::new),
        owner: owner.unwrap_or_default(),
        card: shown::unreadable(card_url.clone(), card_url),
        problems: problems.into_iter().map(shown::problem).collect(),
        form: Form::default(),
    }
}
