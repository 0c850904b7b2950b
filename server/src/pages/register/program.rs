//! Page `/register/program`: registers one of the operator's programs.

use axum::{
    extract::State,
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{Form, register::ProgramPage};
use plexus_hub::{
    Error,
    agents::{
        AgentProfile,
        program_agent::{self, ProgramAgentForm},
    },
    caller::{Caller, Scope},
    config::ProgramProtocol,
};

use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{form::Fields, page::PageContext},
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site, &visit.caller);
    visit.show_or_refuse(page)
}

fn page(site: &AppState, caller: &Caller) -> Result<ProgramPage, Error> {
    let owner = caller.may(Scope::Agents)?.name.to_string();
    let programs = program_agent::programs(&site.hub, caller, ProgramProtocol::Acp)?;
    Ok(ProgramPage { owner, editing: None, programs, form: Form::default() })
}

pub async fn describe(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    match program_agent::describe(&site.hub, &visit.caller, fields.get("name"), filled(&fields)).await {
        Ok(id) => Redirect::to(&format!("/register/{id}/publish")).into_response(),
        Err(error) => match page(&site, &visit.caller) {
            Ok(page) => refused(visit, error, fields, |form| ProgramPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

/// Reads the form; shared with the edit page.
pub fn filled(fields: &Fields) -> ProgramAgentForm {
    let text = |name: &str| fields.get(name).to_owned();
    let about = AgentProfile {
        title: text("title"),
        summary: text("summary"),
        starters: fields.get("starters").lines().map(str::to_owned).collect(),
        tags: fields.get("tags").split(',').map(str::to_owned).collect(),
    };
    ProgramAgentForm { about, program: text("program") }
}

/// Returns the form filled with a stored program.
pub fn form(ProgramAgentForm { about, program }: ProgramAgentForm) -> Form {
    Form::filled([
        ("title", about.title),
        ("summary", about.summary),
        ("program", program),
        ("starters", about.starters.join("\n")),
        ("tags", about.tags.join(", ")),
    ])
}
