//! Credentials and origin verifications of a draft, until the agent exists.

use plexus_domain::{AgentId, SecretId};
use plexus_store::{Tx, agent_credentials};

use super::{
    credentials::{self, CredentialRequirement},
    origin_verification::{self, VerificationStatus},
    register_a2a::RegistrationChoices,
    registration_draft::DraftSecret,
};
use crate::{Hub, Result, admin, caller::Person, keys};

/// Encrypts the entered credentials. An empty input retains the stored ones,
/// since forms never show them again.
pub(super) fn store_secret(
    hub: &Hub,
    person: &Person,
    agent: AgentId,
    asks: Option<&CredentialRequirement>,
    before: Option<DraftSecret>,
    choice: &RegistrationChoices,
) -> Result<Option<DraftSecret>> {
    let Some(asks) = asks else { return Ok(None) };
    // With a user OAuth flow, the credentials are those of the hub's OAuth client, shared by all users. If
    // none are entered, the hub uses its own client document.
    let by_person = asks.by_person().is_some();
    let shared = choice.shared || by_person;
    let before = before.filter(|kept| kept.shared == shared);
    let is_empty = choice.given.secret.is_empty() && (!by_person || choice.given.user.is_empty());
    if is_empty && (before.is_some() || by_person || !shared) {
        return Ok(before);
    }
    let purpose = purpose(person, agent, shared);
    let sealed = hub.vault().seal(&purpose, &credentials::plain(asks, &choice.given)?)?;
    Ok(Some(DraftSecret::new(shared, &sealed)))
}

pub(super) fn open(hub: &Hub, person: &Person, agent: AgentId, kept: &DraftSecret) -> Result<Vec<u8>> {
    Ok(hub.vault().open_sealed(&purpose(person, agent, kept.shared), &kept.sealed()?)?)
}

fn purpose(person: &Person, agent: AgentId, shared: bool) -> String {
    match shared {
        true => credentials::shared_purpose(agent),
        false => credentials::own_purpose(agent, person.account),
    }
}

/// Moves the draft's credentials to the agent. Returns the secret of its first version, if they are shared.
pub(super) async fn transfer_secret(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    agent: AgentId,
    kept: Option<&DraftSecret>,
) -> Result<Option<SecretId>> {
    let Some(kept) = kept else { return Ok(None) };
    let purpose = purpose(person, agent, kept.shared);
    let secret = keys::keep_sealed(hub, tx, person.namespace, &purpose, kept.sealed()?).await?;
    if kept.shared {
        return Ok(Some(secret));
    }
    agent_credentials::set(tx, agent, person.account, secret).await?;
    Ok(None)
}

/// Stores the origin verifications of the draft.
pub(super) async fn put_checks(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    agent: AgentId,
    checks: &[(String, VerificationStatus)],
) -> Result<()> {
    for (origin, check) in checks {
        origin_verification::put(hub, tx, agent, origin, check).await?;
    }
    for (origin, _) in checks.iter().filter(|(_, check)| check.is_trusted()) {
        admin::trust_origin_of(hub, tx, person, origin).await?;
    }
    Ok(())
}
