//! Listing: the signed, replicated description of an agent.

use std::time::Duration;

use plexus_a2a::{
    Card,
    jws::{self, Jws, JwsError},
    keys::{PublicKey, SecretKey},
    listing_id::{Genesis, ListingId},
};
use plexus_domain::{Digest, Name, Timestamp};
use serde::{Deserialize, Serialize};

use super::{
    KeyChain, Lang, MAX_BYTES, MAX_TAGS, RecordError, Rotation, Seq, Tag, hex,
    line_format::{self, Payload, RecordLines},
    signed::{Record, Unverified},
};
use crate::HubId;

/// Maximum lifetime of a listing after signing.
pub const LISTING_TTL: Duration = Duration::from_secs(90 * 24 * 3_600);
/// Additional retention, so that clock skew between hubs does not let an older version return.
const MARGIN: Duration = Duration::from_secs(24 * 3_600);
/// Maximum bytes of the card in a listing. It leaves room in `MAX_BYTES` for the payload and the signatures.
pub const MAX_LISTING_CARD_BYTES: usize = 12 * 1024;
const MAX_LANGS: usize = 8;

/// Payload of a listing, signed by the agent's key (authorship) and by the hub's key (hosting). A hub cannot
/// forge an author, and a stolen agent's key cannot move the listing without the signature of another hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Document", into = "Document")]
pub struct Envelope {
    pub chain: KeyChain,
    pub seq: Seq,
    pub hub: HubId,
    /// Together with `name` the agent's address on its hub.
    pub owner: Name,
    pub name: Name,
    pub status: Status,
}

/// State of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Status {
    Live(Content),
    /// Hidden; may become live again.
    Paused(Content),
    /// Tombstone of a deleted agent.
    Deleted,
}

/// Content of a live or paused listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// SHA-256 of the card's bytes.
    #[serde(with = "hex")]
    pub card: Digest,
    /// Expiry; can be extended only by a new signature of the agent's key.
    pub expires: Timestamp,
    /// Sorted, without duplicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub langs: Vec<Lang>,
}

/// Serialized form of [`Envelope`].
#[derive(Serialize, Deserialize)]
struct Document {
    genesis: Genesis,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rotations: Vec<Rotation>,
    seq: Seq,
    hub: HubId,
    owner: Name,
    name: Name,
    #[serde(flatten)]
    status: Status,
}

/// Both signatures of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatures {
    pub agent: Jws,
    pub hub: Jws,
}

/// A verified listing: both signatures are valid and the card is readable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    envelope: Envelope,
    payload: Vec<u8>,
    signatures: Signatures,
    card: Vec<u8>,
    hash: Digest,
}

impl Envelope {
    pub const fn id(&self) -> &ListingId {
        self.chain.id()
    }

    /// Returns the key that must have signed it.
    pub fn author(&self) -> PublicKey {
        self.chain.key()
    }

    pub const fn content(&self) -> Option<&Content> {
        match &self.status {
            Status::Live(content) | Status::Paused(content) => Some(content),
            Status::Deleted => None,
        }
    }

    /// Returns the end of the retention on every hub, visible or not. Everything that this version supersedes
    /// was signed earlier and expires earlier. Purging it therefore cannot let an older version return.
    pub fn kept_until(&self) -> Timestamp {
        self.seq.issued() + LISTING_TTL + MARGIN
    }

    /// Returns the payload line that both keys sign, for owners who hold the agent's key outside the hub.
    pub fn payload(&self) -> Result<Vec<u8>, RecordError> {
        line_format::write(self)
    }
}

impl Payload for Envelope {
    const KIND: &'static str = Listing::KIND;

    fn check(&self) -> Result<(), RecordError> {
        let Some(content) = self.content() else { return Ok(()) };
        let issued = self.seq.issued();
        let rules = [
            (
                issued < content.expires && content.expires <= issued + LISTING_TTL,
                "a listing expires within 90 days of being signed",
            ),
            (
                content.tags.len() <= MAX_TAGS && content.tags.is_sorted_by(|a, b| a < b),
                "tags are at most 16, in order, each once",
            ),
            (
                content.langs.len() <= MAX_LANGS && content.langs.is_sorted_by(|a, b| a < b),
                "languages are at most 8, in order, each once",
            ),
        ];
        let broken = rules.into_iter().find(|(holds, _)| !holds);
        broken.map_or(Ok(()), |(_, rule)| Err(RecordError::Payload(rule.to_owned())))
    }
}

