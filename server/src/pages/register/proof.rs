//! Page `/register/{draft}/proof`: verifies the origins that the card names.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{Form, register::RegisterProof};
use plexus_domain::{Error as Refusal, account::Role};
use plexus_hub::{
    Error,
    agents::{RegistrationKind, register_a2a},
    caller::Caller,
};

use super::{card_views, draft};
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{form::Fields, page::PageContext},
};

pub async fn show(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    let page = page(&site, &visit.caller, &id).await;
    visit.show_or_refuse(page)
}

async fn page(site: &AppState, caller: &Caller, id: &str) -> Result<RegisterProof, Error> {
    let draft = draft(id)?;
    let origins = register_a2a::origins(&site.hub, caller, draft).await?;
    Ok(RegisterProof {
        draft,
        way: card_views::way(register_a2a::way(&site.hub, caller, draft).await?),
        origins: origins.into_iter().map(card_views::origin).collect(),
        can_trust: caller.require(Role::Admin).is_ok(),
        form: Form::default(),
    })
}

pub async fn act(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    match perform(&site, &visit.caller, &id, &fields).await {
        Ok(next) => Redirect::to(&format!("/register/{id}/{next}")).into_response(),
        Err(error) => match page(&site, &visit.caller, &id).await {
            Ok(page) => refused(visit, error, fields, |form| RegisterProof { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

/// Performs the action and returns the next step.
async fn perform(site: &AppState, caller: &Caller, id: &str, fields: &Fields) -> Result<&'static str, Error> {
    let draft = draft(id)?;
    match fields.get("action") {
        "verify" => register_a2a::verify_origins(&site.hub, caller, draft).await.map(|()| "proof"),
        "trust_origin" => {
            let origin = fields.get("origin");
            register_a2a::trust_origin(&site.hub, caller, draft, origin).await.map(|()| "proof")
        }
        "continue" => {
            register_a2a::continue_unverified(&site.hub, caller, draft).await?;
            Ok(match register_a2a::way(&site.hub, caller, draft).await? {
                RegistrationKind::Request => "try",
                RegistrationKind::Card
                | RegistrationKind::Model
                | RegistrationKind::Program
                | RegistrationKind::Attached => "publish",
            })
        }
        _ => Err(Refusal::invalid("", "Choose whether to verify or to continue.").into()),
    }
}
