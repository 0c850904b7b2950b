//! Gossipsub control message flood (gossipsub specification v1.1, "Control messages"): GRAFT after PRUNE,
//! endless PRUNE, IHAVE and IWANT of unknown messages.

use crate::{
    fixtures::live,
    full_hub::{Whole, connected, now, until},
    raw_gossip_peer::{LISTINGS, Raw},
    raw_kad_peer::{field, framed, number},
};

/// RPCs of the flood, and control messages of each kind per RPC.
const RPCS: u64 = 200;
const OF_EACH: u64 = 60;

/// Sends the flood; returns whether the victim read all of it.
async fn flood(peer: &mut Raw) -> bool {
    for round in 0..RPCS {
        if !peer.say(&framed(&field(3, &control(round)))).await {
            return false;
        }
    }
    true
}

/// Builds an RPC that no honest peer sends. A PRUNE with an overflowing backoff once crashed the receiver
/// (GHSA-gc42-3jg7-rxr2).
fn control(round: u64) -> Vec<u8> {
    let name = |n: u64| field(2, &[&round.to_be_bytes()[..], &n.to_be_bytes()].concat());
    let names: Vec<u8> = (0..OF_EACH).flat_map(name).collect();
    let wanted: Vec<u8> = (0..OF_EACH).flat_map(|n| field(1, &(round * OF_EACH + n).to_be_bytes())).collect();
    let have = field(1, &[field(1, LISTINGS), names].concat());
    let for_ever = field(4, &[field(1, LISTINGS), number(3, u64::MAX)].concat());
    let prune = field(4, &[field(1, LISTINGS), number(3, 60)].concat());
    let graft = field(3, &field(1, LISTINGS));
    let mesh = [prune, graft, for_ever].concat().repeat(usize::try_from(OF_EACH).unwrap());
    [have, field(2, &wanted), mesh].concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_floods_the_mesh_is_heard_no_more_and_the_others_go_on() {
    let one = Whole::start(1, &[]).await;
    let two = Whole::start(2, &[&one]).await;
    connected(&[&one, &two], 1).await;
    let (mut greedy, mut quiet) = (Raw::start(&one).await, Raw::start(&one).await);
    let before = live(60, 50, now());
    assert!(greedy.publish(&before).await);
    until("what is written by hand is heard", async || one.holds(&before) && two.holds(&before)).await;

    let read = flood(&mut greedy).await;
    let meanwhile = live(1, 1, now());
    one.publish(&meanwhile).await;
    until("hubs go on meanwhile", async || two.shows(&meanwhile)).await;

    let after = live(61, 50, now());
    greedy.publish(&after).await;
    for agent in 70..75 {
        let other = live(agent, 51, now());
        assert!(quiet.publish(&other).await, "a peer that floods nobody is heard");
        until("and what it says is passed on", async || two.holds(&other)).await;
    }
    assert!(!one.holds(&after) && !two.holds(&after), "a flooder is not; its flood was read: {read}");
}
