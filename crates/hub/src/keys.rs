//! Signing keys of the hub and of its agents. Seeds are stored encrypted.

use std::path::Path;

use anyhow::Context as _;
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use plexus_a2a::{
    keys::{PublicKey, SecretKey},
    listing_id::{Genesis, ListingId},
};
use plexus_domain::{AgentId, Digest, HubRowId, KeyId, NamespaceId, SecretId, Timestamp};
use plexus_store::{
    Conn, Store, Tx, keys,
    keys::{Key, KeyKind},
    secrets,
    secrets::Secret,
};
use serde::{Deserialize, Serialize};

use crate::{Error, Hub, Result};

/// Version of the key file that new secrets are encrypted with.
pub(crate) const KEY_VERSION: i64 = 1;

/// Owner and purpose of a key.
#[derive(Clone, Copy)]
enum KeyOwner {
    Hub,
    Agent(AgentId),
    Recovery(AgentId),
}

/// The permanent identity of an agent: its keys, and the listing id derived from them.
pub(crate) struct AgentIdentity {
    pub listing: ListingId,
    /// Part of the listing id, so the rows of both keys store it.
    created: Timestamp,
    agent: SecretKey,
    agent_seed: [u8; 32],
    recovery: SecretKey,
    recovery_seed: [u8; 32],
}

impl AgentIdentity {
    /// Generates an identity for an agent that is registered at `created`.
    pub fn new(hub: &Hub, created: Timestamp) -> Result<Self> {
        Self::of_seeds(hub.env().bytes(), hub.env().bytes(), created)
    }

    /// Derives an identity for an agent that is registered at `created` from the hub's key. Agents that other
    /// hubs replicate have such an identity, so that a hub whose database is an older copy can sign for them
    /// again ([`Self::recover`]).
    pub async fn derive(hub: &Hub, conn: &mut Conn, created: Timestamp) -> Result<Self> {
        let (hub_seed, _) = hub_seed(hub, conn).await?;
        let number = u16::from_le_bytes(hub.env().bytes()) % IDENTITIES_PER_MILLISECOND;
        Self::derived(&hub_seed, created, number)
    }

    /// Derives the identity with this genesis again; `None` if it was not derived from the hub's key.
    pub async fn recover(hub: &Hub, conn: &mut Conn, genesis: &Genesis) -> Result<Option<Self>> {
        let (hub_seed, _) = hub_seed(hub, conn).await?;
        let is_it = |number: &u16| {
            nonce(&derived_seed("agent", &hub_seed, genesis.created, *number)) == genesis.nonce
        };
        let Some(number) = (0..IDENTITIES_PER_MILLISECOND).find(is_it) else { return Ok(None) };
        let found = Self::derived(&hub_seed, genesis.created, number)?;
        Ok(Some(found).filter(|found| found.agent.public() == genesis.agent))
    }

    fn derived(hub_seed: &[u8; 32], created: Timestamp, number: u16) -> Result<Self> {
        let seed = |purpose| derived_seed(purpose, hub_seed, created, number);
        Self::of_seeds(seed("agent"), seed("recovery"), created)
    }

    fn of_seeds(agent_seed: [u8; 32], recovery_seed: [u8; 32], created: Timestamp) -> Result<Self> {
        let (agent, recovery) = (SecretKey::from_seed(&agent_seed), SecretKey::from_seed(&recovery_seed));
        let genesis = Genesis {
            agent: agent.public(),
            recovery: recovery.public(),
            created,
            nonce: nonce(&agent_seed),
        };
        let listing = genesis.id().map_err(Error::fault)?;
        Ok(Self { listing, created, agent, agent_seed, recovery, recovery_seed })
    }

    /// Returns the genesis and the agent's key, to sign listings in tests.
    #[cfg(test)]
    pub fn signer(&self) -> (Genesis, &SecretKey) {
        let (agent, recovery) = (self.agent.public(), self.recovery.public());
        (Genesis { agent, recovery, created: self.created, nonce: nonce(&self.agent_seed) }, &self.agent)
    }

