use std::collections::BTreeSet;

use super::Skill;

/// What is read of a goal.
const MAX_CHARS: usize = 2_000;
const MAX_NEEDS: usize = 8;

/// Words that say nothing about who is needed. Sorted.
const FILLERS: [&str; 38] = [
    "a", "all", "an", "at", "be", "by", "can", "could", "for", "from", "he", "i", "in", "is", "it", "its",
    "me", "my", "of", "on", "or", "our", "please", "should", "so", "that", "the", "them", "they", "this",
    "to", "us", "want", "we", "will", "with", "would", "you",
];
/// Words between two pieces of work.
const BREAKS: [&str; 5] = ["also", "and", "finally", "next", "then"];

/// What a goal needs, by rules: its clauses, without the words that say nothing. A model may know better.
pub fn needs(goal: &str) -> Vec<Skill> {
    let text: String = goal.chars().take(MAX_CHARS).collect::<String>().to_lowercase();
    let mut seen = BTreeSet::new();
    let clauses = text.split([',', ';', ':', '.', '!', '?', '\n']).flat_map(clauses);
    clauses
        .filter_map(|words| Skill::cut(&words.join(" ")))
        .filter(|need| seen.insert(need.clone()))
        .take(MAX_NEEDS)
        .collect()
}

fn clauses(sentence: &str) -> Vec<Vec<&str>> {
    let words: Vec<&str> = sentence.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
    words
        .split(|word| BREAKS.contains(word))
        .map(|clause| clause.iter().copied().filter(|word| tells(word)).collect())
        .collect()
}

fn tells(word: &str) -> bool {
    word.chars().any(char::is_alphabetic) && FILLERS.binary_search(&word).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_cut_into_what_it_needs() {
        assert!(FILLERS.is_sorted());
        for (goal, expected) in [
            (
                "The annual revenue figures from 2014 to 2020: find them, plot them and then write a report.",
                vec!["annual revenue figures", "find", "plot", "write report"],
            ),
            ("Translate this letter", vec!["translate letter"]),
            ("to the; 42", vec![]),
        ] {
            let found: Vec<String> = needs(goal).into_iter().map(String::from).collect();
            assert_eq!(found, expected);
        }
        assert_eq!(needs(&"sing a song number x, ".repeat(1_000)).len(), 1);
    }
}
