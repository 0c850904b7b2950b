//! Form `POST /@{owner}/{agent}/star`: stars or unstars an agent.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_domain::{Address, Error as Refusal};
use plexus_hub::{Error, agents::stars};

use crate::{
    app_state::AppState,
    web::{form::Fields, page::PageContext},
};

pub async fn turn(
    State(site): State<AppState>,
    visit: PageContext,
    Path((owner, name)): Path<(String, String)>,
    fields: Fields,
) -> Response {
    let (Ok(owner), Ok(name)) = (owner.parse(), name.parse()) else {
        return visit.refuse(Refusal::not_found("Agent not found.").into());
    };
    let address = Address::local(owner, name);
    match set(&site, &visit, &address, fields.get("star")).await {
        Ok(()) => Redirect::to(&back(&address, fields.get("tab"))).into_response(),
        Err(error) => visit.refuse(error),
    }
}

async fn set(site: &AppState, visit: &PageContext, address: &Address, star: &str) -> Result<(), Error> {
    match star {
        "yes" => stars::star(&site.hub, &visit.caller, address).await,
        "no" => stars::unstar(&site.hub, &visit.caller, address).await,
        _ => Err(Refusal::invalid("star", "Invalid action. Reload the page and try again.").into()),
    }
}

/// Returns the tab from which the form was sent.
fn back(address: &Address, tab: &str) -> String {
    match tab {
        "skills" | "versions" | "connect" | "manage" | "credentials" => format!("/{address}/{tab}"),
        _ => format!("/{address}"),
    }
}
