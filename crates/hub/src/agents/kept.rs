//! What a registration keeps for the agent that is not there yet: credentials, sealed, and proofs.

use plexus_domain::{AgentId, SecretId};
use plexus_store::{Tx, agent_secrets};

use super::{
    credentials::{self, Asks},
    draft::Kept,
    proofs::{self, Check},
    register::Choice,
};
use crate::{Hub, Result, admin, caller::Person, keys};

/// What was entered, sealed. Nothing entered keeps what was entered before: a form never shows it again.
pub(super) fn keep(
    hub: &Hub,
    person: &Person,
    agent: AgentId,
    asks: Option<&Asks>,
    before: Option<Kept>,
    choice: &Choice,
) -> Result<Option<Kept>> {
    let Some(asks) = asks else { return Ok(None) };
    // Where people connect, what can be given is the client that the hub is for all of them; else it has its own.
    let by_person = asks.by_person().is_some();
    let for_everybody = choice.for_everybody || by_person;
    let before = before.filter(|kept| kept.for_everybody == for_everybody);
    let is_empty = choice.given.secret.is_empty() && (!by_person || choice.given.user.is_empty());
    if is_empty && (before.is_some() || by_person || !for_everybody) {
        return Ok(before);
    }
    let purpose = purpose(person, agent, for_everybody);
    let sealed = hub.vault().seal(&purpose, &credentials::plain(asks, &choice.given)?)?;
    Ok(Some(Kept::new(for_everybody, &sealed)))
}

pub(super) fn open(hub: &Hub, person: &Person, agent: AgentId, kept: &Kept) -> Result<Vec<u8>> {
    Ok(hub.vault().open_sealed(&purpose(person, agent, kept.for_everybody), &kept.sealed()?)?)
}

fn purpose(person: &Person, agent: AgentId, for_everybody: bool) -> String {
    match for_everybody {
        true => credentials::shared_purpose(agent),
        false => credentials::own_purpose(agent, person.account),
    }
}

/// Gives the agent what was kept: the answer is the secret of its first version.
pub(super) async fn take_up(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    agent: AgentId,
    kept: Option<&Kept>,
) -> Result<Option<SecretId>> {
    let Some(kept) = kept else { return Ok(None) };
    let purpose = purpose(person, agent, kept.for_everybody);
    let secret = keys::keep_sealed(hub, tx, person.namespace, &purpose, kept.sealed()?).await?;
    if kept.for_everybody {
        return Ok(Some(secret));
    }
    agent_secrets::set(tx, agent, person.account, secret).await?;
    Ok(None)
}

/// Writes what the registration found out about the agent's origins.
pub(super) async fn put_checks(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    agent: AgentId,
    checks: &[(String, Check)],
) -> Result<()> {
    for (origin, check) in checks {
        proofs::put(hub, tx, agent, origin, check).await?;
    }
    for (origin, _) in checks.iter().filter(|(_, check)| check.is_vouched()) {
        admin::vouch_for(hub, tx, person, origin).await?;
    }
    Ok(())
}