    /// Encrypts this identity so that it can be stored until `agent` is published.
    pub fn reserve(&self, hub: &Hub, agent: AgentId) -> Result<ReservedIdentity> {
        let seeds = [self.agent_seed, self.recovery_seed].concat();
        let sealed = BASE64.encode(hub.vault().seal(&ReservedIdentity::purpose(agent), &seeds)?);
        Ok(ReservedIdentity { listing: self.listing.to_string(), created: self.created, sealed })
    }

    /// Inserts the keys of an agent whose row exists. `namespace` owns the agent.
    pub async fn keep(&self, hub: &Hub, tx: &mut Tx, agent: AgentId, namespace: NamespaceId) -> Result<()> {
        let held = [
            (KeyOwner::Agent(agent), &self.agent, &self.agent_seed),
            (KeyOwner::Recovery(agent), &self.recovery, &self.recovery_seed),
        ];
        for (holder, key, seed) in held {
            insert(hub, tx, namespace, holder, key, seed, self.created).await?;
        }
        Ok(())
    }
}

/// An encrypted identity whose agent is not published yet.
#[derive(Serialize, Deserialize)]
pub(crate) struct ReservedIdentity {
    pub listing: String,
    created: Timestamp,
    /// Both seeds, encrypted, in base64.
    sealed: String,
}

impl ReservedIdentity {
    fn purpose(agent: AgentId) -> String {
        format!("identity {agent}")
    }

    /// Decrypts the identity that was reserved for `agent`.
    pub fn take_up(&self, hub: &Hub, agent: AgentId) -> Result<AgentIdentity> {
        let sealed = BASE64.decode(&self.sealed).map_err(Error::fault)?;
        let seeds = hub.vault().open_sealed(&Self::purpose(agent), &sealed)?;
        let (agent_seed, recovery_seed) = seeds.split_at_checked(32).context("an identity lacks a seed")?;
        let seed = |bytes: &[u8]| <[u8; 32]>::try_from(bytes).context("a seed has another length");
        AgentIdentity::of_seeds(seed(agent_seed)?, seed(recovery_seed)?, self.created)
    }
}

/// Number of different identities that can be derived for one millisecond. Recovery tries all of them.
const IDENTITIES_PER_MILLISECOND: u16 = 4_096;

/// Derives a seed for an agent's key from the hub's seed. All parts have a fixed length or end in a line break.
fn derived_seed(purpose: &str, hub_seed: &[u8; 32], created: Timestamp, number: u16) -> [u8; 32] {
    let label = format!("plexus {purpose} seed 1\n");
    let parts: [&[u8]; 4] =
        [label.as_bytes(), hub_seed, &created.millis().to_le_bytes(), &number.to_le_bytes()];
    *Digest::of(parts.concat()).as_bytes()
}

/// Derives the nonce of a genesis document from the agent's seed.
///
/// A genesis can therefore be rebuilt at any time from the agent's first keys.
fn nonce(seed: &[u8; 32]) -> [u8; 16] {
    let digest = Digest::of([b"plexus listing nonce 1\n", seed.as_slice()].concat());
    std::array::from_fn(|at| digest.as_bytes()[at])
}

/// Creates the hub's own key if it has none. `namespace` is the hub's.
pub(crate) async fn ensure_hub(hub: &Hub, tx: &mut Tx, namespace: NamespaceId) -> Result<()> {
    if !keys::list_by_hub(tx, HubRowId::SELF).await?.is_empty() {
        return Ok(());
    }
    let seed = hub.env().bytes();
    insert(hub, tx, namespace, KeyOwner::Hub, &SecretKey::from_seed(&seed), &seed, hub.env().now()).await
}

/// Returns the public key that identifies this hub to remote hubs.
pub(crate) async fn hub_key(conn: &mut Conn) -> Result<PublicKey> {
    let held = keys::list_by_hub(conn, HubRowId::SELF).await?;
    public(held.first().context("the hub has no key")?)
}

