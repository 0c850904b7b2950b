//! The log: entries in one order, each naming the one before by its digest.
//!
//! What is hashed, signed, kept and sent is the text of an entry as its writer wrote it. Nobody serialises it
//! again, so no canonical form is needed and a field that a newer hub adds breaks no older copy.

use serde::{Deserialize, Serialize};

use super::{Author, Event, Proof, Proposal, Refusal};
use crate::{ChatId, Digest, Timestamp};

/// Largest text of an entry, in bytes, checked before it is parsed.
pub const MAX_ENTRY: usize = 512 * 1024;

/// One entry, together with its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    fields: Fields,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Fields {
    team: ChatId,
    /// 0 for the founding, then one more each time.
    seq: u64,
    /// The digest of the previous entry's text; of nothing for the founding.
    prev: String,
    at: Timestamp,
    by: Author,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proof: Option<Proof>,
    event: Event,
}

impl Entry {
    pub(super) fn write(proposal: &Proposal, seq: u64, prev: Digest, at: Timestamp) -> Result<Self, Refusal> {
        let Proposal { team, by, event, proof } = proposal.clone();
        let fields = Fields { team, seq, prev: prev.to_string(), at, by, proof, event };
        let text = serde_json::to_string(&fields).map_err(|_| Refusal::Unreadable)?;
        Self::bounded(text, fields)
    }

    /// An entry from a row or from another hub. Its signature is checked outside, its place by the team.
    pub fn read(text: String) -> Result<Self, Refusal> {
        if text.len() > MAX_ENTRY {
            return Err(Refusal::Unreadable);
        }
        let fields = serde_json::from_str(&text).map_err(|_| Refusal::Unreadable)?;
        Self::bounded(text, fields)
    }

    fn bounded(text: String, fields: Fields) -> Result<Self, Refusal> {
        (text.len() <= MAX_ENTRY).then_some(Self { fields, text }).ok_or(Refusal::Unreadable)
    }

    /// What the home hub signs, and what is kept and sent.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn digest(&self) -> Digest {
        Digest::of(&self.text)
    }

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

    pub const fn by(&self) -> Author {
        self.fields.by
    }

    pub const fn event(&self) -> &Event {
        &self.fields.event
    }

    /// The member's own signature, where it made one.
    pub const fn proof(&self) -> Option<&Proof> {
        self.fields.proof.as_ref()
    }

    /// The proposal that became this entry: what its proof signs.
    pub fn proposal(&self) -> Proposal {
        let Fields { team, by, proof, event, .. } = self.fields.clone();
        Proposal { team, by, event, proof }
    }
}
