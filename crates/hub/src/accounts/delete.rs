//! Leaving.

use plexus_domain::{Error as Refusal, account::Role};
use plexus_store::{accounts, agents, namespaces};

use super::password;
use crate::{Hub, Result, agents::withdraw, caller::Caller, live::Touched};

/// Ends the caller's account: sessions, tokens and password are gone at once, their agents are withdrawn, their
/// messages stay with those they wrote to, under no name. The name is never given out again.
pub async fn delete(hub: &Hub, caller: &Caller, password: String) -> Result<()> {
    let person = caller.person()?;
    password::check(hub, person, password, "current").await?;
    let mut tx = hub.store().write().await?;
    if person.role == Role::Admin && accounts::count_active(&mut tx, Role::Admin).await? == 1 {
        let only = "You are the only administrator. Give somebody else the role first, with `plexus user make-admin NAME`.";
        return Err(Refusal::conflict(only).into());
    }
    for agent in agents::list_by_namespace(&mut tx, person.namespace).await? {
        withdraw(hub, &mut tx, &agent).await?;
    }
    namespaces::retire(&mut tx, person.namespace, hub.env().now()).await?;
    accounts::erase(&mut tx, person.account).await?;
    tx.commit().await?;
    hub.live().access.touch(Touched::Account(person.account));
    hub.listings_changed();
    Ok(())
}
