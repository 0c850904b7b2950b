//! Resumes teams whose orchestrator died with its instance: at startup, or on another instance (takeover).

use std::time::Duration;

use plexus_domain::{
    ChatId, Error as Refusal, HubRowId,
    team::{Proposal, ShortText, TeamActor, TeamEvent},
};
use plexus_store::teams;

use super::{log_store, orchestrator};
use crate::{Hub, Result, accounts};

/// Starts an orchestrator for each active team without one. Runs at the start of an instance and regularly after it.
pub(crate) async fn recover(hub: &Hub) -> Result<()> {
    let free = teams::list_unclaimed(&mut hub.store().read().await?, HubRowId::SELF).await?;
    for (team, launcher) in free {
        let requester = accounts::requester(&mut hub.store().read().await?, launcher).await?;
        match requester {
            Some(requester) if take(hub, team).await? => orchestrator::spawn(hub, team, requester),
            Some(_) => {}
            None => {
                if let Err(error) = give_up(hub, team).await {
                    tracing::warn!(%team, %error, "could not cancel the team of a deleted owner");
                }
            }
        }
    }
    start_claimed(hub).await
}

/// Starts an orchestrator for each team that this instance has claimed and does not orchestrate: its launch was
/// interrupted after the commit.
async fn start_claimed(hub: &Hub) -> Result<()> {
    let claimed = teams::list_claimed(&mut hub.store().read().await?, hub.process()).await?;
    for (team, launcher) in claimed.into_iter().filter(|(team, _)| !hub.teams().is_registered(*team)) {
        if let Some(requester) = accounts::requester(&mut hub.store().read().await?, launcher).await? {
            orchestrator::spawn(hub, team, requester);
        }
    }
    Ok(())
}

/// Claims a team. Returns false if another instance was faster. Deadlines are extended by the time without an
/// orchestrator; if the log does not allow that, they stay unchanged.
async fn take(hub: &Hub, id: ChatId) -> Result<bool> {
    match take_extended(hub, id).await {
        Ok(is_ours) => return Ok(is_ours),
        Err(error) => tracing::warn!(team.id = %id, %error, "team deadlines not extended"),
    }
    let mut tx = hub.store().write().await?;
    let is_ours = teams::claim(&mut tx, id, hub.process()).await?;
    tx.commit().await?;
    Ok(is_ours)
}

async fn take_extended(hub: &Hub, id: ChatId) -> Result<bool> {
    let mut tx = hub.store().write().await?;
    if !teams::claim(&mut tx, id, hub.process()).await? {
        return Ok(false);
    }
    let (now, served) = (hub.env().now(), teams::served_until(&mut tx, id).await?);
    let unserved = served.map_or(Duration::ZERO, |served| now.since(served));
    let (team, key) = (log_store::replay(&mut tx, id).await?, log_store::key(hub, &mut tx).await?);
    match team.extension(unserved, now).map_err(Refusal::from)? {
        Some(entry) => {
            log_store::commit_with(hub, tx, &key, &team, &[entry]).await?;
            tracing::info!(team.id = %id, ?unserved, "team deadlines extended: no instance served it");
        }
        None => tx.commit().await?,
    }
    Ok(true)
}

/// Cancels a team whose owner has no access any more.
async fn give_up(hub: &Hub, id: ChatId) -> Result<()> {
    let mut conn = hub.store().read().await?;
    let (team, key) = (log_store::replay(&mut conn, id).await?, log_store::key(hub, &mut conn).await?);
    drop(conn);
    let reason = ShortText::try_from("The owner of the team can no longer use this hub.".to_owned())?;
    let event = TeamEvent::Cancelled { reason };
    let proposal = Proposal { team: id, by: TeamActor::Home, event, proof: None };
    let entries = team.propose(&proposal, hub.env().now()).map_err(Refusal::from)?;
    log_store::commit(hub, &key, &team, &entries).await.map(drop)
}
