//! Teams whose conductor went down with its process go on: when the hub starts again, or on another process.

use plexus_domain::{
    ChatId, Error as Refusal, HubRowId,
    team::{Author, Event, Note, Proposal},
};
use plexus_store::teams;

use super::{conduct, record};
use crate::{Hub, Result, accounts};

/// Conducts every team that has not ended and that nobody conducts.
pub(crate) async fn recover(hub: &Hub) -> Result<()> {
    let free = teams::list_unconducted(&mut hub.store().read().await?, HubRowId::SELF).await?;
    for (team, launcher) in free {
        let asker = accounts::asker(&mut hub.store().read().await?, launcher).await?;
        match asker {
            Some(asker) if take(hub, team).await? => conduct::begin(hub, team, asker),
            Some(_) => {}
            None => {
                if let Err(error) = give_up(hub, team).await {
                    tracing::warn!(%team, %error, "a team whose owner is gone could not be ended");
                }
            }
        }
    }
    Ok(())
}

/// False where another process was first.
async fn take(hub: &Hub, team: ChatId) -> Result<bool> {
    let mut tx = hub.store().write().await?;
    let is_ours = teams::conduct(&mut tx, team, hub.process()).await?;
    tx.commit().await?;
    Ok(is_ours)
}

/// Nobody is left for whom it works.
async fn give_up(hub: &Hub, id: ChatId) -> Result<()> {
    let mut conn = hub.store().read().await?;
    let (team, key) = (record::replay(&mut conn, id).await?, record::key(hub, &mut conn).await?);
    drop(conn);
    let reason = Note::try_from("Whoever launched it may not use this hub any more.".to_owned())?;
    let event = Event::Cancelled { reason };
    let proposal = Proposal { team: id, by: Author::Home, event, proof: None };
    let entries = team.propose(&proposal, hub.env().now()).map_err(Refusal::from)?;
    record::commit(hub, &key, &team, &entries).await.map(drop)
}
