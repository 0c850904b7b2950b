//! Teams: launch, list, read, and commands of the owner.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
};
use plexus_domain::{
    Address, ChatId, Error as Refusal,
    run::Usage,
    team::{AssignmentNo, Pattern, Seat, TeamLimits},
};
use plexus_hub::{
    Error, Hub,
    caller::{Caller, Scope},
    teams::{self, AssignmentView, LaunchRequest, MemberView, OwnerAction, RelatedTeam, TeamItem, TeamView},
};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use super::id;
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

/// A team to launch.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTeam {
    goal: String,
    /// Addresses of agents; if empty, the hub recruits members.
    #[serde(default)]
    members: Vec<Address>,
    /// Default: `plan_and_delegate`.
    pattern: Option<String>,
    /// Limits; omitted ones have their defaults.
    #[serde(default)]
    limits: TeamLimitsJson,
}

/// Limits of a team.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = TeamLimits)]
pub struct TeamLimitsJson {
    /// Maximum number of members that the hub recruits.
    members: Option<u16>,
    /// Minimum number of accepted invitations before the team starts. The last round of invitations starts
    /// without it.
    quorum: Option<u16>,
    turns: Option<u32>,
    /// Maximum nesting depth of subteams.
    depth: Option<u8>,
    hops: Option<u32>,
    tokens: Option<u64>,
    /// In millionths of the hub's currency unit.
    cost_micro: Option<u64>,
    seconds: Option<u64>,
    turn_seconds: Option<u64>,
    work_seconds: Option<u64>,
}

impl TeamLimitsJson {
    fn fill(&self) -> TeamLimits {
        let or = TeamLimits::default();
        let millis = |seconds: Option<u64>, or| seconds.map_or(or, |seconds| seconds.saturating_mul(1_000));
        TeamLimits {
            members: self.members.unwrap_or(or.members),
            quorum: self.quorum.unwrap_or(or.quorum),
            turns: self.turns.unwrap_or(or.turns),
            depth: self.depth.unwrap_or(or.depth),
            hops: self.hops.unwrap_or(or.hops),
            tokens: self.tokens.unwrap_or(or.tokens),
            cost_micro: self.cost_micro.unwrap_or(or.cost_micro),
            time_ms: millis(self.seconds, or.time_ms),
            turn_ms: millis(self.turn_seconds, or.turn_ms),
            work_ms: millis(self.work_seconds, or.work_ms),
            ..or
        }
    }
}

impl NewTeam {
    fn read(self) -> Result<LaunchRequest, Refusal> {
        let pattern = match self.pattern.as_deref() {
            None => Pattern::ALL[0],
            Some(word) => Pattern::parse(word).ok_or_else(|| {
                let known = Pattern::ALL.map(|pattern| pattern.as_str()).join(", ");
                Refusal::invalid("pattern", format!("Unknown pattern. Available: {known}."))
            })?,
        };
        let limits = self.limits.fill();
        Ok(LaunchRequest { goal: self.goal, members: self.members, pattern, limits })
    }
}

/// Lists your teams, newest first.
#[utoipa::path(get, path = "/teams", operation_id = "teams.list", tag = "Teams", security(("token" = ["read"])),
    responses((status = OK, description = "The teams.", body = Object)))]
pub async fn list(State(site): State<AppState>, ApiCaller(caller): ApiCaller) -> ApiResult<Json<Value>> {
    Ok(Json(listed(&teams::list(&site.hub, &caller).await?)))
}

pub fn listed(items: &[TeamItem]) -> Value {
    json!({ "items": items.iter().map(item).collect::<Vec<_>>(), "next": null })
}

/// Launches a team.
#[utoipa::path(post, path = "/teams", operation_id = "teams.launch", tag = "Teams", request_body = NewTeam,
    security(("token" = ["read", "team"])), responses((status = CREATED, description = "The team.", body = Object)))]
pub async fn launch(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    JsonBody(new): JsonBody<NewTeam>,
) -> ApiResult<(StatusCode, Json<Value>)> {
    Ok((StatusCode::CREATED, Json(begin(&site.hub, &caller, new).await?)))
}

pub async fn begin(hub: &Hub, caller: &Caller, new: NewTeam) -> Result<Value, Error> {
    // The response shows the team.
    caller.may(Scope::Read)?;
    let launched = teams::launch(hub, caller, new.read()?).await?;
    Ok(team(&teams::get(hub, caller, launched).await?))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct When {
    /// Number of a log entry: returns the state after it, or after the last entry if it is higher. Default:
    /// the current state.
    entry: Option<u64>,
}

/// Returns the state of a team.
#[utoipa::path(get, path = "/teams/{team}", operation_id = "teams.get", tag = "Teams",
    params(("team" = ChatId, Path), When),
    security(("token" = ["read"])), responses((status = OK, description = "The team.", body = Object)))]
pub async fn show(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(team_id): Path<String>,
    Query(when): Query<When>,
) -> ApiResult<Json<Value>> {
    Ok(Json(seen(&site.hub, &caller, id(&team_id)?, when.entry).await?))
}

/// Returns a team in its current state, or in its state after a log entry.
pub async fn seen(hub: &Hub, caller: &Caller, id: ChatId, entry: Option<u64>) -> Result<Value, Error> {
    let view = match entry {
        Some(entry) => teams::snapshot_at(hub, caller, id, entry).await?.view,
        None => teams::get(hub, caller, id).await?,
    };
    Ok(team(&view))
}

