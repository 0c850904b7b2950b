//! `/teams` and `/teams/{id}`.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::model::{
    Form, Html,
    team::{Member, MemberMay, Said, Standing, Strip, TeamPage, TeamRow, TeamsPage, Work, WorkTone},
};
use plexus_domain::{
    Address, ChatId, Error as Refusal,
    chat::Title,
    team::{Limits, Pattern, Seat, WorkNo},
};
use plexus_hub::{
    Error,
    teams::{self, Act, Launch, MemberView, TeamState, TeamView, WorkView},
};

use crate::{
    pages::account::refused,
    state::Site,
    web::{form::Fields, page::Visit},
};

pub async fn list(State(site): State<Site>, visit: Visit) -> Response {
    let page = all(&site, &visit).await;
    visit.show_or_refuse(page)
}

async fn all(site: &Site, visit: &Visit) -> Result<TeamsPage, Error> {
    let row = |item: teams::TeamItem| TeamRow {
        id: item.id.to_string(),
        title: item.title,
        standing: standing(item.state),
        launched: item.launched,
    };
    let teams = teams::list(&site.hub, &visit.caller).await?.into_iter().map(row).collect();
    Ok(TeamsPage { teams, patterns: patterns(), form: Form::default() })
}

fn patterns() -> Vec<(String, String)> {
    let words = |pattern: &Pattern| match pattern {
        Pattern::PlanAndDelegate(_) => "Each member gets a part of the work",
        Pattern::DiscussOnly(_) => "They discuss it and one of them concludes",
        Pattern::RoundRobin(_) => "They speak in turn, two rounds",
        Pattern::Debate(_) => "They debate, and one of them judges",
        Pattern::ReplyToAll(_) => "All answer, then one puts it together",
    };
    Pattern::ALL.iter().map(|pattern| (pattern.as_str().to_owned(), words(pattern).to_owned())).collect()
}

