//! Whether a caller may speak to an agent.

use plexus_domain::{Address, Digest, Error as Refusal, Principal, PrincipalId, RunId};
use plexus_store::principals;

use super::{file::Links, task};
use crate::{
    Caller, Error, Hub, Result,
    agents::{Reached, reach},
    caller::{Asker, Guest, Scope},
    views,
};

/// An agent that the caller may speak to.
#[derive(Clone, Debug)]
pub struct Door {
    pub(super) caller: Caller,
    pub(super) asker: Asker,
    pub(super) reached: Reached,
    /// What rate limits count by.
    pub(super) key: String,
    /// Files that a guest is shown are fetched by whoever has the link: a browser shows nobody's signature.
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
            Some(links) => format!("{url}?key={}", links.key(run, blob)),
            None => url,
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
    let asker = asker(hub, caller).await?;
    let reached = match reach(&mut hub.store().read().await?, &asker, address).await {
        Err(Error::Refused(Refusal::Invalid { message, .. })) => Err(Refusal::not_found(message).into()),
        done => done,
    }?;
    let links = match asker.guest {
        Some(_) => Some(Links::load(hub).await?),
        None => None,
    };
    Ok(Door { caller: caller.clone(), asker, reached, key: caller.key(), links })
}

async fn asker(hub: &Hub, caller: &Caller) -> Result<Asker> {
    if caller.person.is_some() {
        return Ok(Asker::from(caller.may(Scope::Chat)?));
    }
    match caller.guest() {
        Some(guest) => {
            let Guest { hub: home, pseudonym } = guest.clone();
            let principal = principal(hub, &Principal::Remote { hub: home, pseudonym }).await?;
            Ok(Asker::guest(principal, guest.clone()))
        }
        None => Ok(Asker::stranger(principal(hub, &Principal::Anonymous).await?)),
    }
}

async fn principal(hub: &Hub, who: &Principal) -> Result<PrincipalId> {
    if let Some(known) = principals::id_of(&mut hub.store().read().await?, who).await? {
        return Ok(known);
    }
    let mut tx = hub.store().write().await?;
    let principal = principals::ensure(&mut tx, who, hub.env().id(PrincipalId::new)).await?;
    tx.commit().await?;
    Ok(principal)
}
