//! Golden files of encoded records: they detect format changes, and old bytes must stay parsable.

use plexus_domain::Timestamp;
use plexus_federation::record::{
    self, Envelope, HUB_RECORD_TTL, HubRecord, KeyChain, Lang, Listing, ParsedRecord, RecordError,
    RotationSigner, Seq, Signed, Status,
};

use crate::fixtures::{START, agent_key, card, chain, content, deleted, envelope, head, hub, key, sign};

fn check(file: &str, bytes: &[u8]) {
    let path = format!("{}/tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("PLEXUS_TEST_UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, bytes).unwrap();
    }
    let golden = std::fs::read(&path).unwrap();
    assert_eq!(
        String::from_utf8_lossy(bytes),
        String::from_utf8_lossy(&golden),
        "{file} is written otherwise"
    );
    assert!(verified(&golden).is_ok(), "{file} cannot be read any more");
}

fn verified(bytes: &[u8]) -> Result<Vec<u8>, RecordError> {
    Ok(match record::parse(bytes)? {
        ParsedRecord::Listing(listing) => listing.verify()?.encode(),
        ParsedRecord::Hub(record) => record.verify()?.encode(),
        ParsedRecord::Head(head) => head.verify()?.encode(),
    })
}

fn full() -> Listing {
    let (seq, card) = (Seq::next(None, START), card("words"));
    let mut content = content(&card, seq, &["count", "数える"]);
    content.langs = ["de", "pt-br"].map(|lang| Lang::try_from(lang.to_owned()).unwrap()).to_vec();
    sign(envelope(1, 1, seq, Status::Live(content)), card, 1, 1)
}

fn rotated() -> KeyChain {
    let first = chain(1).rotate(agent_key(2).public(), RotationSigner::Agent(&agent_key(1))).unwrap();
    first.rotate(agent_key(3).public(), RotationSigner::Recovery(&key(30_001))).unwrap()
}

fn hub_record() -> HubRecord {
    HubRecord {
        hub: hub(1),
        seq: Seq::next(None, START),
        expires: START + HUB_RECORD_TTL,
        name: "Ada's hub".to_owned(),
        software: "plexus/0.1.0".to_owned(),
        domain: Some("hub.example.org".to_owned()),
        api: Some("https://hub.example.org/api/v1".to_owned()),
        policy: None,
        addresses: vec!["/dns4/hub.example.org/tcp/4001".to_owned()],
        relay: false,
    }
}

#[test]
fn a_live_listing() {
    check("listing.txt", &full().encode());
    assert!(full().encode().ends_with(&card("words")), "the card stays as it came");
}

#[test]
fn a_listing_whose_key_changed_twice() {
    let envelope = Envelope { chain: rotated(), ..full().envelope().clone() };
    check("rotated.txt", &sign(envelope, card("words"), 3, 1).encode());
}

#[test]
fn a_tombstone() {
    check("tombstone.txt", &deleted(1, 1, START).encode());
}

#[test]
fn a_hub_record() {
    check("hub.txt", &Signed::sign(hub_record(), &key(1)).unwrap().encode());
}

#[test]
fn a_head() {
    check("head.txt", &head(1, START, &[&full()]).encode());
}

#[test]
fn bodies_that_break_a_rule_are_not_signed() {
    let refused = |edit: fn(&mut HubRecord)| {
        let mut record = hub_record();
        edit(&mut record);
        assert!(Signed::sign(record, &key(1)).is_err());
    };
    refused(|record| record.expires = Timestamp::from_millis(0));
    refused(|record| record.expires = record.expires + HUB_RECORD_TTL);
    refused(|record| record.name = "two\nlines".to_owned());
    refused(|record| record.domain = Some("Hub.Example.org".to_owned()));
    refused(|record| record.api = Some("http://127.0.0.1/".to_owned()));
    refused(|record| record.addresses = vec!["/ip4/1.2.3.4".to_owned(); 9]);
    refused(|record| record.hub = hub(2));
}

#[test]
fn members_that_are_not_known_are_signed_and_kept() {
    let listing = full();
    let payload = String::from_utf8(listing.envelope().payload().unwrap()).unwrap();
    let wider = payload.replace(r#""type":"#, r#""tries":[1,{"a":null}],"type":"#);
    let signature = |key: &plexus_a2a::keys::SecretKey| plexus_a2a::jws::sign(key, wider.as_bytes()).unwrap();
    let lines = format!("{wider}\n{}\n{}\n", signature(&agent_key(1)), signature(&key(1)));
    let bytes = [lines.as_bytes(), &card("words")].concat();
    assert_eq!(verified(&bytes).unwrap(), bytes);
}

#[test]
fn versions_that_are_not_known_are_told_from_junk() {
    let bytes = String::from_utf8(full().encode()).unwrap();
    let next = bytes.replace("plexus/listing/1", "plexus/listing/2");
    assert_eq!(verified(next.as_bytes()), Err(RecordError::Unknown));
    assert_ne!(verified(b"{}"), Err(RecordError::Unknown));
}
