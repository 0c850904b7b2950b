//! Tests of card signatures: our own, and one by the official Python SDK.

use plexus_a2a::{
    Card,
    card::{LocalCard, SignError, SignatureCoverage, SignatureProblem, sign},
    jws::JwsError,
    keys::SecretKey,
    wire::v1::AgentCard,
};
use serde_json::{Value, json};

/// Card signed by `a2a-sdk` 1.3.0 with seed `[5; 32]`, served with the fields of 0.3 beside those of 1.0.
const PEER: &[u8] = include_bytes!("../samples/card-signed-v1.json");

fn key(seed: u8) -> SecretKey {
    SecretKey::from_seed(&[seed; 32])
}

fn own_card() -> AgentCard {
    let own = LocalCard {
        name: "Calc".into(),
        description: "Arithmetic — with units, 水.".into(),
        version: "1.0.0".into(),
        base: "https://hub.example/a2a/plexus/calc".parse().unwrap(),
        provider: None,
        documentation_url: None,
        skills: vec![plexus_a2a::wire::v1::AgentSkill {
            id: "calc".into(),
            name: "Calculate".into(),
            description: "Works out sums.".into(),
            tags: vec!["math".into()],
            ..Default::default()
        }],
    };
    own.build()
}

fn signed_card() -> Value {
    let mut card = own_card();
    sign(&mut card, &key(1)).unwrap();
    serde_json::to_value(&card).unwrap()
}

fn verify(card: &Value, seed: u8) -> Result<SignatureCoverage, SignatureProblem> {
    Card::read(card.to_string().as_bytes()).card.unwrap().verify(&key(seed).public())
}

#[test]
fn our_own_signature_holds_for_the_whole_card() {
    let card = signed_card();
    assert_eq!(verify(&card, 1), Ok(SignatureCoverage::Whole));
    let read = Card::read(card.to_string().as_bytes()).card.unwrap();
    assert_eq!(read.claimed_signers(), [key(1).public()]);
    assert_eq!(verify(&card, 2), Err(SignatureProblem::Jws(JwsError::Mismatch)));
    let unsigned = serde_json::to_value(own_card()).unwrap();
    assert_eq!(verify(&unsigned, 1), Err(SignatureProblem::NotSigned));
}

#[test]
fn a_changed_card_does_not_verify() {
    let mismatch = Err(SignatureProblem::Jws(JwsError::Mismatch));
    for (pointer, value) in [
        ("/name", json!("Calk")),
        ("/supportedInterfaces/0/url", json!("https://evil.example/")),
        ("/capabilities/streaming", json!(false)),
        ("/skills/0/tags/0", json!("maths")),
    ] {
        let mut card = signed_card();
        *card.pointer_mut(pointer).unwrap() = value;
        assert_eq!(verify(&card, 1), mismatch, "{pointer}");
    }
    let mut card = signed_card();
    card["iconUrl"] = json!("https://evil.example/icon.png");
    assert_eq!(verify(&card, 1), mismatch, "an added member");
}

#[test]
fn what_a_card_does_not_say_may_be_said_as_a_default() {
    let mut card = signed_card();
    card["securityRequirements"] = json!([]);
    card["skills"][0]["examples"] = json!([]);
    card["supportedInterfaces"][0]["tenant"] = json!("");
    assert_eq!(verify(&card, 1), Ok(SignatureCoverage::Whole));
}

#[test]
fn members_beyond_1_0_are_covered_only_if_they_were_signed() {
    let mut card = signed_card();
    card["url"] = json!("https://hub.example/old");
    assert_eq!(verify(&card, 1), Ok(SignatureCoverage::Current));
}

#[test]
fn the_signature_of_another_maker_verifies() {
    let card = Card::read(PEER).card.unwrap();
    assert_eq!(card.verify(&key(5).public()), Ok(SignatureCoverage::Current));
    assert_eq!(card.claimed_signers(), [key(5).public()]);
    let text = String::from_utf8(PEER.to_vec()).unwrap();
    let changed = Card::read(text.replace("Adds numbers", "Adds money").as_bytes()).card.unwrap();
    assert_eq!(changed.verify(&key(5).public()), Err(SignatureProblem::Jws(JwsError::Mismatch)));
}

#[test]
fn a_card_with_empty_values_is_not_signed() {
    let mut card = AgentCard { description: String::new(), ..own_card() };
    assert!(matches!(sign(&mut card, &key(1)), Err(SignError::EmptyValue)));
    assert!(card.signatures.is_empty());
}

#[test]
fn broken_signatures_are_named() {
    for signature in ["", "!", "AAAA"] {
        let mut card = signed_card();
        card["signatures"][0]["signature"] = json!(signature);
        assert_eq!(verify(&card, 1), Err(SignatureProblem::Jws(JwsError::Malformed)));
    }
    let mut card = signed_card();
    card["signatures"] = json!([{"protected": "eyJhbGciOiJub25lIn0", "signature": ""}]);
    assert_eq!(verify(&card, 1), Err(SignatureProblem::Jws(JwsError::Algorithm("none".into()))));
}
