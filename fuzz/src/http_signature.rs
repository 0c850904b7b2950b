use plexus_a2a::{
    http_signature::{
        CONTENT_DIGEST, SIGNATURE, SIGNATURE_INPUT, SignableRequest, content_digest, sign, verify,
    },
    keys::SecretKey,
};
use plexus_domain::Timestamp;

use crate::SEED;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);
const NONCE: &str = "0123456789abcdef";

/// Fuzzes signed requests. Input lines: `Signature-Input`, `Signature`, `Content-Digest`, body.
pub fn http_signature(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.splitn(4, '\n');
    let mut line = || lines.next().unwrap_or_default().to_owned();
    let (input, signature, digest, body) = (line(), line(), line(), line());
    let key = SecretKey::from_seed(&SEED);
    let plain = |digest: String| SignableRequest {
        method: "POST",
        authority: "near.example",
        path: "/a2a/ada/tides/",
        query: None,
        fields: vec![(CONTENT_DIGEST.to_owned(), digest)],
    };
    let mut request = plain(digest);
    request.fields.extend([(SIGNATURE_INPUT.to_owned(), input), (SIGNATURE.to_owned(), signature)]);
    let Ok(taken) = verify(&request, body.as_bytes(), &[], NOW) else { return };
    assert_eq!(taken.key, key.public(), "nobody else's key is known here");
    assert_eq!(taken.nonce, NONCE, "this key signed one request");
    let own = plain(content_digest(body.as_bytes()));
    let (_, made) = sign(&key, &own, NOW, NONCE);
    let value = |header: &str| header.split_once('=').map(|(_, value)| value.to_owned());
    assert_eq!(value(request.field(SIGNATURE).unwrap()), value(&made), "the same signature in other letters");
}
