//! Interoperability with js-libp2p: its peer exchanges listings with hubs, and its garbage is harmless.

use plexus_federation::{
    engine::{PeerRequest, PeerResponse},
    net::{
        cbor::{self, PeerMessage, PeerReply},
        peer_id,
    },
};

use crate::{
    fixtures::live,
    full_hub::{Whole, connected, now, until},
    js_peer::Js,
};

const LISTINGS: &str = "/plexus/listing/1";
const SYNC: &str = "/plexus/sync/1";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn js_libp2p_exchanges_listings_and_its_garbage_harms_nobody() {
    let Some(mut js) = Js::start().await else { return };
    let one = Whole::start(1, &[]).await;
    let two = Whole::start(2, &[&one]).await;
    connected(&[&one, &two], 1).await;
    js.subscribe(LISTINGS).await;
    js.dial(&one.address().await).await;
    until("gossip knows the peer", async || one.status().await.mesh == 2).await;

    let ours = live(1, 1, now());
    one.publish(&ours).await;
    assert_eq!(js.hear().await, ours.encode(), "a listing as it was signed");
    let theirs = live(2, 50, now());
    assert!(js.publish(LISTINGS, &theirs.encode()).await > 0);
    until("a listing of theirs is held and passed on", async || one.holds(&theirs) && two.holds(&theirs))
        .await;

    let peer = peer_id::peer_of(one.me).unwrap();
    let root = plexus_domain::Digest::of("nothing");
    let request = cbor::write_message(&PeerMessage::Request(PeerRequest::Rows { root })).unwrap();
    let reply = js.send(peer, SYNC, &request).await.unwrap();
    let Ok(PeerReply::Answer(PeerResponse::Rows(Some(rows)))) = cbor::read_reply(&reply) else {
        panic!("{reply:?}")
    };
    assert!(rows.iter().any(|row| row.hub == one.me && row.count == 1), "{rows:?}");

    let nested = [vec![0xa1, 0x65], b"heads".to_vec(), vec![0x81; 50_000]].concat();
    for garbage in [b"GET / HTTP/1.1".to_vec(), vec![0xff; 1 << 20], nested, Vec::new()] {
        let reply = js.send(peer, SYNC, &garbage).await;
        assert!(reply.is_none_or(|reply| reply.is_empty()), "garbage has no answer");
    }
    for garbage in [&b"{}"[..], &[0xff; 16_000], b""] {
        js.publish(LISTINGS, garbage).await;
    }
    let after = live(3, 1, now());
    one.publish(&after).await;
    until("the hubs go on", async || two.shows(&after)).await;
    let held = two.stored.lock().unwrap().listings.len();
    assert_eq!(held, 3, "ours, theirs and the last");
}
