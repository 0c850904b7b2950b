//! Team log storage: signs, appends and replays entries.

use plexus_a2a::keys::SecretKey;
use plexus_domain::{
    ChatId, Digest, Error as Refusal,
    chat_event::Event as ChatEvent,
    team::{LogEntry, Phase, Team, TeamOutcome},
};
use plexus_store::{
    Conn, Tx, chats,
    teams::{self, SignedEntry, TeamState},
};

use super::view::gone;
use crate::{Error, Hub, Result, chats::ChatChangeSet, error::conflict, keys};

/// Returns the key with which this hub signs log entries.
pub(super) async fn key(hub: &Hub, conn: &mut Conn) -> Result<SecretKey> {
    keys::hub_secret(hub, conn).await?.ok_or_else(|| Error::Fault(anyhow::anyhow!("the hub has no key")))
}

/// Appends entries in one transaction, notifies subscribers, and returns the new state of the team.
pub(super) async fn commit(hub: &Hub, key: &SecretKey, team: &Team, entries: &[LogEntry]) -> Result<Team> {
    let tx = hub.store().write().await?;
    let after = commit_with(hub, tx, key, team, entries).await?;
    if state(&after) != state(team) && after.charter().lineage.is_some() {
        notify_ancestors(hub, &after).await;
    }
    Ok(after)
}

/// Same within a transaction that contains other writes already.
pub(super) async fn commit_with(
    hub: &Hub,
    mut tx: Tx,
    key: &SecretKey,
    team: &Team,
    entries: &[LogEntry],
) -> Result<Team> {
    let mut after = team.clone();
    for entry in entries {
        after.apply(entry).map_err(Refusal::from)?;
    }
    let chat = chats::lock(&mut tx, team.id()).await?.ok_or_else(gone)?;
    append(&mut tx, key, team.log_head().1, entries).await?;
    if state(&after) != state(team) {
        teams::set_state(&mut tx, team.id(), state(&after)).await?;
    }
    let mut change_set = ChatChangeSet::new(&chat);
    change_set.record(ChatEvent::TeamUpdated { log_seq: after.log_head().0 });
    change_set.commit(hub, tx).await?.publish(hub, None).await;
    Ok(after)
}

/// Notifies the subscribers and orchestrators of the ancestor teams of a subteam's state. The
/// orchestrators then read its log.
pub(super) async fn notify_ancestors(hub: &Hub, team: &Team) {
    if let Err(error) = try_tell_above(hub, team).await {
        tracing::warn!(team = %team.id(), %error, "parent teams not notified");
    }
}

async fn try_tell_above(hub: &Hub, team: &Team) -> Result<()> {
    let above = teams::list_ancestors(&mut hub.store().read().await?, team.id()).await?;
    for kin in above {
        let mut tx = hub.store().write().await?;
        let Some(chat) = chats::lock(&mut tx, kin.chat).await? else { continue };
        let mut change_set = ChatChangeSet::new(&chat);
        change_set
            .record(ChatEvent::SubteamState { team: team.id(), state: state(team).as_str().to_owned() });
        change_set.commit(hub, tx).await?.publish(hub, None).await;
    }
    Ok(())
}

/// Appends entries after the one with the digest `prev`.
pub(super) async fn append(
    tx: &mut Tx,
    key: &SecretKey,
    mut prev: Digest,
    entries: &[LogEntry],
) -> Result<()> {
    let public = key.public();
    for entry in entries {
        let signed = SignedEntry {
            seq: i64::try_from(entry.seq()).unwrap_or(i64::MAX),
            author_key: public.as_bytes(),
            prev_hash: prev.as_bytes(),
            body: entry.text(),
            signature: &key.sign(entry.text().as_bytes()),
        };
        let elsewhere = || Refusal::unavailable("The team changed at the same time. Try again.");
        conflict(teams::append(tx, entry.team(), &signed).await, elsewhere)?;
        prev = entry.digest();
    }
    Ok(())
}

/// Replays the team from its stored log.
pub(super) async fn replay(conn: &mut Conn, team: ChatId) -> Result<Team> {
    Team::replay(&log(conn, team).await?).map_err(|refusal| unreadable(team, &refusal))
}

/// Applies the entries written since `team` was read. Fails if the log was deleted.
pub(super) async fn catch_up(conn: &mut Conn, team: &mut Team) -> Result<()> {
    // The last known entry is read as well, to tell an unchanged log from a deleted one.
    let new = log_from(conn, team.id(), team.log_head().0).await?;
    let applied = new.iter().skip(1).try_for_each(|entry| team.apply(entry));
    applied.map_err(|refusal| unreadable(team.id(), &refusal))
}

/// Returns all log entries. Fails if there are none.
pub(super) async fn log(conn: &mut Conn, team: ChatId) -> Result<Vec<LogEntry>> {
    log_from(conn, team, 0).await
}

async fn log_from(conn: &mut Conn, team: ChatId, from: u64) -> Result<Vec<LogEntry>> {
    let rows = teams::log(conn, team, from).await?;
    if rows.is_empty() {
        return Err(gone().into());
    }
    let entry = |body: Vec<u8>| {
        let text = String::from_utf8(body).map_err(|error| unreadable(team, &error))?;
        LogEntry::read(text).map_err(|refusal| unreadable(team, &refusal))
    };
    rows.into_iter().map(entry).collect()
}

pub(super) fn unreadable(team: ChatId, error: &impl std::fmt::Display) -> Error {
    Error::Fault(anyhow::anyhow!("the log of team {team}: {error}"))
}

/// Returns the state for lists.
pub(super) const fn state(team: &Team) -> TeamState {
    match team.phase() {
        Phase::Forming { .. } => TeamState::Forming,
        Phase::Closed(TeamOutcome::Concluded { .. }) => TeamState::Closed,
        Phase::Closed(TeamOutcome::Failed(_)) => TeamState::Failed,
        Phase::Closed(TeamOutcome::Cancelled { .. }) => TeamState::Cancelled,
        _ => TeamState::Working,
    }
}
