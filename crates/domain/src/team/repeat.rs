//! Saying it again: whether words nearly repeat others.
//!
//! Words and pairs of words that two texts share, out of all that either has. Cheap, the same everywhere, and
//! careful: texts that differ in a number or in a negation say different things, however alike they look.

use std::collections::BTreeSet;

/// Texts with fewer words are never repeats: two members may both agree.
const MIN_WORDS: usize = 6;
/// Words that are compared; what follows is not read.
const MAX_WORDS: usize = 2_000;
/// Tenths of words and pairs that are shared.
const SHARED_TENTHS: usize = 7;

const NEGATIONS: [&str; 9] = ["no", "not", "never", "none", "without", "cannot", "kein", "nicht", "non"];

pub fn nearly_repeats(text: &str, earlier: &str) -> bool {
    let (text, earlier) = (words(text), words(earlier));
    if text.len() < MIN_WORDS || telling(&text) != telling(&earlier) {
        return false;
    }
    let (text, earlier) = (pieces(&text), pieces(&earlier));
    let shared = text.intersection(&earlier).count();
    let all = text.len() + earlier.len() - shared;
    shared * 10 >= all * SHARED_TENTHS
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .take(MAX_WORDS)
        .map(str::to_lowercase)
        .collect()
}

/// What turns a sentence into another one: numbers and negations.
fn telling(words: &[String]) -> BTreeSet<&str> {
    let tells = |word: &str| {
        NEGATIONS.contains(&word) || word.ends_with("n't") || word.chars().any(|c| c.is_ascii_digit())
    };
    words.iter().map(String::as_str).filter(|word| tells(word)).collect()
}

fn pieces(words: &[String]) -> BTreeSet<(&str, &str)> {
    let single = words.iter().map(|word| (word.as_str(), ""));
    let pairs = words.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
    single.chain(pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