/// Returns the hub's active public keys, for verifiers of its signatures.
pub async fn hub_keys(hub: &Hub) -> Result<Vec<PublicKey>> {
    let held = keys::list_by_hub(&mut hub.store().read().await?, HubRowId::SELF).await?;
    held.iter().filter(|key| key.retired_at.is_none()).map(public).collect()
}

/// Returns the key with which the hub signs on its own behalf.
pub(crate) async fn hub_secret(hub: &Hub, conn: &mut Conn) -> Result<Option<SecretKey>> {
    let held = keys::list_by_hub(conn, HubRowId::SELF).await?;
    secret_of(hub, conn, held.into_iter().find(|key| key.retired_at.is_none())).await
}

/// Returns the hub's seed and key. The federation derives its libp2p identity from the same seed.
pub(crate) async fn hub_seed(hub: &Hub, conn: &mut Conn) -> Result<([u8; 32], SecretKey)> {
    let held = keys::list_by_hub(conn, HubRowId::SELF).await?;
    let key = held.into_iter().find(|key| key.retired_at.is_none());
    let seed = seed_of(hub, conn, key.as_ref()).await?.context("the hub has no key")?;
    Ok((seed, SecretKey::from_seed(&seed)))
}

/// The signing key of an agent, and the genesis document of its listing.
pub(crate) struct AgentSigner {
    pub key: SecretKey,
    pub genesis: Genesis,
}

/// Returns the signer of an agent's listings, or none when the owner holds the key.
///
/// Deleted agents have one too, since their deletion is signed as well.
pub(crate) async fn signer(hub: &Hub, conn: &mut Conn, agent: AgentId) -> Result<Option<AgentSigner>> {
    let held = keys::list_by_agent(conn, agent).await?;
    let of = |kind| held.iter().filter(move |key| key.kind == kind);
    let (current, first) = (of(KeyKind::Agent).next(), of(KeyKind::Agent).min_by_key(|key| key.created_at));
    let recovery = of(KeyKind::Recovery).min_by_key(|key| key.created_at);
    let (Some(first), Some(recovery)) = (first, recovery) else { return Ok(None) };
    let key = seed_of(hub, conn, current).await?.map(|seed| SecretKey::from_seed(&seed));
    let seed = seed_of(hub, conn, Some(first)).await?;
    let (Some(key), Some(seed)) = (key, seed) else { return Ok(None) };
    let genesis = Genesis {
        agent: public(first)?,
        recovery: public(recovery)?,
        created: first.created_at,
        nonce: nonce(&seed),
    };
    Ok(Some(AgentSigner { key, genesis }))
}

/// Returns the key with which the hub signs for an agent, or none when the owner holds it.
pub(crate) async fn agent_key(hub: &Hub, conn: &mut Conn, agent: AgentId) -> Result<Option<SecretKey>> {
    let held = keys::list_by_agent(conn, agent).await?;
    let current = held.into_iter().find(|key| key.kind == KeyKind::Agent && key.retired_at.is_none());
    secret_of(hub, conn, current).await
}

async fn secret_of(hub: &Hub, conn: &mut Conn, key: Option<Key>) -> Result<Option<SecretKey>> {
    Ok(seed_of(hub, conn, key.as_ref()).await?.map(|seed| SecretKey::from_seed(&seed)))
}

async fn seed_of(hub: &Hub, conn: &mut Conn, key: Option<&Key>) -> Result<Option<[u8; 32]>> {
    let Some((id, secret)) = key.and_then(|key| Some((key.id, key.secret?))) else { return Ok(None) };
    let seed = open(hub, conn, secret, &format!("key {id}")).await?;
    Ok(Some(seed.as_slice().try_into().context("the seed of a key has another length")?))
}

fn public(key: &Key) -> Result<PublicKey> {
    let bytes: &[u8; 32] = key.public.as_slice().try_into().context("a public key has another length")?;
    PublicKey::from_bytes(bytes).map_err(Error::fault)
}

