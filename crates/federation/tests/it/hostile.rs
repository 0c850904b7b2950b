//! Input of malicious hubs. For all of it nothing is stored, nothing is propagated, and nothing panics.

use std::sync::LazyLock;

use data_encoding::BASE64URL_NOPAD;
use plexus_a2a::jws;
use proptest::prelude::*;

use plexus_domain::Timestamp;
use plexus_federation::{
    engine::{
        Effect, Engine, Event, GossipVerdict, IgnoreReason, MAX_BATCH, MAX_FRAME, PeerRequest, PeerResponse,
        SearchQuery, policy::AdmissionMode,
    },
    record::{self, MAX_BYTES, MAX_LISTING_CARD_BYTES, ParsedRecord, RecordError, Seq, Signatures, Status},
};

use crate::fixtures::{
    DAY, HOUR, MINUTE, START, agent_key, card, content, core, deleted, envelope, gossip, head, hub, key,
    live, stores,
};

const NOW: Timestamp = START;

/// Passes `bytes` to a new hub by gossip, asserts that it stores nothing, and returns the verdict.
fn refused(bytes: &[u8]) -> GossipVerdict {
    let mut core = core(9, AdmissionMode::Open);
    let (verdict, effects) = gossip(&mut core, bytes, NOW);
    assert!(!stores(&effects) && verdict != GossipVerdict::Accept, "{verdict:?}");
    assert!(core.inventory(NOW).iter().all(|row| row.count == 0));
    verdict
}

fn rejected(bytes: &[u8]) {
    let verdict = refused(bytes);
    assert!(matches!(verdict, GossipVerdict::Reject(_)), "{verdict:?}");
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8(bytes.to_vec()).unwrap().splitn(4, '\n').map(str::to_owned).collect()
}

fn with_line(at: usize, line: &str) -> Vec<u8> {
    let mut lines = lines(&live(1, 1, NOW).encode());
    line.clone_into(&mut lines[at]);
    lines.join("\n").into_bytes()
}

#[test]
fn forged_authors_and_forged_hubs() {
    let payload = live(1, 1, NOW).envelope().payload().unwrap();
    let stranger = jws::sign(&key(5), &payload).unwrap().to_string();
    rejected(&with_line(1, &stranger));
    rejected(&with_line(2, &stranger));
    let both = jws::sign(&agent_key(1), &payload).unwrap().to_string();
    rejected(&with_line(2, &both));
}

