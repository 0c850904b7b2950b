//! Page `/register/{draft}/card`: the fetched card, the agent's name and its credentials.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{Form, register::RegisterCard};
use plexus_hub::{
    Error,
    agents::{
        credentials::CredentialInput,
        register_a2a::{self, RegistrationChoices},
    },
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

async fn page(site: &AppState, caller: &Caller, id: &str) -> Result<RegisterCard, Error> {
    let draft = draft(id)?;
    let step = register_a2a::card(&site.hub, caller, draft).await?;
    let whose = if step.shared { "shared" } else { "per_user" };
    Ok(RegisterCard {
        draft,
        owner: step.owner.to_string(),
        card: card_views::preview(step.seed, step.card_url, &step.card),
        problems: step.problems.into_iter().map(card_views::problem).collect(),
        form: Form::filled([("name", step.name.as_str()), ("credentials", whose)]),
    })
}

pub async fn choose(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    match act(&site, &visit.caller, &id, &fields).await {
        Ok(()) => Redirect::to(&format!("/register/{id}/proof")).into_response(),
        Err(error) => match page(&site, &visit.caller, &id).await {
            Ok(page) => refused(visit, error, fields, |form| RegisterCard { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

async fn act(site: &AppState, caller: &Caller, id: &str, fields: &Fields) -> Result<(), Error> {
    let choice = RegistrationChoices {
        name: fields.get("name").to_owned(),
        shared: fields.get("credentials") == "shared",
        given: given(fields),
    };
    register_a2a::save_choices(&site.hub, caller, draft(id)?, choice).await
}

pub fn given(fields: &Fields) -> CredentialInput {
    CredentialInput {
        user: fields.get("user").trim().to_owned(),
        secret: fields.get("secret").trim().to_owned(),
    }
}