/// Command of the owner to a team.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
#[schema(as = TeamAct)]
pub enum OwnerActionJson {
    Cancel {
        #[serde(default)]
        reason: String,
    },
    Remark {
        text: String,
    },
    Skip,
    GiveFloor {
        to: u16,
    },
    Hold {
        seat: u16,
    },
    Resume {
        seat: u16,
    },
    Dismiss {
        seat: u16,
    },
    Invite {
        address: Address,
    },
    Stop {
        work: u32,
    },
    Answer {
        work: u32,
        text: String,
    },
    /// Completes an assignment with your own result.
    TakeOver {
        work: u32,
        text: String,
    },
    /// Delegates an assignment to a subteam of its member and `members`; if none are named, the hub recruits
    /// them.
    Nest {
        work: u32,
        #[serde(default)]
        members: Vec<Address>,
    },
}

impl From<OwnerActionJson> for OwnerAction {
    fn from(asked: OwnerActionJson) -> Self {
        match asked {
            OwnerActionJson::Cancel { reason } => Self::Cancel { reason },
            OwnerActionJson::Remark { text } => Self::Remark { text },
            OwnerActionJson::Skip => Self::Skip,
            OwnerActionJson::GiveFloor { to } => Self::GiveFloor { to: Seat(to) },
            OwnerActionJson::Hold { seat } => Self::Hold { seat: Seat(seat) },
            OwnerActionJson::Resume { seat } => Self::Resume { seat: Seat(seat) },
            OwnerActionJson::Dismiss { seat } => Self::Dismiss { seat: Seat(seat) },
            OwnerActionJson::Invite { address } => Self::Invite { address },
            OwnerActionJson::Stop { work } => Self::Stop { work: AssignmentNo(work) },
            OwnerActionJson::Answer { work, text } => Self::Answer { work: AssignmentNo(work), text },
            OwnerActionJson::TakeOver { work, text } => Self::TakeOver { work: AssignmentNo(work), text },
            OwnerActionJson::Nest { work, members } => Self::Nest { work: AssignmentNo(work), members },
        }
    }
}

/// Sends a command to one of your teams.
#[utoipa::path(post, path = "/teams/{team}", operation_id = "teams.act", tag = "Teams", params(("team" = ChatId, Path)),
    request_body = OwnerActionJson, security(("token" = ["read", "team"])),
    responses((status = OK, description = "The updated team.", body = Object)))]
pub async fn act(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(team_id): Path<String>,
    JsonBody(asked): JsonBody<OwnerActionJson>,
) -> ApiResult<Json<Value>> {
    Ok(Json(say(&site.hub, &caller, id(&team_id)?, asked).await?))
}

pub async fn say(
    hub: &Hub,
    caller: &Caller,
    team_id: ChatId,
    asked: OwnerActionJson,
) -> Result<Value, Error> {
    // The response shows the team.
    caller.may(Scope::Read)?;
    teams::act(hub, caller, team_id, asked.into()).await?;
    Ok(team(&teams::get(hub, caller, team_id).await?))
}

fn item(item: &TeamItem) -> Value {
    json!({ "id": item.id, "title": item.title, "state": item.state.as_str(), "launched": item.launched })
}

pub fn team(view: &TeamView) -> Value {
    let said = |(seat, text): &(Option<Seat>, String)| json!({ "seat": seat, "text": text });
    json!({
        "id": view.id, "above": view.above.iter().map(kin).collect::<Vec<_>>(),
        "below": view.below.iter().map(kin).collect::<Vec<_>>(), "depth_left": view.depth_left, "goal": view.goal, "pattern": view.pattern, "state": view.state.as_str(),
        "phase": view.phase, "floor": view.floor, "turn": view.turn, "entry": view.entry,
        "launched": view.launched, "deadline": view.deadline, "ended": view.ended,
        "members": view.members.iter().map(member).collect::<Vec<_>>(),
        "work": view.work.iter().map(work).collect::<Vec<_>>(),
        "plan": view.plan.iter().map(|(title, done)| json!({ "title": title, "done": done })).collect::<Vec<_>>(),
        "said": view.said.iter().map(said).collect::<Vec<_>>(),
        "usage": usage(view.usage), "left": view.left, "limits": view.limits, "answer": view.answer, "failed": view.failed,
    })
}

fn kin(team: &RelatedTeam) -> Value {
    json!({ "id": team.id, "parent": team.parent, "title": team.title, "state": team.state.as_str(),
            "launched": team.launched })
}

fn member(view: &MemberView) -> Value {
    let counts = &view.counts;
    json!({ "seat": view.seat, "name": view.name, "roles": view.roles, "presence": view.presence, "why": view.why,
            "messages": counts.messages, "suppressed": counts.suppressed, "turns": counts.turns,
            "usage": usage(counts.usage) })
}

fn work(view: &AssignmentView) -> Value {
    json!({ "number": view.no, "by": view.by, "to": view.to, "background": view.in_background, "title": view.title,
            "description": view.description, "state": view.state, "deadline": view.deadline, "text": view.text,
            "team": view.team, "usage": usage(view.usage) })
}

fn usage(usage: Usage) -> Value {
    json!({ "tokens_in": usage.tokens_in, "tokens_out": usage.tokens_out, "cost_micro": usage.cost_micro })
}
