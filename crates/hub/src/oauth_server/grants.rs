//! Lists and revokes the OAuth grants of an account.

use plexus_domain::{Error as Refusal, OauthGrantId};
use plexus_store::oauth_grants;

use super::OauthGrant;
use crate::{Caller, Hub, Result, bus::AccessChange, caller::AuthMethod};

/// Lists the caller's grants, the newest first.
pub async fn list(hub: &Hub, caller: &Caller) -> Result<Vec<OauthGrant>> {
    let person = caller.person()?;
    Ok(oauth_grants::list_by_account(&mut hub.store().read().await?, person.account).await?)
}

/// Revokes a grant with all its tokens. Takes effect at once.
pub async fn revoke(hub: &Hub, caller: &Caller, id: OauthGrantId) -> Result<()> {
    let person = caller.person()?;
    if matches!(caller.via, AuthMethod::Token { .. }) {
        return Err(
            Refusal::forbidden("A token cannot revoke authorizations. Sign in to revoke them.").into()
        );
    }
    let mut tx = hub.store().write().await?;
    if !oauth_grants::delete(&mut tx, person.account, id).await? {
        return Err(Refusal::not_found("Application not found.").into());
    }
    tx.commit().await?;
    hub.live().access.notify(AccessChange::Account(person.account));
    Ok(())
}

/// Purges expired grants.
pub async fn forget_expired(hub: &Hub) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    oauth_grants::delete_expired(&mut tx, hub.env().now()).await?;
    Ok(tx.commit().await?)
}
