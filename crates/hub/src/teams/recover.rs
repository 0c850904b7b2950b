//! Teams whose conductor went down with its process go on when the hub starts again.

use plexus_domain::HubRowId;
use plexus_store::{chats, teams};

use super::conduct;
use crate::{Hub, Result, accounts};

/// Conducts every team that has not ended. On Postgres another process may still do so; whoever writes the next
/// number of a log first goes on, the other gives up.
pub(crate) async fn recover(hub: &Hub) -> Result<()> {
    let mut conn = hub.store().read().await?;
    for team in teams::list_open(&mut conn, HubRowId::SELF).await? {
        let Some(chat) = chats::find(&mut conn, team).await? else { continue };
        match accounts::asker(&mut conn, chat.creator).await? {
            Some(asker) => conduct::begin(hub, team, asker),
            None => tracing::warn!(%team, "nobody is left who launched this team"),
        }
    }
    Ok(())
}
