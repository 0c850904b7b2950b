//! Whether a caller may speak to an agent.

use plexus_domain::{Address, Digest, Error as Refusal, Principal, PrincipalId, RunId};
use plexus_store::{Conn, principals};

use super::{link::Links, task};
use crate::{
    Caller, Error, Hub, Result,
    agents::{Reached, reach},
    caller::{Asker, Guest, Scope},
    limits::Rate,
    views,
};

/// An agent that the caller may speak to.
#[derive(Clone, Debug)]
pub struct Door {
    pub(super) caller: Caller,
    pub(crate) asker: Asker,
    pub(super) reached: Reached,
    /// What rate limits count by.
    pub(super) key: String,
    /// For a guest, whose browser shows nobody's signature.
    links: Option<Links>,
}

impl Door {
    pub fn address(&self) -> Address {
        views::address(&self.reached.agent)
    }

    /// Where the caller gets a file that a task shows.
    pub fn file_url(&self, hub: &Hub, run: RunId, blob: &Digest) -> String {
        let url = task::file_url(hub, &self.address(), run, blob);
        match &self.links {
            Some(links) => links.sign(&url, run, blob, hub.env().now()),
            None => url,
        }
    }

    /// Takes a message from what the caller, and the hub that they come from, may send now.
    pub(super) fn take_message(&self, hub: &Hub) -> Result<(), Refusal> {
        hub.limits().take(Rate::Messages, &self.key)?;
        match &self.asker.guest {
            Some(guest) => hub.limits().take(Rate::GuestMessages, &guest.counted_as()),
            None => Ok(()),
        }
    }

    /// Whether nothing is known of the caller, who then holds what it was told and nothing else.
    pub const fn is_stranger(&self) -> bool {
        self.asker.is_stranger()
    }
}

/// The door of the agent at `address`. An agent that the caller may not know of looks as if it did not exist;
/// strangers reach agents that are open to all.
pub async fn enter(hub: &Hub, caller: &Caller, address: &Address) -> Result<Door> {
    let mut conn = hub.store().read().await?;
    let (mut asker, is_new) = asker(hub, &mut conn, caller).await?;
    let reached = match reach(&mut conn, &asker, address).await {
        Err(Error::Refused(Refusal::Invalid { message, .. })) => Err(Refusal::not_found(message).into()),
        done => done,
    }?;
    drop(conn);
    let links = match asker.guest {
        Some(_) => Some(Links::load(hub).await?),
        None => None,
    };
    if is_new {
        // Only now: whoever is turned away leaves nothing.
        asker.principal = principal(hub, &who(caller)).await?;
    }
    Ok(Door { caller: caller.clone(), asker, reached, key: caller.key(), links })
}

/// Who asks, and whether the hub has yet to write down that there is such a one.
async fn asker(hub: &Hub, conn: &mut Conn, caller: &Caller) -> Result<(Asker, bool)> {
    if caller.person.is_some() {
        return Ok((Asker::from(caller.may(Scope::Chat)?), false));
    }
    let known = principals::id_of(conn, &who(caller)).await?;
    let principal = known.unwrap_or_else(|| hub.env().id(PrincipalId::new));
    let asker = match caller.guest() {
        Some(guest) => Asker::guest(principal, guest.clone()),
        None => Asker::stranger(principal),
    };
    Ok((asker, known.is_none()))
}

/// Somebody who is no person of this hub.
fn who(caller: &Caller) -> Principal {
    match caller.guest().cloned() {
        Some(Guest { hub, pseudonym, .. }) => Principal::Remote { hub, pseudonym },
        None => Principal::Anonymous,
    }
}

async fn principal(hub: &Hub, who: &Principal) -> Result<PrincipalId> {
    let mut tx = hub.store().write().await?;
    let principal = principals::ensure(&mut tx, who, hub.env().id(PrincipalId::new)).await?;
    tx.commit().await?;
    Ok(principal)
}
