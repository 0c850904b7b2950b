//! Near-duplicate detection by Jaccard similarity of word shingles.
//!
//! Compares the words and word pairs that two texts share with those of either. Cheap and deterministic on
//! all hubs. Conservative: texts that differ in a number or a negation are never duplicates, however similar.

/// Minimum number of words. Shorter texts are never duplicates: two members may both agree.
const MIN_WORDS: usize = 6;
/// Maximum number of words compared; the rest is ignored.
const MAX_WORDS: usize = 1_000;
/// Similarity threshold in tenths.
const SHARED_TENTHS: usize = 7;

const NEGATIONS: [&str; 9] = ["no", "not", "never", "none", "without", "cannot", "kein", "nicht", "non"];

/// Shingles of a text for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShingleSet {
    words: usize,
    /// Numbers and negations, which change the meaning of a sentence.
    significant: Vec<u64>,
    /// Single words and pairs of adjacent words.
    pieces: Vec<u64>,
}

impl ShingleSet {
    pub fn of(text: &str) -> Self {
        let words: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS)
            .map(str::to_lowercase)
            .collect();
        let significant = words.iter().filter(|word| is_significant(word)).map(|word| hash([word])).collect();
        let single = words.iter().map(|word| hash([word]));
        let pairs = words.windows(2).map(hash);
        Self { words: words.len(), significant: set(significant), pieces: set(single.chain(pairs).collect()) }
    }

    /// Returns true if this text is a near-duplicate of an earlier one.
    pub fn nearly_repeats(&self, earlier: &Self) -> bool {
        if self.words < MIN_WORDS || self.significant != earlier.significant {
            return false;
        }
        let shared = shared(&self.pieces, &earlier.pieces);
        let all = self.pieces.len() + earlier.pieces.len() - shared;
        shared * 10 >= all * SHARED_TENTHS
    }
}

fn is_significant(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't") || word.chars().any(|c| c.is_ascii_digit())
}

/// Returns the 64-bit FNV-1a hash (draft-eastlake-fnv) with a zero byte after each word; equal on all hubs.
fn hash<'a>(words: impl IntoIterator<Item = &'a String>) -> u64 {
    let bytes = words.into_iter().flat_map(|word| word.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn set(mut values: Vec<u64>) -> Vec<u64> {
    values.sort_unstable();
    values.dedup();
    values
}

/// Returns the number of values that two sorted lists share.
fn shared(one: &[u64], other: &[u64]) -> usize {
    let mut other = other.iter().peekable();
    let is_shared = |value: &&u64| {
        while other.next_if(|next| next < value).is_some() {}
        other.next_if_eq(value).is_some()
    };
    one.iter().filter(is_shared).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearly_repeats(text: &str, earlier: &str) -> bool {
        ShingleSet::of(text).nearly_repeats(&ShingleSet::of(earlier))
    }

    #[test]
    fn the_same_again_is_a_repeat_and_news_is_not() {
        let said = "I will start with the revenue figures and then plot them for the report.";
        for (text, repeats) in [
            ("I will start with the revenue figures, and then plot them for the report", true),
            ("So: I will start with the revenue figures and then plot them for the report!", true),
            ("I will not start with the revenue figures and then plot them for the report.", false),
            ("I will start with the revenue figures of 2014 and then plot them for the report.", false),
            ("The figures for the report are here, the plot is next.", false),
            ("", false),
        ] {
            assert_eq!(nearly_repeats(text, said), repeats, "{text}");
        }
        assert!(!nearly_repeats("Yes, I agree.", "Yes, I agree."));
    }

    #[test]
    fn what_two_sorted_lists_share_is_counted() {
        for (one, other, count) in
            [(vec![], vec![1], 0), (vec![1, 3, 5], vec![0, 3, 4, 5, 9], 2), (vec![7], vec![1, 7], 1)]
        {
            assert_eq!((shared(&one, &other), shared(&other, &one)), (count, count));
        }
    }
}
