//! Page `/register/{draft}/publish`: visibility and access; and the final page `/register/{draft}/done`.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::model::{
    Form,
    register::{RegisterDone, RegisterPublish},
};
use plexus_domain::{
    Error as Refusal,
    agent::{Access, Visibility},
};
use plexus_hub::{Error, agents, caller::Caller};

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

async fn page(site: &Site, caller: &Caller, id: &str) -> Result<RegisterPublish, Error> {
    let draft = draft(id)?;
    let step = agents::publish_step(&site.hub, caller, draft).await?;
    Ok(RegisterPublish {
        draft,
        seed: step.seed,
        name: step.title,
        address: step.address,
        proved: step.proved,
        way: shown::way(step.way),
        can_federate: step.can_federate,
        form: Form::default(),
    })
}

pub async fn publish(
    State(site): State<Site>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    match act(&site, &visit.caller, &id, &fields).await {
        Ok(()) => Redirect::to(&format!("/register/{id}/done")).into_response(),
        Err(error) => match page(&site, &visit.caller, &id).await {
            Ok(page) => refused(visit, error, fields, |form| RegisterPublish { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

async fn act(site: &Site, caller: &Caller, id: &str, fields: &Fields) -> Result<(), Error> {
    let draft = draft(id)?;
    let (visibility, access) = reach(fields)?;
    agents::publish(&site.hub, caller, draft, visibility, access).await?;
    Ok(())
}

/// Reads visibility and access; shared with the manage tab.
pub fn reach(fields: &Fields) -> Result<(Visibility, Access), Refusal> {
    let visibility = Visibility::parse(fields.get("visibility"));
    let access = Access::parse(fields.get("access"));
    Ok((
        visibility.ok_or_else(|| Refusal::invalid("visibility", "Choose who can find it."))?,
        access.ok_or_else(|| Refusal::invalid("access", "Choose who can use it."))?,
    ))
}

pub async fn done(State(site): State<Site>, visit: Visit, Path(id): Path<String>) -> Response {
    let page = finished(&site, &visit.caller, &id).await;
    visit.show_or_refuse(page)
}

async fn finished(site: &Site, caller: &Caller, id: &str) -> Result<RegisterDone, Error> {
    let done = agents::done(&site.hub, caller, draft(id)?).await?;
    Ok(RegisterDone {
        seed: done.seed,
        name: done.title,
        address: done.address,
        proved: done.proved,
        reach: done.visibility,
    })
}
