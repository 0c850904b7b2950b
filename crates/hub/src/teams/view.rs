//! Read model of a team, for its members.

use std::collections::HashMap;

use plexus_domain::{
    ChatId, Error as Refusal, Timestamp,
    part::plain_text,
    run::Usage,
    team::{
        AssignmentNo, AssignmentState, LongText, MemberIdentity, Seat, Team, TeamOutcome,
        assignment::AssignmentMode,
        member::{DepartureReason, MemberStats, MemberStatus},
        spec::TeamBudget,
    },
};
use plexus_store::{Conn, messages, teams};

use super::{TeamState, log_store, team_files, team_files::TeamFile};
use crate::{Caller, Hub, Result, caller::Scope, chats, message_views, views::Author};

/// Maximum number of teams in a list.
const LISTED: i64 = 100;

/// Maximum number of shown subteams.
const MAX_SUBTEAMS: i64 = 500;

/// Team in a list.
pub struct TeamItem {
    pub id: ChatId,
    pub title: String,
    pub state: TeamState,
    pub launched: Timestamp,
}

/// Ancestor or subteam of a team.
pub struct RelatedTeam {
    pub id: ChatId,
    pub parent: Option<ChatId>,
    pub title: String,
    pub state: TeamState,
    pub launched: Timestamp,
}

impl From<teams::RelatedTeam> for RelatedTeam {
    fn from(row: teams::RelatedTeam) -> Self {
        let (title, launched) = (row.title.as_str().to_owned(), row.created_at);
        Self { id: row.chat, parent: row.parent, title, state: row.state, launched }
    }
}

/// Current state of a team.
pub struct TeamView {
    pub id: ChatId,
    /// Ancestor teams, outermost first.
    pub ancestors: Vec<RelatedTeam>,
    /// Subteams of any depth, oldest first.
    pub subteams: Vec<RelatedTeam>,
    /// Further levels of subteams that may be formed.
    pub depth_left: u8,
    pub goal: String,
    pub pattern: &'static str,
    pub state: TeamState,
    /// Current phase, such as `discussing`.
    pub phase: &'static str,
    /// Member that speaks now or next.
    pub speaker: Option<Seat>,
    pub turn: u32,
    pub turns: u32,
    pub launched: Timestamp,
    pub deadline: Timestamp,
    /// Time when it ended.
    pub ended: Option<Timestamp>,
    pub members: Vec<MemberView>,
    pub assignments: Vec<AssignmentView>,
    pub plan: Vec<(String, bool)>,
    /// Latest utterances, oldest first. Those without a seat are the owner's.
    pub transcript: Vec<(Option<Seat>, String)>,
    pub usage: Usage,
    /// Budget that is neither used nor reserved.
    pub remaining: TeamBudget,
    /// Total budget.
    pub limits: TeamBudget,
    /// Answer to the goal.
    pub answer: Option<String>,
    /// Files and links of an ended team, oldest first.
    pub files: Vec<TeamFile>,
    /// Reason why there is no answer.
    pub failure: Option<String>,
    /// Number of the last log entry.
    pub log_seq: u64,
}

pub struct MemberView {
    pub seat: Seat,
    pub name: String,
    /// Seed from which its icon is drawn; `None` for a person.
    pub seed: Option<String>,
    pub roles: Vec<String>,
    /// `invited`, `active`, `paused`, `declined`, `left` or `silent`.
    pub status: &'static str,
    pub reason: Option<String>,
    pub counts: MemberStats,
}

pub struct AssignmentView {
    pub no: AssignmentNo,
    pub by: Seat,
    pub to: Seat,
    pub in_background: bool,
    pub title: String,
    pub description: String,
    /// Subteam that works on it.
    pub team: Option<ChatId>,
    pub state: &'static str,
    pub deadline: Timestamp,
    /// Text written so far, open question, result, or reason of a failure.
    pub text: Option<String>,
    pub usage: Usage,
}

/// Lists the caller's teams, newest first.
pub async fn list(hub: &Hub, caller: &Caller) -> Result<Vec<TeamItem>> {
    let person = caller.may(Scope::Read)?;
    let found = teams::list_by_member(&mut hub.store().read().await?, person.principal, LISTED).await?;
    let item = |row: teams::TeamListItem| TeamItem {
        id: row.chat,
        title: row.title.as_str().to_owned(),
        state: row.state,
        launched: row.created_at,
    };
    Ok(found.into_iter().map(item).collect())
}

pub async fn get(hub: &Hub, caller: &Caller, id: ChatId) -> Result<TeamView> {
    let person = caller.may(Scope::Read)?;
    chats::membership_or(&mut hub.store().read().await?, person, id, gone).await?;
    get_unchecked(hub, id).await
}

/// Same for a caller that is authorized already.
pub(super) async fn get_unchecked(hub: &Hub, id: ChatId) -> Result<TeamView> {
    let mut conn = hub.store().snapshot().await?;
    let team = log_store::replay(&mut conn, id).await?;
    let seeds = seeds(&mut conn, &team).await?;
    let mut shown = view(&team, &seeds);
    shown.ancestors =
        teams::list_ancestors(&mut conn, id).await?.into_iter().rev().map(RelatedTeam::from).collect();
    shown.subteams = teams::list_descendants(&mut conn, id, MAX_SUBTEAMS)
        .await?
        .into_iter()
        .map(RelatedTeam::from)
        .collect();
    let mut writing = writing(hub, &mut conn, id).await?;
    for work in shown.assignments.iter_mut().filter(|work| work.state == "working") {
        let to = usize::from(work.to.0);
        let member = shown.members.get(to).map(|member| member.name.as_str()).unwrap_or_default();
        let place = writing.iter().position(|(name, _)| name == member);
        work.text = place.map(|place| writing.remove(place).1).filter(|text| !text.is_empty());
    }
    if shown.ended.is_some() {
        shown.files = team_files::list(hub, &mut conn, id).await?;
    }
    Ok(shown)
}