#[test]
fn algorithms_and_key_names() {
    let (protected, signature) = {
        let lines = lines(&live(1, 1, NOW).encode());
        let (protected, signature) = lines[1].split_once("..").unwrap();
        (protected.to_owned(), signature.to_owned())
    };
    let encode = |header: &str| BASE64URL_NOPAD.encode(header.as_bytes());
    for header in [r#"{"alg":"none"}"#, r#"{"alg":"HS256"}"#, "{}", "[]", r#"{"alg":"EdDSA"}"#] {
        rejected(&with_line(1, &format!("{}..{signature}", encode(header))));
    }
    let other = key(5).public().key_id();
    rejected(&with_line(
        1,
        &format!("{}..{signature}", encode(&format!(r#"{{"alg":"EdDSA","kid":"{other}"}}"#))),
    ));
    for line in [format!("{protected}.."), format!("..{signature}"), String::new(), "A".repeat(600)] {
        rejected(&with_line(1, &line));
    }
}

#[test]
fn cards_that_are_not_the_signed_ones() {
    let whole = live(1, 1, NOW).encode();
    let mut bent = whole.clone();
    *bent.last_mut().unwrap() ^= 1;
    rejected(&bent);
    rejected(&whole[..whole.len() - 1]);
    rejected(&[&whole[..], b" "].concat());
    rejected(&[&deleted(1, 1, NOW).encode()[..], b"{}"].concat());
}

#[test]
fn cards_that_cannot_be_read_or_are_too_large() {
    let skills = |n: usize| {
        let skill = r#"{"id":"a","name":"a","description":"a","tags":["a"]}"#;
        let list = vec![skill; n].join(",");
        let plain = String::from_utf8(card("x")).unwrap();
        let start = plain.find("\"skills\": [").unwrap() + "\"skills\": [".len();
        format!("{}{list}] }}", &plain[..start]).into_bytes()
    };
    let signed = |card: Vec<u8>| {
        let seq = Seq::next(None, NOW);
        let envelope = envelope(1, 1, seq, Status::Live(content(&card, seq, &[])));
        let payload = envelope.payload().unwrap();
        let sign = |key| jws::sign(key, &payload).unwrap();
        let signatures = Signatures { agent: sign(&agent_key(1)), hub: sign(&key(1)) };
        let lines = format!(
            "{}\n{}\n{}\n",
            String::from_utf8(payload.clone()).unwrap(),
            signatures.agent,
            signatures.hub
        );
        [lines.as_bytes(), &card].concat()
    };
    let mut core = core(9, AdmissionMode::Open);
    assert_eq!(gossip(&mut core, &signed(skills(200)), NOW).0, GossipVerdict::Accept);
    rejected(&signed(skills(1_000)));
    rejected(&signed(vec![b' '; MAX_LISTING_CARD_BYTES + 1]));
    rejected(&signed(b"\x1f\x8b\x08 not a card".to_vec()));
    rejected(&signed(vec![b'['; 5_000]));
    rejected(&vec![b'x'; 10 << 20]);
    let deep = [b"{\"type\":\"plexus/listing/1\",\"a\":", &vec![b'['; MAX_BYTES / 2][..]].concat();
    rejected(&deep);
}

#[test]
fn payloads_that_two_parsers_read_differently() {
    let payload = lines(&live(1, 1, NOW).encode())[0].clone();
    for bent in [
        payload.replace(r#""status":"live""#, r#""status":"live","status":"paused""#),
        payload.replace(r#"{"card""#, r#"{ "card""#),
        payload.replace("\"name\":\"agent-1\"", "\"name\":\"agent-\\u0031\""),
        payload.replace("\"seq\":", "\"seq\":0."),
        payload.replace("\"seq\":", "\"seq\":NaN,\"old\":"),
        payload.replace("\"seq\":", "\"extra\":9007199254740993,\"seq\":"),
        payload.replace("\"count\"", "\"c\u{43e}unt\""),
        payload.replace("\"tags\":[", "\"tags\":[\"zzz\","),
        payload.replace("agent-1", "<script>"),
    ] {
        assert_ne!(bent, payload);
        rejected(&with_line(0, &bent));
    }
}

#[test]
fn old_and_future_numbers() {
    let mut core = core(9, AdmissionMode::Open);
    let now = START + DAY;
    let verdict = |core: &mut _, at| gossip(core, &live(1, 1, at).encode(), now).0;
    assert_eq!(verdict(&mut core, now), GossipVerdict::Accept);
    assert_eq!(verdict(&mut core, now - HOUR), GossipVerdict::Ignore(IgnoreReason::Older));
    assert_eq!(verdict(&mut core, now), GossipVerdict::Ignore(IgnoreReason::Known));
    assert_eq!(verdict(&mut core, now + MINUTE * 11), GossipVerdict::Ignore(IgnoreReason::Ahead));
    assert_eq!(verdict(&mut core, now + MINUTE * 9), GossipVerdict::Accept);
    assert_eq!(
        gossip(&mut core, &live(2, 1, START).encode(), START + DAY * 91).0,
        GossipVerdict::Ignore(IgnoreReason::Lapsed)
    );
    let farthest = Seq::try_from((1 << 53) - 1).unwrap();
    assert!(farthest.is_in_future_of(now));
}

#[test]
fn one_kind_does_not_serve_for_another() {
    let head = lines(&head(1, NOW, &[]).encode());
    let renamed = head[0].replace("plexus/head/1", "plexus/hub/1");
    rejected(format!("{renamed}\n{}\n", head[1]).as_bytes());
    rejected(format!("{}\n{}\nmore", head[0], head[1]).as_bytes());
    rejected(format!("{}\n{}", head[0], head[1]).as_bytes());
}

#[test]
fn forgeries_do_not_use_up_the_share_of_the_hub_they_name() {
    let mut core = core(9, AdmissionMode::Open);
    let stranger = jws::sign(&key(5), b"x").unwrap().to_string();
    let forged = with_line(2, &stranger);
    for _ in 0..1_000 {
        assert!(matches!(gossip(&mut core, &forged, NOW).0, GossipVerdict::Reject(_)));
    }
    assert_eq!(gossip(&mut core, &live(1, 1, NOW).encode(), NOW).0, GossipVerdict::Accept);
}

#[test]
fn requests_and_answers_that_nobody_honest_sends() {
    let mut core = core(9, AdmissionMode::Open);
    let me = core.local_id();
    let peer = hub(1);
    core.handle(Event::Connected(peer), NOW);
    let hubs = vec![peer; MAX_BATCH + 1];
    let hashes = vec![plexus_domain::Digest::of("x"); MAX_BATCH + 1];
    let query = SearchQuery { text: "x".repeat(2_000), tags: Vec::new(), limit: 10 };
    for request in [
        PeerRequest::Heads { hubs },
        PeerRequest::Bodies { hub: me, hashes },
        PeerRequest::Compare { hub: me, message: vec![0; MAX_FRAME + 1] },
        PeerRequest::Compare { hub: me, message: Vec::new() },
        PeerRequest::Find(query),
    ] {
        let effects = core.handle(Event::Asked { from: peer, id: 1, request }, NOW);
        assert_eq!(effects, [Effect::Refuse { to: peer, id: 1 }]);
    }
    let rows = vec![core.inventory(NOW)[0]; 50_000];
    for id in 0..5 {
        core.handle(Event::Answered { from: peer, id, answer: PeerResponse::Rows(Some(rows.clone())) }, NOW);
        core.handle(
            Event::Answered { from: peer, id, answer: PeerResponse::Records(vec![b"{}".to_vec(); 9]) },
            NOW,
        );
        core.handle(Event::Failed { from: peer, id }, NOW);
    }
}

fn carrying_forty() -> Engine {
    static CORE: LazyLock<Engine> = LazyLock::new(|| {
        let mut core = core(9, AdmissionMode::Open);
        (0..40).for_each(|agent| _ = gossip(&mut core, &live(agent, 1, NOW).encode(), NOW));
        core
    });
    CORE.clone()
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let whole = live(1, 1, NOW).encode();
    let bend = (any::<prop::sample::Index>(), any::<u8>()).prop_map(move |(at, byte)| {
        let mut bent = whole.clone();
        let at = at.index(bent.len());
        bent[at] = byte;
        bent
    });
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..300),
        bend,
        "\\{\"type\":\"plexus/(listing|head|hub)/[0-9]\"[\\[\\]{}\",:a-z0-9\\n.]{0,80}"
            .prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(plexus_testing::cases(256))]

    #[test]
    fn bent_bytes_never_panic_and_never_verify(bytes in any_bytes()) {
        let whole = live(1, 1, NOW).encode();
        let holds = match record::parse(&bytes) {
            Ok(ParsedRecord::Listing(listing)) => listing.verify().is_ok(),
            Ok(ParsedRecord::Head(head)) => head.verify().is_ok(),
            Ok(ParsedRecord::Hub(record)) => record.verify().is_ok(),
            Err(RecordError::TooLarge { .. }) => false,
            Err(_) => false,
        };
        prop_assert_eq!(holds, bytes == whole);
    }

    #[test]
    fn bent_comparisons_never_panic(message in proptest::collection::vec(any::<u8>(), 0..200), version in any::<bool>()) {
        let mut core = carrying_forty();
        let message = if version { [&[0x61][..], &message].concat() } else { message };
        let peer = hub(2);
        let request = PeerRequest::Compare { hub: hub(1), message: message.clone() };
        core.handle(Event::Asked { from: peer, id: 1, request }, NOW);
        core.handle(Event::Connected(peer), NOW);
        let theirs = plexus_federation::engine::HubInventory { count: 7, ..core.inventory(NOW)[0] };
        for (id, answer) in [(1, PeerResponse::Rows(Some(vec![theirs]))), (2, PeerResponse::Compare { message })] {
            core.handle(Event::Answered { from: peer, id, answer }, NOW);
        }
    }
}
