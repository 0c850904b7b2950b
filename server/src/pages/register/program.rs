//! Page `/register/program`: registers one of the operator's programs.

use axum::{
    extract::State,
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::model::{Form, register::ProgramPage};
use plexus_hub::{
    Error,
    agents::{
        About,
        program::{self, Described},
    },
    caller::{Caller, Scope},
    config::Speaks,
};

use crate::{
    pages::account::refused,
    state::Site,
    web::{form::Fields, page::Visit},
};

pub async fn show(State(site): State<Site>, visit: Visit) -> Response {
    let page = page(&site, &visit.caller);
    visit.show_or_refuse(page)
}

fn page(site: &Site, caller: &Caller) -> Result<ProgramPage, Error> {
    let owner = caller.may(Scope::Agents)?.name.to_string();
    let programs = program::programs(&site.hub, caller, Speaks::Acp)?;
    Ok(ProgramPage { owner, editing: None, programs, form: Form::default() })
}

pub async fn describe(State(site): State<Site>, visit: Visit, fields: Fields) -> Response {
    match program::describe(&site.hub, &visit.caller, fields.get("name"), filled(&fields)).await {
        Ok(id) => Redirect::to(&format!("/register/{id}/publish")).into_response(),
        Err(error) => match page(&site, &visit.caller) {
            Ok(page) => refused(visit, error, fields, |form| ProgramPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

/// Reads the form; shared with the edit page.
pub fn filled(fields: &Fields) -> Described {
    let text = |name: &str| fields.get(name).to_owned();
    let about = About {
        title: text("title"),
        summary: text("summary"),
        starters: fields.get("starters").lines().map(str::to_owned).collect(),
        tags: fields.get("tags").split(',').map(str::to_owned).collect(),
    };
    Described { about, program: text("program") }
}

/// Returns the form filled with a stored program.
pub fn form(Described { about, program }: Described) -> Form {
    Form::filled([
        ("title", about.title),
        ("summary", about.summary),
        ("program", program),
        ("starters", about.starters.join("\n")),
        ("tags", about.tags.join(", ")),
    ])
}