async fn insert(
    hub: &Hub,
    tx: &mut Tx,
    namespace: NamespaceId,
    holder: KeyOwner,
    key: &SecretKey,
    seed: &[u8; 32],
    created_at: Timestamp,
) -> Result<()> {
    let id = hub.env().id(KeyId::new);
    let secret = seal(hub, tx, namespace, &format!("key {id}"), seed).await?;
    let (kind, agent, of) = match holder {
        KeyOwner::Hub => (KeyKind::Hub, None, Some(HubRowId::SELF)),
        KeyOwner::Agent(agent) => (KeyKind::Agent, Some(agent), None),
        KeyOwner::Recovery(agent) => (KeyKind::Recovery, Some(agent), None),
    };
    let public = key.public().as_bytes().to_vec();
    let row = Key { id, kind, agent, hub: of, public, secret: Some(secret), created_at, retired_at: None };
    Ok(keys::insert(tx, &row).await?)
}

/// Encrypts `plain` for `purpose` and stores it.
pub(crate) async fn seal(
    hub: &Hub,
    tx: &mut Tx,
    namespace: NamespaceId,
    purpose: &str,
    plain: &[u8],
) -> Result<SecretId> {
    let sealed = hub.vault().seal(purpose, plain)?;
    keep_sealed(hub, tx, namespace, purpose, sealed).await
}

/// Fails when the database holds encrypted secrets and the key file is missing.
///
/// A newly generated key could not decrypt them, and secrets encrypted with it would be lost once the old
/// file is restored.
pub(crate) async fn check_key_file_exists(file: &Path, store: &Store) -> anyhow::Result<()> {
    if file.exists() || secrets::find_oldest(&mut store.read().await?).await?.is_none() {
        return Ok(());
    }
    anyhow::bail!(
        "the secret key file {} is missing, and {} contains secrets encrypted with it. Restore the file from \
         its backup, or set its path in PLEXUS_SECRET_KEY_FILE",
        file.display(),
        store.url()
    )
}

/// Fails when the key file does not decrypt the oldest secret in the database.
pub(crate) async fn check_key_file(hub: &Hub) -> anyhow::Result<()> {
    let Some(oldest) = secrets::find_oldest(&mut hub.store().read().await?).await? else { return Ok(()) };
    hub.vault().open_sealed(&oldest.kind, &oldest.ciphertext).map(drop).with_context(|| {
        format!(
            "the secret key file {} does not belong to {}: it decrypts none of its secrets. Restore the \
             right file from its backup, or set its path in PLEXUS_SECRET_KEY_FILE; all instances of a hub \
             need a copy of the same file",
            hub.config().secret_key_file.display(),
            hub.store().url()
        )
    })
}

/// Stores a secret that is already encrypted for `purpose`.
pub(crate) async fn keep_sealed(
    hub: &Hub,
    tx: &mut Tx,
    namespace: NamespaceId,
    purpose: &str,
    ciphertext: Vec<u8>,
) -> Result<SecretId> {
    let id = hub.env().id(SecretId::new);
    let row = Secret { id, namespace, kind: purpose.to_owned(), ciphertext, key_version: KEY_VERSION };
    secrets::insert(tx, &row).await?;
    Ok(id)
}

/// Decrypts a stored secret. `purpose` must be the one that it was encrypted for.
pub(crate) async fn open(hub: &Hub, conn: &mut Conn, id: SecretId, purpose: &str) -> Result<Vec<u8>> {
    let row = secrets::find(conn, id).await?.with_context(|| format!("secret {id} is gone"))?;
    Ok(hub.vault().open_sealed(purpose, &row.ciphertext)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_follows_from_its_seed() {
        assert_eq!(nonce(&[1; 32]), nonce(&[1; 32]));
        assert_ne!(nonce(&[1; 32]), nonce(&[2; 32]));
    }
}
