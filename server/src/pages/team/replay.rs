//! Page `/teams/{id}/replay?step=N`: the state of a team after an entry of its log.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use plexus_app::{
    text,
    view_models::{
        Locale,
        team::{TeamPage, TimelineStep},
    },
};
use plexus_domain::team::TeamActor;
use plexus_hub::{
    Error,
    teams::{self, TeamSnapshot},
};
use serde::Deserialize;

use super::{
    log_text::{LogNames, words},
    team,
    view::page,
};
use crate::{app_state::AppState, rendering::TextRenderer, web::page::PageContext};

/// Query of the page. A step that is not a number means the first step.
#[derive(Deserialize)]
pub struct ReplayQuery {
    #[serde(default)]
    step: String,
}

impl ReplayQuery {
    pub fn number(&self) -> u64 {
        self.step.trim().parse().unwrap_or(0)
    }
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    Query(asked): Query<ReplayQuery>,
) -> Response {
    let shown = one(&site, &visit, &id, asked.number()).await;
    visit.show_or_refuse(shown)
}

async fn one(site: &AppState, visit: &PageContext, id: &str, step: u64) -> Result<TeamPage, Error> {
    let id = team(id)?;
    let moment = teams::snapshot_at(&site.hub, &visit.caller, id, step).await?;
    let locale = visit.frame().locale;
    site.renderer
        .run(visit.caller.key(), move |renderer| at(moment, &format!("/teams/{id}"), false, locale, renderer))
        .await
}

/// Builds the page of one step; `back` is the path of the team's page.
pub fn at(
    moment: TeamSnapshot,
    back: &str,
    by_share_link: bool,
    locale: Locale,
    renderer: &mut TextRenderer,
) -> TeamPage {
    let TeamSnapshot { view, entry, last } = moment;
    let members: Vec<String> = view.members.iter().map(|member| member.name.clone()).collect();
    let assignments: Vec<String> = view.assignments.iter().map(|work| work.title.clone()).collect();
    let owner = if by_share_link { text!(locale => "log-owner") } else { text!(locale => "log-you") };
    let names = LogNames { members: &members, assignments: &assignments, owner: &owner, locale };
    let (words, text) = words(&entry, &names, !by_share_link);
    let step = TimelineStep {
        number: entry.seq(),
        last,
        at: entry.at(),
        words,
        text: text.as_deref().map(|text| match entry.by() {
            TeamActor::Seat(_) => renderer.html("", text),
            TeamActor::Owner | TeamActor::Home => renderer.typed(text),
        }),
        back: back.to_owned(),
        replay: format!("{back}/replay"),
    };
    TeamPage { step: Some(step), ..page(view, by_share_link, renderer) }
}
