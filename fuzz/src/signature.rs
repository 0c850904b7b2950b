use plexus_a2a::{
    bounded_json::{self, JsonLimits},
    jws::{Jws, sign},
    keys::{PublicKey, SecretKey},
};
use serde_json::Value;

use crate::SEED;

const PAYLOAD: &[u8] = b"what was signed";
const LIMITS: JsonLimits = JsonLimits { bytes: 64 << 10, depth: 32, values: 5_000 };

/// Fuzzes signatures, keys, and the canonical form of JSON (RFC 8785).
pub fn signature(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let key = SecretKey::from_seed(&SEED);
    if let Ok(jws) = text.parse::<Jws>() {
        assert_eq!(jws.to_string(), text);
        if jws.verify(&key.public(), PAYLOAD).is_ok() {
            assert_eq!(jws, sign(&key, PAYLOAD).unwrap(), "the same signature in other letters");
        }
    }
    if let Ok(key) = text.parse::<PublicKey>() {
        assert_eq!(key.to_string().parse::<PublicKey>().unwrap(), key);
        assert!(text.starts_with(&key.to_string()), "{text} is {key}");
    }
    canonical(data);
}

fn canonical(data: &[u8]) {
    let plain = bounded_json::parse::<Value>(data, LIMITS);
    let noting = bounded_json::parse_noting_duplicates(data, LIMITS);
    assert_eq!(plain, noting.map(|(value, _)| value), "two readers of the same bytes");
    let Ok(value) = plain else { return };
    let Ok(written) = serde_json_canonicalizer::to_vec(&value) else { return };
    let again: Value = serde_json::from_slice(&written).expect("the canonical form is JSON");
    assert_eq!(serde_json_canonicalizer::to_vec(&again).unwrap(), written, "there is one canonical form");
}
