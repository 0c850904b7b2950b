//! Gossip: two topics, names that follow from the content, and scores that a quiet topic and a few mistakes do not spoil.

use std::{
    collections::{HashMap, HashSet},
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    time::Duration,
};

use libp2p::{
    gossipsub::{
        Behaviour, ConfigBuilder, IdentTopic, IdentityTransform, Message, MessageAuthenticity, MessageId,
        PeerScoreParams, PeerScoreThresholds, TopicHash, TopicScoreParams, ValidationMode,
        WhitelistSubscriptionFilter, score_parameter_decay,
    },
    identity::Keypair,
};
use plexus_domain::Digest;

use crate::record::MAX_BYTES;

pub type Gossip = Behaviour<IdentityTransform, WhitelistSubscriptionFilter>;

/// Listings.
pub const LISTINGS: &str = "/plexus/listing/1";
/// Heads and records of hubs.
pub const HEADS: &str = "/plexus/head/1";

/// The largest record with what gossip puts around it.
const MAX_MESSAGE: usize = MAX_BYTES + 4 * 1024;
/// How long a message is remembered by its name. What comes again after that is known by its number.
const REMEMBERED: Duration = Duration::from_secs(120);
/// How long an invalid message counts against whoever sent it.
const GRUDGE: Duration = Duration::from_secs(600);
/// How much one accusation counts.
pub const BLAME: f64 = -20.0;

/// # Errors
/// Says which setting is wrong.
pub fn gossip(key: &Keypair) -> Result<Gossip, String> {
    let config = ConfigBuilder::default()
        .max_transmit_size(MAX_MESSAGE)
        .message_id_fn(name)
        .validate_messages()
        .validation_mode(ValidationMode::Strict)
        .duplicate_cache_time(REMEMBERED)
        .build()
        .map_err(|error| error.to_string())?;
    let authenticity = MessageAuthenticity::Signed(key.clone());
    let topics = [LISTINGS, HEADS].map(IdentTopic::new);
    let filter = WhitelistSubscriptionFilter(topics.iter().map(IdentTopic::hash).collect());
    let mut gossip = Gossip::new_with_subscription_filter(authenticity, config, filter)?;
    gossip.with_peer_score(scores(topics.iter().map(IdentTopic::hash)), thresholds())?;
    for topic in &topics {
        gossip.subscribe(topic).map_err(|error| error.to_string())?;
    }
    Ok(gossip)
}

/// The name of a message is its content's: the same bytes are one message, whoever sends them again.
fn name(message: &Message) -> MessageId {
    MessageId::from(Digest::of(&message.data).as_bytes().to_vec())
}

/// Written out, since the ones that come with the library let a spammer send sixty invalid messages for having been
/// there a while (P1), and expect twenty deliveries from each peer of a topic on which little happens (P3).
fn scores(topics: impl Iterator<Item = TopicHash>) -> PeerScoreParams {
    PeerScoreParams {
        topics: topics.map(|topic| (topic, topic_scores())).collect::<HashMap<_, _>>(),
        topic_score_cap: 100.0,
        // P5: what this hub makes of the peer.
        app_specific_weight: 1.0,
        // P6: many peers at one address. Those on this machine are its own.
        ip_colocation_factor_weight: -5.0,
        ip_colocation_factor_threshold: 3.0,
        ip_colocation_factor_whitelist: HashSet::from([
            IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(Ipv6Addr::LOCALHOST),
        ]),
        // P7: breaking the rules of gossip itself.
        behaviour_penalty_weight: -10.0,
        behaviour_penalty_threshold: 1.0,
        behaviour_penalty_decay: score_parameter_decay(GRUDGE),
        ..PeerScoreParams::default()
    }
}

fn topic_scores() -> TopicScoreParams {
    TopicScoreParams {
        topic_weight: 1.0,
        // P1: being there.
        time_in_mesh_weight: 0.01,
        time_in_mesh_quantum: Duration::from_secs(1),
        time_in_mesh_cap: 1_000.0,
        // P2: being the first to bring something.
        first_message_deliveries_weight: 1.0,
        first_message_deliveries_decay: score_parameter_decay(GRUDGE),
        first_message_deliveries_cap: 50.0,
        // P3 and P3b: bringing much. Off.
        mesh_message_deliveries_weight: 0.0,
        mesh_failure_penalty_weight: 0.0,
        // P4: what is rejected. It counts by its square: two are enough.
        invalid_message_deliveries_weight: -50.0,
        invalid_message_deliveries_decay: score_parameter_decay(GRUDGE),
        ..TopicScoreParams::default()
    }
}

/// With one invalid message a peer gets no more gossip from here, with two nothing it says is read.
fn thresholds() -> PeerScoreThresholds {
    PeerScoreThresholds {
        gossip_threshold: -40.0,
        publish_threshold: -60.0,
        graylist_threshold: -120.0,
        ..PeerScoreThresholds::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_accepted_by_the_library() {
        let gossip = gossip(&Keypair::generate_ed25519()).unwrap();
        assert_eq!(gossip.topics().count(), 2);
    }

    /// A peer that was there for long and brought much is still below the line with two forgeries.
    #[test]
    fn merit_does_not_outweigh_forgeries() {
        let topic = topic_scores();
        let merit = topic.time_in_mesh_weight * topic.time_in_mesh_cap
            + topic.first_message_deliveries_weight * topic.first_message_deliveries_cap;
        let forgeries = |count: f64| topic.invalid_message_deliveries_weight * count * count;
        assert!(merit.min(100.0) + forgeries(2.0) < thresholds().graylist_threshold);
        assert!(
            forgeries(1.0) < thresholds().gossip_threshold
                && forgeries(1.0) > thresholds().graylist_threshold
        );
    }
}