impl Listing {
    pub const KIND: &'static str = "plexus/listing/1";

    /// Signs with both keys. `card` is empty for a tombstone.
    ///
    /// # Errors
    /// When a rule of the format is violated, or a key is not the one named in the envelope.
    pub fn sign(
        envelope: Envelope,
        card: Vec<u8>,
        agent: &SecretKey,
        hub: &SecretKey,
    ) -> Result<Self, RecordError> {
        let payload = envelope.payload()?;
        let sign = |key| jws::sign(key, &payload).map_err(|error| RecordError::Payload(error.to_string()));
        let signatures = Signatures { agent: sign(agent)?, hub: sign(hub)? };
        Self::assemble(envelope, card, signatures)
    }

    /// Combines an envelope and card with signatures that were made separately.
    pub fn assemble(envelope: Envelope, card: Vec<u8>, signatures: Signatures) -> Result<Self, RecordError> {
        let payload = envelope.payload()?;
        let listing = Self { hash: Digest::of(&payload), envelope, payload, signatures, card };
        let bytes = listing.encode().len();
        if bytes > MAX_BYTES {
            return Err(RecordError::TooLarge { bytes, limit: MAX_BYTES });
        }
        listing.check().map(|()| listing)
    }

    /// Parses a listing without verifying its signatures.
    pub fn parse(bytes: &[u8]) -> Result<Unverified<Self>, RecordError> {
        let RecordLines { payload, signatures: [agent, hub], rest } = line_format::split(bytes, MAX_BYTES)?;
        if rest.len() > MAX_LISTING_CARD_BYTES {
            return Err(RecordError::TooLarge { bytes: rest.len(), limit: MAX_LISTING_CARD_BYTES });
        }
        let envelope = line_format::read(payload)?;
        let (hash, payload) = (Digest::of(payload), payload.to_vec());
        let signatures = Signatures { agent, hub };
        Ok(Unverified::new(Self { envelope, payload, signatures, card: rest.to_vec(), hash }))
    }

    /// Encodes the listing as a record.
    pub fn encode(&self) -> Vec<u8> {
        line_format::join(&self.payload, [&self.signatures.agent, &self.signatures.hub], &self.card)
    }

    pub const fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// Returns the card byte for byte; empty for a tombstone.
    pub fn card(&self) -> &[u8] {
        &self.card
    }

    pub const fn hash(&self) -> Digest {
        self.hash
    }

    fn check_card(&self) -> Result<(), RecordError> {
        let Some(content) = self.envelope.content() else {
            return if self.card.is_empty() { Ok(()) } else { Err(RecordError::Card) };
        };
        if self.card.len() > MAX_LISTING_CARD_BYTES || Digest::of(&self.card) != content.card {
            return Err(RecordError::Card);
        }
        let reading = Card::read(&self.card);
        let problem = || reading.problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
        if reading.card.is_some() { Ok(()) } else { Err(RecordError::CardUnreadable(problem())) }
    }
}

impl Record for Listing {
    type Claims = Envelope;

    fn claims(&self) -> &Envelope {
        &self.envelope
    }

    fn hash(&self) -> Digest {
        self.hash
    }

    /// Checks the hub's signature first: the hub is responsible for what it publishes.
    fn check(&self) -> Result<(), RecordError> {
        let hub = self.envelope.hub.key().map_err(|_| JwsError::Key);
        let by_hub = hub.and_then(|key| self.signatures.hub.verify_named(&key, &self.payload));
        by_hub.map_err(|error| RecordError::Signature { who: "hub's", error })?;
        let by_agent = self.signatures.agent.verify_named(&self.envelope.author(), &self.payload);
        by_agent.map_err(|error| RecordError::Signature { who: "agent's", error })?;
        self.envelope.chain.verify()?;
        self.check_card()
    }
}

impl From<Envelope> for Document {
    fn from(envelope: Envelope) -> Self {
        let Envelope { chain, seq, hub, owner, name, status } = envelope;
        let rotations = chain.rotations().to_vec();
        Self { genesis: *chain.genesis(), rotations, seq, hub, owner, name, status }
    }
}

impl TryFrom<Document> for Envelope {
    type Error = RecordError;

    fn try_from(document: Document) -> Result<Self, RecordError> {
        let Document { genesis, rotations, seq, hub, owner, name, status } = document;
        Ok(Self { chain: KeyChain::from_parts(genesis, rotations)?, seq, hub, owner, name, status })
    }
}
