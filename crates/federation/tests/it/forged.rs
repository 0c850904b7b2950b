//! Forged records, sent by a malicious hub to the first of a line of honest hubs. No honest hub stores one,
//! and the first propagates none.

use data_encoding::BASE64URL_NOPAD;
use plexus_a2a::jws;
use plexus_federation::engine::{Engine, policy::AdmissionMode};

use crate::{
    fixtures::{DAY, MINUTE, START, agent_key, core, gossip, head, hub, key, live, record},
    network::Network,
};

const LIAR: u16 = 1;
const VICTIM: u16 = 2;
const HONEST: u16 = 4;

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8(bytes.to_vec()).unwrap().splitn(4, '\n').map(str::to_owned).collect()
}

/// Replaces one line of a record.
fn with_line(record: &[u8], at: usize, line: &str) -> Vec<u8> {
    let mut lines = lines(record);
    line.clone_into(&mut lines[at]);
    lines.join("\n").into_bytes()
}

/// Builds forgeries of a record: for each signature line another key's signature, another header, or none;
/// and records with one flipped bit.
fn forgeries(record: &[u8], signatures: usize) -> Vec<Vec<u8>> {
    let payload = lines(record)[0].clone();
    let mut all = Vec::new();
    for at in 1..=signatures {
        let (_, value) = {
            let line = lines(record)[at].clone();
            let (header, value) = line.split_once("..").unwrap();
            (header.to_owned(), value.to_owned())
        };
        let stranger = key(77);
        let kid = stranger.public().key_id();
        let headers = [
            r#"{"alg":"none"}"#.to_owned(),
            r#"{"alg":"HS256"}"#.to_owned(),
            r#"{"alg":"ES256K"}"#.to_owned(),
            format!(r#"{{"alg":"EdDSA","kid":"{kid}"}}"#),
        ];
        let bent = headers.map(|header| format!("{}..{value}", BASE64URL_NOPAD.encode(header.as_bytes())));
        let others = [jws::sign(&stranger, payload.as_bytes()).unwrap().to_string(), String::new()];
        all.extend(bent.iter().chain(&others).map(|line| with_line(record, at, line)));
    }
    let places = (0..record.len()).step_by(record.len() / 60 + 1);
    all.extend(places.map(|at| {
        let mut bent = record.to_vec();
        bent[at] ^= 1;
        bent
    }));
    all
}

#[test]
fn forgeries_are_stored_by_nobody_and_go_no_further_than_the_first_hub() {
    let mut network = Network::line(HONEST, 9);
    network.run(5);
    let listing = live(1, 5, network.now);
    // One key signs for author and hub, without holding the author's key.
    let both = jws::sign(&key(5), lines(&listing.encode())[0].as_bytes()).unwrap().to_string();
    let mut all = vec![with_line(&listing.encode(), 1, &both)];
    let by_author = jws::sign(&agent_key(1), lines(&listing.encode())[0].as_bytes()).unwrap().to_string();
    all.push(with_line(&listing.encode(), 2, &by_author));
    all.extend(forgeries(&listing.encode(), 2));
    all.extend(forgeries(&head(5, START, &[]).encode(), 1));
    all.extend(forgeries(&record(5, START, None, Vec::new()).encode(), 1));
    // Validly signed, but dated further into the future than clock skew explains.
    all.push(live(1, 5, network.now + MINUTE * 11).encode());
    all.push(head(5, network.now + DAY, &[]).encode());
    let (before, count) = (network.passed_on, all.len());
    for bytes in all {
        network.say(hub(LIAR), hub(VICTIM), bytes);
    }
    network.run(5);
    assert!(count > 200);
    assert_eq!(network.passed_on, before, "nothing is passed on");
    for n in 1..=HONEST {
        assert!(
            network.node(n).bodies.is_empty()
                && network.node(n).core.inventory(network.now).len() <= usize::from(HONEST)
        );
    }
    network.say(hub(LIAR), hub(VICTIM), listing.encode());
    network.run(1);
    assert!(network.passed_on > before && network.node(HONEST).bodies.len() == 1, "what is true is");
}

#[test]
fn what_was_replaced_is_not_taken_again() {
    let mut core: Engine = core(9, AdmissionMode::Open);
    let (old, new) = (live(1, 1, START), live(1, 1, START + MINUTE));
    let later = START + MINUTE * 2;
    gossip(&mut core, &new.encode(), later);
    let before = core.inventory(later);
    for _ in 0..3 {
        gossip(&mut core, &old.encode(), later);
    }
    assert_eq!(core.inventory(later), before);
}
