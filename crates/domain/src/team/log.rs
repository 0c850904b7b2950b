//! Team log: a hash chain of signed entries.
//!
//! The original JSON text of an entry is what is hashed, signed, stored and sent. Entries are never
//! serialized again, so no canonical form is needed, and fields added by newer hubs do not break older
//! replicas.

use serde::{Deserialize, Serialize};

use super::{Proposal, ProposalSignature, TeamActor, TeamError, TeamEvent};
use crate::{ChatId, Digest, Timestamp};

/// Maximum size of an entry's text in bytes, checked before parsing.
pub const MAX_ENTRY: usize = 512 * 1024;

/// A log entry with its original text.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    fields: LogEntryFields,
    text: String,
}

/// Serialized fields of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct LogEntryFields {
    team: ChatId,
    /// Sequence number, 0 for the first entry.
    seq: u64,
    /// Digest of the previous entry's text; digest of the empty text for the first entry.
    prev: String,
    at: Timestamp,
    by: TeamActor,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proof: Option<ProposalSignature>,
    event: TeamEvent,
}

impl LogEntry {
    pub(super) fn write(
        proposal: &Proposal,
        seq: u64,
        prev: Digest,
        at: Timestamp,
    ) -> Result<Self, TeamError> {
        let Proposal { team, by, event, proof } = proposal.clone();
        let fields = LogEntryFields { team, seq, prev: prev.to_string(), at, by, proof, event };
        let text = serde_json::to_string(&fields).map_err(|_| TeamError::Unreadable)?;
        Self::bounded(text, fields)
    }

    /// Parses an entry from the database or a remote hub. Does
    /// not check its signature or its place in the chain.
    pub fn read(text: String) -> Result<Self, TeamError> {
        if text.len() > MAX_ENTRY {
            return Err(TeamError::Unreadable);
        }
        let fields = serde_json::from_str(&text).map_err(|_| TeamError::Unreadable)?;
        Self::bounded(text, fields)
    }

    fn bounded(text: String, fields: LogEntryFields) -> Result<Self, TeamError> {
        (text.len() <= MAX_ENTRY).then_some(Self { fields, text }).ok_or(TeamError::Unreadable)
    }

    /// Returns the original text, which is signed, stored and sent.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn digest(&self) -> Digest {
        Digest::of(&self.text)
    }

    /// Returns true if the previous entry's digest is `prev`.
    pub fn follows(&self, prev: Digest) -> bool {
        self.fields.prev == prev.to_string()
    }

    pub const fn team(&self) -> ChatId {
        self.fields.team
    }

    pub const fn seq(&self) -> u64 {
        self.fields.seq
    }

    pub const fn at(&self) -> Timestamp {
        self.fields.at
    }

    pub const fn by(&self) -> TeamActor {
        self.fields.by
    }

    pub const fn event(&self) -> &TeamEvent {
        &self.fields.event
    }

    /// Returns the member's own signature, if the entry has one.
    pub const fn proof(&self) -> Option<&ProposalSignature> {
        self.fields.proof.as_ref()
    }

    /// Returns the proposal that became this entry, that is, what its proof signs.
    pub fn proposal(&self) -> Proposal {
        let LogEntryFields { team, by, proof, event, .. } = self.fields.clone();
        Proposal { team, by, event, proof }
    }
}
