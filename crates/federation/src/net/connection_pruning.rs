//! Connection pruning: gossipsub keeps all connections alive, so none would ever close as idle.

use std::time::Duration;

use libp2p::PeerId;

/// High-water mark: pruning starts above this many connections.
pub const HIGH: usize = 80;
/// Low-water mark: pruning stops at this many.
pub const LOW: usize = 40;
pub const TRIM_INTERVAL: Duration = Duration::from_secs(10);
/// Minimum age of a connection before it can be pruned, so that the peer can earn a score.
pub const GRACE: Duration = Duration::from_secs(20);

/// Pruning inputs of one connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionScore {
    pub peer: PeerId,
    /// Exempt from pruning: in a gossip mesh, a bootstrap peer, or in use.
    pub needed: bool,
    pub score: f64,
    pub age: Duration,
}

/// Returns the peers to disconnect: lowest score first, then the newest connection.
pub fn connections_to_close(mut standings: Vec<ConnectionScore>) -> Vec<PeerId> {
    let count = standings.len();
    if count <= HIGH {
        return Vec::new();
    }
    standings.retain(|standing| !standing.needed && standing.age >= GRACE);
    standings.sort_by(|a, b| a.score.total_cmp(&b.score).then(a.age.cmp(&b.age)));
    standings.into_iter().take(count - LOW).map(|standing| standing.peer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(n: usize) -> ConnectionScore {
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let score = n as f64;
        ConnectionScore { peer: PeerId::random(), needed: false, score, age: GRACE }
    }

    #[test]
    fn the_worst_go_and_the_needed_stay() {
        let mut all: Vec<ConnectionScore> = (0..=HIGH).map(standing).collect();
        assert!(connections_to_close(all[..HIGH].to_vec()).is_empty());
        all[0].needed = true;
        all[1].age = Duration::ZERO;
        let gone = connections_to_close(all.clone());
        assert_eq!(gone.len(), HIGH + 1 - LOW);
        assert!(!gone.contains(&all[0].peer) && !gone.contains(&all[1].peer) && gone.contains(&all[2].peer));
        assert!(!gone.contains(&all[HIGH].peer));
    }

    #[test]
    fn nobody_goes_when_all_are_needed() {
        let all: Vec<ConnectionScore> =
            (0..2 * HIGH).map(|n| ConnectionScore { needed: true, ..standing(n) }).collect();
        assert!(connections_to_close(all).is_empty());
    }
}
