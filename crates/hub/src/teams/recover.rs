//! Teams whose conductor went down with its process go on when the hub starts again.

use plexus_domain::{
    ChatId, Error as Refusal, HubRowId,
    team::{Author, Event, Note, Proposal},
};
use plexus_store::teams;

use super::{conduct, record};
use crate::{Hub, Result, accounts};

/// Conducts every team that has not ended. On Postgres another process may still do so; whoever writes the next
/// number of a log first goes on, the other gives up.
pub(crate) async fn recover(hub: &Hub) -> Result<()> {
    let mut conn = hub.store().read().await?;
    for (team, launcher) in teams::list_open(&mut conn, HubRowId::SELF).await? {
        match accounts::asker(&mut conn, launcher).await? {
            Some(asker) => conduct::begin(hub, team, asker),
            None => {
                if let Err(error) = give_up(hub, team).await {
                    tracing::warn!(%team, %error, "a team whose owner is gone could not be ended");
                }
            }
        }
    }
    Ok(())
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
