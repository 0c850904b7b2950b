//! Report of a team from its log: the whole story after it ended, and its state after each entry.

use plexus_domain::{
    Address, ChatId, Error as Refusal, MessageId, Part, PartBody, RunId, Timestamp,
    team::{
        LogEntry, Team,
        timeline::{Timeline, build_timeline},
    },
};
use plexus_store::{Conn, members::MemberRole, messages, team_share_links};

use super::{
    TeamView, log_store,
    view::{gone, seeds, view},
};
use crate::{Caller, Hub, Result, caller::Scope, chats, message_views, views::Author};

/// Report of an ended team, in addition to its view.
pub struct TeamReport {
    pub story: Timeline,
    pub artifacts: Vec<TeamArtifact>,
    /// Creation time of the share link, if there is one.
    pub shared: Option<Timestamp>,
    /// Whether the reader may create a share link.
    pub may_share: bool,
}

/// File or link that the team produced.
pub struct TeamArtifact {
    /// Address of the agent that produced it.
    pub by: String,
    pub part: Part,
    /// Agent and run of a file, for its link.
    pub(super) source: Option<(Address, RunId)>,
}

/// Team as it was after a log entry.
pub struct TeamSnapshot {
    pub view: TeamView,
    pub entry: LogEntry,
    /// Number of the last entry.
    pub last: u64,
}

/// Returns the report of a team; `None` while it is running.
pub async fn report(hub: &Hub, caller: &Caller, id: ChatId) -> Result<Option<TeamReport>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().snapshot().await?;
    let member = chats::membership_or(&mut conn, person, id, gone).await?;
    let Some((_, report)) = read(&mut conn, id).await? else { return Ok(None) };
    let shared = team_share_links::created_at(&mut conn, id).await?;
    Ok(Some(TeamReport { shared, may_share: member.role == MemberRole::Owner, ..report }))
}

/// Returns view and report for an authorized reader without owner rights; `None` while the team is running.
pub(super) async fn read(conn: &mut Conn, id: ChatId) -> Result<Option<(TeamView, TeamReport)>> {
    let log = log_store::log(conn, id).await?;
    let (team, story) = build_timeline(&log).map_err(|refusal| log_store::unreadable(id, &refusal))?;
    if team.outcome().is_none() {
        return Ok(None);
    }
    let seeds = seeds(conn, &team).await?;
    let artifacts = artifacts(conn, id).await?;
    Ok(Some((view(&team, &seeds), TeamReport { story, artifacts, shared: None, may_share: false })))
}

/// Returns the files and links in the members' answers.
pub(super) async fn artifacts(conn: &mut Conn, id: ChatId) -> Result<Vec<TeamArtifact>> {
    let headers = messages::list_by_chat(conn, id).await?;
    let answers: Vec<MessageId> =
        headers.iter().filter(|header| header.run.is_some()).map(|header| header.id).collect();
    let messages = messages::load(conn, &answers).await?;
    let authors = message_views::authors(conn, messages.iter().map(|message| message.author)).await?;
    let mut found = Vec::new();
    for message in messages {
        let Some(Author::Agent { address, .. }) = authors.get(&message.author) else { continue };
        let shown = message
            .parts
            .into_iter()
            .filter(|part| matches!(part.content, PartBody::File { .. } | PartBody::Link { .. }));
        found.extend(shown.map(|part| TeamArtifact {
            by: address.to_string(),
            part,
            source: message.run.map(|run| (address.clone(), run)),
        }));
    }
    Ok(found)
}

/// Returns the team as it was after this entry, or after the last one if the number is higher.
pub async fn snapshot_at(hub: &Hub, caller: &Caller, id: ChatId, seq: u64) -> Result<TeamSnapshot> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().snapshot().await?;
    chats::membership_or(&mut conn, person, id, gone).await?;
    at(&mut conn, id, seq).await
}

pub(super) async fn at(conn: &mut Conn, id: ChatId, seq: u64) -> Result<TeamSnapshot> {
    let mut log = log_store::log(conn, id).await?;
    let last = log.last().map_or(0, LogEntry::seq);
    log.retain(|entry| entry.seq() <= seq);
    let team = Team::replay(&log).map_err(|refusal| log_store::unreadable(id, &refusal))?;
    let seeds = seeds(conn, &team).await?;
    let entry = log.pop().ok_or_else(gone)?;
    Ok(TeamSnapshot { view: view(&team, &seeds), entry, last })
}

/// Returns at most `most` log entries after a number, oldest first.
pub async fn log(
    hub: &Hub,
    caller: &Caller,
    id: ChatId,
    after: Option<u64>,
    most: usize,
) -> Result<Vec<LogEntry>> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().snapshot().await?;
    chats::membership_or(&mut conn, person, id, gone).await?;
    let log = log_store::log(&mut conn, id).await?;
    Ok(log.into_iter().filter(|entry| after.is_none_or(|after| entry.seq() > after)).take(most).collect())
}

pub(super) fn nothing_here() -> Refusal {
    Refusal::not_found("Report not found.")
}
