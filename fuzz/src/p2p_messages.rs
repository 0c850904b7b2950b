use plexus_federation::net::{
    cbor::{MAX_REQUEST, read_message, read_reply, write_message, write_reply},
    dns_bootstrap::{MAX_BOOTSTRAP, parse_bootstrap_records},
};

/// Fuzzes messages and replies between hubs, and bootstrap addresses in DNS records. Accepted messages
/// survive a round trip.
pub fn wire(data: &[u8]) {
    if let Ok(message) = read_message(data, MAX_REQUEST) {
        let written = write_message(&message).unwrap();
        assert_eq!(read_message(&written, MAX_REQUEST), Ok(message));
    }
    if let Ok(reply) = read_reply(data) {
        let written = write_reply(&reply).unwrap();
        assert_eq!(read_reply(&written), Ok(reply));
    }
    let text = String::from_utf8_lossy(data);
    let bootstrap = parse_bootstrap_records(text.lines());
    assert!(bootstrap.len() <= MAX_BOOTSTRAP);
    assert!(bootstrap.iter().all(|bootstrap| bootstrap.to_string().parse().as_ref().ok() == Some(bootstrap)));
}
