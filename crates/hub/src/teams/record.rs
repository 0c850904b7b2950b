//! Team log storage: signs, appends and replays entries.

use plexus_a2a::keys::SecretKey;
use plexus_domain::{
    ChatId, Digest, Error as Refusal,
    event::Event as ChatEvent,
    team::{Entry, Outcome, Phase, Team},
};
use plexus_store::{
    Conn, Tx, chats,
    teams::{self, Signed, TeamState},
};

use super::look::gone;
use crate::{Error, Hub, Result, chats::Telling, error::conflict, keys};

/// Returns the key with which this hub signs log entries.
pub(super) async fn key(hub: &Hub, conn: &mut Conn) -> Result<SecretKey> {
    keys::hub_secret(hub, conn).await?.ok_or_else(|| Error::Fault(anyhow::anyhow!("the hub has no key")))
}

/// Appends entries in one transaction, notifies subscribers, and returns the new state of the team.
pub(super) async fn commit(hub: &Hub, key: &SecretKey, team: &Team, entries: &[Entry]) -> Result<Team> {
    let tx = hub.store().write().await?;
    let after = commit_with(hub, tx, key, team, entries).await?;
    if state(&after) != state(team) && after.charter().lineage.is_some() {
        tell_above(hub, &after).await;
    }
    Ok(after)
}

/// Same within a transaction that contains other writes already.
pub(super) async fn commit_with(
    hub: &Hub,
    mut tx: Tx,
    key: &SecretKey,
    team: &Team,
    entries: &[Entry],
) -> Result<Team> {
    let mut after = team.clone();
    for entry in entries {
        after.apply(entry).map_err(Refusal::from)?;
    }
    let chat = chats::lock(&mut tx, team.id()).await?.ok_or_else(gone)?;
    append(&mut tx, key, team.head().1, entries).await?;
    if state(&after) != state(team) {
        teams::set_state(&mut tx, team.id(), state(&after)).await?;
    }
    let mut telling = Telling::new(&chat);
    telling.record(ChatEvent::Team { entry: after.head().0 });
    telling.commit(hub, tx).await?.tell(hub, None).await;
    Ok(after)
}

/// Notifies the subscribers and orchestrators of the ancestor teams of a subteam's state. The
/// orchestrators then read its log.
pub(super) async fn tell_above(hub: &Hub, team: &Team) {
    if let Err(error) = try_tell_above(hub, team).await {
        tracing::warn!(team = %team.id(), %error, "the teams above will hear of it later");
    }
}

async fn try_tell_above(hub: &Hub, team: &Team) -> Result<()> {
    let above = teams::list_above(&mut hub.store().read().await?, team.id()).await?;
    for kin in above {
        let mut tx = hub.store().write().await?;
        let Some(chat) = chats::lock(&mut tx, kin.chat).await? else { continue };
        let mut telling = Telling::new(&chat);
        telling.record(ChatEvent::Below { team: team.id(), state: state(team).as_str().to_owned() });
        telling.commit(hub, tx).await?.tell(hub, None).await;
    }
    Ok(())
}

/// Appends entries after the one with the digest `prev`.
pub(super) async fn append(tx: &mut Tx, key: &SecretKey, mut prev: Digest, entries: &[Entry]) -> Result<()> {
    let public = key.public();
    for entry in entries {
        let signed = Signed {
            seq: i64::try_from(entry.seq()).unwrap_or(i64::MAX),
            author_key: public.as_bytes(),
            prev_hash: prev.as_bytes(),
            body: entry.text(),
            signature: &key.sign(entry.text().as_bytes()),
        };
        let elsewhere = || Refusal::unavailable("Something else happened in this team at the same moment.");
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
    let new = log_from(conn, team.id(), team.head().0).await?;
    let applied = new.iter().skip(1).try_for_each(|entry| team.apply(entry));
    applied.map_err(|refusal| unreadable(team.id(), &refusal))
}

/// Returns all log entries. Fails if there are none.
pub(super) async fn log(conn: &mut Conn, team: ChatId) -> Result<Vec<Entry>> {
    log_from(conn, team, 0).await
}

async fn log_from(conn: &mut Conn, team: ChatId, from: u64) -> Result<Vec<Entry>> {
    let rows = teams::log(conn, team, from).await?;
    if rows.is_empty() {
        return Err(gone().into());
    }
    let entry = |body: Vec<u8>| {
        let text = String::from_utf8(body).map_err(|error| unreadable(team, &error))?;
        Entry::read(text).map_err(|refusal| unreadable(team, &refusal))
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
        Phase::Closed(Outcome::Concluded { .. }) => TeamState::Closed,
        Phase::Closed(Outcome::Failed(_)) => TeamState::Failed,
        Phase::Closed(Outcome::Cancelled { .. }) => TeamState::Cancelled,
        _ => TeamState::Working,
    }
}
