//! Authorisation of a caller for an agent.
//!
//! [`authorize`] resolves the agent, checks visibility and access, and returns the [`AuthorizedAgent`] that all other calls
//! take.

use plexus_domain::{Address, Digest, Error as Refusal, Principal, PrincipalId, RunId, agent::Connector};
use plexus_store::{Conn, principals};

use super::{signed_links::LinkSigner, task};
use crate::{
    Caller, Error, Hub, Result,
    agents::{ResolvedAgent, resolve_callable},
    caller::{RemoteUser, Requester, Scope},
    limits::Rate,
};

/// An agent that the caller is authorized to call.
#[derive(Clone, Debug)]
pub struct AuthorizedAgent {
    pub(super) caller: Caller,
    pub(crate) requester: Requester,
    pub(super) reached: ResolvedAgent,
    /// Rate-limit key of the caller.
    pub(super) key: String,
    /// Signs file links for a remote user, whose browser cannot sign requests as the remote hub does.
    links: Option<LinkSigner>,
}

impl AuthorizedAgent {
    pub fn address(&self) -> Address {
        self.reached.agent.address()
    }

    /// Returns the URL from which the caller downloads a file of a task.
    pub fn file_url(&self, hub: &Hub, run: RunId, blob: &Digest) -> String {
        let url = task::file_url(hub, &self.address(), run, blob);
        match &self.links {
            Some(links) => links.sign(&url, run, blob, hub.env().now()),
            None => url,
        }
    }

    /// Consumes one message from the rate limits of the caller and of its remote hub.
    pub(super) fn check_rate_limits(&self, hub: &Hub) -> Result<(), Refusal> {
        hub.limits().take(Rate::Messages, &self.key)?;
        match &self.requester.remote_user {
            Some(remote_user) => hub.limits().take(Rate::MessagesPerHub, &remote_user.counted_as()),
            None => Ok(()),
        }
    }

    /// Returns true if the agent is a model of a server that this hub calls, which gets tools and formats of callers.
    pub const fn is_model(&self) -> bool {
        matches!(self.reached.version.connector, Connector::Llm { .. })
    }

    /// Returns true for anonymous callers. They can access only tasks whose id they hold.
    pub const fn is_anonymous(&self) -> bool {
        self.requester.is_anonymous()
    }
}

/// Authorizes the caller for the agent at `address`.
///
/// An agent that is not visible to the caller is reported as missing. Anonymous callers can call agents with
/// open access only.
pub async fn authorize(hub: &Hub, caller: &Caller, address: &Address) -> Result<AuthorizedAgent> {
    let mut conn = hub.store().read().await?;
    let (mut requester, is_new) = requester(hub, &mut conn, caller).await?;
    let reached = match resolve_callable(&mut conn, &requester, address).await {
        Err(Error::Refused(Refusal::Invalid { message, .. })) => Err(Refusal::not_found(message).into()),
        done => done,
    }?;
    drop(conn);
    let links = match requester.remote_user {
        Some(_) => Some(LinkSigner::load(hub).await?),
        None => None,
    };
    if is_new {
        // Create the principal only after authorisation succeeded, so that rejected callers leave no row.
        requester.principal = principal(hub, &who(caller)).await?;
    }
    Ok(AuthorizedAgent { caller: caller.clone(), requester, reached, key: caller.key(), links })
}

/// Returns the requester, and whether its principal still has to be created.
async fn requester(hub: &Hub, conn: &mut Conn, caller: &Caller) -> Result<(Requester, bool)> {
    if caller.person.is_some() {
        return Ok((Requester::from(caller.may(Scope::Chat)?), false));
    }
    let known = principals::id_of(conn, &who(caller)).await?;
    let principal = known.unwrap_or_else(|| hub.env().id(PrincipalId::new));
    let requester = match caller.remote_user() {
        Some(remote_user) => Requester::remote_user(principal, remote_user.clone()),
        None => Requester::anonymous(principal),
    };
    Ok((requester, known.is_none()))
}

/// Returns the principal of a caller who has no account here: a remote user or an anonymous caller.
fn who(caller: &Caller) -> Principal {
    match caller.remote_user().cloned() {
        Some(RemoteUser { hub, pseudonym, .. }) => Principal::Remote { hub, pseudonym },
        None => Principal::Anonymous,
    }
}

async fn principal(hub: &Hub, who: &Principal) -> Result<PrincipalId> {
    let mut tx = hub.store().write().await?;
    let principal = principals::ensure(&mut tx, who, hub.env().id(PrincipalId::new)).await?;
    tx.commit().await?;
    Ok(principal)
}
