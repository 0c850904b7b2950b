//! Records that hubs exchange: three kinds, each signed and with one canonical form.
//!
//! A record consists of text lines. The first is the payload: canonical JSON (RFC 8785) whose `type` names
//! kind and version, such as `plexus/listing/1`. One line per signature follows: a detached JWS (EdDSA) over
//! the payload line. A listing ends with its agent's card, byte for byte as the owner served it.
//!
//! | record | signed by | states |
//! |---|---|---|
//! | [`Listing`] | agent's key, hub's key | agent on this hub, with card and expiry, or its deletion |
//! | [`HubRecord`] | hub's key | how to reach this hub |
//! | [`InventoryHead`] | hub's key | which listings this hub has, as count and fingerprint |
//!
//! A [`RuleList`] has the same form, but is not replicated: subscribers download it.
//!
//! Parsers accept unknown fields, since the signature covers them, and forward records byte for byte. Unknown
//! versions are ignored without a penalty for the sender.

mod hex;
mod hub_record;
mod inventory_head;
mod key_chain;
mod line_format;
mod listing;
mod rule_list;
mod seq;
mod set_fingerprint;
mod signed;
mod tags;

use plexus_a2a::{bounded_json::JsonError, jws::JwsError};

pub use self::{
    hub_record::{HUB_RECORD_TTL, HubRecord},
    inventory_head::InventoryHead,
    key_chain::{KeyChain, MAX_ROTATIONS, Rotation, RotationSigner},
    listing::{Content, Envelope, LISTING_TTL, Listing, MAX_LISTING_CARD_BYTES, Signatures, Status},
    rule_list::{ListedRule, MAX_LISTED, RuleAction, RuleList},
    seq::{MAX_SKEW, Seq},
    set_fingerprint::SetFingerprint,
    signed::{HubPayload, Record, Signed, Unverified},
    tags::{Lang, MAX_TAGS, Tag},
};

/// Maximum bytes of a record.
pub const MAX_BYTES: usize = 16 * 1024;

/// Why bytes are not a valid record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("The record has {bytes} bytes; at most {limit} are read.")]
    TooLarge { bytes: usize, limit: usize },
    #[error("The record lacks a line.")]
    Lines,
    #[error("The payload cannot be read. {0}")]
    Json(#[from] JsonError),
    #[error("The payload is not written in its canonical form (RFC 8785).")]
    NotCanonical,
    #[error("The record is of a kind or version that this hub does not know.")]
    Unknown,
    #[error("The payload is not acceptable: {0}.")]
    Payload(String),
    #[error("The {who} signature is invalid. {error}")]
    Signature { who: &'static str, error: JwsError },
    #[error("The card is not the one that was signed.")]
    Card,
    #[error("The card cannot be read: {0}")]
    CardUnreadable(String),
}

/// A parsed record of any kind, not verified yet.
#[derive(Clone, Debug)]
pub enum ParsedRecord {
    Listing(Box<Unverified<Listing>>),
    Hub(Unverified<Signed<HubRecord>>),
    Head(Unverified<Signed<InventoryHead>>),
}

/// Parses a record of any kind, without checking signatures: see [`Unverified::verify`].
pub fn parse(bytes: &[u8]) -> Result<ParsedRecord, RecordError> {
    match line_format::kind_of(bytes)? {
        Listing::KIND => Listing::parse(bytes).map(Box::new).map(ParsedRecord::Listing),
        HubRecord::KIND => Signed::parse(bytes).map(ParsedRecord::Hub),
        InventoryHead::KIND => Signed::parse(bytes).map(ParsedRecord::Head),
        kind if kind.starts_with("plexus/") => Err(RecordError::Unknown),
        _ => Err(RecordError::Payload("its type is none of Plexus".to_owned())),
    }
}
