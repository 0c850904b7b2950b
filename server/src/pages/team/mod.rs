//! Pages `/teams` and `/teams/{id}`, with replay, report and share link.

mod log_text;
mod replay;
mod report;
pub mod share;
mod view;

use axum::{
    extract::{Path, Query, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::{
    text,
    view_models::{
        Form, Locale,
        team::{GoalExample, TeamPage, TeamRow, TeamsPage},
    },
};
use plexus_domain::{
    Address, ChatId, Error as Refusal,
    team::{AssignmentNo, Pattern, Seat, TeamLimits},
};
use plexus_hub::{
    Error,
    teams::{self, EXAMPLE_GOALS, LaunchRequest, OwnerAction},
};
use serde::Deserialize;

pub use replay::show as replay;
use view::{page, standing};

use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{form::Fields, page::PageContext},
};

#[derive(Deserialize)]
pub struct TeamsQuery {
    /// Number of the example goal in the form, from 1.
    example: Option<usize>,
}

pub async fn list(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<TeamsQuery>,
) -> Response {
    let example = query.example.and_then(|number| EXAMPLE_GOALS.get(number.checked_sub(1)?));
    let form = Form::filled(example.map(|example| ("goal", example.goal)));
    let page = all(&site, &visit).await.map(|page| TeamsPage { form, ..page });
    visit.show_or_refuse(page)
}

async fn all(site: &AppState, visit: &PageContext) -> Result<TeamsPage, Error> {
    let row = |item: teams::TeamItem| TeamRow {
        id: item.id.to_string(),
        title: item.title,
        standing: standing(item.state),
        launched: item.launched,
    };
    let teams = teams::list(&site.hub, &visit.caller).await?.into_iter().map(row).collect();
    let locale = visit.frame().locale;
    let (patterns, depths, examples) = (patterns(locale), depths(locale), examples());
    Ok(TeamsPage { teams, patterns, depths, examples, form: Form::default() })
}

fn examples() -> Vec<GoalExample> {
    let example = |(index, example): (usize, &teams::ExampleGoal)| GoalExample {
        title: example.title,
        goal: example.goal,
        href: format!("/teams?example={}", index + 1),
    };
    EXAMPLE_GOALS.iter().enumerate().map(example).collect()
}

fn depths(locale: Locale) -> Vec<(String, String)> {
    let words = [
        (2, text!(locale => "depth-2")),
        (0, text!(locale => "depth-0")),
        (1, text!(locale => "depth-1")),
        (4, text!(locale => "depth-4")),
        (8, text!(locale => "depth-8")),
    ];
    words.into_iter().map(|(depth, words)| (depth.to_string(), words)).collect()
}

fn patterns(locale: Locale) -> Vec<(String, String)> {
    let words = |pattern: &Pattern| match pattern {
        Pattern::PlanAndDelegate(_) => text!(locale => "pattern-plan"),
        Pattern::DiscussOnly(_) => text!(locale => "pattern-discuss"),
        Pattern::RoundRobin(_) => text!(locale => "pattern-round-robin"),
        Pattern::Debate(_) => text!(locale => "pattern-debate"),
        Pattern::ReplyToAll(_) => text!(locale => "pattern-reply-all"),
    };
    Pattern::ALL.iter().map(|pattern| (pattern.as_str().to_owned(), words(pattern))).collect()
}

pub async fn launch(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let launched = match filled(&fields) {
        Ok(launch) => teams::launch(&site.hub, &visit.caller, launch).await,
        Err(refusal) => Err(refusal.into()),
    };
    match launched {
        Ok(id) => Redirect::to(&format!("/teams/{id}")).into_response(),
        Err(error) => match all(&site, &visit).await {
            Ok(page) => refused(visit, error, fields, |form| TeamsPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

fn filled(fields: &Fields) -> Result<LaunchRequest, Refusal> {
    let wrong = |word: &str| {
        Refusal::invalid("members", format!("{word} is not an agent address. Use the form @ada/tide."))
    };
    let words = fields.get("members").split([' ', ',', '\n']).map(str::trim).filter(|word| !word.is_empty());
    let depth = fields.given("max_subteam_depth").map(str::parse).transpose();
    let depth = depth.map_err(|_| Refusal::invalid("max_subteam_depth", "Choose how many levels."))?;
    let members: Result<Vec<Address>, Refusal> =
        words.map(|word| word.parse().map_err(|_| wrong(word))).collect();
    let or = TeamLimits::default();
    Ok(LaunchRequest {
        goal: fields.get("goal").to_owned(),
        members: members?,
        pattern: Pattern::parse(fields.get("pattern")).unwrap_or(Pattern::ALL[0]),
        limits: TeamLimits { max_subteam_depth: depth.unwrap_or(or.max_subteam_depth), ..or },
    })
}

pub async fn show(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    let page = one(&site, &visit, &id).await;
    visit.show_or_refuse(page)
}

async fn one(site: &AppState, visit: &PageContext, id: &str) -> Result<TeamPage, Error> {
    let (hub, caller, id) = (&site.hub, &visit.caller, team(id)?);
    let view = teams::get(hub, caller, id).await?;
    let ended = view.ended;
    let page = site.renderer.run(caller.key(), move |renderer| page(view, false, renderer)).await?;
    if ended.is_none() {
        return Ok(page);
    }
    let report = teams::report(hub, caller, id).await?;
    Ok(match report {
        Some(report) => report::with_report(page, report, &format!("/teams/{id}"), visit.frame().locale),
        None => page,
    })
}

fn team(id: &str) -> Result<ChatId, Refusal> {
    id.parse().map_err(|_| Refusal::not_found("Team not found."))
}

pub async fn act(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    let done = match (team(&id), asked(&fields)) {
        (Ok(team), Ok(act)) => teams::act(&site.hub, &visit.caller, team, act).await,
        (Err(refusal), _) | (_, Err(refusal)) => Err(refusal.into()),
    };
    match done {
        Ok(()) => Redirect::to(&format!("/teams/{id}")).into_response(),
        Err(error) => match one(&site, &visit, &id).await {
            Ok(page) => refused(visit, error, fields, |form| TeamPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

fn asked(fields: &Fields) -> Result<OwnerAction, Refusal> {
    let text = || fields.get("text").to_owned();
    let seat =
        || fields.get("seat").parse().map(Seat).map_err(|_| Refusal::invalid("seat", "Choose a member."));
    let assignment = || {
        fields
            .get("assignment")
            .parse()
            .map(AssignmentNo)
            .map_err(|_| Refusal::invalid("assignment", "Choose an assignment."))
    };
    let address = || {
        let wrong = |_| Refusal::invalid("address", "Enter an agent address of the form @ada/tide.");
        fields.get("address").trim().parse::<Address>().map_err(wrong)
    };
    Ok(match fields.get("action") {
        "cancel_team" => OwnerAction::CancelTeam { reason: String::new() },
        "message" => OwnerAction::Message { text: text() },
        "skip_turn" => OwnerAction::SkipTurn,
        "set_speaker" => OwnerAction::SetSpeaker { seat: seat()? },
        "pause_member" => OwnerAction::PauseMember { seat: seat()? },
        "resume_member" => OwnerAction::ResumeMember { seat: seat()? },
        "remove_member" => OwnerAction::RemoveMember { seat: seat()? },
        "invite_member" => OwnerAction::InviteMember { address: address()? },
        "cancel_assignment" => OwnerAction::CancelAssignment { assignment: assignment()? },
        "form_subteam" => OwnerAction::FormSubteam { assignment: assignment()?, members: Vec::new() },
        "complete_assignment" => OwnerAction::CompleteAssignment { assignment: assignment()?, text: text() },
        "answer" => OwnerAction::Answer { assignment: assignment()?, text: text() },
        _ => return Err(Refusal::invalid("", "Choose an action.")),
    })
}
