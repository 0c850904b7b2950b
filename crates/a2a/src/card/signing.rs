//! Card signatures (specification 1.0 section 8.4): a JWS over the card's canonical form.

use serde_json::Value;

use super::{
    Card, Signature,
    canonical::{UnknownFields, canonical_card, without_empty},
    parse::LIMITS,
};
use crate::{
    bounded_json,
    jws::{self, Jws, JwsError},
    keys::{PublicKey, SecretKey},
    wire::v1::{AgentCard, AgentCardSignature},
};

/// Why a card cannot be signed.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// Implementations treat empty required values differently: the specification signs them, the official
    /// Python SDK omits them. A signature over them would not verify there.
    #[error("A card with empty values is not signed: fill them, or leave out what is not required.")]
    EmptyValue,
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Signs a local card and adds the signature.
pub fn sign(card: &mut AgentCard, key: &SecretKey) -> Result<(), SignError> {
    sign_from(card, key, None)
}

/// Like [`sign`], with the URL of a key set that contains the key (`jku`).
pub fn sign_from(card: &mut AgentCard, key: &SecretKey, jku: Option<&str>) -> Result<(), SignError> {
    let document = serde_json::to_value(&*card)?;
    let reduced = canonical_card(&document, UnknownFields::Keep);
    if without_empty(&reduced).as_ref() != Some(&reduced) {
        return Err(SignError::EmptyValue);
    }
    let Jws { protected, signature } =
        jws::sign_from(key, &serde_json_canonicalizer::to_vec(&reduced)?, jku)?;
    card.signatures.push(AgentCardSignature { protected, signature, header: None });
    Ok(())
}

/// How much of a card a signature covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignatureCoverage {
    /// The fields of 1.0. An intermediary may have changed other fields, such as those of 0.3.
    Current,
    /// Every field.
    Whole,
}

/// Why no signature of a card is valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureProblem {
    #[error("The card is not signed.")]
    NotSigned,
    #[error(transparent)]
    Jws(#[from] JwsError),
}

impl Card {
    /// Returns the keys (`did:key`) named by the signatures; nothing is verified.
    pub fn claimed_signers(&self) -> Vec<PublicKey> {
        self.signatures.iter().filter_map(|signature| to_jws(signature).claimed_key()).collect()
    }

    /// Verifies that `key` signed this card, and returns the coverage. On failure returns the last error.
    pub fn verify(&self, key: &PublicKey) -> Result<SignatureCoverage, SignatureProblem> {
        let forms = canonical_forms(&self.source);
        let mut outcome = Err(SignatureProblem::NotSigned);
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

/// Returns the payloads that a signature may cover, widest first.
///
/// They are the card with and without fields unknown to 1.0, each with and without empty values.
fn canonical_forms(source: &[u8]) -> Vec<(SignatureCoverage, Vec<u8>)> {
    let Ok(card) = bounded_json::parse::<Value>(source, LIMITS) else { return Vec::new() };
    let mut forms = Vec::new();
    for (unknown, coverage) in
        [(UnknownFields::Keep, SignatureCoverage::Whole), (UnknownFields::Drop, SignatureCoverage::Current)]
    {
        let reduced = canonical_card(&card, unknown);
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
