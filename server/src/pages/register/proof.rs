//! Page `/register/{draft}/proof`: verifies the origins that the card names.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::model::{Form, register::RegisterProof};
use plexus_domain::{Error as Refusal, account::Role};
use plexus_hub::{
    Error,
    agents::{Way, register},
    caller::Caller,
};

use super::{draft, shown};
use crate::{
    pages::account::refused,
    state::Site,
    web::{form::Fields, page::Visit},
};

pub async fn show(State(site): State<Site>, visit: Visit, Path(id): Path<String>) -> Response {
    let page = page(&site, &visit.caller, &id).await;
    visit.show_or_refuse(page)
}

async fn page(site: &Site, caller: &Caller, id: &str) -> Result<RegisterProof, Error> {
    let draft = draft(id)?;
    let origins = register::origins(&site.hub, caller, draft).await?;
    Ok(RegisterProof {
        draft,
        way: shown::way(register::way(&site.hub, caller, draft).await?),
        origins: origins.into_iter().map(shown::origin).collect(),
        can_vouch: caller.require(Role::Admin).is_ok(),
        form: Form::default(),
    })
}

pub async fn act(State(site): State<Site>, visit: Visit, Path(id): Path<String>, fields: Fields) -> Response {
    match perform(&site, &visit.caller, &id, &fields).await {
        Ok(next) => Redirect::to(&format!("/register/{id}/{next}")).into_response(),
        Err(error) => match page(&site, &visit.caller, &id).await {
            Ok(page) => refused(visit, error, fields, |form| RegisterProof { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

/// Performs the action and returns the next step.
async fn perform(site: &Site, caller: &Caller, id: &str, fields: &Fields) -> Result<&'static str, Error> {
    let draft = draft(id)?;
    match fields.get("action") {
        "check" => register::check_origins(&site.hub, caller, draft).await.map(|()| "proof"),
        "vouch" => {
            let origin = fields.get("origin");
            register::vouch_origin(&site.hub, caller, draft, origin).await.map(|()| "proof")
        }
        "continue" => {
            register::go_on(&site.hub, caller, draft).await?;
            Ok(match register::way(&site.hub, caller, draft).await? {
                Way::Request => "try",
                Way::Card | Way::Model | Way::Program | Way::Attached => "publish",
            })
        }
        _ => Err(Refusal::invalid("", "Choose whether to check or to continue.").into()),
    }
}
