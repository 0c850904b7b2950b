//! Writing a team's log.

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

/// The key with which this hub signs what it orders.
pub(super) async fn key(hub: &Hub, conn: &mut Conn) -> Result<SecretKey> {
    keys::hub_secret(hub, conn).await?.ok_or_else(|| Error::Fault(anyhow::anyhow!("the hub has no key")))
}

/// Adds entries in one transaction, tells readers, and answers the team as it is then.
pub(super) async fn commit(hub: &Hub, key: &SecretKey, team: &Team, entries: &[Entry]) -> Result<Team> {
    let mut after = team.clone();
    for entry in entries {
        after.apply(entry).map_err(Refusal::from)?;
    }
    let mut tx = hub.store().write().await?;
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

/// Writes entries that follow the one with the digest `prev`.
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
        let elsewhere = || Refusal::forbidden("Another process of this hub conducts this team.");
        conflict(teams::append(tx, entry.team(), &signed).await, elsewhere)?;
        prev = entry.digest();
    }
    Ok(())
}

/// The team that the rows describe.
pub(super) async fn replay(conn: &mut Conn, team: ChatId) -> Result<Team> {
    let unreadable = |error: String| Error::Fault(anyhow::anyhow!("the log of team {team}: {error}"));
    let mut entries = Vec::new();
    let log = teams::log(conn, team).await?;
    if log.is_empty() {
        return Err(gone().into());
    }
    for body in log {
        let text = String::from_utf8(body).map_err(|error| unreadable(error.to_string()))?;
        entries.push(Entry::read(text).map_err(|refusal| unreadable(refusal.to_string()))?);
    }
    Team::replay(&entries).map_err(|refusal| unreadable(refusal.to_string()))
}

/// The word for lists.
pub(super) const fn state(team: &Team) -> TeamState {
    match team.phase() {
        Phase::Forming { .. } => TeamState::Forming,
        Phase::Closed(Outcome::Concluded { .. }) => TeamState::Closed,
        Phase::Closed(Outcome::Failed(_)) => TeamState::Failed,
        Phase::Closed(Outcome::Cancelled { .. }) => TeamState::Cancelled,
        _ => TeamState::Working,
    }
}