pub async fn launch(State(site): State<Site>, visit: Visit, fields: Fields) -> Response {
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

fn filled(fields: &Fields) -> Result<Launch, Refusal> {
    let wrong = |word: &str| {
        Refusal::invalid("members", format!("{word} is no address of an agent. One looks like @ada/tide."))
    };
    let words = fields.get("members").split([' ', ',', '\n']).map(str::trim).filter(|word| !word.is_empty());
    let members: Result<Vec<Address>, Refusal> =
        words.map(|word| word.parse().map_err(|_| wrong(word))).collect();
    Ok(Launch {
        goal: fields.get("goal").to_owned(),
        members: members?,
        pattern: Pattern::parse(fields.get("pattern")).unwrap_or(Pattern::ALL[0]),
        limits: Limits::default(),
    })
}

pub async fn show(State(site): State<Site>, visit: Visit, Path(id): Path<String>) -> Response {
    let page = one(&site, &visit, &id).await;
    visit.show_or_refuse(page)
}

async fn one(site: &Site, visit: &Visit, id: &str) -> Result<TeamPage, Error> {
    Ok(page(teams::look(&site.hub, &visit.caller, team(id)?).await?))
}

fn team(id: &str) -> Result<ChatId, Refusal> {
    id.parse().map_err(|_| Refusal::not_found("There is no such team, or it is not yours."))
}

pub async fn act(State(site): State<Site>, visit: Visit, Path(id): Path<String>, fields: Fields) -> Response {
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

fn asked(fields: &Fields) -> Result<Act, Refusal> {
    let text = || fields.get("text").to_owned();
    let seat =
        || fields.get("seat").parse().map(Seat).map_err(|_| Refusal::invalid("seat", "Choose a member."));
    let work = || {
        fields
            .get("work")
            .parse()
            .map(WorkNo)
            .map_err(|_| Refusal::invalid("work", "Choose a piece of work."))
    };
    let address = || {
        let wrong = |_| Refusal::invalid("address", "An address looks like @ada/tide.");
        fields.get("address").trim().parse::<Address>().map_err(wrong)
    };
    Ok(match fields.get("do") {
        "cancel" => Act::Cancel { reason: String::new() },
        "remark" => Act::Remark { text: text() },
        "skip" => Act::Skip,
        "floor" => Act::GiveFloor { to: seat()? },
        "hold" => Act::Hold { seat: seat()? },
        "resume" => Act::Resume { seat: seat()? },
        "dismiss" => Act::Dismiss { seat: seat()? },
        "invite" => Act::Invite { address: address()? },
        "stop" => Act::Stop { work: work()? },
        "answer" => Act::Answer { work: work()?, text: text() },
        _ => return Err(Refusal::invalid("", "Choose what to do.")),
    })
}

const fn standing(state: TeamState) -> Standing {
    match state {
        TeamState::Forming => Standing::Forming,
        TeamState::Working => Standing::Working,
        TeamState::Closed => Standing::Done,
        TeamState::Failed => Standing::Failed,
        TeamState::Cancelled => Standing::Cancelled,
        TeamState::Lost => Standing::Lost,
    }
}

fn page(view: TeamView) -> TeamPage {
    let names: Vec<String> = view.members.iter().map(|member| member.name.clone()).collect();
    let name = |seat: Seat| names.get(usize::from(seat.0)).cloned().unwrap_or_default();
    let over = view.ended.is_some();
    TeamPage {
        id: view.id.to_string(),
        title: Title::from_message(&view.goal).as_str().to_owned(),
        standing: standing(view.state),
        strip: Strip {
            phase: phase(view.phase).to_owned(),
            floor: view.floor.map(name),
            turn: view.turn,
            turns: view.turns,
            launched: view.launched,
            deadline: view.deadline,
            ended: view.ended,
            tokens: view.usage.tokens(),
            tokens_left: view.left.tokens,
        },
        work: view.work.iter().map(|work| self::work(work, name(work.to))).collect(),
        members: view.members.into_iter().map(|one| member(one, view.floor, over)).collect(),
        plan: view.plan,
        said: view
            .said
            .into_iter()
            .map(|(seat, text)| Said { by: seat.map(name), text: html(&text) })
            .collect(),
        answer: view.answer.as_deref().map(html),
        failed: view.failed,
        goal: view.goal,
        form: Form::default(),
    }
}

fn html(text: &str) -> Html {
    Html::from_markup(plexus_markup::render(text))
}

fn phase(phase: &str) -> &'static str {
    match phase {
        "forming" => "Looking for members",
        "discussing" => "A member has the floor",
        "polling" => "All are asked",
        "waiting" => "Waiting for work",
        "concluding" => "Writing the answer",
        "concluded" => "Done",
        "cancelled" => "Cancelled",
        _ => "Failed",
    }
}

fn member(view: MemberView, floor: Option<Seat>, over: bool) -> Member {
    let (presence, may) = match view.presence {
        "invited" => ("Invited", MemberMay::Nothing),
        "active" => ("Takes part", MemberMay::Rest),
        "held" => ("Paused", MemberMay::GoOn),
        "declined" => ("Declined", MemberMay::Nothing),
        "silent" => ("Gave no answer", MemberMay::Nothing),
        _ => ("Left", MemberMay::Nothing),
    };
    Member {
        seat: view.seat.0,
        href: format!("/{}", view.name),
        seed: view.seed.unwrap_or_else(|| view.name.clone()),
        name: view.name,
        roles: view.roles,
        presence,
        why: view.why,
        has_floor: !over && floor == Some(view.seat),
        messages: view.counts.messages,
        tokens: view.counts.usage.tokens(),
        may,
    }
}

fn work(view: &WorkView, to: String) -> Work {
    let (state, tone) = match view.state {
        "offered" => ("Given", WorkTone::Open),
        "working" | "answered" => ("Working", WorkTone::Open),
        "asking" => ("Asks something", WorkTone::Asking),
        "completed" => ("Done", WorkTone::Good),
        "failed" => ("Failed", WorkTone::Bad),
        "rejected" => ("Declined", WorkTone::Bad),
        "timed_out" => ("Out of time", WorkTone::Bad),
        _ => ("Stopped", WorkTone::Neutral),
    };
    let asks = tone == WorkTone::Asking;
    Work {
        number: view.no.0,
        title: view.title.clone(),
        to,
        state,
        tone,
        question: view.text.clone().filter(|_| asks),
        text: view.text.as_deref().filter(|_| !asks).map(html),
        tokens: view.usage.tokens(),
    }
}
