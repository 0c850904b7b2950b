//! Page `/register/{draft}/publish`: visibility and access; and the final page `/register/{draft}/done`.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Form,
    register::{RegisterDone, RegisterPublish},
};
use plexus_domain::{
    Error as Refusal,
    agent::{AgentAccess, Visibility},
};
use plexus_hub::{Error, agents, caller::Caller};

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

async fn page(site: &AppState, caller: &Caller, id: &str) -> Result<RegisterPublish, Error> {
    let draft = draft(id)?;
    let step = agents::publish_step(&site.hub, caller, draft).await?;
    Ok(RegisterPublish {
        draft,
        seed: step.seed,
        name: step.title,
        address: step.address,
        proved: step.proved,
        way: card_views::way(step.way),
        can_federate: step.can_federate,
        omitted_tools: step.omitted_tools,
        form: Form::default(),
    })
}

pub async fn publish(
    State(site): State<AppState>,
    visit: PageContext,
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

async fn act(site: &AppState, caller: &Caller, id: &str, fields: &Fields) -> Result<(), Error> {
    let draft = draft(id)?;
    let (visibility, access) = reach(fields)?;
    agents::publish(&site.hub, caller, draft, visibility, access).await?;
    Ok(())
}

/// Reads visibility and access; shared with the manage tab.
pub fn reach(fields: &Fields) -> Result<(Visibility, AgentAccess), Refusal> {
    let visibility = Visibility::parse(fields.get("visibility"));
    let access = AgentAccess::parse(fields.get("access"));
    Ok((
        visibility.ok_or_else(|| Refusal::invalid("visibility", "Choose a visibility."))?,
        access.ok_or_else(|| Refusal::invalid("access", "Choose who has access."))?,
    ))
}

pub async fn done(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    let page = finished(&site, &visit.caller, &id).await;
    visit.show_or_refuse(page)
}

async fn finished(site: &AppState, caller: &Caller, id: &str) -> Result<RegisterDone, Error> {
    let done = agents::done(&site.hub, caller, draft(id)?).await?;
    Ok(RegisterDone {
        seed: done.seed,
        name: done.title,
        address: done.address,
        proved: done.proved,
        reach: done.visibility,
    })
}
