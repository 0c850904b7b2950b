//! Page `/register/{draft}/card`: the fetched card, the agent's name and its credentials.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::model::{Form, register::RegisterCard};
use plexus_hub::{
    Error,
    agents::{
        credentials::Given,
        register::{self, Choice},
    },
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

async fn page(site: &Site, caller: &Caller, id: &str) -> Result<RegisterCard, Error> {
    let draft = draft(id)?;
    let step = register::card(&site.hub, caller, draft).await?;
    let whose = if step.for_everybody { "owner" } else { "each" };
    Ok(RegisterCard {
        draft,
        owner: step.owner.to_string(),
        card: shown::preview(step.seed, step.card_url, &step.card),
        problems: step.problems.into_iter().map(shown::problem).collect(),
        form: Form::filled([("name", step.name.as_str()), ("credentials", whose)]),
    })
}

pub async fn choose(
    State(site): State<Site>,
    visit: Visit,
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

async fn act(site: &Site, caller: &Caller, id: &str, fields: &Fields) -> Result<(), Error> {
    let choice = Choice {
        name: fields.get("name").to_owned(),
        for_everybody: fields.get("credentials") == "owner",
        given: given(fields),
    };
    register::choose(&site.hub, caller, draft(id)?, choice).await
}

pub fn given(fields: &Fields) -> Given {
    Given { user: fields.get("user").trim().to_owned(), secret: fields.get("secret").trim().to_owned() }
}
