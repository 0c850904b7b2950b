//! Gossipsub configuration: two topics, message ids derived from the content, and peer scoring that tolerates
//! quiet topics and a few mistakes.

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

/// Topic for listings.
pub const LISTINGS: &str = "/plexus/listing/1";
/// Topic for heads and hub records.
pub const HEADS: &str = "/plexus/head/1";

/// Maximum message size: the largest record plus gossipsub overhead.
const MAX_MESSAGE: usize = MAX_BYTES + 4 * 1024;
/// How long message ids are cached. Later duplicates are detected by sequence number.
const REMEMBERED: Duration = Duration::from_secs(120);
/// Decay time of the penalty for invalid messages.
const GRUDGE: Duration = Duration::from_secs(600);
/// Application score of a peer that committed a provable violation.
pub const BLAME: f64 = -20.0;

/// Builds the gossipsub behaviour, subscribed to both topics.
///
/// # Errors
/// When a setting is invalid; the text says which.
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

/// Derives the message id from the content: equal bytes are one message, from any sender.
fn name(message: &Message) -> MessageId {
    MessageId::from(Digest::of(&message.data).as_bytes().to_vec())
}

/// Peer score parameters. The library defaults would tolerate sixty invalid messages of a long-connected
/// spammer (P1), and expect twenty deliveries per peer even on a quiet topic (P3).
fn scores(topics: impl Iterator<Item = TopicHash>) -> PeerScoreParams {
    PeerScoreParams {
        topics: topics.map(|topic| (topic, topic_scores())).collect::<HashMap<_, _>>(),
        topic_score_cap: 100.0,
        // P5: application-specific score.
        app_specific_weight: 1.0,
        // P6: IP colocation, many peers at one address. Loopback addresses are exempt.
        ip_colocation_factor_weight: -5.0,
        ip_colocation_factor_threshold: 3.0,
        ip_colocation_factor_whitelist: HashSet::from([
            IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(Ipv6Addr::LOCALHOST),
        ]),
        // P7: violations of the gossipsub protocol.
        behaviour_penalty_weight: -10.0,
        behaviour_penalty_threshold: 1.0,
        behaviour_penalty_decay: score_parameter_decay(GRUDGE),
        ..PeerScoreParams::default()
    }
}

fn topic_scores() -> TopicScoreParams {
    TopicScoreParams {
        topic_weight: 1.0,
        // P1: time in the mesh.
        time_in_mesh_weight: 0.01,
        time_in_mesh_quantum: Duration::from_secs(1),
        time_in_mesh_cap: 1_000.0,
        // P2: first deliveries of messages.
        first_message_deliveries_weight: 1.0,
        first_message_deliveries_decay: score_parameter_decay(GRUDGE),
        first_message_deliveries_cap: 50.0,
        // P3 and P3b: message delivery rate. Disabled.
        mesh_message_deliveries_weight: 0.0,
        mesh_failure_penalty_weight: 0.0,
        // P4: invalid messages. The penalty is quadratic: two are enough.
        invalid_message_deliveries_weight: -50.0,
        invalid_message_deliveries_decay: score_parameter_decay(GRUDGE),
        ..TopicScoreParams::default()
    }
}

/// Score thresholds. After one invalid message a peer gets no more gossip from here; after two it is
/// graylisted.
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

    /// A long-connected, productive peer still falls below the graylist threshold with two forgeries.
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
