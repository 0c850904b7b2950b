//! `POST /launch_goal`: starts a team for a goal in one call, compatible with the Internet of Agents
//! (OpenBMB/IoA, `im_client/main.py`).
//!
//! Returns `[team, conclusion]` once the team has ended, or an event stream if the client accepts one.
//! Members named without an owner are resolved by search.

use std::convert::Infallible;

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::{Stream, stream};
use plexus_domain::{Address, Error as Refusal, team::TeamLimits};
use plexus_hub::{
    Caller, Error, accounts,
    config::is_loopback,
    teams::{self, LaunchRequest, MemberMatch, TeamSubscription, TeamView},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    api::{sse_encoder::sse, teams::team},
    app_state::AppState,
    web::{
        bearer::Bearer,
        error::{ApiError, plain_error},
        event_stream::{HEARTBEAT, accepts_event_stream, event_stream},
        json_body::{JSON, body_error, is_of_type, unexpected},
    },
};

/// Request body of IoA's client. Its other fields (`is_collaborative_planning_enabled`, `skip_naming`,
/// `obs_kwargs`) are ignored.
#[derive(Deserialize)]
struct Goal {
    goal: String,
    #[serde(default)]
    team_member_names: Option<Vec<String>>,
    /// Maximum nesting depth of subteams.
    team_up_depth: Option<u8>,
    max_turns: Option<u32>,
    /// The id of a team to continue. It is rejected: ended teams cannot be reopened.
    comm_id: Option<String>,
}

pub async fn launch(
    State(site): State<AppState>,
    Bearer(caller): Bearer,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    if !is_of_type(&headers, &[JSON]) {
        let words = "Send JSON, with Content-Type: application/json.".to_owned();
        return plain_error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", words)
            .into_response();
    }
    match begin(&site, caller, &headers, body).await {
        Ok(answer) => answer,
        Err(error) => ApiError(error).into_response(),
    }
}

async fn begin(
    site: &AppState,
    caller: Caller,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Error> {
    let caller = known(site, caller, headers).await?;
    let limit = site.hub.config().limits.max_message_bytes as u64;
    let too_large = Refusal::too_large("The body is larger than this hub accepts.", limit);
    let body = body.map_err(|rejection| body_error(&rejection, too_large))?;
    let asked: Goal = serde_json::from_slice(&body).map_err(|error| unexpected(&error))?;
    if asked.comm_id.is_some() {
        let words = "An ended team cannot be reopened. Launch a new team with the result in its goal.";
        return Err(Refusal::invalid("comm_id", words).into());
    }
    let names = asked.team_member_names.unwrap_or_default();
    let members = match teams::resolve(&site.hub, &caller, &names).await? {
        MemberMatch::All(members) => members,
        MemberMatch::Ambiguous { name, candidates } => return Ok(ambiguous(&name, &candidates)),
    };
    let or = TeamLimits::default();
    let limits = TeamLimits {
        max_subteam_depth: asked.team_up_depth.unwrap_or(or.max_subteam_depth),
        turns: asked.max_turns.unwrap_or(or.turns),
        ..or
    };
    let launch = LaunchRequest { members, limits, ..LaunchRequest::of(asked.goal) };
    let launched = teams::launch(&site.hub, &caller, launch).await?;
    let watching = teams::subscribe(&site.hub, &caller, launched).await?;
    if accepts_event_stream(headers) {
        return Ok(event_stream(Body::from_stream(events(site.clone(), watching))));
    }
    tokio::select! {
        ended = watching.end() => Ok(conclusion(&ended?)),
        () = site.stop.cancelled() => Err(Refusal::unavailable("The hub is shutting down; the team resumes \
            after the restart.").into()),
    }
}

/// Returns the caller that owns the team.
///
/// With `launch_goal_without_token` on a hub that listens on loopback only, a program without a token acts for the first
/// administrator. A browser page does not.
async fn known(site: &AppState, caller: Caller, headers: &HeaderMap) -> Result<Caller, Error> {
    let config = site.hub.config();
    let is_page = headers.contains_key(header::ORIGIN) || headers.contains_key("sec-fetch-site");
    // A proxy on this machine forwards requests of remote clients.
    let is_here = config.on_loopback
        && caller.ip.is_loopback()
        && is_loopback(&config.public_url)
        && !["forwarded", "x-forwarded-for", "via"].iter().any(|name| headers.contains_key(*name));
    if caller.person.is_none() && config.launch_goal_without_token && is_here && !is_page {
        return accounts::impersonate(&site.hub, None).await;
    }
    Ok(caller)
}

fn ambiguous(name: &str, candidates: &[Address]) -> Response {
    let message = format!("Several agents are called {name}. Name the one you mean by its address.");
    let error = json!({ "code": "conflict", "message": message, "field": "team_member_names", "candidates": candidates });
    (StatusCode::CONFLICT, Json(json!({ "error": error }))).into_response()
}

/// Returns `[team, conclusion]`, or the error with which the team failed.
fn conclusion(view: &TeamView) -> Response {
    match view.answer_with_files() {
        Some(answer) => Json(json!([view.id, answer])).into_response(),
        None => {
            let message = view.failure.clone().unwrap_or_default();
            let error = json!({ "code": "failed", "message": message, "team": view.id });
            (StatusCode::BAD_GATEWAY, Json(json!({ "error": error }))).into_response()
        }
    }
}

/// Streams each step of the team as a `team` event, then a final `conclusion` or `failed` event.
fn events(site: AppState, watching: TeamSubscription) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold(Some((site, watching)), |open| async move {
        let (site, mut watching) = open?;
        let next = site.stop.run_until_cancelled(watching.next(HEARTBEAT)).await;
        match next {
            Some(Ok(Some(view))) => {
                let over = view.ended.is_some();
                let bytes = step(&view);
                Some((Ok(bytes), (!over).then_some((site, watching))))
            }
            Some(Ok(None)) => Some((Ok(Bytes::from_static(b": \n\n")), Some((site, watching)))),
            Some(Err(_)) | None => None,
        }
    })
}

fn step(view: &TeamView) -> Bytes {
    let now = sse("team", &team(view));
    let end: Option<(&str, Value)> = match (view.answer_with_files(), &view.failure) {
        (Some(answer), _) => Some(("conclusion", json!([view.id, answer]))),
        (None, Some(failure)) => Some(("failed", json!([view.id, failure]))),
        (None, None) => None,
    };
    match end {
        Some((kind, value)) => [now, sse(kind, &value)].concat().into(),
        None => now,
    }
}