/// Returns the text that members are writing now, by member address, oldest message first.
async fn writing(hub: &Hub, conn: &mut Conn, id: ChatId) -> Result<Vec<(String, String)>> {
    let open = messages::list_open(conn, id).await?;
    let authors = message_views::authors(conn, open.iter().map(|header| header.author)).await?;
    let written = open.into_iter().filter_map(|header| {
        let Some(Author::Agent { address, .. }) = authors.get(&header.author) else { return None };
        let parts = hub.live().parts(header.id).unwrap_or_default();
        Some((address.to_string(), plain_text(&parts)))
    });
    Ok(written.collect())
}

pub(super) async fn turn(hub: &Hub, id: ChatId) -> Result<u32> {
    Ok(log_store::replay(&mut hub.store().read().await?, id).await?.turn())
}

pub(super) fn gone() -> Refusal {
    Refusal::not_found("Team not found.")
}

/// Builds the view from the team's state alone.
pub(super) fn view(team: &Team, seeds: &HashMap<String, String>) -> TeamView {
    let charter = team.charter();
    let (answer, failure) = match team.outcome() {
        Some(TeamOutcome::Concluded { text, .. }) => (Some(text.as_str().to_owned()), None),
        Some(TeamOutcome::Failed(failed)) => (None, Some(failed.as_str().to_owned())),
        Some(TeamOutcome::Cancelled { reason }) => (None, Some(reason.as_str().to_owned())),
        None => (None, None),
    };
    TeamView {
        id: team.id(),
        ancestors: Vec::new(),
        subteams: Vec::new(),
        depth_left: charter.limits.max_subteam_depth,
        goal: charter.goal.as_str().to_owned(),
        pattern: charter.pattern.as_str(),
        state: log_store::state(team),
        phase: team.phase().as_str(),
        speaker: team.speaker(),
        turn: team.turn(),
        turns: charter.limits.turns,
        launched: team.founded(),
        deadline: team.conclude_at(),
        ended: team.ended_at(),
        members: team.seats().filter_map(|seat| member(team, seat, seeds)).collect(),
        assignments: (0..)
            .map(AssignmentNo)
            .zip(team.assignments())
            .map(|(no, work)| assignment_view(no, work))
            .collect(),
        plan: team.plan().iter().map(|step| (step.title.as_str().to_owned(), step.done)).collect(),
        transcript: team.recent().map(|line| (line.seat, line.text.as_str().to_owned())).collect(),
        usage: team.usage(),
        remaining: team.remaining(),
        limits: charter.limits.budget(),
        answer,
        files: Vec::new(),
        failure,
        log_seq: team.log_head().0,
    }
}

fn member(team: &Team, seat: Seat, seeds: &HashMap<String, String>) -> Option<MemberView> {
    let member = team.member(seat)?;
    let (status, reason) = match &member.status {
        MemberStatus::Invited => ("invited", None),
        MemberStatus::Active => ("active", None),
        MemberStatus::Paused => ("paused", None),
        MemberStatus::Gone(DepartureReason::Declined(reason)) => ("declined", Some(reason)),
        MemberStatus::Gone(DepartureReason::Left(reason)) => ("left", Some(reason)),
        MemberStatus::Gone(DepartureReason::Silent) => ("silent", None),
    };
    let identity = &member.invitee.identity;
    Some(MemberView {
        seat,
        name: identity.to_string(),
        seed: seeds.get(&identity.key()).cloned(),
        roles: member.invitee.roles.iter().map(|role| role.as_str().to_owned()).collect(),
        status,
        reason: reason.map(|reason| reason.as_str().to_owned()),
        counts: member.counts,
    })
}

fn assignment_view(no: AssignmentNo, work: &plexus_domain::team::Assignment) -> AssignmentView {
    let text = match &work.state {
        AssignmentState::Asking(question) => Some(question),
        AssignmentState::Ended(report) => report.text.as_ref(),
        AssignmentState::Offered | AssignmentState::Working | AssignmentState::Answered(_) => None,
    };
    let usage = match &work.state {
        AssignmentState::Ended(report) => report.usage,
        _ => Usage::default(),
    };
    AssignmentView {
        no,
        by: work.by,
        to: work.to,
        in_background: work.mode == AssignmentMode::Background,
        title: work.spec.title.as_str().to_owned(),
        description: work.spec.description.as_str().to_owned(),
        team: work.child.map(|child| child.team),
        state: work.state.as_str(),
        deadline: work.deadline,
        text: text.map(LongText::as_str).map(str::to_owned),
        usage,
    }
}

/// Returns the seeds from which the icons of the members are drawn.
pub(super) async fn seeds(conn: &mut Conn, team: &Team) -> Result<HashMap<String, String>> {
    let mut seeds = HashMap::new();
    for member in team.members() {
        let MemberIdentity::Agent { address } = &member.invitee.identity else { continue };
        if let Some(agent) = plexus_store::agents::at(conn, address).await? {
            seeds.insert(member.invitee.identity.key(), agent.identicon_seed());
        }
    }
    Ok(seeds)
}
