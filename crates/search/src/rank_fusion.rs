//! Reciprocal rank fusion: joins rankings whose scores cannot be compared.
//!
//! Cormack, Clarke and Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods.
//! SIGIR 2009, pages 758–759.

use std::collections::HashMap;

/// The constant of the paper. It limits how much the first ranks outweigh the others.
const K: f64 = 60.0;

/// Returns at most `limit` items of the rankings, best first. Each ranking lists an item once, best first. Of items with
/// equal scores, that with the lower number comes first.
pub fn fuse_ranks(rankings: &[Vec<usize>], limit: usize) -> Vec<usize> {
    let mut scores: HashMap<usize, f64> = HashMap::new();
    for ranking in rankings {
        for (rank, item) in ranking.iter().enumerate() {
            *scores.entry(*item).or_default() += 1.0 / (K + rank as f64 + 1.0);
        }
    }
    let mut fused: Vec<(usize, f64)> = scores.into_iter().collect();
    fused.sort_by(|(one, score), (other, others)| others.total_cmp(score).then(one.cmp(other)));
    fused.into_iter().take(limit).map(|(item, _)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_several_rankings_come_first() {
        assert_eq!(fuse_ranks(&[vec![7, 1, 2], vec![3, 1, 4]], 10), [1, 3, 7, 2, 4]);
        assert_eq!(fuse_ranks(&[vec![7, 1, 2], Vec::new()], 2), [7, 1]);
        assert!(fuse_ranks(&[], 5).is_empty());
    }
}
