//! Teams: launch, list, read, and commands of the owner.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
};
use plexus_domain::{
    Address, ChatId, Error as Refusal,
    run::Usage,
    team::{AssignmentNo, Pattern, Seat, TeamLimits, spec::TeamBudget},
};
use plexus_hub::{
    Error, Hub,
    caller::{Caller, Scope},
    teams::{
        self, AssignmentView, LaunchRequest, MemberView, OwnerAction, RelatedTeam, TeamFile, TeamItem,
        TeamView,
    },
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
    max_members: Option<u16>,
    /// Minimum number of accepted invitations before the team starts. The last round of invitations starts
    /// without it.
    quorum: Option<u16>,
    turns: Option<u32>,
    /// Maximum nesting depth of subteams.
    max_subteam_depth: Option<u8>,
    /// Maximum number of assignments, including those of subteams.
    max_assignments: Option<u32>,
    tokens: Option<u64>,
    /// In millionths of the hub's currency unit.
    cost_micro: Option<u64>,
    seconds: Option<u64>,
    turn_seconds: Option<u64>,
    assignment_seconds: Option<u64>,
}

impl TeamLimitsJson {
    fn fill(&self) -> TeamLimits {
        let or = TeamLimits::default();
        let millis = |seconds: Option<u64>, or| seconds.map_or(or, |seconds| seconds.saturating_mul(1_000));
        TeamLimits {
            max_members: self.max_members.unwrap_or(or.max_members),
            quorum: self.quorum.unwrap_or(or.quorum),
            turns: self.turns.unwrap_or(or.turns),
            max_subteam_depth: self.max_subteam_depth.unwrap_or(or.max_subteam_depth),
            max_assignments: self.max_assignments.unwrap_or(or.max_assignments),
            tokens: self.tokens.unwrap_or(or.tokens),
            cost_micro: self.cost_micro.unwrap_or(or.cost_micro),
            time_ms: millis(self.seconds, or.time_ms),
            turn_ms: millis(self.turn_seconds, or.turn_ms),
            assignment_ms: millis(self.assignment_seconds, or.assignment_ms),
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
    log_seq: Option<u64>,
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
    Ok(Json(seen(&site.hub, &caller, id(&team_id)?, when.log_seq).await?))
}

/// Returns a team in its current state, or in its state after a log entry.
pub async fn seen(hub: &Hub, caller: &Caller, id: ChatId, log_seq: Option<u64>) -> Result<Value, Error> {
    let view = match log_seq {
        Some(seq) => teams::snapshot_at(hub, caller, id, seq).await?.view,
        None => teams::get(hub, caller, id).await?,
    };
    Ok(team(&view))
}

/// Command of the owner to a team.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
#[schema(as = TeamAction)]
pub enum OwnerActionJson {
    CancelTeam {
        #[serde(default)]
        reason: String,
    },
    /// Sends a message to all members.
    Message {
        text: String,
    },
    /// Skips the turn of the current speaker.
    SkipTurn,
    SetSpeaker {
        seat: u16,
    },
    PauseMember {
        seat: u16,
    },
    ResumeMember {
        seat: u16,
    },
    RemoveMember {
        seat: u16,
    },
    InviteMember {
        address: Address,
    },
    CancelAssignment {
        assignment: u32,
    },
    /// Answers a member's question about its assignment.
    Answer {
        assignment: u32,
        text: String,
    },
    /// Completes an assignment with your own result.
    CompleteAssignment {
        assignment: u32,
        text: String,
    },
    /// Delegates an assignment to a subteam of its member and `members`; if none are named, the hub recruits
    /// them.
    FormSubteam {
        assignment: u32,
        #[serde(default)]
        members: Vec<Address>,
    },
}

impl From<OwnerActionJson> for OwnerAction {
    fn from(asked: OwnerActionJson) -> Self {
        match asked {
            OwnerActionJson::CancelTeam { reason } => Self::CancelTeam { reason },
            OwnerActionJson::Message { text } => Self::Message { text },
            OwnerActionJson::SkipTurn => Self::SkipTurn,
            OwnerActionJson::SetSpeaker { seat } => Self::SetSpeaker { seat: Seat(seat) },
            OwnerActionJson::PauseMember { seat } => Self::PauseMember { seat: Seat(seat) },
            OwnerActionJson::ResumeMember { seat } => Self::ResumeMember { seat: Seat(seat) },
            OwnerActionJson::RemoveMember { seat } => Self::RemoveMember { seat: Seat(seat) },
            OwnerActionJson::InviteMember { address } => Self::InviteMember { address },
            OwnerActionJson::CancelAssignment { assignment } => {
                Self::CancelAssignment { assignment: AssignmentNo(assignment) }
            }
            OwnerActionJson::Answer { assignment, text } => {
                Self::Answer { assignment: AssignmentNo(assignment), text }
            }
            OwnerActionJson::CompleteAssignment { assignment, text } => {
                Self::CompleteAssignment { assignment: AssignmentNo(assignment), text }
            }
            OwnerActionJson::FormSubteam { assignment, members } => {
                Self::FormSubteam { assignment: AssignmentNo(assignment), members }
            }
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
    let line = |(seat, text): &(Option<Seat>, String)| json!({ "seat": seat, "text": text });
    json!({
        "id": view.id, "ancestors": view.ancestors.iter().map(kin).collect::<Vec<_>>(),
        "subteams": view.subteams.iter().map(kin).collect::<Vec<_>>(), "depth_left": view.depth_left, "goal": view.goal, "pattern": view.pattern, "state": view.state.as_str(),
        "phase": view.phase, "speaker": view.speaker, "turn": view.turn, "log_seq": view.log_seq,
        "launched": view.launched, "deadline": view.deadline, "ended": view.ended,
        "members": view.members.iter().map(member).collect::<Vec<_>>(),
        "assignments": view.assignments.iter().map(assignment).collect::<Vec<_>>(),
        "plan": view.plan.iter().map(|(title, done)| json!({ "title": title, "done": done })).collect::<Vec<_>>(),
        "transcript": view.transcript.iter().map(line).collect::<Vec<_>>(),
        "usage": usage(view.usage), "remaining": view.remaining, "limits": limits(view.limits), "answer": view.answer,
        "failure": view.failure, "files": view.files.iter().map(file).collect::<Vec<_>>(),
    })
}

fn file(file: &TeamFile) -> Value {
    json!({ "by": file.by, "name": file.name, "media_type": file.media_type, "size": file.size, "url": file.url })
}

fn kin(team: &RelatedTeam) -> Value {
    json!({ "id": team.id, "parent": team.parent, "title": team.title, "state": team.state.as_str(),
            "launched": team.launched })
}

fn member(view: &MemberView) -> Value {
    let counts = &view.counts;
    json!({ "seat": view.seat, "name": view.name, "roles": view.roles, "status": view.status, "reason": view.reason,
            "messages": counts.messages, "suppressed": counts.suppressed, "turns": counts.turns,
            "usage": usage(counts.usage) })
}

fn limits(budget: TeamBudget) -> Value {
    json!({ "max_assignments": budget.assignments, "tokens": budget.tokens, "cost_micro": budget.cost_micro })
}

fn assignment(view: &AssignmentView) -> Value {
    json!({ "number": view.no, "by": view.by, "to": view.to, "background": view.in_background, "title": view.title,
            "description": view.description, "state": view.state, "deadline": view.deadline, "text": view.text,
            "team": view.team, "usage": usage(view.usage) })
}

fn usage(usage: Usage) -> Value {
    json!({ "tokens_in": usage.tokens_in, "tokens_out": usage.tokens_out, "cost_micro": usage.cost_micro })
}
