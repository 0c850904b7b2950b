//! The users that an agent with restricted access names.

use plexus_domain::{Address, Error as Refusal, Name};
use plexus_store::{
    Conn,
    accounts::{self, AccountState},
    grants,
};

use super::{
    access::revoke_streams,
    manage::{agent_owned_by, change},
};
use crate::{
    Caller, Hub, Result,
    caller::{Person, Scope},
};

/// Maximum number of users that an agent names.
const MAX_USERS: usize = 500;
const FIELD: &str = "user";

pub use plexus_store::grants::GrantedUser;

/// Lists the users that an agent of the caller names, in the order in which they were added.
pub async fn list(hub: &Hub, caller: &Caller, address: &Address) -> Result<Vec<GrantedUser>> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = agent_owned_by(&mut conn, person, address).await?;
    Ok(grants::list_users(&mut conn, agent.id).await?)
}

/// Adds a user of this hub by name; idempotent. The user gets access while the agent is restricted to named users.
pub async fn add(hub: &Hub, caller: &Caller, address: &Address, name: &str) -> Result<()> {
    let (mut tx, agent) = change(hub, caller, address).await?;
    let user = find_user(&mut tx, name).await?;
    if user.account == caller.person()?.account {
        return Err(Refusal::invalid(FIELD, "You own this agent and always have access.").into());
    }
    if !grants::insert(&mut tx, agent.id, user.principal, hub.env().now()).await? {
        return Ok(());
    }
    if grants::list_users(&mut tx, agent.id).await?.len() > MAX_USERS {
        let words = format!("An agent names at most {MAX_USERS} users. Remove one first.");
        return Err(Refusal::invalid(FIELD, words).into());
    }
    tx.commit().await?;
    Ok(())
}

/// Removes a user. Its open streams and runs of the agent end, if the agent does not admit it otherwise.
pub async fn remove(hub: &Hub, caller: &Caller, address: &Address, name: &str) -> Result<()> {
    let (mut tx, agent) = change(hub, caller, address).await?;
    let user = find_user(&mut tx, name).await?;
    if !grants::delete(&mut tx, agent.id, user.principal).await? {
        return Err(Refusal::not_found(format!("{address} does not name the user {}.", user.name)).into());
    }
    tx.commit().await?;
    revoke_streams(hub, agent.id).await
}

/// Finds a user of this hub by name, with or without `@`.
pub(crate) async fn find_user(conn: &mut Conn, name: &str) -> Result<Person> {
    let name = name.trim();
    let name = name.strip_prefix('@').unwrap_or(name);
    if name.contains('@') {
        let words = "Users of other hubs cannot be named: another hub does not prove the names of its users, it \
                     shows a pseudonym. Name a user of this hub.";
        return Err(Refusal::invalid(FIELD, words).into());
    }
    if name.is_empty() {
        return Err(Refusal::invalid(FIELD, "Enter the name of a user.").into());
    }
    let missing = || {
        let name = plexus_domain::sanitized_text::ellipsize(name, 80);
        Refusal::invalid(FIELD, format!("User {name} not found on this hub. Check the name."))
    };
    let parsed: Name = name.parse().map_err(|_| missing())?;
    let account = accounts::by_name(conn, &parsed).await?.ok_or_else(missing)?;
    let identity = accounts::identity(conn, account.id).await?.ok_or_else(missing)?;
    if identity.state == AccountState::Deleted {
        return Err(missing().into());
    }
    Ok(Person::from(identity))
}
