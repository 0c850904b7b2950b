//! Lists and revokes the OAuth grants of an account.

use plexus_domain::{Error as Refusal, OauthGrantId};
use plexus_store::oauth;

use super::Grant;
use crate::{Caller, Hub, Result, caller::Via, live::Touched};

/// Lists the caller's grants, the newest first.
pub async fn list(hub: &Hub, caller: &Caller) -> Result<Vec<Grant>> {
    let person = caller.person()?;
    Ok(oauth::list_by_account(&mut hub.store().read().await?, person.account).await?)
}

/// Revokes a grant with all its tokens. Takes effect at once.
pub async fn revoke(hub: &Hub, caller: &Caller, id: OauthGrantId) -> Result<()> {
    let person = caller.person()?;
    if matches!(caller.via, Via::Token { .. }) {
        return Err(
            Refusal::forbidden("A program cannot end what others were let do. Sign in to do it.").into()
        );
    }
    let mut tx = hub.store().write().await?;
    if !oauth::delete(&mut tx, person.account, id).await? {
        return Err(Refusal::not_found("There is no such program.").into());
    }
    tx.commit().await?;
    hub.live().access.touch(Touched::Account(person.account));
    Ok(())
}

/// Purges expired grants.
pub async fn forget_expired(hub: &Hub) -> Result<()> {
    let mut tx = hub.store().write_bulk().await?;
    oauth::delete_expired(&mut tx, hub.env().now()).await?;
    Ok(tx.commit().await?)
}
