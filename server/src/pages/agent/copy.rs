//! Page `/@{owner}/{agent}/copy`: copies an agent into the namespace of the caller.

use axum::{
    extract::{Path, State},
    response::Response,
};
use plexus_app::view_models::{Form, agent::CopyAgent};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error,
    agents::{self, CreatedModelAgent},
    caller::{Caller, Scope},
};

use crate::{
    app_state::AppState,
    pages::{account::refused, agent_manage::address, register::import::with_field_of_form},
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

type At = Path<(String, String)>;

pub async fn show(State(site): State<AppState>, visit: PageContext, Path(at): At) -> Response {
    let page = page(&site, &visit.caller, &at).await;
    visit.show_or_refuse(page)
}

async fn page(site: &AppState, caller: &Caller, at: &(String, String)) -> Result<CopyAgent, Error> {
    let owner = caller.may(Scope::Agents)?.name.to_string();
    let address = address(at)?;
    let missing = || Refusal::not_found(format!("Agent {address} not found."));
    let view = agents::get(&site.hub, caller, &address).await?.ok_or_else(missing)?;
    if !view.can_copy {
        return Err(Refusal::forbidden(format!("The owner of {address} does not allow copies.")).into());
    }
    Ok(CopyAgent { address, title: view.summary.title, owner, form: Form::default() })
}

pub async fn copy(
    State(site): State<AppState>,
    visit: PageContext,
    Path(at): At,
    fields: Fields,
) -> Response {
    let copied =
        async { agents::copy_agent(&site.hub, &visit.caller, &address(&at)?, fields.get("name")).await };
    match copied.await {
        Ok(CreatedModelAgent { address, needs_credentials: true }) => {
            redirect_with_notice(&format!("/{address}/credentials"), "copied-credentials")
        }
        Ok(CreatedModelAgent { address, .. }) => {
            redirect_with_notice(&format!("/{address}/manage"), "copied")
        }
        Err(error) => match page(&site, &visit.caller, &at).await {
            Ok(page) => {
                let error = with_field_of_form(error, &["name"], "");
                refused(visit, error, fields, |form| CopyAgent { form, ..page })
            }
            Err(error) => visit.refuse(error),
        },
    }
}
