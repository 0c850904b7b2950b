//! `/register/instructions`: a new agent that is a model with instructions.

use axum::{
    extract::State,
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::model::{
    Form,
    register::{InstructionsPage, ModelOption},
};
use plexus_hub::{
    Error,
    agents::{self, instructions, instructions::Instructions},
    caller::{Caller, Scope},
};

use crate::{
    pages::account::refused,
    state::Site,
    web::{form::Fields, page::Visit},
};

pub async fn show(State(site): State<Site>, visit: Visit) -> Response {
    let page = page(&site, &visit.caller).await;
    visit.show_or_refuse(page)
}

async fn page(site: &Site, caller: &Caller) -> Result<InstructionsPage, Error> {
    let owner = caller.may(Scope::Agents)?.name.to_string();
    Ok(InstructionsPage { owner, editing: None, models: options(site).await, form: Form::default() })
}

pub async fn options(site: &Site) -> Vec<ModelOption> {
    let option = |id: String| ModelOption { label: id.clone(), id };
    agents::models(&site.hub).await.into_iter().map(option).collect()
}

pub async fn write(State(site): State<Site>, visit: Visit, fields: Fields) -> Response {
    let filled = filled(&fields);
    match instructions::write(&site.hub, &visit.caller, fields.get("name"), filled).await {
        Ok(id) => Redirect::to(&format!("/register/{id}/publish")).into_response(),
        Err(error) => match page(&site, &visit.caller).await {
            Ok(page) => refused(visit, error, fields, |form| InstructionsPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

/// The fields of the form, which the page for editing shares: starters one a line, tags with commas between.
pub fn filled(fields: &Fields) -> Instructions {
    let text = |name: &str| fields.get(name).to_owned();
    Instructions {
        title: text("title"),
        summary: text("summary"),
        instructions: text("instructions"),
        model: text("model"),
        starters: fields.get("starters").lines().map(str::to_owned).collect(),
        tags: fields.get("tags").split(',').map(str::to_owned).collect(),
    }
}

/// The same form, filled with what is kept.
pub fn form(kept: &Instructions) -> Form {
    Form::filled([
        ("title", kept.title.clone()),
        ("summary", kept.summary.clone()),
        ("instructions", kept.instructions.clone()),
        ("model", kept.model.clone()),
        ("starters", kept.starters.join("\n")),
        ("tags", kept.tags.join(", ")),
    ])
}
