//! Page `/teams/{id}/replay?step=N`: the state of a team after an entry of its log.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use plexus_app::model::team::{Step, TeamPage};
use plexus_hub::{
    Error,
    teams::{self, Moment},
};
use serde::Deserialize;

use super::{
    team,
    view::page,
    words::{Names, words},
};
use crate::{rendering::Pen, state::Site, web::page::Visit};

/// Query of the page. A step that is not a number means the first step.
#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    step: String,
}

impl Asked {
    pub fn number(&self) -> u64 {
        self.step.trim().parse().unwrap_or(0)
    }
}

pub async fn show(
    State(site): State<Site>,
    visit: Visit,
    Path(id): Path<String>,
    Query(asked): Query<Asked>,
) -> Response {
    let shown = one(&site, &visit, &id, asked.number()).await;
    visit.show_or_refuse(shown)
}

async fn one(site: &Site, visit: &Visit, id: &str, step: u64) -> Result<TeamPage, Error> {
    let id = team(id)?;
    let moment = teams::moment(&site.hub, &visit.caller, id, step).await?;
    site.renderer.run(move |pen| at(moment, &format!("/teams/{id}"), false, pen)).await
}

/// Builds the page of one step; `back` is the path of the team's page.
pub fn at(moment: Moment, back: &str, guest: bool, pen: &mut Pen) -> TeamPage {
    let Moment { view, entry, last } = moment;
    let members: Vec<String> = view.members.iter().map(|member| member.name.clone()).collect();
    let work: Vec<String> = view.work.iter().map(|work| work.title.clone()).collect();
    let owner = if guest { "The owner" } else { "You" };
    let (words, text) = words(&entry, &Names { members: &members, work: &work, owner }, !guest);
    let step = Step {
        number: entry.seq(),
        last,
        at: entry.at(),
        words,
        text: text.as_deref().map(|text| pen.html("", text)),
        back: back.to_owned(),
        replay: format!("{back}/replay"),
    };
    TeamPage { step: Some(step), ..page(view, guest, pen) }
}
