//! Signatures of cards (specification 1.0 section 8.4): a JWS over the card's canonical form.

use serde_json::Value;

use super::{
    Card, Signature,
    read::LIMITS,
    schema::{Unknown, reduce_card, without_empty},
};
use crate::{
    json,
    jws::{self, Jws, JwsError},
    keys::{PublicKey, SecretKey},
    wire::v1::{AgentCard, AgentCardSignature},
};

#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// The specification signs empty values that it requires, the official Python SDK leaves them out: such a
    /// card would not verify there.
    #[error("A card with empty values is not signed: fill them, or leave out what is not required.")]
    EmptyValue,
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Adds a signature to a card of our own.
pub fn sign(card: &mut AgentCard, key: &SecretKey) -> Result<(), SignError> {
    sign_from(card, key, None)
}

/// The same, naming where a set of keys is that holds this one.
pub fn sign_from(card: &mut AgentCard, key: &SecretKey, jku: Option<&str>) -> Result<(), SignError> {
    let document = serde_json::to_value(&*card)?;
    let reduced = reduce_card(&document, Unknown::Keep);
    if without_empty(&reduced).as_ref() != Some(&reduced) {
        return Err(SignError::EmptyValue);
    }
    let Jws { protected, signature } =
        jws::sign_from(key, &serde_json_canonicalizer::to_vec(&reduced)?, jku)?;
    card.signatures.push(AgentCardSignature { protected, signature, header: None });
    Ok(())
}

/// How much of a card a signature holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coverage {
    /// The members of 1.0. Whoever passed the card on may have changed the others, as those of 0.3.
    Current,
    /// Every member.
    Whole,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unverified {
    #[error("The card is not signed.")]
    NotSigned,
    #[error(transparent)]
    Jws(#[from] JwsError),
}

impl Card {
    /// The keys that the signatures say they were made with, where they say it by a `did:key`.
    pub fn claimed_signers(&self) -> Vec<PublicKey> {
        self.signatures.iter().filter_map(|signature| to_jws(signature).claimed_key()).collect()
    }

    /// Whether `key` signed this card, and how much of it. Else why the last signature does not hold.
    pub fn verify(&self, key: &PublicKey) -> Result<Coverage, Unverified> {
        let forms = canonical_forms(&self.source);
        let mut outcome = Err(Unverified::NotSigned);
        for jws in self.signatures.iter().map(to_jws) {
            for (coverage, payload) in &forms {
                match jws.verify(key, payload) {
                    Ok(()) => return Ok(*coverage),
                    Err(error) => outcome = Err(error.into()),
                }
            }
        }
        outcome
    }
}

/// What a signature may have been made over, the widest first: with and without what 1.0 does not have, and each
/// of them with and without empty values.
fn canonical_forms(source: &[u8]) -> Vec<(Coverage, Vec<u8>)> {
    let Ok(card) = json::parse::<Value>(source, LIMITS) else { return Vec::new() };
    let mut forms = Vec::new();
    for (unknown, coverage) in [(Unknown::Keep, Coverage::Whole), (Unknown::Drop, Coverage::Current)] {
        let reduced = reduce_card(&card, unknown);
        let filled = without_empty(&reduced).filter(|filled| *filled != reduced);
        let written =
            [Some(reduced), filled].into_iter().flatten().map(|form| serde_json_canonicalizer::to_vec(&form));
        forms.extend(written.flatten().map(|form| (coverage, form)));
    }
    forms
}

fn to_jws(signature: &Signature) -> Jws {
    Jws { protected: signature.protected.clone(), signature: signature.signature.clone() }
}
